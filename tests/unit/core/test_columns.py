"""Columns in one piece or in several."""

import numpy as np
import pyarrow as pa
import pytest

from tasks.core.columns import bools, floats, is_same, whole


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


@pytest.mark.parametrize("column", [pa.array([True, None, False]), pa.chunked_array([[True], [None, False]])])
def test_what_is_null_is_not_true(column: pa.Array | pa.ChunkedArray):
    found = bools(column)
    assert (found.dtype, found.tolist()) == (np.bool_, [True, False, False])


@pytest.mark.parametrize("column", [pa.array([1, None, 3]), pa.chunked_array([[1], [None, 3]])])
def test_a_number_that_is_null_is_nan(column: pa.Array | pa.ChunkedArray):
    np.testing.assert_array_equal(floats(column), [1.0, np.nan, 3.0])


@pytest.mark.parametrize("column", [pa.array([], pa.bool_()), pa.chunked_array([], pa.bool_())])
def test_of_no_rows_there_is_nothing(column: pa.Array | pa.ChunkedArray):
    assert bools(column).shape == floats(column).shape == (0,)
