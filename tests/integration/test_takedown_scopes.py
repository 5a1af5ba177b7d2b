"""The scope of a takedown is what its row says, whatever words its reason has; and old files go on."""

from pathlib import Path

import pytest

from flows.build_dataset import run_stages
from schemas.by_hand import ALONE
from tasks.io.store.releases import Release
from tasks.purge import purge
from tasks.verify import verify
from tests.support.wall import SPLIT, Wall

pytestmark = pytest.mark.live

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
