"""Whole comparisons: what they say leads from one release to the other, and back."""

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from schemas.diff import CHANGES, KINDS, MEANING, ChangeReason, Kind
from tasks.core.diff.columns import as_text
from tasks.core.diff.compare import compare
from tasks.core.diff.sides import Pair, Side
from tests.support.sides import box, dropped, kept, pair, side

FIELDS = ("split", "group_id", "image_id", "sha256", "title", "styles", "year", "rights_uri")


def image(name: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "title": st.sampled_from([None, "a", "b"]),
            "styles": st.lists(st.sampled_from("xyz"), max_size=2),
            "year": st.sampled_from([None, 1600, 1700]),
            "rights_uri": st.sampled_from(["a", "b"]),
            "group_id": st.sampled_from([name, "m:0"]),
            "sha256": st.sampled_from([name, f"{name}'"]),
            "boxes": st.lists(st.integers(0, 3), max_size=3, unique=True),
        }
    )


@st.composite
def releases(draw: st.DrawFn) -> Side:
    ledger, images, boxes = [], {}, []
    for number, state in enumerate(draw(st.lists(st.sampled_from(["train", "val", "test", "", "-"]), max_size=6))):
        name = f"m:{number}"
        if state == "-":
            continue
        if not state:
            ledger.append(dropped(name, "shape", draw(st.sampled_from(["too_small", "gone", "taken_down"]))))
            continue
        row = draw(image(name))
        boxes += [box(9 * number + each, name) for each in row.pop("boxes")]
        images[name] = row
        ledger.append(kept(name, state, image_id=number + 1, sha256=row["sha256"]))
    return side(ledger, images=images, boxes=boxes)


def shown(release: Side) -> dict[str, dict[str, str | None]]:
    """What a release says of each image, as text, and how many boxes it has."""
    table = release.images(["record_id", *FIELDS])
    texts = pa.table({name: as_text(table[name]) for name in table.column_names}).to_pylist()
    owners = release.annotations(["record_id"])["record_id"].to_pylist()
    return {
        row.pop("record_id"): {**row, "source": str(owners.count(name))} for row in texts for name in [row["record_id"]]
    }


@given(releases(), releases())
def test_the_changes_lead_from_one_release_to_the_other(before, after):
    rows = compare(Pair(before, after)).to_pylist()
    found, target = shown(before), shown(after)
    for row in rows:
        if row["kind"] == Kind.WENT:
            del found[row["record_id"]]
        elif row["kind"] in {Kind.CAME, Kind.RETURNED}:
            assert row["split_after"] == target[row["record_id"]]["split"]
            found[row["record_id"]] = target[row["record_id"]]
        else:
            assert found[row["record_id"]][row["field"]] == row["before"]
            found[row["record_id"]][row["field"]] = row["after"]
    assert found == target
    assert len({(row["record_id"], row["kind"], row["field"]) for row in rows}) == len(rows)


MIRRORED = {Kind.CAME: Kind.WENT, Kind.RETURNED: Kind.WENT, Kind.WENT: Kind.CAME}


@given(releases(), releases())
def test_the_other_way_round_is_the_mirror_image(before, after):
    def sided(rows: list[dict[str, Any]], *, is_mirrored: bool) -> list[tuple[Any, ...]]:
        keys = (
            ("after", "before", "split_after", "split_before")
            if is_mirrored
            else (
                "before",
                "after",
                "split_before",
                "split_after",
            )
        )
        return sorted((row["record_id"], row["field"] or "", *(row[name] or "" for name in keys)) for row in rows)

    there, back = (compare(Pair(*sides)).to_pylist() for sides in ((before, after), (after, before)))
    assert sided(there, is_mirrored=False) == sided(back, is_mirrored=True)
    kinds = [sorted(str(row["kind"]) for row in rows) for rows in (there, back)]
    assert sum(kind == Kind.WENT for kind in kinds[0]) == sum(kind in {Kind.CAME, Kind.RETURNED} for kind in kinds[1])


@given(releases())
def test_a_release_against_itself_is_nothing(release):
    assert compare(pair(release, release)).num_rows == 0


def test_rows_are_sorted_and_every_word_has_a_sentence():
    found = compare(pair(side([kept("m:2"), kept("m:1")]), side([kept("m:3")])))
    assert found.schema == CHANGES
    assert found["record_id"].to_pylist() == ["m:1", "m:2", "m:3"]
    assert set(MEANING) == set(ChangeReason)
    assert set(KINDS) == set(Kind)
