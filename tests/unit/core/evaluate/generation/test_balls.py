"""The inner loops: what is nearest, and what lies in a ball, when the matrix product is of no use."""

import numpy as np
import pytest

from tasks.core.evaluate.generation.balls import count_balls, insert_nearest, squared_distance


def test_a_distance_is_the_same_both_ways_and_zero_of_equal_rows():
    one, other = np.random.default_rng(0).normal(size=(2, 50))
    assert squared_distance(one, other) == squared_distance(other, one)
    assert squared_distance(one, one) == 0
    assert squared_distance(np.array([0.0, 0.0]), np.array([3.0, 4.0])) == 25


@pytest.mark.parametrize(
    ("before", "others", "is_same", "after"),
    [
        pytest.param([np.inf, np.inf], [3, 1, 2], False, [1, 4], id="the two least"),
        pytest.param([0.5, 2.0], [1, 1], False, [0.5, 1], id="among those before"),
        pytest.param([1.0, 1.0], [1, 1], False, [1, 1], id="equal ones change nothing"),
        pytest.param([np.inf, np.inf], [0, 2], True, [4, np.inf], id="not itself"),
        pytest.param([np.inf, np.inf], [], False, [np.inf, np.inf], id="nobody"),
    ],
)
def test_the_nearest_are_kept_in_order(before, others, is_same, after):
    rows, table = np.zeros((1, 1)), np.array(others, float).reshape(-1, 1)
    nearest = np.array([before])
    # inner products that say nothing: all is decided by the distances themselves
    insert_nearest(nearest, rows, table, np.zeros((1, len(table))), np.zeros(1), np.ones(len(table)), 9.0, is_same)
    assert nearest[0].tolist() == after


def test_a_border_belongs_to_its_ball_and_is_decided_by_the_distance_itself():
    samples, reference = np.array([[0.0], [1.0], [1.5]]), np.array([[2.0]])
    counts, is_hit, is_inside = np.zeros((2, 3), np.int64), np.zeros((2, 1), np.bool_), np.zeros(1, np.bool_)
    inner = samples @ reference.T + np.array([[0.01], [0.01], [0.0]])  # a little off
    count_balls(
        counts, is_hit, is_inside, samples, reference, inner, (samples**2)[:, 0], (reference**2)[:, 0],
        np.array([3.9, 0.9, 0.2]), np.array([[1.0], [0.1]]), 0.05,
    )  # fmt: skip
    assert counts.tolist() == [[0, 1, 1], [0, 0, 0]]
    assert (is_hit.tolist(), is_inside.tolist()) == ([[True], [False]], [False])


def test_an_image_lies_in_a_ball_of_a_sample_on_its_border():
    samples, reference = np.array([[0.0], [5.0]]), np.array([[2.0], [9.0]])
    counts, is_hit, is_inside = np.zeros((1, 2), np.int64), np.zeros((1, 2), np.bool_), np.zeros(2, np.bool_)
    count_balls(
        counts, is_hit, is_inside, samples, reference, samples @ reference.T, (samples**2)[:, 0], (reference**2)[:, 0],
        np.array([4.0, 1.0]), np.array([[0.0, 16.0]]), 1e-9,
    )  # fmt: skip
    assert is_inside.tolist() == [True, False]
    assert (counts.tolist(), is_hit.tolist()) == ([[0, 1]], [[False, True]])
