"""The curve, and AP and best F read off it, by hand."""

import numpy as np
import pytest

from tasks.core.evaluate.kernels import IGNORED, RIGHT, WRONG
from tasks.core.evaluate.voc import VocVerdicts, ap_2007, ap_2010, best_f, precision_recall_curve


def verdicts(*boxes: tuple[int, float], figures: int = 2) -> VocVerdicts:
    """Of one image; boxes by falling score."""
    return VocVerdicts(
        np.array([verdict for verdict, _ in boxes], np.uint8),
        np.zeros(len(boxes), np.int64),
        np.array([score for _, score in boxes], float),
        np.array([figures], np.int64),
    )


MIXED = verdicts((RIGHT, 0.9), (WRONG, 0.8), (RIGHT, 0.7))


def test_two_figures_and_right_wrong_right():
    curve = precision_recall_curve(MIXED)
    assert (curve.right.tolist(), curve.wrong.tolist(), curve.figures) == ([1, 1, 2], [0, 1, 1], 2)
    assert curve.precision == pytest.approx([1, 1 / 2, 2 / 3])
    assert curve.recall == pytest.approx([1 / 2, 1 / 2, 1])
    assert curve.f_measure == pytest.approx([2 / 3, 1 / 2, 0.8])
    assert round(ap_2010(curve), 4) == 0.8333
    assert round(ap_2007(curve), 4) == 0.8485
    assert best_f(curve) == pytest.approx((0.8, 2 / 3, 1, 0.7))


@pytest.mark.parametrize(
    ("boxes", "figures", "area", "points", "best"),
    [
        pytest.param([], 2, 0.0, 0.0, (0.0, np.nan, 0.0, np.nan), id="no box"),
        pytest.param([(IGNORED, 0.9)], 2, 0.0, 0.0, (0.0, np.nan, 0.0, np.nan), id="one that does not count"),
        pytest.param([(WRONG, 0.9)], 2, 0.0, 0.0, (0.0, 0.0, 0.0, 0.9), id="a wrong one"),
        pytest.param([(RIGHT, 0.9)], 1, 1.0, 1.0, (1.0, 1.0, 1.0, 0.9), id="the one figure"),
        pytest.param([(RIGHT, 0.9)], 2, 0.5, 6 / 11, (2 / 3, 1.0, 0.5, 0.9), id="one of two: six of eleven points"),
        pytest.param([(RIGHT, 0.9), (RIGHT, 0.8)], 2, 1.0, 1.0, (1.0, 1.0, 1.0, 0.8), id="both"),
        pytest.param([(WRONG, 0.9), (RIGHT, 0.8)], 1, 0.5, 0.5, (2 / 3, 0.5, 1.0, 0.8), id="the envelope rises"),
        pytest.param([(RIGHT, 0.9)], 0, np.nan, np.nan, (np.nan,) * 4, id="no figure"),
        pytest.param([], 0, np.nan, np.nan, (np.nan,) * 4, id="nothing at all"),
        pytest.param([(IGNORED, 0.9), (RIGHT, 0.8)], 1, 1.0, 1.0, (1.0, 1.0, 1.0, 0.8), id="what is ignored is free"),
        # F is 2/3 at both
        pytest.param(
            [(RIGHT, 0.9), (WRONG, 0.8), (WRONG, 0.7), (RIGHT, 0.6)],
            2,
            0.75,
            (6 + 5 / 2) / 11,
            (2 / 3, 1.0, 0.5, 0.9),
            id="of equal F the one with the highest score",
        ),
    ],
)
def test_what_is_read_off_a_curve(boxes, figures: int, area: float, points: float, best: tuple[float, ...]):
    curve = precision_recall_curve(verdicts(*boxes, figures=figures))
    assert (ap_2010(curve), ap_2007(curve)) == pytest.approx((area, points), nan_ok=True)
    assert best_f(curve) == pytest.approx(best, nan_ok=True)


@pytest.mark.parametrize("order", [(RIGHT, WRONG), (WRONG, RIGHT)])
def test_boxes_of_equal_scores_make_one_point(order: tuple[int, int]):
    curve = precision_recall_curve(verdicts(*((verdict, 0.5) for verdict in order), figures=1))
    assert (curve.score.tolist(), curve.right.tolist(), curve.wrong.tolist()) == ([0.5], [1], [1])
    assert (ap_2010(curve), best_f(curve)[0]) == (0.5, 2 / 3)


@pytest.mark.parametrize(("right", "steps"), [(1, 2), (2, 3), (3, 4), (6, 7), (7, 8), (9, 10)])
def test_three_of_ten_figures_reach_a_recall_of_0_3(right: int, steps: int):
    """In floats 3 x 0.1 is more than 3 / 10."""
    curve = precision_recall_curve(verdicts(*[(RIGHT, 0.9)] * right, figures=10))
    assert ap_2007(curve) == pytest.approx(steps / 11)


def test_an_image_counts_as_often_as_it_is_said():
    two = VocVerdicts(MIXED.verdict, np.array([0, 1, 1]), MIXED.score, np.array([1, 1]))
    assert precision_recall_curve(two, np.array([0, 0])).score.tolist() == []
    assert precision_recall_curve(two, np.array([1, 0])).score.tolist() == [0.9]
    thrice = precision_recall_curve(two, np.array([1, 3]))
    assert (thrice.right.tolist(), thrice.wrong.tolist(), thrice.figures) == ([1, 1, 4], [0, 3, 3], 4)
