"""COCO's numbers of keypoints by faster-coco-eval: what counts and what does not. test_keypoints compares ours."""

import numpy as np
import pytest

from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses
from tasks.core.evaluate.keypoints.scorer import MEASURES
from tests.support.keypoint_scores import keypoint_scores
from tests.support.poses import HERE, SIGMAS, THERE, posed, poses


def test_a_perfect_system_scores_1_in_every_size_that_there_is():
    found = poses((0, HERE, 0.9), (0, THERE, 0.8))
    got = keypoint_scores(posed((0, HERE), (0, THERE)), found, SIGMAS)
    assert got == pytest.approx({name: None if name in ("APM", "ARM") else 1.0 for name in MEASURES})


@pytest.mark.parametrize("found", [poses(), poses((0, THERE, 0.9))])
def test_no_right_pose_scores_0(found: Poses):
    got = keypoint_scores(posed((0, HERE)), found, SIGMAS)
    assert (got["AP"], got["AR"], got["APM"]) == (0, 0, None)


@pytest.mark.parametrize(
    "truth",
    [
        pytest.param(posed(images=0), id="no image"),
        pytest.param(posed(), id="no figure"),
        pytest.param(posed((0, None)), id="no keypoints"),
        pytest.param(posed((0, HERE), crowd=(0,)), id="a crowd alone"),
    ],
)
def test_where_nothing_can_be_scored_every_score_is_null(truth: PosedFigures):
    assert keypoint_scores(truth, poses(), SIGMAS) == dict.fromkeys(MEASURES)


def test_only_so_many_of_the_best_poses_of_an_image_count():
    found = poses((0, HERE, 0.8), (0, THERE, 0.9))
    assert keypoint_scores(posed((0, HERE)), found, SIGMAS, at_most=1)["AR"] == 0
    assert keypoint_scores(posed((0, HERE)), found, SIGMAS, at_most=2)["AR"] == 1


def test_points_far_beyond_all_pictures_are_wrong():
    far = [[1e308, 1e308], [1e308, -1e308]]
    assert keypoint_scores(posed((0, HERE)), poses((0, far, 0.9)), SIGMAS)["AP"] == 0


def test_other_sigmas_give_other_scores():
    off = [[30.0, 20.0], [70.0, 80.0]]
    strict, lenient = (
        keypoint_scores(posed((0, HERE)), poses((0, off, 0.9)), np.full(2, sigma))["AP"] for sigma in (0.01, 0.3)
    )
    assert (strict, lenient) == (0, 1)
