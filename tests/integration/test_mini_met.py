"""The Met in small, by the recipe that ships: classes, gallery and queries, photographers and distractors, all from
attributes. The pretend museum has the exhibits; a folder has what visitors took of them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from examples.museum.serve.server import serving
from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.errors import BadInput
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release
from tasks.unpack import unpack
from tasks.verify import verify
from tests.support.desk import by_label, computed
from tests.support.mini_met import MiniMet, Photo

HURRIED = ("manners.rate_per_s=2000", "manners.hosts={}", "stages.split.ratios={val: 1, test: 1}")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> MiniMet:
    made = MiniMet(tmp_path_factory.mktemp("met") / "visitors")
    made.write()
    return made


@pytest.fixture(scope="module")
def museum(mini: MiniMet) -> Iterator[Any]:
    with serving(mini.hall) as opened:
        yield opened


def build(store: Path, mini: MiniMet, museum: Any, *changes: str, **more: Any) -> dict[str, Step]:
    bindings = {"origins": f"*={museum.url}", "visitors": str(mini.folder)}
    context = Context(store=str(store), bindings=bindings, run=f"{store} {more}", **more)
    return by_label(run_stages(recipe_from_file("met", [*HURRIED, *changes]), context))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, mini: MiniMet, museum: Any) -> Path:
    store = tmp_path_factory.mktemp("store")
    build(store, mini, museum)
    return store


def latest(store: Path) -> Release:
    return Release(f"{store}/releases/met/latest")


def images(store: Path) -> list[Row]:
    wanted = [
        "record_id",
        "source",
        "split",
        "artist",
        "style",
        "sha256",
        "object_id",
        "accession",
        "subject",
        "photographer",
    ]
    return [row for batch in latest(store).batches("images", columns=wanted) for row in batch.to_pylist()]


def reasons(store: Path) -> dict[str, str]:
    return {row["record_id"]: row["reason"] for row in latest(store).ledger().to_pylist() if not row["kept"]}


def photo_of(row: Row, mini: MiniMet) -> Photo:
    (photo,) = (photo for photo in mini.photos if row["record_id"] == f"visitors:{photo.key}")
    return photo


def test_exhibits_are_the_gallery_with_their_classes(built: Path, mini: MiniMet):
    gallery = [row for row in images(built) if row["source"] == "met"]
    assert {row["split"] for row in gallery} == {"train"}
    assert {row["object_id"] for row in gallery} <= set(mini.exhibits)
    assert len({row["object_id"] for row in gallery}) >= len(mini.exhibits) - 2  # but for copies and spoilt files
    assert all(row["accession"] and row["subject"] is None and row["photographer"] is None for row in gallery)
    most = max(sum(row["object_id"] == one for row in gallery) for one in mini.exhibits)
    assert 2 <= most <= 10


def test_queries_are_what_the_visitors_say_and_nothing_is_called_artist_or_style(built: Path, mini: MiniMet):
    queries = [row for row in images(built) if row["source"] == "visitors"]
    assert {row["split"] for row in queries} == {"val", "test"}
    for row in queries:
        photo = photo_of(row, mini)
        assert (row["subject"], row["photographer"]) == (photo.subject, photo.photographer)
        assert row["object_id"] == (int(photo.object_id) if photo.object_id else None)
        assert (row["artist"], row["style"], row["accession"]) == (None, None, None)
    gallery = {row["object_id"] for row in images(built) if row["source"] == "met"}
    assert {row["object_id"] for row in queries if row["subject"] == "met"} <= gallery  # each query has its class


def test_distractors_have_no_class_and_both_splits_have_some_of_each_kind(built: Path):
    queries = [row for row in images(built) if row["source"] == "visitors"]
    assert {row["object_id"] for row in queries if row["subject"] != "met"} == {None}
    for split in ("val", "test"):
        assert {row["subject"] for row in queries if row["split"] == split} == {"met", "other art", "no art"}
    lost = {name: reason for name, reason in reasons(built).items() if name.startswith("visitors:photo")}
    assert sum(row["subject"] == "met" for row in queries) == 24 - len(lost)
    assert set(lost.values()) <= {"near_duplicate"}  # of another visitor's photograph: never more than one or two
    assert len(lost) <= 2


def test_no_photographer_and_no_class_is_in_both_splits_of_queries(built: Path):
    queries = [row for row in images(built) if row["source"] == "visitors"]
    for column in ("photographer", "object_id"):
        for value in {row[column] for row in queries} - {None}:
            assert len({row["split"] for row in queries if row[column] == value}) == 1, f"{column} {value}"


def test_no_query_is_a_copy_of_an_image_of_the_gallery(built: Path):
    found = reasons(built)
    assert found["visitors:own-file"] == "exact_duplicate"  # the gallery's image is the one that stays
    assert found["visitors:own-small"] in {"copy_across_roles", "near_duplicate"}
    rows = images(built)
    files = {source: {row["sha256"] for row in rows if row["source"] == source} for source in ("met", "visitors")}
    assert not files["met"] & files["visitors"]
    kept = {row["record_id"]: row["source"] for row in rows}
    copies = {"same_file", "reencoded", "resized", "recoloured"}
    pairs = [row for row in latest(built).relations().to_pylist() if row["relation"] in copies]
    assert not [row for row in pairs if {kept.get(row["a"]), kept.get(row["b"])} == {"met", "visitors"}]


def test_the_release_holds_and_building_again_changes_nothing(built: Path, mini: MiniMet, museum: Any):
    assert verify(latest(built).url, is_deep=True).problems == ()
    version = latest(built).manifest.version
    assert set(computed(build(built, mini, museum, workers=1))) <= {"scrape"}
    assert latest(built).manifest.version == version


def test_parts_and_workers_change_nothing(built: Path, mini: MiniMet, museum: Any, tmp_path: Path):
    build(tmp_path, mini, museum, part_rows=7, workers=1)
    assert latest(tmp_path).manifest.content_sha256 == latest(built).manifest.content_sha256


def test_it_becomes_the_files_of_the_papers_authors(built: Path, tmp_path: Path):
    told = unpack(latest(built).url, str(tmp_path), store_url=str(built), layout="met")
    rows = {
        row["image_id"]: row for row in latest(built).rows("images", ["image_id", "split", "object_id"]).to_pylist()
    }
    truth = {path.stem: json.loads(path.read_text()) for path in (tmp_path / "ground_truth").iterdir()}
    assert truth.keys() == {"MET_database", "mini_MET_database", "valset", "testset"}
    for name, split, key in (
        ("MET_database", "train", "id"),
        ("valset", "val", "MET_id"),
        ("testset", "test", "MET_id"),
    ):
        found = {int(Path(entry["path"]).stem): entry.get(key) for entry in truth[name]}
        assert found == {number: row["object_id"] for number, row in rows.items() if row["split"] == split}
        for entry in truth[name]:
            with Image.open(tmp_path / "images" / entry["path"]) as picture:
                assert picture.format == "JPEG"
                assert max(picture.size) <= 500
    asked = {entry["MET_id"] for name in ("valset", "testset") for entry in truth[name] if "MET_id" in entry}
    mini = truth["mini_MET_database"]
    others = sum(entry["id"] not in asked for entry in truth["MET_database"])
    assert [entry for entry in mini if entry["id"] in asked] == [
        entry for entry in truth["MET_database"] if entry["id"] in asked
    ]
    assert sum(entry["id"] not in asked for entry in mini) == round(others / 10)
    assert f"train: {len(truth['MET_database'])} images" in told
    assert "files: " in unpack(latest(built).url, str(tmp_path), store_url=str(built), layout="met")
    with pytest.raises(BadInput, match="expected none with --layout met"):
        unpack(latest(built).url, str(tmp_path / "some"), ["val"], str(built), layout="met")


def test_a_screen_and_a_sample_by_attributes(mini: MiniMet, museum: Any, tmp_path: Path):
    build(
        tmp_path,
        mini,
        museum,
        "stages.shape.applies_to={}",
        "stages.shape.where={subject: {is_known: false}, department: {not: Drawings and Prints}}",
        "stages.split.roles={}",
        "stages.split.by=department",
        "stages.split.ratios={train: 1}",
    )
    dropped = latest(tmp_path).ledger().to_pylist()
    details = {row["detail"] for row in dropped if row["reason"] == "where_not_met"}
    assert "department: Drawings and Prints" in details
    assert {"subject: met", "subject: other art"} & details == set()  # department comes first, and they have none
    assert "department: unknown" in details
    assert {row["source"] for row in images(tmp_path)} == {"met"}
