"""Pairs by keypoints: the same in ranges or whole, at once or one after the other; what is stored is not done again."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.dedup import Dedup
from schemas.errors import BadInput
from schemas.manifests import TableRef
from tasks.core.dedup import local_lists
from tasks.core.dedup.local import LocalPairs
from tasks.core.purge.rows import without_files
from tasks.dedup import local_pairs, stored_keypoints
from tasks.engine import thumbnails
from tests.support.dedup import HANGING, ONE, OTHER, Wall, jpeg, painted

BY = Dedup(label="dedup", by=("phash", "local"))
BESIDE = np.concatenate([ONE, OTHER], axis=1)
PARTS = {
    "m:beside": jpeg(BESIDE),
    "m:detail": jpeg(np.kron(OTHER[30:110, 60:160], np.ones((2, 2, 1), np.uint8))),
    "m:one": jpeg(ONE),
    "m:other": jpeg(OTHER),
    "m:stranger": jpeg(painted(9)),
}
BOUND = {("m:beside", "m:one"), ("m:beside", "m:other"), ("m:detail", "m:other")}


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    return Wall(str(tmp_path / "store"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """Images whose keypoints are looked for, and ranges of pictures whose pairs are."""
    seen: dict[str, list[int]] = {"keypoints": [], "ranges": []}
    task, store_pairs = local_pairs.find_keypoints_part, local_pairs._store_pairs
    inner = task.fn

    def noted(rows: pa.Table, *more: Any) -> None:
        seen["keypoints"].append(rows.num_rows)
        inner(rows, *more)

    def stored(store: Any, into: str, number: int, *more: Any) -> None:
        seen["ranges"].append(number)
        store_pairs(store, into, number, *more)

    monkeypatch.setattr(task, "fn", noted)
    monkeypatch.setattr(local_pairs, "_store_pairs", stored)
    return seen


def edges(wall: Wall, hanging: dict[str, bytes]) -> set[tuple[str, str]]:
    step = wall.decided(hanging, BY)
    assert step.edges is not None
    return {(row["a"], row["b"]) for row in wall.store.read_table(step.edges).to_pylist()}


def pairs_of(wall: Wall, names: list[str]) -> LocalPairs:
    wall.state({name: HANGING[name] for name in names})
    blobs = pa.array(sorted({wall.store.write_blob(HANGING[name]) for name in names}))
    found = local_pairs.local_pairs(blobs, wall.context, "dedup")
    assert found is not None
    return found


def test_parts_of_a_picture_are_bound_and_not_dropped(wall: Wall):
    assert edges(wall, PARTS) >= BOUND
    dropped = wall.stays(PARTS, BY)
    assert "m:stranger" not in {name for pair in edges(wall, PARTS) for name in pair}
    assert not {"m:beside", "m:detail", "m:one", "m:other"} & dropped.keys()


def test_what_was_found_is_not_looked_for_again(wall: Wall, asked: dict[str, list[int]]):
    first = wall.decided(PARTS, BY)
    assert asked == {"keypoints": [5], "ranges": [0]}
    again = wall.decided(PARTS, BY)
    assert asked == {"keypoints": [5], "ranges": [0]}
    assert (again.outcome, again.edges, again.computed) == (first.outcome, first.edges, 0)


def test_a_new_image_costs_its_own_keypoints_and_a_new_search(wall: Wall, asked: dict[str, list[int]]):
    edges(wall, {name: data for name, data in PARTS.items() if name != "m:one"})
    for rows in asked.values():
        rows.clear()
    assert edges(wall, PARTS) >= BOUND
    assert asked == {"keypoints": [1], "ranges": [0]}


@pytest.mark.parametrize(("few", "most"), [(1, 2**16), (3, 2**16), (1, 1), (2, 2)])
def test_ranges_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int, most: int):
    names = sorted(set(HANGING) - {"m:one-again"})
    whole = pairs_of(Wall(str(tmp_path / "whole")), names)
    assert len(whole.a) > 3
    monkeypatch.setattr(local_pairs, "_FEW_PICTURES", few)
    monkeypatch.setattr(local_pairs, "_MOST_PICTURES", most)
    at_once, grown = (Wall(str(tmp_path / name)) for name in ("at-once", "grown"))
    pairs_of(grown, names[:4])
    for found in (pairs_of(at_once, names), pairs_of(grown, names)):
        assert [column.tolist() for column in found] == [column.tolist() for column in whole]


def test_a_search_goes_on_where_it_was_broken_off(wall: Wall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    names = sorted(set(HANGING) - {"m:one-again"})
    whole = pairs_of(Wall(str(tmp_path / "whole")), names)
    monkeypatch.setattr(local_pairs, "_FEW_PICTURES", 2)
    asked: list[str] = []
    sift, count = local_pairs.sift_part.fn, local_pairs.count_part.fn

    def sifted(rows: pa.Table, *more: Any) -> None:
        asked.extend(f"sector {number}" for number in rows["sector"].to_pylist())
        sift(rows, *more)

    def counted(rows: pa.Table, *more: Any) -> None:
        asked.extend(f"range {number}" for number in rows["range"].to_pylist())
        if asked.count("range 1") == 1:
            raise RuntimeError
        count(rows, *more)

    monkeypatch.setattr(local_pairs.sift_part, "fn", sifted)
    monkeypatch.setattr(local_pairs.count_part, "fn", counted)
    with pytest.raises(RuntimeError):
        pairs_of(wall, names)
    near = [*(Path(wall.context.store) / "measures" / "local-near").rglob("*.parquet")]
    assert len(near) > len(local_lists.SECTORS)
    near[0].unlink()
    lost = f"sector {near[0].parent.name.partition('-')[0]}"
    assert asked == [*(f"sector {sector}" for sector in local_lists.SECTORS), "range 0", "range 1"]
    asked.clear()
    asked.append("range 1")
    assert [column.tolist() for column in pairs_of(wall, names)] == [column.tolist() for column in whole]
    assert asked[:3] == ["range 1", lost, "range 1"]
    assert "range 0" not in asked
    assert not [*(Path(wall.context.store) / "measures" / "local-near").rglob("*.parquet")]


@pytest.mark.parametrize("folder", ["measures/keypoints", "measures/local-pairs", "measures/relations"])
def test_what_is_lost_is_made_again(wall: Wall, folder: str):
    first = wall.decided(PARTS, BY)
    lost = list((Path(wall.context.store) / folder).rglob("*.parquet"))
    assert lost
    for path in [*lost, *(Path(wall.context.store) / "decisions").rglob("*.parquet")]:
        path.unlink()
    again = wall.decided(PARTS, BY)
    assert (again.outcome, again.edges) == (first.outcome, first.edges)


def test_keypoints_come_back_as_they_were_stored(wall: Wall):
    pairs_of(wall, ["m:one", "m:other"])
    blobs = pa.array(sorted(wall.store.write_blob(HANGING[name]) for name in ("m:one", "m:other")))
    shelf = local_pairs.ensure_keypoints(blobs, wall.context, "dedup")
    stored = stored_keypoints.stored_keypoints(wall.store, shelf.slice(0, 1))
    assert list(stored) == blobs.to_pylist()[:1]
    for sha256, grey in thumbnails.greys(wall.store, thumbnails.stored_thumbnails(wall.store, blobs[:1])).items():
        found = local_pairs.keypoints_of(grey)
        assert [side.tolist() for side in stored[sha256]] == [side.tolist() for side in found]


def test_more_images_than_can_be_numbered_are_refused(wall: Wall, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local_lists, "MOST_PICTURES", 1)
    with pytest.raises(BadInput, match=r"^dedup: expected at most 1 images for local, got 2$"):
        pairs_of(wall, ["m:one", "m:other"])


def test_a_plan_leaves_nothing_and_says_what_it_can_not_know(wall: Wall):
    wall.state(PARTS)
    before = sorted(Path(wall.context.store).rglob("*"))
    blobs = pa.array(sorted(wall.store.write_blob(data) for data in PARTS.values()))
    plan = wall.context.model_copy(update={"plan": "p"})
    assert local_pairs.local_pairs(blobs, plan, "dedup") is None
    assert sorted(Path(wall.context.store).rglob("*")) == before
    local_pairs.local_pairs(blobs, wall.context, "dedup")
    assert local_pairs.local_pairs(blobs, plan, "dedup") is not None


def test_a_picture_that_comes_back_after_its_purge_is_compared_again(wall: Wall):
    names = ["m:one", "m:one-cropped"]
    first = pairs_of(wall, names)
    assert len(first.a) == 1
    purged = pa.array([max(wall.store.write_blob(HANGING[name]) for name in names)])
    for ref, table in pairs_tables(wall):  # as a purge leaves it
        wall.store.remove(ref.path)
        wall.store.write_table(ref.path.rpartition("/")[0], without_files(table, ("a", "b"), purged))
    assert [column.tolist() for column in pairs_of(wall, names)] == [column.tolist() for column in first]


def pairs_tables(wall: Wall) -> list[tuple[TableRef, pa.Table]]:
    root = Path(wall.context.store)
    folders = [str(path.relative_to(root)) for path in root.glob("measures/local-pairs/*/")]
    return [found for folder in folders for found in wall.store.tables(folder)]


def test_a_collection_that_is_built_no_more_is_pruned_though_another_is(wall: Wall):
    """Each has a cache key of its own."""
    pairs_of(wall, ["m:one", "m:other"])
    old = {ref.path for ref, _ in pairs_tables(wall)}
    pairs_of(wall, ["m:one", "m:one-cropped"])
    new = {ref.path for ref, _ in pairs_tables(wall)} - old
    keys = [{path.split("/")[2] for path in paths} for paths in (old, new)]
    assert len(old) == len(new) == 1
    assert not keys[0] & keys[1]


def test_of_two_builds_of_one_collection_the_slower_takes_what_the_faster_has_found(
    wall: Wall, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(local_pairs, "_FEW_PICTURES", 2)
    names = sorted(set(HANGING) - {"m:one-again"})
    count, first = local_pairs.count_part.fn, []

    def overtaken(rows: pa.Table, *more: Any) -> None:
        if not first:  # the other build begins and ends now, and removes the near keypoints of both
            first.append(None)
            first.append(pairs_of(wall, names))
        count(rows, *more)

    monkeypatch.setattr(local_pairs.count_part, "fn", overtaken)
    found = pairs_of(wall, names)
    assert [column.tolist() for column in found] == [column.tolist() for column in first[1]]
