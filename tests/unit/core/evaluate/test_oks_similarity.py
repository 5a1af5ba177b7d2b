"""Object keypoint similarity, by hand and against what others print."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.oks import object_keypoint_similarity

NOSE, HIP = 0.026, 0.107


def similarity(pose, figure, area: float = 1e4, sigmas=(NOSE,), box=(0.0, 0.0, 100.0, 100.0)) -> float:
    """Of one pose to one figure."""
    return object_keypoint_similarity(
        np.array([pose], float), np.array([figure], float), np.array([box]), np.array([area]), np.array(sigmas)
    ).item()


@pytest.mark.parametrize(
    ("sigma", "away_px", "expected"),
    [
        pytest.param(NOSE, 0.0, 1.0, id="the same point"),
        pytest.param(NOSE, 10.0, 0.1574, id="a nose 10 px off"),
        pytest.param(HIP, 10.0, 0.8966, id="a hip 10 px off"),
        pytest.param(HIP, 100 * 2 * HIP, np.exp(-0.5).round(4), id="d = s k"),
        pytest.param(HIP, 1e6, 0.0, id="far away"),
        pytest.param(HIP, 1e308, 0.0, id="farther than numbers can say"),
    ],
)
def test_one_joint_in_a_figure_of_100_by_100_px(sigma: float, away_px: float, expected: float):
    assert round(similarity([[3 + away_px, 4]], [[3, 4, 2]], sigmas=[sigma]), 4) == expected


@pytest.mark.parametrize("visibility", [1, 2])
def test_only_given_joints_count(visibility: int):
    pose, figure = [[3, 4], [900, 900]], [[3, 4, visibility], [0, 0, 0]]
    assert similarity(pose, figure, sigmas=[NOSE, HIP]) == 1
    assert similarity(pose, [[3, 4, visibility], [0, 0, visibility]], sigmas=[NOSE, HIP]) == pytest.approx(0.5)


def test_what_a_joint_that_nobody_gave_is_makes_no_difference():
    assert similarity([[3, 4], [9, 9]], [[3, 4, 2], [np.nan, np.nan, 0]], sigmas=[NOSE, HIP]) == 1


@pytest.mark.parametrize(
    ("away_px", "expected"), [(0.0, 1.0), (1e-6, 0.0), (10.0, 0.0)], ids=["no error", "a millionth", "ten px"]
)
def test_an_area_of_0_leaves_nothing_but_poses_without_an_error(away_px: float, expected: float):
    assert similarity([[away_px, 0]], [[0, 0, 2]], area=0.0) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("x", "expected"),
    [(50.0, 1.0), (-100.0, 1.0), (200.0, 1.0), (210.0, 0.1574), (-110.0, 0.1574)],
    ids=["in it", "one width before it", "one width after it", "10 px farther", "10 px farther before it"],
)
def test_a_figure_without_joints_is_similar_to_what_is_near_its_box(x: float, expected: float):
    assert round(similarity([[x, 50.0]], [[0, 0, 0]]), 4) == expected
    assert round(similarity([[50.0, x]], [[0, 0, 0]]), 4) == expected


def test_three_poses_and_two_figures_as_faster_coco_eval_has_them():
    """The matrix of its tests/test_compute_oks.py, which is exact there."""
    got = object_keypoint_similarity(
        np.array([[[11.0, 9], [18, 22], [30, 30]], [[0.0, 0], [0, 0], [0, 0]], [[40.0, 40], [40, 40], [40, 40]]]),
        np.array([[[10.0, 10, 2], [20, 20, 1], [0, 0, 0]], [[0.0, 0, 0], [0, 0, 0], [0, 0, 0]]]),
        np.array([[0.0, 0, 30, 30], [20, 20, 10, 10]]),
        np.array([900.0, 100.0]),
        np.full(3, 0.1),
    )
    assert got.tolist() == [
        [0.9337218969653591, 0.9608323008615317],
        [0.031095734680320564, 1.388794386496407e-11],
        [7.4726762063626715e-06, 1.0],
    ]


@pytest.mark.parametrize(("poses", "figures"), [(0, 0), (0, 2), (3, 0)])
def test_none_of_one_kind(poses: int, figures: int):
    got = object_keypoint_similarity(
        np.zeros((poses, 4, 2)), np.zeros((figures, 4, 3)), np.zeros((figures, 4)), np.zeros(figures), np.ones(4)
    )
    assert got.shape == (poses, figures)


@given(st.integers(0, 2**32))
def test_larger_sigmas_and_areas_only_help(seed: int):
    chance = np.random.default_rng(seed)
    pose, figure = chance.uniform(0, 100, (5, 2)), np.ones((5, 3))
    figure[:, :2] = chance.uniform(0, 100, (5, 2))
    sigmas = chance.uniform(0.01, 0.2, 5)
    least = similarity(pose, figure, 500.0, sigmas)
    assert 0 <= least <= similarity(pose, figure, 600.0, sigmas) <= 1
    assert least <= similarity(pose, figure, 500.0, sigmas * 1.5)
