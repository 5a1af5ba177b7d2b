"""Rank correlations by hand, and of items that count several times."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.sketches.correlation import kendall, spearman

ORDER = np.arange(1.0, 6)


@pytest.mark.parametrize(
    ("values", "rho", "tau"),
    [
        ([2, 1, 4, 3, 5], 0.8, 0.6),
        ([1, 1, 2, 3, 4], 0.9747, 0.9487),
        ([1, 2, 3, 4, 5], 1, 1),
        ([5, 4, 3, 2, 1], -1, -1),
        ([-1e308, -1, 0, 1e-308, 1e308], 1, 1),
        ([0.0, -0.0, 0.0, 0.0, 1.0], np.sqrt(0.5), np.sqrt(0.4)),
        ([np.inf, 3, 2, 1, -np.inf], -1, -1),
        ([3, 3, 3, 3, 3], np.nan, np.nan),
    ],
)
def test_five_sketches(values: list[float], rho: float, tau: float):
    for one, other in ((ORDER, np.array(values, float)), (np.array(values, float), ORDER)):
        assert spearman(one, other) == pytest.approx(rho, abs=5e-5, nan_ok=True)
        assert kendall(one, other) == pytest.approx(tau, abs=5e-5, nan_ok=True)


def test_the_same_order_is_exactly_1():
    for size in (2, 5, 64, 65, 1000):
        ranks = np.arange(size, dtype=float)
        assert (spearman(ranks, ranks), kendall(ranks, ranks)) == (1, 1)
        assert (spearman(ranks, -ranks), kendall(ranks, -ranks)) == (-1, -1)


@pytest.mark.parametrize("size", [0, 1])
def test_none_and_one_have_no_order(size: int):
    assert np.isnan([spearman(np.zeros(size), np.ones(size)), kendall(np.zeros(size), np.ones(size))]).all()


@pytest.mark.parametrize(("times", "rho"), [([0, 0, 0], np.nan), ([5, 0, 0], np.nan), ([1, 3, 0], 1.0)])
def test_what_does_not_count_is_not_there(times: list[int], rho: float):
    values, counts = np.array([1.0, 2, 0]), np.array(times)
    assert spearman(values, values, counts) == pytest.approx(rho, nan_ok=True)
    assert kendall(values, values, counts) == pytest.approx(rho, nan_ok=True)


@given(st.permutations(range(5)))
def test_five_untied_ranks_have_steps_of_a_tenth_and_of_a_fifth(order: list[int]):
    values = np.array(order, float)
    for value, steps in ((spearman(ORDER, values), 10), (kendall(ORDER, values), 5)):
        assert steps * value == pytest.approx(round(steps * value), abs=1e-12)


rows = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 4))


@pytest.mark.parametrize("least", [1, 70])
@given(st.data())
def test_an_item_that_counts_twice_is_an_item_that_is_there_twice(least: int, data: st.DataObject):
    """Few items, whose pairs are compared at once, and many, by machine code."""
    drawn = np.array(data.draw(st.lists(rows, min_size=least, max_size=least + 20)))
    x, y, times = drawn[:, 0].astype(float), drawn[:, 1].astype(float), drawn[:, 2]
    repeated = np.repeat(np.arange(len(drawn)), times)
    for correlation in (spearman, kendall):
        expected = correlation(x[repeated], y[repeated])
        assert correlation(x, y, times) == pytest.approx(expected, abs=1e-12, nan_ok=True)
