"""A kept release of contract 1.4.1 is read as it was, purged as it was, and gone on from.

tests/contracts/release-1.4.1 has it, and what it was built from: a museum of the size and seed in museum.json,
recipe.yaml, by-hand.csv. It was written by the program as it was before contract 2, and is never written again.
"""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.io.store.releases import Release
from tasks.purge import purge
from tasks.verify import verify
from tasks.why import why
from tests.support.desk import MadeOnce
from tests.support.kept_release import CONTRACTS, House, figures, rows
from tests.support.manifests import rewrite_manifest

KEPT = CONTRACTS / "release-1.4.1"
VERSION = "d873772494e6"
TAKEN_DOWN, SHOWN, DROPPED = "museum:1940.400.29", "museum:1893.188.35", "museum:2013.336.22"
COPY = "museum:1884.332.7"  # of SHOWN


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
    return house_in(made_once("contract-1-carried-on", make))


@pytest.fixture
def kept(tmp_path: Path) -> Release:
    """The kept release, where a test may change it."""
    return Release(str(shutil.copytree(KEPT / "releases/museum" / VERSION, tmp_path / VERSION)))


# --- read


@pytest.mark.parametrize("is_deep", [False, True], ids=["", "deep"])
def test_it_verifies_as_it_did(is_deep: bool):
    found = verify(str(KEPT / "releases/museum/latest"), is_deep=is_deep)
    assert found.is_good, found.text
    assert f"museum {VERSION}: content sha256:0786a4430301" in found.text


def test_its_tables_are_read_in_todays_types():
    release = Release(str(KEPT / "releases/museum/latest"))
    assert release.manifest.contract_version == "1.4.1"
    assert release.rows("images", ["record_id", "split", "group_id"]).num_rows == 22
    assert {path.split("/")[1] for path in release.parts("images")} == {"split=train", "split=val", "split=test"}
    assert release.ledger().num_rows == release.records().num_rows == 36
    assert release.relations().num_rows
    assert release.takedowns().to_pylist() == [{"record_id": TAKEN_DOWN, "scope": "record", "reached_by": None}]
    assert len(list(release.embedded_images())) == 22


def test_why_says_what_became_of_its_records():
    url = str(KEPT / "releases/museum/latest")
    assert "in the release: split train" in why(url, SHOWN)
    assert f"the copy that was kept: {SHOWN}" in why(url, COPY)
    assert "dropped: too_small" in why(url, DROPPED)
    assert "dropped: taken_down" in why(url, TAKEN_DOWN)


def test_a_changed_word_is_found_by_the_digest_of_contract_1(kept: Release):
    path = Path(kept.root, "ledger.parquet")
    book = pq.read_table(path)
    place = book["record_id"].to_pylist().index(DROPPED)
    details = book["detail"].to_pylist()
    details[place] = "another"
    pq.write_table(book.set_column(book.column_names.index("detail"), "detail", pa.array(details)), path)
    entry = kept.file_entry("ledger.parquet")
    assert entry is not None
    rewrite_manifest(
        kept.root, lambda fields: fields["files"]["ledger.parquet"].update(entry.model_dump(exclude={"rows"}))
    )
    problems = verify(kept.url).problems
    assert problems[0].startswith("ledger: expected content")
    assert problems[1].startswith("content: expected 0786a4430301")


# --- gone on from


def test_a_build_goes_on_from_it_and_nothing_moves(carried_on: House):
    before, after = carried_on.first, carried_on.latest
    assert after.manifest.contract_major > before.manifest.contract_major == 1
    assert (after.manifest.previous, after.manifest.lineage) == (VERSION, before.manifest.lineage)
    for table, columns in (
        ("images", ("record_id", "image_id", "split", "group_id", "sha256", "phash")),
        ("ledger", ("record_id", "kept", "reason", "kept_record_id", "last_split", "image_id")),
    ):
        assert rows(after, table, *columns) == rows(before, table, *columns)
    assert figures(after) == figures(before)
    assert len(figures(after)) == before.rows("annotations", ["annotation_id"]).num_rows > 22
    found = verify(after.url)
    assert found.is_good, found.text


def test_building_again_and_purging_both(carried_on: House, tmp_path: Path):
    house = house_in(Path(shutil.copytree(carried_on.folder, tmp_path / "house")))
    second = house.latest.manifest
    assert house.build()[-1].computed == 0
    assert house.latest.manifest == second

    with (house.folder / "by-hand.csv").open("a") as file:
        file.write(f"takedown,work,{SHOWN},asked for by its owner,2026-11-02\n")
    house.build()
    assert house.latest.manifest.previous == second.version
    assert house.latest.manifest.lineage == second.lineage
    purge("museum", str(house.store))
    for version, contract in ((VERSION, "1.4.1"), (second.version, second.contract_version)):
        release = Release(f"{house.store}/releases/museum/{version}")
        assert release.manifest.contract_version == contract
        assert release.manifest.amended is not None
        assert not {SHOWN, COPY, TAKEN_DOWN} & rows(release, "images", "record_id").keys()
        assert {SHOWN, COPY} <= {*release.tombstones()["record_id"].to_pylist()}
        found = verify(release.url, is_deep=True)
        assert found.is_good, found.text
