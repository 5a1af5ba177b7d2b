"""The ledger: one row for every record ever seen, and what a build must remember of the one before."""

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tables import DEDUP, FETCH, LEDGER, RECORDS, SPLIT
from tasks.core import ids
from tasks.core.export import ledger
from tasks.core.export.ledger import chain_ends
from tests.support import rowwise

WHEN = datetime(2024, 2, 29, tzinfo=UTC)
NOTHING = LEDGER.empty_table()


def rows(schema: pa.Schema, *said: dict[str, Any]) -> pa.Table:
    blank = dict.fromkeys(schema.names)
    return pa.Table.from_pylist([{**blank, **row} for row in said], schema=schema)


def records(*names: str, **reasons: str) -> pa.Table:
    return rows(
        RECORDS,
        *(
            {"record_id": name, "source": "s", "reason": reasons.get(name), "detail": reasons.get(name) and "so"}
            for name in names
        ),
    )


def was(name: str, **said: Any) -> dict[str, Any]:
    """A row of the ledger before."""
    return {"record_id": name, "source": "s", "kept": True, "image_id": ids.natural_id(name), **said}


def by_name(book: pa.Table) -> dict[str, dict[str, Any]]:
    assert book.schema == LEDGER
    names = book["record_id"].to_pylist()
    assert names == sorted(set(names))
    return {row["record_id"]: row for row in book.to_pylist()}


def by_record(copies: pa.Table) -> dict[str, str]:
    assert copies.schema == ledger.SPLITS_OF_COPIES
    return dict(zip(copies["record_id"].to_pylist(), copies["split"].to_pylist(), strict=True))


def source_of(names: pa.Array | pa.ChunkedArray) -> pa.Array:
    return pa.array([name.partition(":")[0] for name in names.to_pylist()], pa.string())


def built(memory: pa.Table = NOTHING) -> pa.Table:
    """a: bad row, b: not found, c: a copy of d, d: train, e: no split any more."""
    return ledger.ledger(
        records("e", "d", "c", "b", "a", a="bad_record"),
        [
            (
                "fetch",
                rows(
                    FETCH,
                    {"record_id": "b", "reason": "not_found", "detail": "no file"},
                    *({"record_id": name, "sha256": f"sha {name}", "retrieved_at": WHEN} for name in "cde"),
                ),
            ),
            (
                "near",
                rows(
                    DEDUP,
                    {"record_id": "c", "reason": "near_duplicate", "detail": "2 bits", "kept_record_id": "d"},
                    {"record_id": "d"},
                    {"record_id": "e"},
                ),
            ),
            (
                "split",
                rows(SPLIT, {"record_id": "d", "split": "train"}, {"record_id": "e", "reason": "joined_across_splits"}),
            ),
        ],
        memory,
    )


def test_every_record_is_kept_or_dropped_where_and_why():
    book = by_name(built())
    assert {
        name: (row["kept"], row["stage"], row["reason"], row["detail"], row["kept_record_id"])
        for name, row in book.items()
    } == {
        "a": (False, "scrape", "bad_record", "so", None),
        "b": (False, "fetch", "not_found", "no file", None),
        "c": (False, "near", "near_duplicate", "2 bits", "d"),
        "d": (True, None, None, None, None),
        "e": (False, "split", "joined_across_splits", None, None),
    }
    assert [row["sha256"] for row in book.values()] == [None, None, "sha c", "sha d", "sha e"]
    assert [row["retrieved_at"] for row in book.values()] == [None, None, WHEN, WHEN, WHEN]
    assert [row["last_split"] for row in book.values()] == [None, None, "train", "train", None]  # c as d, its copy
    assert [row["image_id"] for row in book.values()] == [ids.natural_id(name) for name in "abcde"]


def test_a_ledger_of_nothing():
    assert ledger.ledger(RECORDS.empty_table(), [], NOTHING).equals(NOTHING)
    assert ledger.counts(NOTHING) == {"records": 0, "kept": 0, "dropped": 0, "by_split": {}}


# --- memory


def test_what_no_source_lists_any_more_is_gone_and_keeps_its_split_its_id_and_its_bytes():
    memory = rows(
        LEDGER, was("g", last_split="val", image_id=77, sha256="sha g", retrieved_at=WHEN, kept_record_id="x")
    )
    assert by_name(built(memory))["g"] == {
        "record_id": "g",
        "source": "s",
        "kept": False,
        "stage": "scrape",
        "reason": "gone",
        "detail": None,
        "kept_record_id": None,
        "last_split": "val",
        "image_id": 77,
        "sha256": "sha g",
        "retrieved_at": WHEN,
    }


