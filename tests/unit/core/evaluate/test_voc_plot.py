"""Lines and dots of one drawing."""

import numpy as np
import pytest

from tasks.core.evaluate.voc import Curve, plot_arrays


def curve(right: list[int], wrong: list[int], figures: int) -> Curve:
    return Curve(np.linspace(1, 0, len(right)), np.array(right, np.int64), np.array(wrong, np.int64), figures)


def test_a_line_for_each_detector_and_dots_for_people():
    lines, bests, dots = plot_arrays(
        {"dpm": curve([1, 1, 2], [0, 1, 1], 2)}, {"raters": (np.array([0.9, np.nan]), np.array([0.80004, 1.0]))}
    )
    assert lines["dpm"].tolist() == [[0.5, 1.0], [0.5, 0.5], [1.0, 0.667]]
    assert bests["dpm"].tolist() == [[1.0, 0.667]]
    assert dots["raters"].tolist() == [[0.9, 0.8]]


@pytest.mark.parametrize("empty", [curve([], [], 3), curve([0], [4], 0), curve([], [], 0)])
def test_no_curve_no_line(empty: Curve):
    got = plot_arrays({"a": empty}, {"b": (np.zeros(0), np.zeros(0))})
    assert [values.shape for part in got for values in part.values()] == [(0, 2)] * 3


def test_points_that_nobody_can_tell_apart_are_there_once():
    many = np.arange(1, 100_001)
    line = plot_arrays({"a": curve(many.tolist(), (many // 2).tolist(), 100_000)}, {})[0]["a"]
    assert len(line) < 2000
    assert line[-1].tolist() == [1.0, 0.667]
