"""Whole comparisons: what they say leads from one release to the other, and back."""

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.diff import CHANGES, KINDS, MEANING, OPT_OUTS, ChangeReason, Kind
from tasks.core.diff.columns import as_text
from tasks.core.diff.comparison import changes_page, compare, facts, opt_out_lines, opt_outs, summary
from tasks.core.diff.sides import ReleasePair, Side
from tests.support.sides import box, dropped, kept, pair, recipe, side

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
    owners = release.boxes(["record_id"])["record_id"].to_pylist()
    return {
        row.pop("record_id"): {**row, "source": str(owners.count(name))} for row in texts for name in [row["record_id"]]
    }


@given(releases(), releases())
def test_the_changes_lead_from_one_release_to_the_other(before, after):
    rows = compare(ReleasePair(before, after)).to_pylist()
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


@pytest.mark.slow
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

    there, back = (compare(ReleasePair(*sides)).to_pylist() for sides in ((before, after), (after, before)))
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


BEFORE = side([kept("m:1"), kept("m:2", "val")], images={"m:2": {"title": "a"}})
AFTER = side(
    [dropped("m:1", "shape", "too_small"), kept("m:2", "val")],
    images={"m:2": {"title": "b"}},
    recipe=recipe(shape={"least_side_px": 99}),
    contract_version="2.1.0",
)


def test_what_changed_is_counted_by_kind_split_and_reason():
    both = pair(BEFORE, AFTER)
    found = facts(both, compare(both), 0)
    assert json.loads(json.dumps(found)) == found
    assert found["kinds"]["went"] == {
        "records": 1,
        "rows": 1,
        "by_reason": {"settings": 1},
        "by_split": {"train": 1},
    }
    text = summary(found)
    assert "before museum 000000000000 (contract 2.0.0, lineage 1): 2 of 2 records kept (train 1, val 1)" in text
    assert "went: 1 record (train 1)" in text
    assert "stages.shape.least_side_px: 64 -> 99" in text
    assert "contract 2.0.0 -> 2.1.0: programs that go by the lower version can read both" in text
    older = side([kept("m:1"), kept("m:2", "val")], contract_version="1.4.1")
    both = pair(older, BEFORE)
    assert "another major version" in summary(facts(both, compare(both), 0))


def test_equal_releases_have_nothing_to_say():
    both = pair(BEFORE, BEFORE)
    assert "no record has changed" in summary(facts(both, compare(both), 0))


def test_coco_files_that_differ_are_said():
    rows = [kept("m:1")]
    one = {"source": "m", "path": "boxes.json", "info": '{"year": 2023}', "licenses": "[]"}
    before = side(rows, coco_files=[one, {"source": "gone"}], contract_version="2.1.0")
    changed = [{**one, "info": None, "other_fields": "{}"}, {"source": "new"}]
    after = side(rows, coco_files=changed, contract_version="2.1.0")
    both = pair(before, after)
    found = facts(both, compare(both), 0)
    assert found["coco_files"] == [
        "gone: no file in the newer release",
        "m: info, other_fields",
        "new: no file in the older release",
    ]
    assert not found["is_equal"]
    text = summary(found)
    assert "no record has changed\n\nCOCO files of sources:\n  gone: no file" in text
    same = pair(before, before)
    assert facts(same, compare(same), 0)["is_equal"]


def test_other_datasets_and_columns_are_said():
    other = side([kept("m:1"), kept("m:2", "val")], name="other", columns=["record_id", "split"])
    both = pair(BEFORE, other)
    text = summary(facts(both, compare(both), 3))
    assert "releases of different datasets" in text
    assert "columns of images that only the older release has: image_id, source" in text
    assert "3 records to remove from copies (opt-outs)" in text


def test_a_strangers_words_obey_no_terminal():
    after = side(recipe=recipe(shape={"label": "\x1b[2J"}))
    text = summary(facts(pair(BEFORE, after), compare(pair(BEFORE, BEFORE)), 0))
    assert "[2J" in text
    assert "\x1b" not in text


STONE = {"record_id": "m:1", "date": "2024-06-01", "reason": "heirs", "scope": "work", "sha256": None}


def test_what_left_by_somebodys_wish_is_listed_and_what_a_limit_dropped_is_not():
    before = side([kept("m:1"), kept("m:2"), kept("m:3"), dropped("m:4", "shape", "too_small", sha256="f4")])
    after = side(
        [
            dropped("m:1", "scrape", "taken_down", detail="heirs (2024-05-01)"),
            dropped("m:2", "scrape", "gone"),
            dropped("m:3", "shape", "too_small"),
            dropped("m:4", "scrape", "taken_down", detail="same wish (2024-05-02)"),
        ]
    )
    found = opt_outs(pair(before, after))
    assert found.schema == OPT_OUTS
    assert [(row["record_id"], row["sha256"], row["reason"], row["date"]) for row in found.to_pylist()] == [
        ("m:1", "m:1", "taken_down", "2024-05-01"),
        ("m:2", "m:2", "gone", None),
        ("m:4", "f4", "taken_down", "2024-05-02"),
    ]
    assert opt_outs(pair(after, after)).num_rows == 0


def test_of_a_purged_record_only_its_tombstone_is_said():
    before = side([kept("m:1")])
    after = side([dropped("m:1", "scrape", "taken_down", detail="heirs (2024-05-01)")], tombstones=[STONE])
    (row,) = opt_outs(pair(before, after)).to_pylist()
    assert row == {
        "record_id": "m:1",
        "image_id": 1,
        "sha256": None,
        "reason": "taken_down",
        "detail": "heirs",
        "date": "2024-06-01",
    }


def test_lines_for_other_programs_are_one_a_record_whatever_stands_in_them():
    after = side([dropped("m:\n1\x1b[2J", "scrape", "gone")])
    found = opt_outs(pair(side([kept("m:\n1\x1b[2J")]), after))
    lines = opt_out_lines(found, "a", "b").splitlines()
    assert len(lines) == 2
    assert lines[1].split("\t")[0] == "m: 1 [2J"


def test_the_page_of_a_release_is_its_summary_as_code():
    one = side([kept("m:1", "train")], images={"m:1": {"title": "# a"}})
    found = facts(pair(one, one), compare(pair(one, one)), 0)
    lines = changes_page("0123456789ab", found).splitlines()
    assert lines[0] == "# Changes since 0123456789ab"
    told = [line[4:] if line else "" for line in lines[2 : 2 + len(summary(found).splitlines())]]
    assert told == summary(found).splitlines()
    assert all(line.startswith("    ") or not line for line in lines[2 : 2 + len(told)])


def test_a_release_before_that_is_gone():
    assert "the two have not been compared" in changes_page("0123456789ab", None)