def test_a_limited_build_does_not_know_what_is_gone():
    memory = rows(LEDGER, was("g", last_split="val", image_id=7), was("h", kept=False, reason="gone"))
    book = by_name(ledger.ledger(records("a"), [], memory, is_limited=True))
    assert {name: row["reason"] for name, row in book.items()} == {"a": None, "g": "over_limit", "h": "over_limit"}
    assert (book["g"]["kept"], book["g"]["stage"], book["g"]["last_split"], book["g"]["image_id"]) == (
        False,
        "scrape",
        "val",
        7,
    )


def test_what_is_dropped_now_keeps_the_split_in_which_it_was_published():
    memory = rows(LEDGER, *(was(name, last_split="test") for name in "bce"))
    book = by_name(built(memory))
    assert [book[name]["last_split"] for name in "abcde"] == [None, "test", "test", "train", "test"]
    assert [book[name]["reason"] for name in "bce"] == ["not_found", "near_duplicate", "joined_across_splits"]


def test_a_record_that_is_kept_has_the_split_of_this_build():
    assert by_name(built(rows(LEDGER, was("d", last_split="test"))))["d"]["last_split"] == "train"


def test_an_id_that_was_given_stays():
    assert by_name(built(rows(LEDGER, was("d", image_id=5))))["d"]["image_id"] == 5


def test_two_builds_agree_whatever_the_order_of_what_comes():
    assert ledger.ledger(records("a", "b"), [], NOTHING).equals(ledger.ledger(records("b", "a"), [], NOTHING))


PREVIOUS = rows(
    LEDGER,
    was("copy-of-kept", kept=False, reason="near_duplicate", last_split="train"),
    was("copy-of-moved", kept=False, reason="near_duplicate", last_split="test"),
    was("dropped-never-published", kept=False, reason="too_small"),
    was("dropped-once-published", kept=False, reason="too_small", last_split="val"),
    was("gone", last_split="train"),
    was("gone-never-published", kept=False, reason="too_small"),
    was("kept", last_split="train"),
    was("moved", last_split="train", image_id=5),
    was("returns", kept=False, reason="gone", last_split="test"),
)
LISTED = pa.chunked_array(
    [
        [
            "copy-of-kept",
            "copy-of-moved",
            "dropped-never-published",
            "dropped-once-published",
            "kept",
            "moved",
            "new",
            "returns",
        ]
    ]
)
COPIES = pa.table(  # what this build finds out by itself
    [["copy-of-kept", "copy-of-moved"], ["train", "train"]], schema=ledger.SPLITS_OF_COPIES
)
NO_COPIES = ledger.SPLITS_OF_COPIES.empty_table()
KEPT = pa.chunked_array([["kept", "moved", "new", "returns"]])


@pytest.mark.parametrize(
    ("same_splits", "expected"),
    [
        pytest.param(
            True,
            {
                "copy-of-moved": "test",
                "dropped-once-published": "val",
                "gone": "train",
                "gone-never-published": None,
                "moved": "train",
            },
            id="as long as splits count",
        ),
        pytest.param(False, {"gone": None, "gone-never-published": None, "moved": None}, id="once they count no more"),
    ],
)
def test_only_what_a_build_would_not_find_out_by_itself_is_remembered(
    same_splits: bool, expected: dict[str, str | None]
):
    got = ledger.inherited_rows(PREVIOUS, LISTED, KEPT, COPIES, same_splits=same_splits)
    assert got.schema == LEDGER
    assert dict(zip(got["record_id"].to_pylist(), got["last_split"].to_pylist(), strict=True)) == expected


def test_nothing_is_remembered_of_nothing():
    assert ledger.inherited_rows(NOTHING, LISTED, KEPT, COPIES, same_splits=True).equals(NOTHING)


def test_to_build_again_on_ones_own_result_changes_nothing():
    def again(before: pa.Table) -> pa.Table:
        listed, kept = pa.chunked_array([list("abcde")]), pa.chunked_array([["d"]])
        copies = pa.table([["c"], ["train"]], schema=ledger.SPLITS_OF_COPIES)
        return built(ledger.inherited_rows(before, listed, kept, copies, same_splits=True))

    first = again(
        rows(LEDGER, was("c", last_split="val"), was("g", last_split="val", image_id=77), was("d", image_id=9))
    )
    assert by_name(first)["g"]["reason"] == "gone"
    assert again(first).equals(first)


