"""The one rule for a box: four finite numbers, positive sides, a limit. And the same for crowds."""

import contextlib
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.coco.box import (
    MAX_PX,
    BadBox,
    EmptyBox,
    area_px2,
    is_flat_box,
    read_box,
    read_coordinates,
    read_is_crowd,
    read_number,
)

BOXES = [
    pytest.param([1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0], id="whole numbers"),
    pytest.param([0.5, 1.25, 10, 3], [0.5, 1.25, 10.0, 3.0], id="fractions"),
    pytest.param((1, 2, 3, 4), [1.0, 2.0, 3.0, 4.0], id="a tuple"),
    pytest.param([-3, -3, 1, 1], [-3.0, -3.0, 1.0, 1.0], id="beside its picture: it stays as drawn"),
    pytest.param([0, 0, 1e-9, 1e-9], [0.0, 0.0, 1e-9, 1e-9], id="as small as it may be"),
    pytest.param([MAX_PX, -MAX_PX, MAX_PX, 1], [1e7, -1e7, 1e7, 1.0], id="at the limit"),
    pytest.param(["1", 2, "3.5", 4], [1.0, 2.0, 3.5, 4.0], id="numbers as text"),
]


@pytest.mark.parametrize(("value", "expected"), BOXES)
def test_a_box(value: Any, expected: list[float]):
    got = read_box(value)
    assert got == expected
    assert all(type(number) is float for number in got)


@pytest.mark.parametrize(
    ("value", "is_flat"),
    [
        ([1, 2, 0, 4], True),
        ([1, 2, 3, -4], True),
        (["1", "2", "0", "4"], True),
        ([math.nan] * 4, True),
        ([1, 2, "NaN", 4], True),
        ([1, 2, 3, 4], False),
        ([1, 2, math.inf, 0], False),
        ([1, 2, 0], False),
        ([1, 2, 0, None], False),
        ([1, 2, 0, "four"], False),
        ([True, 2, 0, 4], False),
        (None, False),
        ("1204", False),
        ([1, 2, 10**400, 0], False),
    ],
    ids=repr,
)
def test_a_flat_box_is_four_numbers_that_enclose_nothing(value: Any, is_flat: bool):
    assert is_flat_box(value) is is_flat


FOUR = "expected a box as [x, y, width, height] in px"
SIDES = "expected a box of positive width and height"
NO_BOXES = [
    pytest.param([1, 2, 3, math.nan], f"{FOUR}: expected a finite number, got nan", id="NaN"),
    pytest.param([1, 2, math.inf, 4], f"{FOUR}: expected a finite number, got inf", id="infinity"),
    pytest.param([-math.inf, 2, 3, 4], f"{FOUR}: expected a finite number, got -inf", id="infinity below"),
    pytest.param([1, 2, 3, "nan"], f"{FOUR}: expected a finite number, got 'nan'", id="NaN as text"),
    pytest.param([1, 2, 3, "four"], f"{FOUR}: expected a number, got 'four'", id="a word"),
    pytest.param([1, 2, 3, "1_0"], f"{FOUR}: expected a number, got '1_0'", id="digits that are parted"),
    pytest.param([1, 2, 3, ""], f"{FOUR}: expected a number, got ''", id="empty text"),
    pytest.param([1, 2, 3, True], f"{FOUR}: expected a number, got True", id="true is no number"),
    pytest.param([False, 2, 3, 4], f"{FOUR}: expected a number, got False", id="false is no number"),
    pytest.param([1, 2, 3, None], f"{FOUR}: expected a number, got None", id="null in it"),
    pytest.param([1, 2, [3], 4], f"{FOUR}: expected a number, got [3]", id="nested"),
    pytest.param([[1, 2, 3, 4]], f"{FOUR}: expected a number, got [1, 2, 3, 4]", id="nested whole"),
    pytest.param([1, 2, 3, 10**400], f"{FOUR}: expected a number, got a number of 1,329 bits", id="beyond all floats"),
    pytest.param([1, 2, 3, 1e300], f"{FOUR}: expected numbers of at most 10000000 px", id="1e300"),
    pytest.param([1e300, 2, 3, 4], f"{FOUR}: expected numbers of at most 10000000 px", id="x of 1e300"),
    pytest.param([1, 2, MAX_PX + 1, 4], f"{FOUR}: expected numbers of at most 10000000 px", id="above the limit"),
    pytest.param([1, 2, 3], f"{FOUR}, got 3 numbers", id="three numbers"),
    pytest.param([1, 2, 3, 4, 5], f"{FOUR}, got 5 numbers", id="five numbers"),
    pytest.param([], f"{FOUR}, got 0 numbers", id="empty"),
    pytest.param(None, f"{FOUR}: expected a list of numbers, got None", id="null"),
    pytest.param("1234", f"{FOUR}: expected a list of numbers, got '1234'", id="text of four digits"),
    pytest.param({"x": 1}, f"{FOUR}: expected a list of numbers, got {{'x': 1}}", id="an object"),
    pytest.param(7, f"{FOUR}: expected a list of numbers, got 7", id="a number"),
    pytest.param([1, 2, -3, 4], f"{SIDES}, got [1, 2, -3, 4]", id="a negative width"),
    pytest.param([1, 2, 3, -0.1], f"{SIDES}, got [1, 2, 3, -0.1]", id="a negative height"),
    pytest.param([1, 2, 0, -1], f"{SIDES}, got [1, 2, 0, -1]", id="a negative height, and no width"),
]


@pytest.mark.parametrize(("value", "message"), NO_BOXES)
def test_what_is_no_box(value: Any, message: str):
    with pytest.raises(BadBox) as caught:
        read_box(value)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 200
    assert not isinstance(caught.value, EmptyBox)


@pytest.mark.parametrize("value", [[1, 2, 0, 4], [1, 2, 3, 0.0], [1, 2, -0.0, 4], [0, 0, 0, 0], [1, 2, "0", 4]])
def test_a_box_with_a_side_of_0_is_empty(value: Any):
    with pytest.raises(EmptyBox, match="expected a box of positive width and height, got "):
        read_box(value)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(anything | st.lists(st.floats() | st.integers(), min_size=4, max_size=4))
def test_a_value_is_a_box_or_none(value: Any):
    with contextlib.suppress(BadBox):
        x, y, width, height = read_box(value)
        assert max(abs(x), abs(y), width, height) <= MAX_PX
        assert min(width, height) > 0


def test_the_area_of_the_largest_box_is_a_number():
    assert area_px2([0, 0, 2.5, 4]) == 10
    assert area_px2(read_box([0, 0, MAX_PX, MAX_PX])) == 1e14


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, True), (True, True), (1.0, True), (0, False), (False, False), (0.0, False), (None, False)],
)
def test_a_crowd(value: Any, expected: bool):
    assert read_is_crowd(value) is expected


@pytest.mark.parametrize("value", [2, -1, 0.5, "0", "1", "no", [], {}, math.nan], ids=repr)
def test_what_says_neither_crowd_nor_none(value: Any):
    with pytest.raises(ValueError, match="expected iscrowd to be 0 or 1, got "):
        read_is_crowd(value)


def test_a_list_of_coordinates_may_be_empty():
    assert read_coordinates([]) == []
    assert read_number("1e3") == 1000
