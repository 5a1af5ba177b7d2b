"""The picture inside plain margins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tasks.core.dedup.views import Box, inner_boxes

Picture = NDArray[np.uint8]


def painted(height: int, width: int, seed: int = 1) -> Picture:
    return np.random.default_rng(seed).integers(40, 200, (height, width)).astype(np.uint8)


def padded(inside: Picture, widths: tuple[tuple[int, int], tuple[int, int]], tone: int) -> Picture:
    return np.pad(inside, widths, constant_values=tone)


WORK = painted(40, 60)
MOUNTED = padded(WORK, ((10, 14), (12, 12)), 230)


@pytest.mark.parametrize(
    ("picture", "boxes"),
    [
        pytest.param(np.zeros((1, 1), np.uint8), [], id="one pixel"),
        pytest.param(np.full((50, 50), 230, np.uint8), [], id="an empty sheet has nothing inside"),
        pytest.param(WORK, [], id="no margin"),
        pytest.param(padded(WORK, ((20, 0), (0, 0)), 230), [], id="a sky alone is no margin"),
        pytest.param(padded(WORK, ((0, 0), (10, 10)), 0), [(10, 0, 70, 40)], id="padded to a square"),
        pytest.param(MOUNTED, [(12, 10, 72, 50)], id="a mount, wider below"),
        pytest.param(
            padded(padded(MOUNTED, ((2, 2), (2, 2)), 30), ((5, 5), (5, 5)), 255),
            [(5, 5, 93, 73), (7, 7, 91, 71), (19, 17, 79, 57)],
            id="a page, a black rule, a mount",
        ),
        pytest.param(padded(painted(4, 4), ((40, 40), (40, 40)), 230), [], id="less than a fifth of the sides is left"),
        pytest.param(padded(painted(14, 14), ((5, 5), (5, 5)), 230), [], id="less than 16 px are left"),
    ],
)
def test_the_boxes(picture: Picture, boxes: list[Box]):
    assert inner_boxes(picture) == boxes


def test_marks_on_a_mount_do_not_count_nor_does_its_grain():
    stamped = MOUNTED.copy()
    stamped[3:6, 4:10] = 20
    grain = np.random.default_rng(0).normal(0, 2, stamped.shape)
    assert inner_boxes(np.clip(stamped + grain, 0, 255).astype(np.uint8)) == [(12, 10, 72, 50)]


def test_a_margin_of_two_tones_is_none():
    two = np.vstack([np.full((10, 60), 230), WORK, np.full((10, 60), 200)]).astype(np.uint8)
    assert inner_boxes(two) == []


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 3), st.integers(0, 255))
@settings(max_examples=60, deadline=None)
def test_boxes_lie_one_in_the_other(height: int, width: int, margin: int, tone: int):
    picture = padded(painted(height, width), ((margin, margin), (2 * margin, margin)), tone)
    outer = (0, 0, picture.shape[1], picture.shape[0])
    for box in inner_boxes(picture):
        assert outer[0] <= box[0] < box[2] <= outer[2]
        assert outer[1] <= box[1] < box[3] <= outer[3]
        assert box != outer
        outer = box
