"""The scope of a takedown is what its row says, whatever words its reason has; and old files go on."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flows.build_dataset import run_stages
from schemas.by_hand import ALONE
from tasks.io.store.layout import tombstones_path
from tasks.io.store.releases import Release
from tasks.purge import purge
from tasks.verify import verify
from tests.support.first_contract import to_first_contract
from tests.support.manifests import rewrite_manifest
from tests.support.wall import SPLIT, Wall

ALL_OF_ONE = {"m:one-again.jpg", "m:one-cropped.jpg", "m:one-worse.jpg", "m:one.jpg"}

ALONE_GO = {"m:one.jpg", "m:one-again.jpg"}  # the second is a file of the same bytes


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    wall = Wall(tmp_path)
    for path in (wall.folder / "images").glob("*.jpg"):
        if path.stem not in {name[2:-4] for name in ALL_OF_ONE} | {"third"}:
            path.unlink()
    return wall


def build(wall: Wall, *rows: str) -> Release:
    """A build with whole rows of the list by hand: also their reasons."""
    text = "\n".join(["action,scope,name,reason,date", *rows])
    (wall.folder / "said.csv").write_text(f"{text}\n", encoding="utf-8")
    return Release(run_stages(wall.recipe(), wall.context())[-1].release)


def scopes(wall: Wall) -> dict[str, str]:
    rows = wall.latest.tombstones().to_pylist()
    return {row["record_id"]: row["scope"] for row in rows}


@pytest.mark.parametrize(
    "reason",
    [f"{ALONE}not what was asked", f"asked for; {ALONE}see the letter", f"same bytes as m:x: {ALONE}x", "asked"],
)
def test_a_work_stays_a_work_whatever_its_reason_says(wall: Wall, reason: str):
    wall.stages = ["fetch", "hash", "dedup", SPLIT, "export"]
    build(wall)
    release = build(wall, f"takedown,work,m:one.jpg,{reason},2024-05-01")
    assert {row["scope"] for row in release.takedowns().to_pylist() if row["record_id"] == "m:one.jpg"} == {"work"}
    purge("wall", wall.store)
    found = scopes(wall)
    assert found["m:one.jpg"] == "work"
    assert found.keys() == ALL_OF_ONE
    assert {scope for name, scope in found.items() if name != "m:one.jpg"} == {"copy"}
    again = build(wall)  # without the list: the tombstones alone hold
    assert wall.kept() == ["m:third.jpg"]
    assert scopes(wall) == found
    assert verify(again.url).problems == ()


def test_a_record_alone_stays_alone(wall: Wall):
    build(wall)
    row = "takedown,record,m:one.jpg,a wrong scan,2024-05-01"
    release = build(wall, row)
    assert release.takedowns().to_pylist() == [
        {"record_id": name, "scope": "record", "reached_by": None} for name in sorted(ALONE_GO)
    ]
    purge("wall", wall.store)
    assert scopes(wall) == dict.fromkeys(ALONE_GO, "record")
    build(wall)
    assert len(wall.kept()) == 2  # a copy of the work, and the other
    assert verify(wall.latest.url).problems == ()
    purge("wall", wall.store)
    assert scopes(wall) == dict.fromkeys(ALONE_GO, "record")


def test_a_purge_asked_for_on_the_command_line_keeps_its_scope(wall: Wall):
    build(wall)
    purge("wall", wall.store, ["m:one.jpg"], f"{ALONE}x", "2025-01-02")
    found = scopes(wall)
    assert (found["m:one.jpg"], found.keys()) == ("work", ALL_OF_ONE)
    build(wall)
    purge("wall", wall.store)
    assert scopes(wall) == found


def as_before_1_4(release: Release, *, has_scopes: bool) -> None:
    """Make the files of the newest release those of an earlier version: no takedowns.parquet, tombstones without a
    scope, a manifest without a digest of its own.
    """
    root = Path(release.root)
    files = dict(release.manifest.files)
    files.pop("takedowns.parquet", None)
    (root / "takedowns.parquet").unlink(missing_ok=True)
    if "tombstones.parquet" in files and not has_scopes:
        pq.write_table(pq.read_table(root / "tombstones.parquet").drop_columns("scope"), root / "tombstones.parquet")
    manifest = release.manifest.model_copy(update={"files": files, "manifest_sha256": None})
    (root / "manifest.json").write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    version = to_first_contract(root, "1.3.0").version
    root.rename(root.with_name(version))
    root.with_name("latest").write_text(f"{version}\n", encoding="utf-8")


@pytest.mark.parametrize("has_scopes", [True, False])
def test_a_store_of_an_earlier_version_goes_on(wall: Wall, has_scopes: bool):
    build(wall)
    row = "takedown,record,m:one.jpg,a wrong scan,2024-05-01"
    as_before_1_4(build(wall, row), has_scopes=has_scopes)
    purge("wall", wall.store)  # by the words of the ledger
    assert scopes(wall) == dict.fromkeys(ALONE_GO, "record")
    as_before_1_4(wall.latest, has_scopes=has_scopes)
    if not has_scopes:
        path = Path(wall.store) / tombstones_path("wall")
        pq.write_table(pq.read_table(path).drop_columns("scope"), path)
    assert scopes(wall) == dict.fromkeys(ALONE_GO, "record")
    build(wall)
    assert scopes(wall) == dict.fromkeys(ALONE_GO, "record")
    assert len(wall.kept()) == 2
    purge("wall", wall.store)
    assert scopes(wall) == dict.fromkeys(ALONE_GO, "record")


def test_a_release_that_does_not_say_what_reached_its_records_goes_on(wall: Wall):
    """As contract 1.4.0 had it."""
    build(wall)
    row = "takedown,work,m:one.jpg,asked,2024-05-01"
    release = build(wall, row)
    before = {name: known["reason"] for name, known in wall.ledger().items()}
    file = Path(release.root, "takedowns.parquet")
    pq.write_table(pq.read_table(file).drop_columns("reached_by"), file)
    entry = release.file_entry(file.name)
    assert entry is not None
    rewrite_manifest(release.url, lambda fields: fields["files"][file.name].update(entry.model_dump(exclude={"rows"})))
    assert wall.latest.takedowns() is None
    build(wall, row)
    assert {name: known["reason"] for name, known in wall.ledger().items()} == before


def test_a_dry_run_leaves_a_damaged_store_as_it_is(wall: Wall):
    build(wall)
    build(wall, "takedown,work,m:one.jpg,asked,2024-05-01")
    for path in Path(wall.store).rglob("*"):
        if path.is_file() and not {"releases", "tombstones"} & {*path.parts}:
            path.write_bytes(path.read_bytes()[:-1] + b"?")
    before = {path: path.read_bytes() for path in Path(wall.store).rglob("*") if path.is_file()}
    assert "this is a dry run" in purge("wall", wall.store, is_dry=True)
    assert {path: path.read_bytes() for path in Path(wall.store).rglob("*") if path.is_file()} == before
    purge("wall", wall.store)
    assert scopes(wall)["m:one.jpg"] == "work"
