"""Rank correlations against scipy's: untied, with ties, of few items and of many, and of items that are repeated."""

import numpy as np
import pytest
from scipy import stats

from tasks.core.evaluate.sketches.correlation import kendall, spearman

CLOSE = 1e-12


@pytest.mark.parametrize("size", [2, 3, 5, 63, 64, 65, 555, 5000])
@pytest.mark.parametrize("levels", [2, 5, 10**9])
@pytest.mark.parametrize("seed", range(3))
def test_scipys_values(size: int, levels: int, seed: int):
    draw = np.random.default_rng([seed, size, levels])
    x = draw.integers(0, levels, size) / 3.0
    y = np.where(draw.random(size) < 0.5, x, draw.integers(0, levels, size) / 3.0)
    if len({*x.tolist()}) < 2 or len({*y.tolist()}) < 2:
        assert np.isnan([spearman(x, y), kendall(x, y)]).all()
        return
    assert abs(spearman(x, y) - stats.spearmanr(x, y).statistic) < CLOSE
    assert abs(kendall(x, y) - stats.kendalltau(x, y).statistic) < CLOSE


@pytest.mark.parametrize("seed", range(5))
def test_scipys_values_of_repeated_items(seed: int):
    draw = np.random.default_rng(seed)
    x, y = draw.integers(0, 8, 300).astype(float), draw.normal(size=300).round(1)
    times = draw.multinomial(300, np.full(300, 1 / 300))
    every = np.repeat(np.arange(300), times)
    assert abs(spearman(x, y, times) - stats.spearmanr(x[every], y[every]).statistic) < CLOSE
    assert abs(kendall(x, y, times) - stats.kendalltau(x[every], y[every]).statistic) < CLOSE
