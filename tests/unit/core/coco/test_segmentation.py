"""Outlines: polygons and run lengths that pycocotools can load, and all that it can't."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pycocotools import mask

from tasks.core.coco.segmentation import box_polygon, decode_counts, is_segmentation, read_outline

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
