"""mOKS: the best pairing of poses, against all permutations."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.keypoints import shipped_schemes
from tasks.core.evaluate.oks import oks
from tasks.core.evaluate.sketches.poses import assignment_mean

SIGMAS = np.array(shipped_schemes()["coco-17"].sigmas)
sizes = st.integers(0, 5)


def mean_oks(true: np.ndarray, area: np.ndarray, predicted: np.ndarray, sigmas: np.ndarray) -> float:
    return assignment_mean(oks(true[:, None], predicted[None], area[:, None], sigmas))


def poses(*corners: float) -> np.ndarray:
    """(N, 17, 3) persons, each with its joints in a row that begins at a corner."""
    xyv = np.zeros((len(corners), 17, 3))
    xyv[..., 0] = np.array(corners)[:, None] + 10 * np.arange(17)
    xyv[..., 2] = 2
    return xyv


def by_permutations(similarity: np.ndarray) -> float:
    """Eq. 1 to the letter: the smaller side is filled up with nothing, then every permutation is tried."""
    size = max(similarity.shape)
    square = np.zeros((size, size))
    square[: similarity.shape[0], : similarity.shape[1]] = similarity
    return max(sum(square[row, column] for row, column in enumerate(order)) for order in _orders(size)) / size


def _orders(size: int) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(size)))


@given(st.data(), sizes, sizes)
def test_the_best_of_all_permutations(data: st.DataObject, rows: int, columns: int):
    if not max(rows, columns):
        return
    values = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1)
    flat = data.draw(st.lists(values, min_size=rows * columns, max_size=rows * columns))
    similarity = np.array(flat).reshape(rows, columns)
    assert assignment_mean(similarity) == pytest.approx(by_permutations(similarity), abs=1e-12)
    assert assignment_mean(similarity.T) == pytest.approx(assignment_mean(similarity), abs=1e-12)


def test_one_true_pose_and_two_predicted_ones_have_half_of_the_best():
    best = oks(poses(0)[0], poses(3)[0], 900.0, SIGMAS)
    assert 0.1 < best < 0.9
    assert mean_oks(poses(0), np.array([900.0]), poses(100, 3), SIGMAS) == pytest.approx(best / 2, abs=1e-15)


def test_two_persons_who_change_places_are_the_same_two():
    assert mean_oks(poses(0, 500), np.full(2, 900.0), poses(500, 0), SIGMAS) == 1


def test_the_greedy_pairing_is_not_the_best_one():
    assert assignment_mean(np.array([[0.9, 0.8], [0.8, 0.1]])) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [((), (), np.nan), ((0,), (), 0.0), ((), (0, 1), 0.0), ((0,), (0,), 1.0), ((0, 500), (0,), 0.5)],
)
def test_somebody_missing_and_nobody_at_all(true: tuple, predicted: tuple, expected: float):
    got = mean_oks(poses(*true), np.full(len(true), 900.0), poses(*predicted), SIGMAS)
    assert got == pytest.approx(expected, nan_ok=True)


@given(st.permutations(range(4)), st.permutations(range(3)))
def test_the_order_of_poses_never_matters(true: list[int], predicted: list[int]):
    truth, guess, area = poses(0, 4, 300, 302), poses(1, 299, 5), np.array([400.0, 900.0, 100.0, 2500.0])
    first = mean_oks(truth, area, guess, SIGMAS)
    assert mean_oks(truth[true], area[true], guess[predicted], SIGMAS) == pytest.approx(first, abs=1e-15)
