"""Concordant less discordant pairs, against a comparison of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.kernels import concordance


def by_pairs(x: np.ndarray, y: np.ndarray, times: np.ndarray) -> int:
    total = 0
    for one in range(len(x)):
        for other in range(one):
            total += times[one] * times[other] * np.sign(x[one] - x[other]) * np.sign(y[one] - y[other])
    return int(total)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), min_size=6, max_size=30))
def test_all_pairs(rows: list[tuple[int, int, int]]):
    drawn = np.array(sorted(rows), np.int64)
    x, y, times = (np.ascontiguousarray(column) for column in drawn.T)
    assert concordance(x, y, times) == by_pairs(x, y, times)


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_to_compare(size: int):
    assert concordance(np.zeros(size, np.int64), np.zeros(size, np.int64), np.ones(size, np.int64)) == 0
