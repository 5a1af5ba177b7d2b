"""Columns side by side."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from schemas.diff import ChangeReason, Kind
from tasks.core.diff.columns import (
    Explanations,
    align,
    as_text,
    changes,
    differ,
    equals,
    is_in,
    is_read_anew,
    joined,
    records_of_one,
    take,
)


@pytest.mark.parametrize(
    ("before", "after", "kind", "expected"),
    [
        (["a", "b", None, None], ["a", "c", None, "d"], pa.string(), [False, True, False, True]),
        ([1, None], [2, None], pa.int64(), [True, False]),
        ([True, False], [True, True], pa.bool_(), [False, True]),
        (
            [["a"], ["a", "b"], [], None],
            [["a"], ["a", "c"], ["x"], []],
            pa.list_(pa.string()),
            [False, True, True, True],
        ),
        ([[1.0, None], [1.0]], [[1.0, None], [None]], pa.list_(pa.float64()), [False, True]),
        ([[1.0, 2.0]], [[1.0, 3.0]], pa.list_(pa.float64(), 2), [True]),
        ([], [], pa.string(), []),
        ([[]], [[]], pa.list_(pa.string()), [False]),
    ],
)
def test_values_that_differ(before, after, kind, expected):
    assert differ(pa.array(before, kind), pa.chunked_array([pa.array(after, kind)])).tolist() == expected


def test_rows_of_one_key_find_each_other():
    found = align(pa.array(["a", "b", "c"]), pa.chunked_array([["c", "x"], ["a"]]))
    assert found.both.tolist() == [[2, 0], [0, 2]]
    assert (found.only_before.tolist(), found.only_after.tolist()) == ([1], [1])


def test_text_of_any_column():
    assert as_text(pa.array([["a", "b"], [], None])).to_pylist() == ["a | b", "", None]
    assert as_text(pa.array([1, None])).to_pylist() == ["1", None]
    assert joined(pa.array(["a", None]), "-", pa.array(["b", "c"])).to_pylist() == ["a-b", "-c"]


def test_null_is_nothing():
    column = pa.array(["a", None])
    assert is_in(column, pa.array(["a", None])).tolist() == [True, False]
    assert is_in(column, pa.array([], pa.string())).tolist() == [False, False]
    assert equals(column, "a").tolist() == [True, False]
    assert take(column, np.array([1, 0])).to_pylist() == [None, "a"]


def test_the_first_reason_that_holds_is_given_and_what_has_none_is_unknown():
    why = Explanations(3)
    why.say(np.array([True, False, False]), ChangeReason.SETTINGS, "one")
    why.say(np.array([True, True, False]), ChangeReason.PROGRAM, pa.array(["x", "two", "y"]))
    why.say(np.array([False, False, False]), ChangeReason.MEASURE, lambda: pytest.fail("nobody asked"))
    reasons, details = why.columns()
    assert reasons.to_pylist() == ["settings", "program", "unknown"]
    assert details.to_pylist() == ["one", "two", None]
    table = changes(pa.array(["a", "b", "c"]), Kind.SPLIT, why, field="split")
    assert table["kind"].to_pylist() == ["split"] * 3
    assert table["before"].null_count == 3


def test_records_of_pairs_of_one_table_alone_come_in_their_order():
    one = pa.table({"a": ["x", "y", None], "b": ["1", "2", "3"]})
    other = pa.table({"a": ["y", "z"], "b": ["2", "2"]})
    assert records_of_one(one, other).to_pylist() == ["x", None, "z", "1", "3", "2"]
    assert len(records_of_one(one.slice(0, 2), one.slice(0, 2))) == 0


SAME = {"date_text": (["1479 BC", None, "1850"], ["1479 BC", None, "1851"])}
ARTISTS = {
    "artist": (["Chinese", "Rubens"], [None, "Peter Paul Rubens"]),
    "artist_text": ([], ["Chinese", "Rubens, P. P."]),
}

OLDER = {**ARTISTS, "artist_text": ([None, None], ["Chinese", "Rubens, P. P."])}
"""Records of an older release, in columns of today."""


@pytest.mark.parametrize(
    ("name", "before", "after", "columns", "expected"),
    [
        ("year", ["date_text"], ["date_text"], SAME, [True, False, False]),
        ("year_first", ["date_text"], ["date_text"], SAME, [True, False, False]),
        ("year", [], ["date_text"], SAME, False),
        ("year", ["date_text"], [], SAME, False),
        ("title", ["title"], ["title"], {}, False),
        ("artist", ["artist"], ["artist", "artist_text"], ARTISTS, [True, False]),
        ("artist", ["artist", "artist_text"], ["artist", "artist_text"], OLDER, [True, False]),
        ("artist_qualifier", ["artist"], ["artist", "artist_text"], ARTISTS, False),
    ],
)
def test_the_same_words_are_read_anew(name, before, after, columns, expected):
    def column_of(place: int, known: list[str]) -> Callable[[str], pa.Array]:
        def read(column: str) -> pa.Array:
            assert column in known, f"{column} is read, which this side has not"
            return pa.array(columns[column][place], pa.string())

        return read

    found = is_read_anew(name, before, after, column_of(0, before), column_of(1, after))
    assert (found if isinstance(found, bool) else found.tolist()) == expected
