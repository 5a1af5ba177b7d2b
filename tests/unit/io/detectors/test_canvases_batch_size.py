"""Sizes of batches: what fits on a canvas, what becomes of it when memory is short, and how far a batch is padded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.io.detectors.canvases import MAX_PICTURES, BatchLimit, Size, padded_size

CANVAS, WIDE = Size(800, 1000), Size(800, 2000)


@pytest.mark.parametrize(
    ("most", "canvas", "pictures"),
    [
        pytest.param(MAX_PICTURES, Size(160, 160), 64, id="small pictures"),
        pytest.param(MAX_PICTURES, Size(2048, 2048), 32, id="as many px as kernels can count"),
        pytest.param(MAX_PICTURES, Size(16384, 16384), 1, id="one has more px than that"),
        pytest.param(1, CANVAS, 1, id="one by one"),
        pytest.param(5, CANVAS, 5, id="a size of one's own"),
    ],
)
def test_a_batch_has_as_many_pictures_as_fit(most, canvas, pictures):
    assert BatchLimit(most).pictures_on(canvas) == pictures


def test_a_batch_that_did_not_fit_is_halved_once_however_many_threads_say_so():
    limit = BatchLimit(16)
    limit.halve(CANVAS, 16)
    limit.halve(CANVAS, 16)
    assert limit.pictures_on(CANVAS) == 8
    limit.halve(CANVAS, 1)
    assert limit.pictures_on(CANVAS) == 1


def test_what_did_not_fit_on_one_canvas_is_not_tried_on_another():
    limit = BatchLimit(16)
    limit.halve(CANVAS, 16)
    assert limit.pictures_on(WIDE) == 4
    assert limit.pictures_on(Size(400, 1000)) == 16


def test_a_batch_that_was_not_full_and_did_not_fit_is_what_counts():
    limit = BatchLimit(16)
    limit.halve(CANVAS, 7)
    assert limit.pictures_on(CANVAS) == 3
    limit.halve(CANVAS, 16)  # an older one, of when the size was larger
    assert limit.pictures_on(CANVAS) == 3


@pytest.mark.parametrize(
    ("pictures", "most", "places"),
    [
        pytest.param(1, 1, 1, id="one"),
        pytest.param(8, 64, 8, id="few: no padding"),
        pytest.param(9, 64, 10, id="to the next of two"),
        pytest.param(16, 64, 16, id="a power of two"),
        pytest.param(17, 64, 20, id="to the next of four"),
        pytest.param(33, 64, 40, id="to the next of eight"),
        pytest.param(33, 36, 36, id="the most, before the next of eight"),
        pytest.param(7, 6, 7, id="more than the most: no padding"),
    ],
)
def test_a_batch_is_padded_by_little(pictures, most, places):
    assert padded_size(pictures, most) == places


@given(st.integers(1, 64), st.integers(1, 64))
def test_a_batch_has_place_for_its_pictures_and_few_shapes(pictures, most):
    places = padded_size(pictures, most)
    assert pictures <= places < 1.25 * pictures
    assert len({padded_size(count, 64) for count in range(1, 65)}) == 20
