"""Keypoint scores where images count several times. That the plain ones are pycocotools' is in tests/parity."""

import numpy as np
import pytest

from tasks.core.evaluate.keypoints.scorer import MEASURES, keypoint_scorer, match_poses
from tasks.core.evaluate.matching import summarised
from tests.support.poses import HERE, SIGMAS, THERE, posed, poses

TRUTH = posed((0, HERE), (1, HERE), images=3)
HALF = keypoint_scorer(match_poses(TRUTH, poses((0, HERE, 0.9)), SIGMAS))


@pytest.mark.parametrize(
    ("times", "ap", "recall"),
    [
        ([1, 1, 1], 51 / 101, 0.5),
        ([1, 0, 0], 1.0, 1.0),
        ([0, 1, 0], 0.0, 0.0),
        ([2, 1, 0], 67 / 101, 2 / 3),
        ([0, 0, 3], np.nan, np.nan),
    ],
)
def test_an_image_counts_as_often_as_it_is_said(times: list[int], ap: float, recall: float):
    got = HALF(np.array(times))
    assert tuple(got) == MEASURES
    assert (got["AP"], got["AP50"], got["APL"]) == pytest.approx((ap, ap, ap), nan_ok=True)
    assert (got["AR"], got["AR75"], got["ARL"]) == pytest.approx((recall,) * 3, nan_ok=True)
    assert np.isnan([got["APM"], got["ARM"]]).all()


def test_a_wrong_pose_counts_as_often_as_its_image():
    scorer = keypoint_scorer(match_poses(TRUTH, poses((2, THERE, 0.95), (0, HERE, 0.9), (1, HERE, 0.8)), SIGMAS))
    for times, ap in (([1, 1, 1], 2 / 3), ([1, 1, 4], 2 / 6), ([1, 1, 0], 1.0)):
        assert scorer(np.array(times))["AP50"] == pytest.approx(ap)


def test_without_an_image_all_is_nan():
    scorer = keypoint_scorer(match_poses(posed(images=0), poses(), SIGMAS))
    assert np.isnan(list(scorer(np.zeros(0, np.int64)).values())).all()


def test_five_numbers_of_a_kind():
    values = np.arange(30.0).reshape(3, 10)
    assert summarised(values) == [4.5, 0.0, 5.0, 14.5, 24.5]
