"""Rank correlation of two lists of numbers, in which an item may count several times: Spearman's rho, Kendall's tau-b.

Their values are scipy's (tests/parity/test_correlation.py), whose functions would need every item as often as it
counts.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
_FEW = 64
"""Up to so many items all pairs are compared at once; beyond, machine code, which takes half a second to load."""


def spearman(x: Floats, y: Floats, times: Counts | None = None) -> float:
    """Spearman's rho: the correlation of both lists' ranks, of which equal numbers share the mean.

    x, y: (N,) without NaN. times: (N,) how often each item counts, once by default. -1..1; NaN where one list is
    constant, as are those of one item and of none. Source: Spearman, 1904; Kendall, "Rank Correlation Methods", 1948.

    >>> spearman(np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 4, 3, 5]))
    0.8
    """
    x, y, counts = _counted(x, y, times)
    one, other, weights = _centred_ranks(x, counts), _centred_ranks(y, counts), counts.astype(np.float64)
    square = (weights * one * one).sum() * (weights * other * other).sum()
    return float((weights * one * other).sum() / np.sqrt(square)) if square else math.nan


def kendall(x: Floats, y: Floats, times: Counts | None = None) -> float:
    """Kendall's tau-b: concordant less discordant pairs, by the root of the pairs not tied in x and of those in y.

    x, y, times, range: as of `spearman`; copies of an item tie. Source: Kendall, "The treatment of ties in ranking
    problems", 1945.

    >>> kendall(np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 4, 3, 5]))
    0.6
    """
    x, y, counts = _counted(x, y, times)
    one, other = _ranks(x), _ranks(y)
    # twice the number of pairs that do not tie
    untied = [int(counts.sum()) ** 2 - int((np.bincount(ranks, counts) ** 2).sum()) for ranks in (one, other)]
    if not all(untied):
        return math.nan
    if len(one) <= _FEW:
        signs = np.sign(one[:, None] - one) * np.sign(other[:, None] - other)
        pairs = int(counts @ signs @ counts) // 2
    else:
        from tasks.core.evaluate.kernels import concordance  # numba takes half a second to import

        order = np.argsort(one, kind="stable")
        pairs = int(concordance(one[order], other[order], counts[order]))
    return 2 * pairs / math.sqrt(untied[0] * untied[1])


def _counted(x: Floats, y: Floats, times: Counts | None) -> tuple[Floats, Floats, Counts]:
    """What counts at all, and how often."""
    counts = np.ones(len(x), np.int64) if times is None else np.asarray(times, np.int64)
    return x[counts > 0], y[counts > 0], counts[counts > 0]


def _ranks(values: Floats) -> Counts:
    """(N,) ranks from 0, without gaps; equal numbers have one."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _centred_ranks(values: Floats, counts: Counts) -> Floats:
    """(N,) twice the mean rank of each number among all copies, less twice the mean of all: whole numbers."""
    ranks = _ranks(values)
    sizes = np.bincount(ranks, counts) if len(ranks) else np.zeros(0)
    return np.asarray((2 * np.cumsum(sizes) - sizes - counts.sum())[ranks], np.float64)