def test_ids_that_collide_stay_when_a_newcomer_collides_with_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ids, "natural_id", lambda _: 5)

    def build(*names: str, before: pa.Table = NOTHING) -> pa.Table:
        listed = pa.chunked_array([list(names)])
        split = rows(SPLIT, *({"record_id": name, "split": "train"} for name in names))
        memory = ledger.inherited_rows(before, listed, listed, NO_COPIES, same_splits=True)
        return ledger.ledger(records(*names), [("split", split)], memory)

    first = build("b", "c")
    assert [row["image_id"] for row in by_name(first).values()] == [5, 6]
    second = build("a", "b", "c", before=first)
    assert {name: row["image_id"] for name, row in by_name(second).items()} == {"a": 7, "b": 5, "c": 6}
    third = build("b", "c", before=second)  # a is gone, and its number is not given to another
    assert {name: row["image_id"] for name, row in by_name(third).items()} == {"a": 7, "b": 5, "c": 6}
    assert build("b", "c", before=third).equals(third)


# --- copies


@pytest.mark.parametrize(
    ("copies", "dealt", "expected"),
    [
        pytest.param([], {"a": "train"}, {}, id="no copies"),
        pytest.param([("b", "a")], {"a": "val"}, {"b": "val"}, id="a copy has the split of the one that stays"),
        pytest.param([("b", "a"), ("c", "a")], {"a": "val"}, {"b": "val", "c": "val"}, id="so have all"),
        pytest.param([("b", "a")], {}, {}, id="the one that stayed was dropped later"),
        pytest.param([("b", "a")], {"a": None}, {}, id="the one that stayed has no split"),
        pytest.param(
            [("c", "b"), ("b", "a")],
            {"a": "val"},
            {"b": "val", "c": "val"},
            id="it stayed in one dedup, not in the next",
        ),
    ],
)
def test_splits_of_copies(copies: list[tuple[str, str]], dealt: dict[str, str | None], expected: dict[str, str]):
    dedup = rows(DEDUP, *({"record_id": name, "kept_record_id": stays} for name, stays in copies))
    split = rows(SPLIT, *({"record_id": name, "split": of} for name, of in dealt.items()))
    assert by_record(ledger.splits_of_copies([dedup, split])) == expected
    assert by_record(ledger.splits_of_copies([dedup])) == {}
    assert by_record(ledger.splits_of_copies([])) == {}


def test_no_copy_has_a_split_of_another_role():
    dedup = rows(
        DEDUP, {"record_id": "query:1", "kept_record_id": "met:1"}, {"record_id": "met:2", "kept_record_id": "met:1"}
    )
    split = rows(SPLIT, {"record_id": "met:1", "split": "train"})
    assert by_record(ledger.splits_of_copies([dedup, split], source_of)) == {"met:2": "train"}


def test_a_copys_own_published_split_goes_before_that_of_the_one_that_stays():
    assert by_name(built(rows(LEDGER, was("c", last_split="test"))))["c"]["last_split"] == "test"


# --- counts


def test_counts_close():
    assert ledger.counts(built()) == {"records": 5, "kept": 1, "dropped": 4, "by_split": {"train": 1}}
    with_gone = built(rows(LEDGER, was("g", last_split="val")))
    assert ledger.counts(with_gone) == {"records": 6, "kept": 1, "dropped": 5, "by_split": {"train": 1}}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(was("a", kept=False), id="dropped without a reason"),
        pytest.param(was("a", kept=True, reason="gone", last_split="val"), id="kept with a reason"),
    ],
)
def test_counts_that_do_not_close_stop_the_program(row: dict[str, Any]):
    with pytest.raises(AssertionError, match=r"expected 1 records = kept \+ dropped, got"):
        ledger.counts(rows(LEDGER, row))


# --- what is taken down


def test_the_file_of_what_is_taken_down_is_remembered_as_long_as_it_is():
    before = rows(LEDGER, was("a", sha256="file a", last_split="train"), was("b", sha256="file b", last_split="val"))
    down = records("a", "b", a="taken_down")
    split = rows(SPLIT, {"record_id": "b", "split": "val"})
    ids_of = {"records": down["record_id"], "kept": pa.chunked_array([["b"]]), "copies": NO_COPIES, "same_splits": True}
    lost = pa.chunked_array([pa.array(["a"], pa.string())])
    for _ in range(2):  # the second time from the ledger of the first
        memory = ledger.inherited_rows(before, **ids_of, taken_down=lost)
        assert memory["record_id"].to_pylist() == ["a"]
        before = ledger.ledger(down, [("split", split)], memory)
        found = by_name(before)["a"]
        assert (found["kept"], found["sha256"], found["last_split"]) == (False, "file a", "train")


def test_the_file_of_what_is_only_excluded_is_not():
    memory = rows(LEDGER, was("a", sha256="file a", last_split="train"))
    assert by_name(ledger.ledger(records("a", a="excluded"), [], memory))["a"]["sha256"] is None


# --- as row by row

NAMES = [f"{source}:{key}" for source in ("s", "ü") for key in ("1", "2", "3", "a\tb", "é")]
SPLITS = st.sampled_from(["train", "val", "test", None])


