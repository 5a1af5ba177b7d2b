"""The inner loop of Kendall's tau, compiled. Imported only where there is much to compute."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled


@compiled
def concordance(x: NDArray[np.int64], y: NDArray[np.int64], times: NDArray[np.int64]) -> int:
    """Concordant less discordant pairs, of items that count several times each.

    x: (N,) ranks from 0, ascending; y: (N,) ranks from 0, below N; times: (N,). Pairs that tie in x or y count for
    neither. A Fenwick tree over y sums up the items with a smaller x: N log N steps.
    """
    tree = np.zeros(len(y) + 1, np.int64)
    total, below_all, start = 0, 0, 0
    while start < len(x):
        end = start
        while end < len(x) and x[end] == x[start]:
            lower, not_higher = 0, 0
            place = y[end]
            while place > 0:
                lower += tree[place]
                place -= place & -place
            place = y[end] + 1
            while place > 0:
                not_higher += tree[place]
                place -= place & -place
            total += times[end] * (lower - (below_all - not_higher))
            end += 1
        for row in range(start, end):
            below_all += times[row]
            place = y[row] + 1
            while place <= len(y):
                tree[place] += times[row]
                place += place & -place
        start = end
    return total
