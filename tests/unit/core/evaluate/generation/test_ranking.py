"""The most similar, kept in order."""

import numpy as np
import pytest

from tasks.core.evaluate.generation.ranking import insert_most_similar


@pytest.mark.parametrize(
    ("columns", "rows", "similarities"),
    [
        pytest.param([], [-1, -1], [-np.inf, -np.inf], id="none"),
        pytest.param([0.5], [10, -1], [0.5, -np.inf], id="one of two"),
        pytest.param([0.1, 0.9, 0.5], [11, 12], [0.9, 0.5], id="the largest two"),
        pytest.param([0.5, 0.5, 0.5], [10, 11], [0.5, 0.5], id="of equal ones the earlier"),
        pytest.param([0.5, 0.9, 0.9], [11, 12], [0.9, 0.9], id="also of better ones"),
        pytest.param([-1.0, -0.5], [11, 10], [-0.5, -1.0], id="below zero"),
    ],
)
def test_the_most_similar_come_first_and_ties_go_by_row(columns, rows, similarities):
    place, best = np.full((1, 2), -1, np.int64), np.full((1, 2), -np.inf, np.float32)
    insert_most_similar(place, best, np.array([columns], np.float32), 10)
    assert place[0].tolist() == rows
    assert best[0].tolist() == np.array(similarities, np.float32).tolist()
