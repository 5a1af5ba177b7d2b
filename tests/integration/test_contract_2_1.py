"""A kept release of contract 2.1.0 is read as it was, and gone on from: nothing moves, and nothing is told as a change.

tests/contracts/release-2.1.0 has it, and what it was built from: a museum of the size and seed in museum.json,
recipe.yaml, by-hand.csv. It was written by the program as it was before contract 2.2, and is never written again.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from schemas.tables import BOXES, IMAGES
from tasks.diff import diff
from tasks.io.store.releases import Release
from tasks.verify import verify
from tests.support.desk import MadeOnce
from tests.support.kept_release import CONTRACTS, House, figures, rows
from tests.support.manifests import rewrite_manifest

KEPT = CONTRACTS / "release-2.1.0"
VERSION = "5e0d073afcaf"
URL = str(KEPT / "releases/museum/latest")
IMAGE_COLUMNS = pq.read_schema(KEPT / f"releases/museum/{VERSION}/images/train-00000-of-00001.parquet").names
BOX_COLUMNS = pq.read_schema(KEPT / f"releases/museum/{VERSION}/annotations/train-00000-of-00001.parquet").names


def house_in(folder: Path) -> House:
    return House(folder, KEPT, VERSION)


def make(folder: Path) -> None:
    """A house in which the museum has been built once, after the kept release."""
    house = house_in(folder)
    house.open()
    house.build()


@pytest.fixture(scope="session")
def carried_on(made_once: MadeOnce) -> House:
    """A house that no test may change."""
    return house_in(made_once("contract-2.1-carried-on", make))


def test_it_verifies_as_it_did():
    found = verify(URL)
    assert found.is_good, found.text
    assert f"museum {VERSION}: content sha256:" in found.text
    assert Release(URL).manifest.contract_version == "2.1.0"


def test_its_contract_is_known_word_by_word(tmp_path: Path):
    release = Release(str(shutil.copytree(KEPT / "releases/museum" / VERSION, tmp_path / VERSION)))
    path = tmp_path / VERSION / "contract/images.odcs.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("One row", "Some row"), encoding="utf-8")
    entry = release.file_entry("contract/images.odcs.yaml")
    assert entry is not None
    rewrite_manifest(
        release.root, lambda fields: fields["files"]["contract/images.odcs.yaml"].update(entry.model_dump())
    )
    assert verify(release.url).problems == (
        "contract/images.odcs.yaml: expected the text of contract 2.1.0, got another",
    )


def test_columns_of_2_1_are_all_there_in_their_order_those_of_boxes_in_two_tables():
    for old, now in ((IMAGE_COLUMNS, IMAGES), (BOX_COLUMNS, BOXES)):
        assert [name for name in now.names if name in old] == old


def test_a_build_goes_on_from_it_and_nothing_moves(carried_on: House):
    before, after = carried_on.first, carried_on.latest
    assert after.manifest.contract_version > before.manifest.contract_version == "2.1.0"
    assert (after.manifest.previous, after.manifest.lineage) == (VERSION, before.manifest.lineage)
    assert after.manifest.split_sha256 == before.manifest.split_sha256
    now, then = (release.read_mapping("recipe.yaml") for release in (after, before))
    then["stages"][-2]["split"]["score"] = 0.3  # that of its screen
    then["stages"][-1]["export"]["parquet"]["order"] = "image_id"  # which there was not yet
    assert now == then
    assert after.manifest.content["ledger"] == before.manifest.content["ledger"]
    names = [name for name in IMAGE_COLUMNS if name not in {"image", "retrieved_at", "year"}]
    assert rows(after, "images", *names) == rows(before, "images", *names)
    key, *others = BOX_COLUMNS
    then, now = ({row[key]: row for row in of.boxes([key, *others]).to_pylist()} for of in (before, after))
    assert now == then
    assert figures(after) == figures(before)
    found = verify(after.url)
    assert found.is_good, found.text


def test_building_again_computes_nothing(carried_on: House):
    manifest = carried_on.latest.manifest
    assert carried_on.build()[-1].computed == 0
    assert carried_on.latest.manifest == manifest


def test_the_difference_is_new_columns_and_years_that_are_read_anew(carried_on: House):
    found = diff(carried_on.first.url, carried_on.latest.url)
    changed = found.changes.select(["field", "reason"]).to_pylist()
    assert changed == [{"field": "year", "reason": "read_anew"}] * 2
    assert found.opted_out.num_rows == 0


# --- taken at face value: what each line does harm with contract 2, and not with the one of today


def first_box_is_a_detectors(release: Path) -> bool:
    """The first rows of what is called annotations, as a reader sees them."""
    table = pq.read_table(release / "annotations")
    return "score" in table.column_names and table["score"].drop_null().length() > 0


def has_an_invented_outline(release: Path) -> bool:
    """A box's own four corners, where its source drew no outline."""
    table = pq.read_table(release / "annotations", columns=["annotation_id", "segmentation"])
    drawn = {row["annotation_id"]: row["segmentation"] for row in table.to_pylist()}
    boxes = json.loads((release / "coco/train.json").read_text())["annotations"]
    return any("segmentation" in box and drawn[box["id"]] is None for box in boxes)


def lies_by_style(release: Path) -> bool:
    """So that a stream through a small buffer begins with one style."""
    parts = sorted((release / "images").glob("train-*.parquet"))
    styles = [style or "~" for part in parts for style in pq.ParquetFile(part).read(["style"])["style"].to_pylist()]
    return styles == sorted(styles)


def has_no_sums(release: Path) -> bool:
    """Nobody without the program can say whether files are whole, or have the promised types."""
    return not (release / "SHA256SUMS").exists() or not (release / "contract/images.arrow").exists()


def has_no_classes(release: Path) -> bool:
    """Styles have no numbers that stay."""
    return "style_label" not in pq.read_schema(next((release / "images").glob("train-*.parquet"))).names


def has_no_fingerprints(release: Path) -> bool:
    """Nobody can ask whether another dataset has its images without all of its files."""
    return not (release / "fingerprints.parquet").exists()


@pytest.mark.parametrize(
    "harm",
    [
        first_box_is_a_detectors,
        has_an_invented_outline,
        lies_by_style,
        has_no_sums,
        has_no_classes,
        has_no_fingerprints,
    ],
)
def test_a_harm_of_contract_2_is_gone(carried_on: House, harm: Callable[[Path], bool]):
    assert harm(Path(carried_on.first.url))
    assert not harm(Path(carried_on.latest.url))
