"""HOG: how a picture is laid before the windows, and what becomes of these.

OpenCV's own part where this OpenCV has it.
"""

import math
from typing import Any

import cv2
import numpy as np
import pytest

from schemas.detect import Detect
from schemas.errors import BadInput
from tasks.core.detect import boxes as detect
from tasks.io.detectors import hog
from tasks.subjects.detectors.hog import HogDetector

F = np.float32


@pytest.mark.parametrize(
    ("size", "expected", "scales"),
    [
        pytest.param((1, 1), (64, 128), (1, 1), id="one-pixel"),
        pytest.param((63, 500), (64, 500), (1, 1), id="a-column-too-narrow"),
        pytest.param((64, 128), (64, 128), (1, 1), id="a-window"),
        pytest.param((1024, 700), (1024, 700), (1, 1), id="at-the-limit"),
        pytest.param((2048, 1024), (1024, 512), (0.5, 0.5), id="twice-the-limit"),
        pytest.param((20_000, 200), (1024, 128), (0.0512, 0.05), id="a-frieze"),
        pytest.param((10, 20_000), (64, 1024), (0.1, 0.0512), id="a-thread-keeps-a-column"),
    ],
)
def test_a_picture_is_bounded_and_at_least_a_window(
    size: tuple[int, int], expected: tuple[int, int], scales: tuple[float, float]
):
    found, got = hog.prepare_picture(np.full((size[1], size[0], 3), (10, 20, 30), np.uint8))
    assert found.shape == (expected[1], expected[0], 3)
    assert got == pytest.approx(scales)
    assert (found == (30, 20, 10)).all()  # BGR; the edge's colour where it is padded


class Stub:
    """Three windows, wherever one looks."""

    def detect(self, _pixels: Any, least_margin: float) -> tuple[np.ndarray, np.ndarray]:
        assert least_margin == pytest.approx(math.log(0.2 / 0.8))
        boxes = np.array([[0, 0, 64, 128], [2, 0, 66, 128], [100, 0, 164, 128]], F)
        return boxes, np.array([2.0, 3.0, 0.0], F)


def test_margins_become_scores_and_of_overlapping_windows_the_best_stays():
    settings = Detect(model="hog", least_score=0.2)
    (found,) = HogDetector(Stub(), settings).detect([np.zeros((200, 200, 3), np.uint8)])
    got = detect.figures(*found, (200, 200), settings)
    assert [(figure["xywh_px"][0], figure["score"]) for figure in got] == [(2.0, 0.953), (100.0, 0.5)]  # 1 / (1 + e^-3)
    assert all(figure["category"] == "person" for figure in got)


needs_it = pytest.mark.skipif(not hasattr(cv2, "HOGDescriptor"), reason="this OpenCV has no HOGDescriptor")


@pytest.mark.skipif(hasattr(cv2, "HOGDescriptor"), reason="this OpenCV has HOGDescriptor")
def test_an_opencv_without_it_is_told_in_a_sentence():
    with pytest.raises(
        BadInput, match=r"expected an OpenCV with HOGDescriptor for hog \(4, or 5 with contrib\), got 5"
    ):
        hog.Windows()


@needs_it
def test_windows_are_the_same_each_time_and_each_reaches_the_floor():
    pixels = np.random.default_rng(3).integers(0, 255, (300, 200, 3), np.uint8)
    xyxy, margins = hog.Windows().detect(pixels, -3.0)
    again, _ = hog.Windows().detect(pixels, -3.0)
    assert len(margins) > 10
    assert (margins >= -3).all()
    assert (xyxy[:, 2:] > xyxy[:, :2]).all()
    assert xyxy.min() >= 0
    assert (xyxy.max(axis=0) <= [200, 300, 200, 300]).all()  # OpenCV cuts windows at the picture's edge
    assert (np.diff(margins) <= 0).all()
    np.testing.assert_array_equal(xyxy, again)
    assert hog.Windows().sha256 == hog.Windows().sha256
