"""Which boxes belong together: one to one between two people, or in groups of one figure, by k-means or by overlap."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

STEPS = 100
"""Of one start of k-means; it has nearly always come to rest after five."""
_EQUAL = 1 - 1e-9
"""Inertias nearer than that are equal: a sum of squares differs by the order of its terms."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def overlaps_of(one: Floats, other: Floats) -> Floats:
    """(N, M) IoU of boxes (N, 4) and (M, 4) as (x_min, y_min, x_max, y_max), continuous corners, with sides above 0."""
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
    method"). Sorted by row.

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


@compiled
def kmeans(points: Floats, count: int, draws: Floats) -> Integers:
    """(n,) the group of each point: k-means with k-means++ starts (Lloyd, 1982; Arthur & Vassilvitskii, 2007).

    points: (n, d), in an order of their own. count: how many groups, 1 to the number of different points. draws: (S, at
    least count) of 0 <= u < 1: one row is one start. The first start with the smallest inertia (sum of squared
    distances to the groups' means) is taken. A point that is as near to two means goes to the first of them. A group
    that loses all its points begins anew at the point that is farthest from its mean.
    """
    best, least = np.zeros(len(points), np.int64), np.inf
    for start in range(len(draws)):
        centres = _spread(points, count, draws[start])
        labels, inertia = _settle(points, centres)
        if inertia < least * _EQUAL or start == 0:
            best, least = labels, inertia
    return best


@compiled
def _spread(points: Floats, count: int, draws: Floats) -> Floats:
    """(count, d) different points, the later ones with a chance that grows with the squared distance to the others."""
    size = len(points)
    centres = np.empty((count, points.shape[1]))
    centres[0] = points[min(int(draws[0] * size), size - 1)]
    nearest = np.full(size, np.inf)
    for place in range(1, count):
        for row in range(size):
            nearest[row] = min(nearest[row], _squared_distance(points[row], centres[place - 1]))
        sought, reached, chosen = draws[place] * nearest.sum(), 0.0, -1
        for row in range(size):
            if nearest[row] > 0:
                reached, chosen = reached + nearest[row], row
                if reached > sought:
                    break
        centres[place] = points[max(chosen, 0)]
    return centres


@compiled
def _settle(points: Floats, centres: Floats) -> tuple[Integers, float]:
    """(n,) groups at which Lloyd's steps come to rest, and their inertia. Changes `centres`."""
    labels = np.full(len(points), -1, np.int64)
    away = np.zeros(len(points))
    for _ in range(STEPS):
        if not _assign_nearest(points, centres, labels, away):
            break
        for place in range(len(centres)):
            mine = np.flatnonzero(labels == place)
            if len(mine) == 0:
                far = np.argmax(away)
                labels[far], away[far] = place, 0.0
                centres[place] = points[far]
            else:
                for axis in range(points.shape[1]):
                    centres[place, axis] = points[mine, axis].mean()
    return labels, away.sum()


@compiled
def _assign_nearest(points: Floats, centres: Floats, labels: Integers, away: Floats) -> bool:
    """Write each point's nearest centre and the squared distance; whether a point has another centre than before."""
    is_moved = False
    for row in range(len(points)):
        here, least = 0, np.inf
        for place in range(len(centres)):
            distance = _squared_distance(points[row], centres[place])
            if distance < least:
                here, least = place, distance
        is_moved |= labels[row] != here
        labels[row], away[row] = here, least
    return is_moved


@compiled
def _squared_distance(one: Floats, other: Floats) -> float:
    total = 0.0
    for axis in range(len(one)):
        total += (one[axis] - other[axis]) ** 2
    return total


@compiled
def group_overlapping(overlaps: Floats, rater: Integers, least: float) -> Integers:
    """(n,) the group of each box: the two groups with the largest mean IoU between their boxes become one, again and
    again, while it is at least `least`, and never two that have boxes of one rater.

    overlaps: (n, n) IoU of all boxes, in an order of their own. rater: (n,). Of equal pairs the first comes first.
    Average linkage (Sokal & Michener, 1958).
    """
    labels, count, total = np.arange(len(rater)), np.ones(len(rater)), overlaps.copy()
    can_join = rater.reshape(-1, 1) != rater.reshape(1, -1)
    one, two = _nearest_pair(total, count, can_join, least)
    while one >= 0:
        labels[labels == two] = one
        count[one] += count[two]
        total[one] += total[two]
        total[:, one] += total[:, two]
        can_join[one] &= can_join[two]
        can_join[:, one] &= can_join[:, two]
        can_join[two] = False
        can_join[:, two] = False
        one, two = _nearest_pair(total, count, can_join, least)
    return labels


@compiled
def _nearest_pair(total: Floats, count: Floats, can_join: NDArray[np.bool_], least: float) -> tuple[int, int]:
    """The two groups with the largest mean IoU, at least `least`; -1 twice where there are none."""
    one, two, best = -1, -1, least
    for row in range(len(count)):
        for other in range(row + 1, len(count)):
            if can_join[row, other]:
                mean = total[row, other] / (count[row] * count[other])
                if mean > best or (one < 0 and mean >= best):
                    one, two, best = row, other, mean
    return one, two


@compiled
def corner_medians(points: Floats, labels: Integers, groups: Integers) -> Floats:
    """(G, d) the median of each coordinate over the points of each of these groups."""
    medians = np.empty((len(groups), points.shape[1]))
    for place in range(len(groups)):
        mine = np.flatnonzero(labels == groups[place])
        for axis in range(points.shape[1]):
            medians[place, axis] = np.median(points[mine, axis])
    return medians


def _assign(weights: Floats) -> Integers:
    """(P, 2) the pairs of the matching with the largest sum, those of weight 0 left out."""
    is_pair = weights > 0
    if (is_pair.sum(axis=0) <= 1).all() and (is_pair.sum(axis=1) <= 1).all():
        return np.argwhere(is_pair)  # nearly always: nobody has to decide
    from scipy.optimize import linear_sum_assignment  # slow to import

    pairs = np.stack(linear_sum_assignment(weights, maximize=True), axis=1)
    return pairs[is_pair[pairs[:, 0], pairs[:, 1]]].astype(np.int64)
