"""How near joints are: by hand, by a plain loop, and at the edges (with COCO's own tools: tests/parity/test_oks.py)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.keypoints import shipped_schemes
from tasks.core.evaluate.oks import joint_nearness, oks

NOSE, HIP = 0.026, 0.107
SCHEME = shipped_schemes()["coco-17"]
SIGMAS = np.array(SCHEME.sigmas)


def alone(joint: str, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    """(17, 3) of a person of whom one joint is given."""
    pose = np.zeros((17, 3))
    pose[SCHEME.joints.index(joint)] = x, y, 2
    return pose


@pytest.mark.parametrize(
    ("away", "area", "sigma", "expected"),
    [
        (10.0, 10_000.0, NOSE, 0.1574),
        (10.0, 10_000.0, HIP, 0.8966),
        (100 * 2 * HIP, 10_000.0, HIP, math.exp(-0.5)),  # at d = s k
        (0.0, 10_000.0, NOSE, 1.0),
        (0.0, 0.0, NOSE, 1.0),
        (1.0, 0.0, NOSE, 0.0),
        (1e308, 1.0, NOSE, 0.0),
        (math.inf, 1.0, NOSE, 0.0),
    ],
)
def test_one_joint(away: float, area: float, sigma: float, expected: float):
    assert float(oks([[5.0, 5.0, 2]], [[5.0 + away, 5.0]], area, [sigma])) == pytest.approx(expected, abs=5e-5)


def test_only_labelled_joints_of_the_truth_count():
    truth = [[0, 0, 2], [7, 7, 0], [0, 0, 1]]
    predicted = [[0, 0], [math.inf, 9], [math.inf, 0]]
    assert float(oks(truth, predicted, 100.0, [NOSE] * 3)) == 0.5


def test_no_joint_is_0_or_what_was_asked_for():
    nobody = [[3, 3, 0]]
    assert float(oks(nobody, [[3, 3]], 100.0, [NOSE])) == 0
    assert math.isnan(float(oks(nobody, [[3, 3]], 100.0, [NOSE], without_joints=math.nan)))


def test_the_leading_axes_are_broadcast():
    truth = np.zeros((2, 1, 1, 3))
    truth[0, 0, 0, 2] = 2
    predicted = np.array([[[0.0, 0, 0]], [[10, 0, 0]], [[1e9, 0, 0]]])
    got = oks(truth, predicted, np.array([[10_000.0], [1.0]]), [NOSE])
    assert got.round(4).tolist() == [[1.0, 0.1574, 0.0], [0.0, 0.0, 0.0]]
    assert oks(np.zeros((0, 4, 3)), np.zeros((0, 4, 2)), np.zeros(0), [NOSE] * 4).shape == (0,)


points = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 2), st.integers(0, 50), st.integers(0, 50)),
    min_size=1,
    max_size=6,
)


@given(points, st.integers(1, 5000))
def test_as_a_plain_loop_has_it(joints: list[tuple[int, ...]], area: int):
    sigmas = [0.02 * (place + 1) for place in range(len(joints))]
    terms = [
        math.exp(-((x - u) ** 2 + (y - w) ** 2) / (2 * area * (2 * sigma) ** 2))
        for (x, y, v, u, w), sigma in zip(joints, sigmas, strict=True)
        if v > 0
    ]
    expected = sum(terms) / len(terms) if terms else 0.0
    whole = np.array(joints, float)
    assert float(oks(whole[:, :3], whole[:, 3:], area, sigmas)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("truth", "predicted", "area", "sigmas", "said"),
    [
        ([[0, 0]], [[0, 0]], 1.0, [NOSE], "expected (..., K, 3) joints"),
        ([[0, 0, 2]], [[0, 0], [1, 1]], 1.0, [NOSE], "expected (..., K, 3) joints"),
        ([[0, 0, 2]], [[0, 0]], 1.0, [NOSE, NOSE], "expected (..., K, 3) joints"),
        ([[0, 0, 2]], [[0, 0]], 1.0, [0.0], "expected sigmas above 0"),
        ([[0, 0, 2]], [[0, 0]], -1.0, [NOSE], "areas of at least 0"),
        ([[0, 0, 2]], [[0, 0]], math.nan, [NOSE], "areas of at least 0"),
    ],
)
def test_what_does_not_fit_is_refused(truth: list, predicted: list, area: float, sigmas: list, said: str):
    with pytest.raises(ValueError, match="expected") as problem:
        oks(truth, predicted, area, sigmas)
    assert said in str(problem.value)


def test_all_pairs_by_broadcasting():
    draw = np.random.default_rng(3)
    truth, predicted = draw.uniform(0, 100, (3, 17, 3)), draw.uniform(0, 100, (4, 17, 2))
    truth[..., 2] = draw.integers(0, 3, (3, 17))
    area = np.array([500.0, 2000.0, 10_000.0])
    pairs = oks(truth[:, None], predicted[None], area[:, None], SIGMAS)
    assert pairs.shape == (3, 4)
    for row in range(3):
        for column in range(4):
            assert pairs[row, column] == oks(truth[row], predicted[column], area[row], SIGMAS)


def test_no_truths_or_no_predictions_give_no_pairs():
    none, one = np.zeros((0, 17, 3)), np.zeros((1, 17, 3))
    assert oks(none[:, None], one[None], np.zeros((0, 1)), SIGMAS).shape == (0, 1)
    assert oks(one[:, None], none[None], np.zeros((1, 1)), SIGMAS).shape == (1, 0)


def test_the_third_number_of_a_prediction_is_not_looked_at():
    predicted = alone("nose", 3.0)
    assert oks(alone("nose"), predicted, 100, SIGMAS) == oks(alone("nose"), predicted[:, :2], 100, SIGMAS)


@pytest.mark.parametrize(
    ("truth", "predicted", "area", "expected"),
    [
        pytest.param([[5, 5, 0]], [[5, 5]], 100, 0.0, id="no joint that counts, although it is met"),
        pytest.param([[5, 5, 1]], [[5, 5]], 100, 1.0, id="a hidden joint counts"),
        pytest.param([[5, 5, 0.3]], [[5, 5]], 100, 1.0, id="v may be a confidence"),
        pytest.param([[5, 5, 2]], [[5, 5]], 0, 1.0, id="area 0, exactly there"),
        pytest.param([[5, 5, 2]], [[5, 5.001]], 0, 0.0, id="area 0, a little off"),
        pytest.param([[-1e308, 0, 2]], [[1e308, 0]], 1e300, 0.0, id="farther than a number can be"),
        pytest.param([[0, 0, 2]], [[1e146, 0]], 1e300, np.exp(-1.25e-7), id="as large as a number can be"),
        pytest.param([[0, 0, 2]], [[0, 0]], 1e-320, 1.0, id="an area that is nearly none"),
    ],
)
def test_odd_figures(truth: list, predicted: list, area: float, expected: float):
    assert oks(truth, predicted, area, [0.1]) == pytest.approx(expected, abs=1e-12)


def test_joints_that_do_not_count_change_nothing_whatever_their_numbers():
    truth = np.array([[0.0, 0.0, 2.0], [7.0, 7.0, 0.0]])
    assert oks(truth, [[1.0, 0.0], [9e9, -3.0]], 50, [0.1, 0.1]) == oks(truth[:1], [[1.0, 0.0]], 50, [0.1])


def test_a_figure_of_no_joints_at_all_has_0():
    assert oks(np.zeros((0, 3)), np.zeros((0, 2)), 5.0, []) == 0


def test_each_joint_is_as_near_as_pycocotools_divides():
    away = np.array([[[3.0, 4.0], [0.0, 0.0]], [[math.inf, 0.0], [0.1, 0.7]]])
    got = joint_nearness(away, np.array([[900.0], [1e4]]), np.array([NOSE, HIP]))
    for row, area in enumerate((900.0, 1e4)):
        for joint, sigma in enumerate((NOSE, HIP)):
            dx, dy = away[row, joint]
            assert got[row, joint] == np.exp(-((dx**2 + dy**2) / (sigma * 2) ** 2 / (area + np.spacing(1)) / 2))