@st.composite
def builds(draw: st.DrawFn) -> tuple[pa.Table, list[tuple[str, pa.Table]], pa.Table]:
    """Records, outcomes and a ledger before: chains of copies, drops at any stage, what is gone, new, or collides."""

    def some_of(names: list[str]) -> list[str]:
        return draw(st.lists(st.sampled_from(names), unique=True)) if names else []

    listed = some_of(NAMES)
    bad = some_of(listed)
    why = draw(st.sampled_from(["bad_record", "taken_down"]))
    found = [("records", records(*listed, **dict.fromkeys(bad, why)))]
    left = sorted(set(listed) - set(bad))
    for label, schema in (("fetch", FETCH), ("near", DEDUP), ("again", DEDUP), ("split", SPLIT)):
        lost = set(some_of(left)) if draw(st.booleans()) else set()
        stays = sorted(set(left) - lost)
        of = {name: draw(st.sampled_from(stays)) if stays and schema is DEDUP else None for name in sorted(lost)}
        given = [
            {
                "record_id": name,
                "sha256": f"sha {name}",
                "retrieved_at": WHEN,
                "split": draw(SPLITS) if name not in lost else None,
                **({"reason": "near_duplicate", "detail": "so", "kept_record_id": of[name]} if name in lost else {}),
            }
            for name in left
        ]
        found.append((label, rows(schema, *({key: row[key] for key in schema.names if key in row} for row in given))))
        left = stays
    known = [
        was(
            name,
            kept=draw(st.booleans()),
            reason=draw(st.sampled_from([None, "gone"])),
            last_split=draw(SPLITS),
            sha256=draw(st.sampled_from([None, f"file {name}"])),
            image_id=draw(st.sampled_from([ids.natural_id(name), 1, 5, 6, 2**53 - 1])),
        )
        for name in sorted(some_of([*NAMES, "s:old", "ü:old"]))
    ]
    return found[0][1], found[1:], rows(LEDGER, *known)


@pytest.mark.parametrize("is_colliding", [pytest.param(False, id="ids apart"), pytest.param(True, id="ids collide")])
@given(build=builds(), same=st.booleans(), is_limited=st.booleans(), with_roles=st.booleans())
def test_in_columns_all_is_as_row_by_row(
    is_colliding: bool, build: Any, same: bool, is_limited: bool, with_roles: bool
):
    records, outcomes, before = build
    tables = [outcome for _, outcome in outcomes]
    kept = tables[-1].filter(pc.is_null(tables[-1]["reason"]))["record_id"]
    down = records.filter(pc.fill_null(pc.equal(records["reason"], "taken_down"), False))["record_id"]
    with pytest.MonkeyPatch.context() as patch:
        if is_colliding:
            patch.setattr(ids, "natural_id", lambda name: len(name) % 2 * 4 + 1)
        role_of = (lambda name: name.partition(":")[0]) if with_roles else (lambda _: None)
        roles = source_of if with_roles else None
        copies = ledger.splits_of_copies(tables, roles)
        assert by_record(copies) == rowwise.splits_of_copies(tables, role_of)
        memory = ledger.inherited_rows(before, records["record_id"], kept, copies, same_splits=same, taken_down=down)
        assert memory.equals(
            rowwise.inherited_rows(
                before, records["record_id"], kept, by_record(copies), same_splits=same, taken_down=down
            )
        )
        got = ledger.ledger(records, outcomes, memory, is_limited=is_limited, roles=roles)
        assert got.equals(rowwise.ledger(records, outcomes, memory, is_limited=is_limited, role_of=role_of))


@pytest.mark.parametrize(
    ("pairs", "ends"),
    [
        pytest.param([], [], id="no copies"),
        pytest.param([("b", "a")], ["a"], id="a copy of what stays"),
        pytest.param([("b", "a"), ("c", "a")], ["a", "a"], id="two copies of it"),
        pytest.param([("d", "c"), ("c", "b"), ("b", "a")], ["a", "a", "a"], id="a chain"),
        pytest.param([("b", "a"), ("d", "c")], ["a", "c"], id="two works"),
    ],
)
def test_each_copy_leads_to_what_stays(pairs: list[tuple[str, str]], ends: list[str]):
    names, kept = (pa.array([pair[side] for pair in pairs], pa.string()) for side in (0, 1))
    assert chain_ends(names, kept).to_pylist() == ends


def test_a_chain_may_be_long():
    numbers = range(1000)
    names, kept = pa.array([f"{n + 1}" for n in numbers]), pa.array([f"{n}" for n in numbers])
    assert set(chain_ends(names, kept).to_pylist()) == {"0"}


def test_a_ring_which_no_build_makes_ends():
    assert len(chain_ends(pa.array(["a", "b"]), pa.array(["b", "a"]))) == 2
