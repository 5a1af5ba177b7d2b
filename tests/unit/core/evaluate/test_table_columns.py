"""Columns as people bring them. What each protocol refuses is tested with its own tables."""

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.table_columns import (
    list_column,
    names_column,
    number_column,
    refuse_empty,
    refuse_repeats,
    require_columns,
    text_column,
)


def test_texts_may_be_null_where_they_are_asked_for_so():
    assert text_column("t", pa.table({"c": ["a", None]}), "c", null=True) == ["a", None]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([1, None]), [1, np.nan]),
        (pa.array([1.5, 2], pa.float32()), [1.5, 2]),
        (pa.nulls(1), [np.nan]),
        (pa.chunked_array([[1.0], [2.0]]), [1, 2]),
        (pa.array([], pa.float64()), []),
    ],
)
def test_numbers_of_all_kinds(values: pa.Array, expected: list):
    got = number_column("t", pa.table({"c": values}), "c", 0, 5, null=True)
    assert np.array_equal(got, expected, equal_nan=True)


@pytest.mark.parametrize("value", [-0.1, 5.1, float("nan"), float("inf"), 1e308, None])
def test_a_number_outside_the_limits(value: float | None):
    with pytest.raises(BadInput) as problem:
        number_column("t", pa.table({"c": [1.0, value]}), "c", 0, 5)
    assert (
        str(problem.value)
        == f"t[1]: expected a number from 0 to 5 in c, got {'an empty cell' if value is None else value}"
    )


@pytest.mark.parametrize("kind", [pa.list_(pa.float64()), pa.large_list(pa.float32()), pa.list_(pa.int64(), 2)])
def test_lists_of_all_kinds(kind: pa.DataType):
    assert list_column("t", pa.table({"c": pa.array([[1, 2], None], kind)}), "c") == [[1, 2], None]


def test_a_null_in_a_list():
    with pytest.raises(BadInput, match=r"t\[0\]: expected finite numbers in c, got null"):
        list_column("t", pa.table({"c": [[1.0, None]]}), "c")


def test_names_are_never_null():
    with pytest.raises(BadInput, match=r"t\[1\]: expected a text in c, got an empty cell"):
        names_column("t", pa.table({"c": ["a", None]}), "c")


def test_a_missing_column():
    with pytest.raises(BadInput, match=r"^t: expected one column d, got columns c$"):
        require_columns("t", pa.table({"c": ["a"]}), ["d"])


def test_an_empty_text_is_no_empty_cell():
    with pytest.raises(BadInput, match=r"t\[0\]: expected a text in c, got ''"):
        names_column("t", pa.table({"c": [""]}), "c")


def test_a_table_without_rows():
    refuse_empty("t", pa.table({"c": [None]}), "sketches")
    with pytest.raises(BadInput, match=r"^t: expected a table of sketches, got one without rows$"):
        refuse_empty("t", pa.table({"c": pa.array([], pa.string())}), "sketches")


def test_repeats():
    refuse_repeats("t", [], "each once")
    refuse_repeats("t", ["a", "b"], "each once")
    with pytest.raises(BadInput, match=r"t\[2\]: expected each once, got 'a' again, as in row 0"):
        refuse_repeats("t", ["a", "b", "a"], "each once")
