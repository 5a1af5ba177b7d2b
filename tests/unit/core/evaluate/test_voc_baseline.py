"""One box an image, as large as the canvas."""

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.voc import full_frame_boxes, voc_scorer, voc_verdicts
from tests.support.evaluate import figures


def sizes(*sides: int | None) -> pa.Array:
    return pa.array(sides, pa.int32())


def test_each_image_has_its_own_canvas():
    got = full_frame_boxes(sizes(30, 40), pa.chunked_array([sizes(50), sizes(60)]))
    assert got.image.tolist() == [0, 1]
    assert got.xywh_px.tolist() == [[0, 0, 30, 50], [0, 0, 40, 60]]
    assert got.score.tolist() == [1, 1]


def test_no_image_no_box():
    assert [len(values) for values in full_frame_boxes(sizes(), sizes())] == [0, 0, 0]


@pytest.mark.parametrize(
    ("width", "height", "count"),
    [
        pytest.param([None, 9], [9, 9], "1 image", id="no width"),
        pytest.param([9, 9], [None, 0], "2 images", id="no height, and one of 0"),
        pytest.param([-1, 9], [9, 9], "1 image", id="below 0"),
    ],
)
def test_an_image_without_a_size_is_refused(width: list[int | None], height: list[int | None], count: str):
    with pytest.raises(BadInput, match=f"expected a width and height above 0 of every image, got none for {count}$"):
        full_frame_boxes(sizes(*width), sizes(*height))


def test_a_figure_that_fills_more_than_half_of_its_canvas_is_had_for_nothing():
    boxes = full_frame_boxes(sizes(100, 100), sizes(100, 100))
    truth = figures((0, [10.0, 0.0, 80.0, 70.0]), (1, [0.0, 0.0, 40.0, 40.0]), images=2)
    got = voc_scorer(voc_verdicts(truth, boxes))(np.ones(2, np.int64))
    # all boxes score the same: one point of the curve
    assert (got["AP_2010"], got["F"], got["precision_at_F"], got["recall_at_F"]) == (0.25, 0.5, 0.5, 0.5)
