"""Object keypoint similarity by hand. Against COCO's own tools: tests/parity/test_oks.py."""

import numpy as np
import pytest

from schemas.keypoints import shipped_schemes
from tasks.core.evaluate.oks import oks

SCHEME = shipped_schemes()["coco-17"]
SIGMAS = np.array(SCHEME.sigmas)


def alone(joint: str, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    """(17, 3) of a person of whom one joint is given."""
    pose = np.zeros((17, 3))
    pose[SCHEME.joints.index(joint)] = x, y, 2
    return pose


@pytest.mark.parametrize(("joint", "expected"), [("nose", 0.1574), ("left_hip", 0.8966)])
def test_one_joint_ten_pixels_off(joint: str, expected: float):
    assert oks(alone(joint), alone(joint, 10), 10_000, SIGMAS) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("joint", SCHEME.joints)
def test_a_joint_as_far_off_as_its_k_times_the_root_of_the_area(joint: str):
    k = 2 * SIGMAS[SCHEME.joints.index(joint)]
    assert oks(alone(joint), alone(joint, 0.0, 100 * k), 10_000, SIGMAS) == pytest.approx(np.exp(-0.5))


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
