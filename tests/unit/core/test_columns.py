"""Columns in one piece or in several."""

import pyarrow as pa
import pytest

from tasks.core.columns import is_same, whole


@pytest.mark.parametrize(
    "column",
    [pa.array(["a", None]), pa.chunked_array([["a"], [None]]), pa.chunked_array([["a"], [], [None]], pa.string())],
    ids=["an array", "two pieces", "an empty piece"],
)
def test_a_whole_column_is_an_array_of_the_same_values(column: pa.Array | pa.ChunkedArray):
    assert whole(column).equals(pa.array(["a", None]))


def test_no_pieces_are_an_empty_array():
    assert whole(pa.chunked_array([], pa.int64())).equals(pa.array([], pa.int64()))


def test_nulls_are_the_same_as_nulls_alone():
    one, other = pa.chunked_array([["a", "b"], [None, None]]), pa.array(["a", "c", None, "d"])
    assert is_same(one, other).to_pylist() == [True, False, True, False]
