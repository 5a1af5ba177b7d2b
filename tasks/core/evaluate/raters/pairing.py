"""Which box of one person is which box of another: one to one, as many as can be."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def overlaps_of(one: Floats, other: Floats) -> Floats:
    """(N, M) intersection over union of boxes (N, 4) and (M, 4) as (x_min, y_min, x_max, y_max), continuous corners.

    Boxes have sides above 0.
    """
    overlaps = np.zeros((len(one), len(other)))
    for row in range(len(one)):
        x_min, y_min, x_max, y_max = one[row]
        area = (x_max - x_min) * (y_max - y_min)
        for column in range(len(other)):
            left, top, right, bottom = other[column]
            width = min(x_max, right) - max(x_min, left)
            height = min(y_max, bottom) - max(y_min, top)
            if width > 0 and height > 0:
                shared = width * height
                overlaps[row, column] = shared / (area + (right - left) * (bottom - top) - shared)
    return overlaps


def pair_boxes(overlaps: Floats, least: float) -> Integers:
    """(P, 2) rows and columns of the boxes that are matched: one to one, as many as can be, all with IoU >= least.

    overlaps: (N, M). Of all matchings with the most pairs, one with the largest sum of IoU (Kuhn, 1955, "The Hungarian
    method"). Sorted by row. Nothing in, nothing out.

    >>> pair_boxes(np.array([[0.6, 0.9], [0.2, 0.8]]), 0.5).tolist()
    [[0, 0], [1, 1]]
    """
    is_hit = overlaps >= least
    return _assign(np.where(is_hit, 1 + overlaps / (min(overlaps.shape, default=0) + 1), 0.0))


def total_overlap(overlaps: Floats) -> float:
    """The largest sum of IoU that a matching one to one can have, whatever the IoU of its pairs.

    >>> total_overlap(np.array([[0.6, 0.9], [0.2, 0.8]]))
    1.4
    """
    pairs = _assign(overlaps)
    return float(overlaps[pairs[:, 0], pairs[:, 1]].sum())


def _assign(weights: Floats) -> Integers:
    """(P, 2) the pairs of the matching with the largest sum, those of weight 0 left out."""
    is_pair = weights > 0
    if (is_pair.sum(axis=0) <= 1).all() and (is_pair.sum(axis=1) <= 1).all():
        return np.argwhere(is_pair)  # nearly always: nobody has to decide
    from scipy.optimize import linear_sum_assignment  # slow to import

    pairs = np.stack(linear_sum_assignment(weights, maximize=True), axis=1)
    return pairs[is_pair[pairs[:, 0], pairs[:, 1]]].astype(np.int64)
