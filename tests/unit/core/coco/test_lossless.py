"""An entry of a COCO file, kept as what columns do not give back of it."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.coco.lossless import MAX_DEPTH, TooDeep, difference, from_text, is_same, plain_text, restored, to_text

NUMBERS = st.integers() | st.floats(allow_nan=False)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd") | st.text(max_size=3), JSON, max_size=5)


def deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param(1, 1.0, True, id="a number is the same with a point"),
        pytest.param(0, -0.0, True, id="and with a sign of zero"),
        pytest.param(1, True, False, id="true is no 1"),
        pytest.param(False, 0, False, id="false is no 0"),
        pytest.param("1", 1, False, id="text is no number"),
        pytest.param(None, 0, False, id="null is no 0"),
        pytest.param(2**70, float(2**70), True, id="a long number that a float holds"),
        pytest.param(2**70 + 1, float(2**70), False, id="and one that it does not"),
        pytest.param([1, [2, 3.0]], [1.0, [2.0, 3]], True, id="lists"),
        pytest.param([1, 2], [2, 1], False, id="lists in another order"),
        pytest.param([True], [1], False, id="true in a list"),
        pytest.param([[True]], [[1]], False, id="true deep in a list"),
        pytest.param([], {}, False, id="no list is no object"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, id="objects in any order"),
        pytest.param({"a": 1}, {"a": 1, "b": None}, False, id="an object with one key more"),
        pytest.param(math.nan, math.nan, False, id="NaN"),
    ],
)
def test_the_same_value(one: Any, other: Any, expected: bool):
    assert is_same(one, other) is expected
    assert is_same(other, one) is expected


@pytest.mark.parametrize(
    ("entry", "columns", "expected"),
    [
        pytest.param({}, {}, {}, id="nothing"),
        pytest.param({"a": 1}, {"a": 1.0}, {}, id="all of it"),
        pytest.param({"a": 1}, {}, {"fields": {"a": 1}}, id="a field without a column"),
        pytest.param({"a": None}, {}, {"fields": {"a": None}}, id="null is a value"),
        pytest.param({"a": False}, {"a": 0}, {"fields": {"a": False}}, id="another kind of value"),
        pytest.param({}, {"b": 0, "a": 1}, {"absent": ["a", "b"]}, id="fields that the entry does not have"),
    ],
)
def test_the_difference(entry: dict[str, Any], columns: dict[str, Any], expected: dict[str, Any]):
    assert difference(entry, columns) == expected
    assert is_same(restored(columns, expected), entry)


@given(OBJECTS, OBJECTS)
def test_columns_and_difference_give_any_entry_back(entry: dict[str, Any], columns: dict[str, Any]):
    assert is_same(restored(columns, from_text(to_text(difference(entry, columns)))), entry)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"a": math.nan}, id="NaN"),
        pytest.param({"a": [1, {"b/c": [-math.inf, math.inf]}]}, id="infinities, deep"),
        pytest.param({"": math.nan, "0": [math.nan], "~1/": {"": math.nan}}, id="keys that pointers escape"),
        pytest.param({"fields": {"numbers": {"/a": "NaN"}}}, id="a field called numbers"),
        pytest.param({"a": "\ud800", "\udfff": 1}, id="halves of characters"),
        pytest.param({"a": "é\0\n\u2028"}, id="other letters"),
        pytest.param({"a": 10**400}, id="a number of 400 digits"),
    ],
)
def test_what_json_or_utf8_can_not_hold_comes_back(value: dict[str, Any]):
    text = to_text(value)
    assert text is not None
    text.encode()
    json.loads(text, parse_constant=pytest.fail)
    assert repr(from_text(text)) == repr(value)


def test_text_has_one_spelling():
    assert to_text({"b": 1, "a": [1.0, "é"]}) == '{"a":[1.0,"é"],"b":1}'
    assert (to_text({}), from_text(None)) == (None, {})


def test_without_strictness_numbers_stand_as_python_writes_them():
    assert plain_text([math.nan, -math.inf], is_strict=False) == "[NaN,-Infinity]"
    with pytest.raises(ValueError, match="JSON"):
        plain_text([math.nan])


def test_values_have_a_depth_that_readers_can_follow():
    assert from_text(to_text({"a": deep(MAX_DEPTH - 1)})) == {"a": deep(MAX_DEPTH - 1)}
    for depth in (MAX_DEPTH, 100_000):
        with pytest.raises(TooDeep, match=f"nested at most {MAX_DEPTH} deep"):
            to_text({"a": deep(depth)})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("[]", id="a list"),
        pytest.param("[" * 100_000, id="100,000 lists"),
        pytest.param('{"numbers": []}', id="numbers in a list"),
        pytest.param("7", id="a number"),
        pytest.param('{"a": 1, "numbers": {"/a/b": "NaN"}}', id="a place below a number"),
        pytest.param('{"a": [], "numbers": {"/a/0": "NaN"}}', id="a place beyond a list"),
        pytest.param('{"a": [1], "numbers": {"/a/0": "x"}}', id="no number"),
        pytest.param('{"a": [1], "numbers": {"/a/0": []}}', id="a list for a number"),
    ],
)
def test_what_no_release_has_written_is_told(text: str):
    with pytest.raises(ValueError, match="xpect"):
        from_text(text)
