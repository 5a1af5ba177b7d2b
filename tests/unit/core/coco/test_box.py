"""The one rule for a box: four finite numbers, positive sides, a limit. And the same for crowds."""

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pycocotools import mask

from tasks.core.coco.box import (
    MAX_PX,
    BadBox,
    EmptyBox,
    area_px2,
    box_polygon,
    decode_counts,
    is_flat_box,
    is_segmentation,
    read_box,
    read_coordinates,
    read_is_crowd,
    read_number,
    read_outline,
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


TRIANGLE = [1, 1, 5, 1, 5, 5.5]


def rle(size: Any = (2, 3), counts: Any = (1, 5), **others: Any) -> dict[str, Any]:
    return {"size": list(size), "counts": counts if isinstance(counts, str) else list(counts), **others}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param([TRIANGLE], True, id="a polygon"),
        pytest.param([TRIANGLE, [-1, 0, 1e7, 4, 5, 6, 7, 8]], True, id="two, of which one reaches beyond its picture"),
        pytest.param([], False, id="none"),
        pytest.param([[]], False, id="an empty one"),
        pytest.param([TRIANGLE, []], False, id="an empty one of two"),
        pytest.param([[1, 1, 5, 1]], False, id="two points, which pycocotools takes for a box"),
        pytest.param([[*TRIANGLE, 1]], False, id="half a point"),
        pytest.param(TRIANGLE, False, id="numbers in no list of lists"),
        pytest.param([[*TRIANGLE, 1, "1"]], False, id="text"),
        pytest.param([[*TRIANGLE, 1, True]], False, id="true"),
        pytest.param([[*TRIANGLE, 1, math.nan]], False, id="NaN"),
        pytest.param([[math.nan, *TRIANGLE, 1]], False, id="NaN first"),
        pytest.param([[*TRIANGLE, 1, math.inf]], False, id="infinity"),
        pytest.param([[*TRIANGLE, 1, 10**400]], False, id="a number of 400 digits"),
        pytest.param([[*TRIANGLE, 1, 1.1e7]], False, id="beyond any picture"),
        pytest.param(None, False, id="null"),
        pytest.param("x", False, id="a word"),
        pytest.param(rle(), True, id="run lengths"),
        pytest.param(rle(counts=[0, 6]), True, id="all of it is the figure"),
        pytest.param(rle(counts="15"), True, id="compressed run lengths"),
        pytest.param(rle(counts=[1, 4]), False, id="too few pixels"),
        pytest.param(rle(counts=[1, 6]), False, id="too many pixels"),
        pytest.param(rle(counts=[-1, 7]), False, id="a negative run"),
        pytest.param(rle(counts=[1, 5.0]), False, id="a run with a point"),
        pytest.param(rle(counts=[]), False, id="no runs"),
        pytest.param(rle(counts="1"), False, id="too few pixels, compressed"),
        pytest.param(rle(counts="x"), False, id="no compressed runs"),
        pytest.param(rle(counts="1U"), False, id="the beginning of compressed runs"),
        pytest.param(rle(counts="UUUUUUUU"), False, id="a compressed number without end"),
        pytest.param(rle(size=[3, 2]), False, id="of an image that lies on its side"),
        pytest.param(rle(size=[2]), False, id="of no size"),
        pytest.param(rle(size="23"), False, id="of a size that is text"),
        pytest.param(rle(more=1), False, id="with another field"),
        pytest.param({"counts": [6]}, False, id="without a size"),
    ],
)
def test_an_outline_in_an_image_of_three_by_two(value: Any, expected: bool):
    assert is_segmentation(value, (3, 2)) is expected


def test_run_lengths_of_an_image_of_unknown_size_are_none():
    assert not is_segmentation(rle(), (None, 2))
    assert is_segmentation([TRIANGLE], (None, None))


@given(arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40)), elements=st.integers(0, 1)))
def test_what_pycocotools_compresses_is_read_as_it_does(pixels: np.ndarray[Any, Any]):
    made = mask.encode(np.asfortranarray(pixels))
    counts = decode_counts(made["counts"].decode())
    value = np.repeat(np.arange(len(counts)) % 2, counts).reshape(pixels.shape, order="F")
    assert (value == pixels).all()
    height, width = pixels.shape
    assert is_segmentation({"size": [height, width], "counts": made["counts"].decode()}, (width, height))


@given(st.text(st.characters(min_codepoint=40, max_codepoint=120), max_size=12))
def test_any_text_is_read_or_refused(text: str):
    assert isinstance(is_segmentation(rle(counts=text), (3, 2)), bool)


def test_a_box_as_popart_writes_its_outline():
    """Figure 8 of the paper."""
    assert box_polygon([616, 1718, 1305, 1011]) == [[1921, 1718, 1921, 2729, 616, 2729, 616, 1718]]


def test_an_outline_in_a_table_is_json():
    assert read_outline("[[1,2]]") == [[1, 2]]
    for text in ("[", "[" * 100_000):
        with pytest.raises(ValueError, match="xpect"):
            read_outline(text)
