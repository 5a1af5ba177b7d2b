"""Joining and counting tables: the odd ones first, and that means the empty ones."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import Reason
from schemas.tables import DEDUP, SCREEN
from tasks.core import tables

TABLE = pa.table({"key": ["b", "a", "c"], "value": [2, 1, 3], "list": [["x"], [], None]})


def chunked(*chunks: list[str | None]) -> pa.ChunkedArray:
    return pa.chunked_array(list(chunks), pa.string())


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param(chunked(), [], id="nothing wanted, no chunk at all"),
        pytest.param(chunked([]), [], id="nothing wanted"),
        pytest.param(
            chunked(["c"], ["a", "c"]), [3, 1, 3], id="in the order in which it is wanted, as often as it is wanted"
        ),
        pytest.param(chunked(["z", "a", None]), [None, 1, None], id="what the table has not is a row of nulls"),
        pytest.param(pa.array(["a"]), [1], id="an array without chunks"),
    ],
)
def test_rows_are_looked_up_in_the_order_asked_for(wanted: Any, expected: list[int | None]):
    found = tables.lookup(TABLE, "key", wanted)
    assert found["value"].to_pylist() == expected
    assert found.schema == TABLE.schema


def test_looking_up_in_an_empty_table_gives_rows_of_nulls():
    assert tables.lookup(TABLE.slice(0, 0), "key", chunked(["a"])).to_pylist() == [
        {"key": None, "value": None, "list": None}
    ]


@pytest.mark.parametrize(
    ("wanted", "known", "expected"),
    [
        pytest.param([], [], [], id="nothing of nothing"),
        pytest.param(["b", "a"], [], ["b", "a"], id="nothing is known"),
        pytest.param(["b", "a", "c"], ["a"], ["b", "c"], id="in the order in which it is wanted"),
        pytest.param(["a"], ["a"], [], id="all is known"),
    ],
)
def test_what_is_missing(wanted: list[str], known: list[str], expected: list[str]):
    left, right = pa.array(wanted, pa.string()), pa.array(known, pa.string())
    assert tables.missing(left, right).to_pylist() == expected
    assert tables.missing(left, pa.chunked_array([right])).to_pylist() == expected


def outcome(*reasons: str | None) -> pa.Table:
    ids = chunked([f"r{number}" for number in range(len(reasons))])
    return tables.outcome(SCREEN, ids, reason=list(reasons))


def test_an_outcome_has_every_column_of_its_schema_and_nulls_where_nothing_is_said():
    got = tables.outcome(
        DEDUP, chunked(["a"], ["b"]), reason=[Reason.NEAR_DUPLICATE, None], group_id=pa.array(["a", "a"])
    )
    assert got.schema == DEDUP
    assert got.to_pylist() == [
        {"record_id": "a", "reason": "near_duplicate", "detail": None, "kept_record_id": None, "group_id": "a"},
        {"record_id": "b", "reason": None, "detail": None, "kept_record_id": None, "group_id": "a"},
    ]


def test_an_outcome_of_nothing_is_an_empty_table_of_its_schema():
    assert tables.outcome(DEDUP, chunked(), reason=[]).equals(DEDUP.empty_table())


def test_kept_are_those_that_no_reason_dropped():
    assert tables.kept_rows(outcome(None, "gone", None))["record_id"].to_pylist() == ["r0", "r2"]
    assert tables.kept_rows(outcome()).num_rows == 0


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        pytest.param((), {}, id="no rows"),
        pytest.param((None, None), {}, id="nothing dropped"),
        pytest.param(("too_small", None, "gone", "too_small"), {"gone": 1, "too_small": 2}, id="by the reasons' names"),
    ],
)
def test_drops_are_counted_by_reason(reasons: tuple[str | None, ...], expected: dict[str, int]):
    got = tables.dropped_counts(outcome(*reasons))
    assert got == expected
    assert list(got) == sorted(got)


def test_of_several_reasons_a_row_gets_the_first():
    reasons, details = tables.first_reason(
        4,
        [
            (np.array([True, False, True, False]), Reason.TOO_SMALL, ["a0", "a1", "a2", "a3"]),
            (np.array([True, True, False, False]), Reason.TOO_ELONGATED, np.array([10, 11, 12, 13])),
        ],
    )
    assert reasons == ["too_small", "too_elongated", "too_small", None]
    assert details == ["a0", "11", "a2", None]


def test_without_checks_every_row_passes():
    assert tables.first_reason(2, []) == ([None, None], [None, None])
    assert tables.first_reason(0, []) == ([], [])


@pytest.mark.parametrize(
    ("entering", "is_closed"),
    [
        pytest.param(chunked(["r0", "r1"]), True, id="all that entered"),
        pytest.param(chunked(["r0"], ["r1"]), True, id="in chunks of another size"),
        pytest.param(chunked(["r0"]), False, id="one more than entered"),
        pytest.param(chunked(["r0", "r1", "r2"]), False, id="one less than entered"),
        pytest.param(chunked(["r1", "r0"]), False, id="in another order"),
        pytest.param(chunked(["r0", "r0"]), False, id="another record"),
    ],
)
def test_counts_close_or_the_program_is_broken(entering: pa.ChunkedArray, is_closed: bool):
    if is_closed:
        tables.assert_closed(entering, outcome(None, "gone"))
    else:
        with pytest.raises(AssertionError, match=f"expected the {len(entering)} records that entered"):
            tables.assert_closed(entering, outcome(None, "gone"))


def test_nothing_enters_and_nothing_leaves():
    tables.assert_closed(chunked(), outcome())


# --- the last of each key


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([("a", 1)], [("a", 1)], id="one row"),
        pytest.param([("a", 1), ("a", 2)], [("a", 2)], id="one key"),
        pytest.param([("a", 1), ("b", 2)], [("a", 1), ("b", 2)], id="each key once"),
        pytest.param(
            [("", 1), ("", 2), ("a", 3), ("a", 4), ("b", 5)], [("", 2), ("a", 4), ("b", 5)], id="an empty key is a key"
        ),
        pytest.param([("a", 1), ("a", None)], [("a", None)], id="the last, even if it says nothing"),
    ],
)
def test_the_last_of_each_key(rows: list[tuple[str, int | None]], expected: list[tuple[str, int | None]]):
    schema = pa.schema([("key", pa.string()), ("n", pa.int64())])
    table = pa.Table.from_pylist([{"key": key, "n": n} for key, n in rows], schema=schema)
    for parts in (
        [table],
        [table.slice(0, 1), table.slice(1)],
        [table.slice(row, 1) for row in range(len(rows))] or [table],
    ):
        got = tables.last_of_each(pa.concat_tables(parts), "key")
        assert [(row["key"], row["n"]) for row in got.to_pylist()] == expected
        assert got.schema == schema


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9))))
def test_the_last_of_each_is_what_a_dictionary_keeps(rows: list[tuple[str, int]]):
    ordered = sorted(rows, key=lambda row: row[0])
    table = pa.table(
        {"key": pa.array([key for key, _ in ordered], pa.string()), "n": pa.array([n for _, n in ordered], pa.int64())}
    )
    got = tables.last_of_each(table, "key")
    assert dict(zip(got["key"].to_pylist(), got["n"].to_pylist(), strict=True)) == dict(ordered)
    assert got.num_rows == len(dict(ordered))


# --- older tables


NOW = pa.schema([("key", pa.string()), ("n", pa.int64()), ("added", pa.list_(pa.string()))])


@pytest.mark.parametrize(
    ("older", "expected"),
    [
        pytest.param({}, [], id="no column at all"),
        pytest.param({"n": pa.array([], pa.int64())}, [], id="no row"),
        pytest.param({"key": ["a"], "n": [1]}, [{"key": "a", "n": 1, "added": None}], id="a column that came later"),
        pytest.param(
            {"gone": [0], "n": [1], "key": ["a"]},
            [{"key": "a", "n": 1, "added": None}],
            id="one that went, and another order",
        ),
        pytest.param(
            {"n": pa.array([1], pa.int32())}, [{"key": None, "n": 1, "added": None}], id="a number that was shorter"
        ),
        pytest.param({"key": pa.nulls(2)}, [{"key": None, "n": None, "added": None}] * 2, id="a column without a type"),
    ],
)
def test_an_older_table_has_nulls_where_it_knew_nothing(older: dict[str, Any], expected: list[dict[str, Any]]):
    got = tables.as_schema(pa.table(older), NOW)
    assert got.schema == NOW
    assert got.to_pylist() == expected


def test_a_table_of_the_schema_stays_as_it_is():
    table = pa.table({"key": ["a", None], "n": [1, 2], "added": [["x"], None]}, schema=NOW)
    assert tables.as_schema(table, NOW).equals(table)
    assert tables.as_schema(tables.as_schema(table.select(["n"]), NOW), NOW).equals(
        tables.as_schema(table.select(["n"]), NOW)
    )
