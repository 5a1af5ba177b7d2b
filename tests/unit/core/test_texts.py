"""Columns as text are what Python's repr and json say of each value."""

import json
import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core import texts

TEXT = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.text('ab"\\\n\x00\x1f\x7f/é'), st.none())
NUMBERS = st.one_of(
    st.floats(),
    st.integers(-(10**7), 10**7).map(lambda tenths: tenths / 10),
    st.sampled_from([1e15, 1e16, 1e-4, 1e-5, 9.999e-5, 999999999999999.9, 0.0, -0.0]),
)


@given(st.lists(st.one_of(st.none(), NUMBERS)))
def test_numbers_are_as_python_writes_them(values: list[float | None]):
    got = texts.float_texts(pa.array(values, pa.float64())).to_pylist()
    assert got == [None if value is None else repr(value) for value in values]


@given(st.lists(st.one_of(st.none(), st.lists(NUMBERS, max_size=4)), max_size=6))
def test_lists_of_numbers_are_as_python_writes_them(values: list[list[float] | None]):
    column = pa.chunked_array([pa.array([[7.0]]), pa.array(values, pa.list_(pa.float64()))]).slice(1)
    got = texts.list_texts(column, ", ").to_pylist()
    assert [None if text is None else f"[{text}]" for text in got] == [
        None if value is None else repr(value) for value in values
    ]


@given(st.lists(TEXT))
def test_texts_are_as_json_writes_them(values: list[str | None]):
    got = texts.json_texts(pa.chunked_array([pa.array(values, pa.string())])).to_pylist()
    assert got == [json.dumps(value, ensure_ascii=False) for value in values]


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pa.array([1, -(2**63), None], pa.int64()), id="whole numbers"),
        pytest.param(pa.array([True, False, None]), id="truth values"),
        pytest.param(pa.array([], pa.int32()), id="nothing"),
    ],
)
def test_whole_numbers_and_truth_values_are_as_json_writes_them(column: pa.Array):
    assert texts.plain_texts(column).to_pylist() == [json.dumps(value) for value in column.to_pylist()]


def test_what_is_no_number_is_said_as_python_says_it():
    assert texts.float_texts(pa.array([math.nan, math.inf, -math.inf])).to_pylist() == ["nan", "inf", "-inf"]


@given(st.lists(st.one_of(st.none(), st.lists(TEXT.filter(lambda text: text is not None), max_size=4)), max_size=6))
def test_lists_of_texts_are_as_json_writes_them(values: list[list[str] | None]):
    column = pa.chunked_array([pa.array([["x"]]), pa.array(values, pa.list_(pa.string()))]).slice(1)
    wanted = [json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values]
    assert texts.json_lists(column).to_pylist() == wanted
    assert texts.json_values(column).to_pylist() == wanted


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pa.array(["a", None]), id="texts"),
        pytest.param(pa.array([2.0, 1e300, None]), id="real numbers"),
        pytest.param(pa.array([2**63 - 1, None]), id="whole numbers"),
        pytest.param(pa.array([True, None]), id="truth values"),
    ],
)
def test_values_of_attributes_are_as_json_writes_them(column: pa.Array):
    assert texts.json_values(column).to_pylist() == [json.dumps(value) for value in column.to_pylist()]
