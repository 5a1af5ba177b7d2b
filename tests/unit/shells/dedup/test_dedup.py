"""dedup's shell: what it looks at again and what it takes from the store, in pieces or whole; and what people say."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.dedup import Dedup
from schemas.errors import BadInput, BrokenPromise
from schemas.manifests import Context, TableRef
from schemas.relations import ViewName
from schemas.tables import SEARCH_PAIRS
from tasks.core.dedup.candidates import RadiiBits
from tasks.dedup import dedup, relate, search
from tasks.engine import inspection
from tasks.io.images.inspection import PHASH
from tasks.subjects import view_hashes
from tests.support.dedup import HANGING, RADIUS, STAYS, WALL, Wall

pytestmark = pytest.mark.slow


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    return Wall(str(tmp_path / "store"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """Rows that the parts are given: `keys` (blobs) and `looks` (pairs)."""
    seen: dict[str, list[int]] = {"keys": [], "looks": []}
    for name, module, part in (("keys", view_hashes, "hash_views_part"), ("looks", relate, "compare_part")):
        task = getattr(module, part)
        inner = task.fn

        def noted(rows: pa.Table, *more: Any, name: str = name, inner: Any = inner) -> None:
            seen[name].append(rows.num_rows)
            inner(rows, *more)

        monkeypatch.setattr(task, "fn", noted)
    return seen


def test_no_records_no_copies(wall: Wall):
    step = wall.decided({})
    assert (step.kept, step.dropped) == (0, {})
    assert step.edges is not None
    assert wall.store.read_table(step.edges).num_rows == 0


def test_copies_go_and_works_stay(wall: Wall):
    assert wall.stays(HANGING) == STAYS


def test_black_sheets_tie_nothing(wall: Wall):
    step = wall.decided(HANGING)
    table = wall.store.read_table(step.outcome).to_pylist()
    assert [row["group_id"] for row in table if "black" in row["record_id"]] == ["m:black-1", "m:black-2", "m:black-3"]
    assert step.edges is not None
    assert not [row for row in wall.store.read_table(step.edges).to_pylist() if "black" in row["a"] + row["b"]]


def test_what_was_looked_at_is_not_looked_at_again(wall: Wall, asked: dict[str, list[int]]):
    first = wall.decided(HANGING)
    seen = {name: list(rows) for name, rows in asked.items()}
    again = wall.decided(HANGING)
    assert (sum(seen["keys"]), sum(seen["looks"])) == (9, 4)  # blobs; pairs: three of one, one of the other
    assert asked == seen
    assert (again.outcome, again.edges, again.computed) == (first.outcome, first.edges, 0)


def test_a_new_image_costs_its_own_keys_and_pairs(wall: Wall, asked: dict[str, list[int]]):
    wall.decided({name: data for name, data in HANGING.items() if name != "m:one-worse"})
    for rows in asked.values():
        rows.clear()
    assert wall.stays(HANGING) == STAYS
    assert asked == {"keys": [1], "looks": [2]}


def test_a_new_kind_of_view_asks_for_its_own_keys_alone(wall: Wall, asked: dict[str, list[int]]):
    wall.decided(HANGING, Dedup(label="dedup", by=("phash", "crops")))
    wall.decided({**HANGING, "m:new": HANGING["m:one-worse"] + b"\0"}, Dedup(label="dedup", by=("phash", "crops")))
    asked["keys"].clear()
    wall.decided({**HANGING, "m:new": HANGING["m:one-worse"] + b"\0"})
    assert asked["keys"] == [10]  # inner, of all ten


def test_another_radius_asks_for_no_key_again(wall: Wall, asked: dict[str, list[int]]):
    wall.decided(HANGING)
    asked["keys"].clear()
    wall.decided(HANGING, Dedup(label="dedup", radius_bits=4))
    assert asked["keys"] == []


@pytest.mark.parametrize(
    "folder",
    [
        "measures/thumbnail",
        "measures/view-hashes",
        "measures/relations",
        "measures/search-hashes",
        "measures/search-pairs",
    ],
)
def test_what_is_lost_is_made_again(wall: Wall, folder: str):
    first = wall.decided(HANGING)
    lost = list((Path(wall.context.store) / folder).rglob("*.parquet"))
    assert lost
    for path in [*lost, *(Path(wall.context.store) / "decisions").rglob("*.parquet")]:
        path.unlink()
    if folder == "measures/thumbnail":  # else nobody looks at them
        for path in (Path(wall.context.store) / "measures/relations").rglob("*.parquet"):
            path.unlink()
    again = wall.decided(HANGING)
    assert (again.outcome, again.edges) == (first.outcome, first.edges)


def test_a_plan_says_how_many_pairs_and_leaves_nothing(tmp_path: Path, wall: Wall):
    state = wall.state(HANGING)
    before = sorted(Path(wall.context.store).rglob("*"))
    step = dedup(Dedup(label="dedup", by=("phash",)), state, WALL, wall.context.model_copy(update={"plan": "p"}))
    assert step.notes == ("dedup: 2 pairs will be compared first",)
    assert (
        dedup(RADIUS, state, WALL, wall.context.model_copy(update={"plan": "q"})).notes[0]
        == "dedup: views of new images will be hashed, or their places in common searched for, first"
    )
    assert sorted(Path(wall.context.store).rglob("*")) == before


@pytest.mark.parametrize("piece_keys", [1, 3, 7, 2**24])
def test_pieces_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece_keys: int):
    monkeypatch.setattr(search, "PIECE_HASHES", piece_keys)
    wall = Wall(str(tmp_path / "store"))
    by: tuple[ViewName, ...] = ("phash",) if piece_keys == 1 else ("phash", "crops")
    expected = dict(STAYS) if len(by) == 2 else {name: kept for name, kept in STAYS.items() if "cropped" not in name}
    assert wall.stays(HANGING, Dedup(label="dedup", by=by)) == expected


@given(
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 300), max_size=40, unique=True),
    st.integers(0, 40),
    st.integers(0, 12),
    st.integers(0, 12),
    st.integers(1, 50),
)
@settings(max_examples=30, deadline=None)
def test_what_was_searched_before_and_what_is_new_are_the_whole(
    values: list[int], old: int, radius_bits: int, view_radius_bits: int, piece_keys: int
):
    everything, before = np.sort(np.array(values, np.uint64)), np.sort(np.array(values[:old], np.uint64))
    views, views_before = np.unique(everything // np.uint64(3)), np.unique(before // np.uint64(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "PIECE_HASHES", piece_keys)
        grown, fresh = (Context(store=f"memory://{name}-{id(patch)}") for name in ("grown", "fresh"))
        radii = RadiiBits(radius_bits, view_radius_bits)
        search.near_hashes(before, views_before, radii, grown, "dedup")
        added = search.near_hashes(everything, views, radii, grown, "dedup")
    at_once = search.near_hashes(everything, views, radii, fresh, "dedup")
    assert added.equals(at_once)
    expected = {
        (i, j, (i ^ j).bit_count(), False)
        for i in values
        for j in values
        if i < j and (i ^ j).bit_count() <= radius_bits
    }
    expected |= {
        (i, j, (i ^ j).bit_count(), True)
        for i in views.tolist()
        for j in values
        if (i ^ j).bit_count() <= view_radius_bits
    }
    assert {tuple(row.values()) for row in at_once.to_pylist()} == expected
    assert at_once.schema == SEARCH_PAIRS


def test_hashes_of_another_recipe_are_refused(wall: Wall):
    with pytest.raises(BrokenPromise, match=rf"of the kind {PHASH}, got some of phash64/look-v1: "):
        dedup(RADIUS, wall.state(HANGING, recipe="phash64/look-v1"), WALL, wall.context)


def said(tmp_path: Path, text: str) -> tuple[Dedup, dict[str, str]]:
    (tmp_path / "verdicts.csv").write_text(text, encoding="utf-8")
    return Dedup(label="dedup", verdicts="said"), {"said": str(tmp_path / "verdicts.csv")}


@pytest.mark.parametrize(
    ("rows", "changed"),
    [
        pytest.param("", {}, id="nobody has said anything"),
        pytest.param(
            "m:other,m:third,copy,a sketch\n",
            {"m:other": "m:third", "m:other-lighter": "m:third"},
            id="a copy that no hash finds",
        ),
        pytest.param(
            "m:other-lighter,m:other,different,\n", {"m:other-lighter": None}, id="two works that look like one"
        ),
        pytest.param("m:other-lighter,m:other,related,\n", {"m:other-lighter": None}, id="two impressions"),
        pytest.param("m:gone,m:other,copy,\n", {}, id="of a record that is not here"),
    ],
)
def test_the_next_build_obeys_what_people_said(tmp_path: Path, rows: str, changed: dict[str, str | None]):
    settings_, bound = said(tmp_path, "a,b,verdict,note\n" + rows)
    wall = Wall(str(tmp_path / "store"), bindings=bound)
    expected = {**STAYS, **changed}
    assert wall.stays(HANGING, settings_) == {name: kept for name, kept in expected.items() if kept}
    notes = wall.decided(HANGING, settings_).notes
    assert notes == (("dedup: 1 of 1 verdicts name a record that does not reach this stage",) if "gone" in rows else ())


def test_verdicts_that_contradict_each_other_are_refused(tmp_path: Path):
    settings_, bound = said(tmp_path, "a,b,verdict\nm:a,m:b,copy\nm:b,m:c,copy\nm:a,m:c,different\n")
    wall = Wall(str(tmp_path / "store"), bindings=bound)
    with pytest.raises(BadInput, match=r"^binding 'said': "):
        wall.decided(HANGING, settings_)


def test_a_group_is_wider_than_a_copy(tmp_path: Path):
    settings_, bound = said(tmp_path, "a,b,verdict\nm:one,m:third,related\n")
    wall = Wall(str(tmp_path / "store"), bindings=bound)
    table = wall.store.read_table(wall.decided(HANGING, settings_).outcome)
    groups = dict(zip(table["record_id"].to_pylist(), table["group_id"].to_pylist(), strict=True))
    assert groups["m:third"] == groups["m:one-cropped"] == "m:one"
    assert pc.is_null(table.filter(pc.equal(table["record_id"], "m:third"))["reason"]).to_pylist() == [True]


def test_shelves_are_told_by_path(wall: Wall):
    wall.state(HANGING)
    tables = wall.store.list_folder(inspection.THUMBNAILS_AT)
    assert [TableRef(path=f"{inspection.THUMBNAILS_AT}/{name}", rows=0).sha256 for name in tables] == [
        name[:64] for name in tables
    ]
