"""PCK and NME by hand: a figure of two joints, 100 px apart, in a box of 100 x 25 px."""

import numpy as np
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.keypoints.distances import (
    distance_measures,
    distance_scorer,
    joint_distances,
    joint_lines,
    joint_places,
    joint_rows,
)
from tasks.core.evaluate.keypoints.poses import PosedFigures, sort_poses
from tasks.core.evaluate.keypoints.schemes import ComparedJoints
from tasks.core.evaluate.matching import DrawnFigures
from tests.support.keypoints import COCO_17

SIGMAS = np.array([0.1, 0.1])
POINTS = np.array([[0.0, 0, 2], [100, 0, 2]])


def figures(*points: np.ndarray, image: list[int] | None = None, crowd: tuple[int, ...] = ()) -> PosedFigures:
    count = len(points)
    rows = np.array(image if image is not None else range(count), np.int64)
    boxes = np.tile([0.0, 0, 100, 25], (count, 1))
    drawn = DrawnFigures(
        int(rows.max(initial=-1)) + 1, rows, boxes, np.full(count, 2500.0), np.isin(np.arange(count), crowd)
    )
    return PosedFigures(drawn, np.array(points).reshape(count, 2, 3))


def found(*poses: tuple[int, float, list[list[float]]]) -> object:
    return sort_poses(
        np.array([image for image, _, _ in poses], np.int64),
        np.array([points for _, _, points in poses], float).reshape(len(poses), 2, 2),
        np.array([score for _, score, _ in poses], float),
    )


def scores(truth: PosedFigures, poses: object, alphas=(0.1, 0.2), reference=None, times=None) -> dict[str, float]:
    distances = joint_distances(truth, poses, SIGMAS, 20, reference)
    counts = np.ones(truth.drawn.images, np.int64) if times is None else np.array(times)
    return distance_scorer(distances, alphas)(counts)


def test_a_pose_by_hand():
    # 8 px and 15 px away; the longer side is 100 px, the root of the area 50 px: (8 + 15) / 2 / 50
    got = scores(figures(POINTS), found((0, 0.9, [[0, 8], [100, 15]])))
    assert got == pytest.approx({"PCK@0.1": 0.5, "PCK@0.2": 1.0, "NME": 0.23})


def test_a_joint_at_the_limit_is_right():
    assert scores(figures(POINTS), found((0, 0.9, [[0, 10], [110.1, 0]])))["PCK@0.1"] == 0.5


def test_what_nobody_gave_does_not_count():
    half = np.array([[0.0, 0, 2], [100, 0, 0]])
    got = scores(figures(half), found((0, 0.9, [[0, 8], [900, 900]])))
    assert got == pytest.approx({"PCK@0.1": 1.0, "PCK@0.2": 1.0, "NME": 0.16})


def test_a_figure_that_no_pose_has_taken_is_wrong_and_has_no_error():
    got = scores(figures(POINTS, POINTS), found((0, 0.9, [[0, 8], [100, 8]])))
    assert got == pytest.approx({"PCK@0.1": 0.5, "PCK@0.2": 0.5, "NME": 0.16})


def test_the_higher_score_chooses_first_and_each_figure_is_taken_once():
    near, far = [[0, 1], [100, 1]], [[0, 9], [100, 9]]
    assert scores(figures(POINTS), found((0, 0.1, near), (0, 0.9, far)))["NME"] == pytest.approx(9 / 50)


def test_a_pose_that_is_nowhere_near_takes_none():
    got = scores(figures(POINTS), found((0, 0.9, [[9000, 9000], [9900, 9000]])))
    assert got["PCK@0.2"] == 0
    assert np.isnan(got["NME"])


def test_crowds_and_figures_without_a_joint_are_not_looked_for():
    nothing = np.zeros((2, 3))
    got = scores(figures(POINTS, nothing, image=[0, 0], crowd=(0,)), found((0, 0.9, [[0, 8], [100, 8]])))
    assert all(np.isnan(value) for value in got.values())


def test_two_joints_may_be_the_measure():
    got = scores(figures(POINTS * [0.5, 1, 1]), found((0, 0.9, [[0, 8], [50, 4]])), (0.1,), (0, 1))
    assert got["PCK@0.1"] == 0.5  # of 50 px


def test_where_the_measure_is_not_known_pck_does_not_count_the_figure():
    half = np.array([[0.0, 0, 2], [100, 0, 0]])
    got = scores(figures(half), found((0, 0.9, [[0, 8], [0, 0]])), (0.1,), (0, 1))
    assert np.isnan(got["PCK@0.1"])
    assert got["NME"] == pytest.approx(0.16)


def test_images_count_as_often_as_they_are_drawn():
    truth, poses = figures(POINTS, POINTS), found((0, 0.9, [[0, 8], [100, 8]]), (1, 0.9, [[0, 18], [100, 18]]))
    assert scores(truth, poses, (0.1,), times=[3, 1]) == pytest.approx({"PCK@0.1": 0.75, "NME": (3 * 8 + 18) / 4 / 50})


def test_joint_by_joint():
    joints = ComparedJoints(COCO_17.model_copy(update={"joints": ("head", "foot")}), 2, SIGMAS)
    half = np.array([[0.0, 0, 2], [100, 0, 0]])
    distances = joint_distances(figures(half), found((0, 0.9, [[0, 8], [100, 15]])), SIGMAS, 20, None)
    rows = joint_rows("mine", "person", joints, distances, (0.1,))
    assert rows == [
        {"system": "mine", "category": "person", "joint": "head", "figures": 1, "PCK@0.1": 1.0, "NME": 0.16},
        {"system": "mine", "category": "person", "joint": "foot", "figures": 0, "PCK@0.1": None, "NME": None},
    ]
    assert joint_lines(rows, has_categories=False)[-2:] == [
        "| mine | head | 1 | 1.000 | 0.160 |",
        "| mine | foot | 0 |  |  |",
    ]
    assert joint_lines([], has_categories=False) == []
    assert distance_measures((0.1,)) == ["PCK@0.1", "NME"]


def test_joints_are_those_of_the_scheme():
    joints = ComparedJoints(COCO_17, 17, np.ones(17))
    assert joint_places(("left_shoulder", "right_hip"), joints) == (5, 12)
    assert joint_places(None, joints) is None
    with pytest.raises(BadInput, match=r"^pck: expected box, or two joints of coco-17, \['nose', .*, got 'neck'$"):
        joint_places(("nose", "neck"), joints)
