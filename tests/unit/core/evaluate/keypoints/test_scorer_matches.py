"""Which poses are right: the best first, each figure once, crowds and unlabelled figures apart."""

import pytest

from tasks.core.evaluate.kernels import IGNORED, RIGHT, WRONG
from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses
from tasks.core.evaluate.keypoints.scorer import match_poses
from tests.support.poses import HERE, SIGMAS, THERE, posed, poses


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        pytest.param(posed(), poses(), [], id="nothing at all"),
        pytest.param(posed((0, HERE)), poses(), [], id="nothing found"),
        pytest.param(posed(), poses((0, HERE, 0.9)), [WRONG], id="nobody there"),
        pytest.param(posed((0, HERE), images=2), poses((1, HERE, 0.9)), [WRONG], id="only in its own image"),
        pytest.param(posed((0, HERE)), poses((0, HERE, 0.9), (0, HERE, 0.8)), [RIGHT, WRONG], id="each figure once"),
        pytest.param(posed((0, HERE)), poses((0, HERE, 0.1), (0, THERE, 0.8)), [WRONG, RIGHT], id="by falling score"),
        pytest.param(
            posed((0, HERE), crowd=(0,)), poses((0, HERE, 0.9), (0, HERE, 0.8)), [IGNORED] * 2, id="a crowd takes all"
        ),
        pytest.param(
            posed((0, None)),
            poses((0, HERE, 0.9), (0, HERE, 0.8)),
            [IGNORED, WRONG],
            id="an unlabelled figure takes one pose near its box",
        ),
        pytest.param(posed((0, None)), poses((0, THERE, 0.9)), [WRONG], id="but none far from it"),
        pytest.param(
            posed((0, None), (0, HERE)), poses((0, HERE, 0.9)), [RIGHT], id="a labelled figure before an unlabelled one"
        ),
    ],
)
def test_what_becomes_of_each_pose(truth: PosedFigures, found: Poses, expected: list[int]):
    assert match_poses(truth, found, SIGMAS).verdicts[0, 0].tolist() == expected


def test_crowds_and_unlabelled_figures_are_not_among_those_to_find():
    matched = match_poses(posed((0, HERE), (1, None), (1, THERE), images=3, crowd=(2,)), poses(), SIGMAS)
    assert matched.figures[:, 0].tolist() == [1, 0, 0]
    assert matched.verdicts.shape == (3, 10, 0)


@pytest.mark.parametrize(
    ("side_px", "ranges"), [(31.9, [1, 0, 0]), (32.0, [1, 1, 0]), (96.0, [1, 1, 1]), (96.1, [1, 0, 1])]
)
def test_both_ends_of_a_range_of_areas_belong_to_it(side_px: float, ranges: list[int]):
    assert match_poses(posed((0, HERE), side_px=side_px), poses(), SIGMAS).figures.tolist() == [ranges]


@pytest.mark.parametrize(("at_most", "expected"), [(1, [WRONG]), (2, [WRONG, RIGHT]), (9, [WRONG, RIGHT])])
def test_only_the_best_poses_of_an_image_count(at_most: int, expected: list[int]):
    found = poses((0, HERE, 0.8), (0, THERE, 0.9))
    assert match_poses(posed((0, HERE)), found, SIGMAS, at_most).verdicts[0, 0].tolist() == expected
