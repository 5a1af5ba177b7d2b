"""The inner loops of scoring: which boxes are right, precision and recall, and the pairs of Kendall's tau."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

IGNORED, RIGHT, WRONG = np.uint8(0), np.uint8(1), np.uint8(2)


@compiled
def match_boxes(
    overlaps: NDArray[np.float64],
    is_ignored: NDArray[np.bool_],
    is_crowd: NDArray[np.bool_],
    is_outside: NDArray[np.bool_],
    thresholds: NDArray[np.float64],
) -> NDArray[np.uint8]:
    """(T, D) the verdict on each box of one image at each threshold: pycocotools' evaluateImg, for one range of areas.

    overlaps: (D, G) IoU, boxes by falling score, figures with those that are ignored last. is_ignored, is_crowd: (G,).
    is_outside: (D,) the box's own area is outside the range, so that it is not wrong where it overlaps no figure.
    """
    boxes, figures = overlaps.shape
    verdicts = np.empty((len(thresholds), boxes), np.uint8)
    for step in range(len(thresholds)):
        is_taken = np.zeros(figures, np.bool_)
        for box in range(boxes):
            best, match = min(thresholds[step], 1 - 1e-10), -1
            for figure in range(figures):
                if is_taken[figure] and not is_crowd[figure]:
                    continue
                if match > -1 and not is_ignored[match] and is_ignored[figure]:
                    break
                if overlaps[box, figure] >= best:
                    best, match = overlaps[box, figure], figure
            if match > -1:
                is_taken[match] = True
                verdicts[step, box] = IGNORED if is_ignored[match] else RIGHT
            else:
                verdicts[step, box] = IGNORED if is_outside[box] else WRONG
    return verdicts


@compiled
def precision_and_recall(
    verdicts: NDArray[np.uint8],
    image: NDArray[np.int32],
    times: NDArray[np.int64],
    figures: int,
    recalls: NDArray[np.float64],
) -> tuple[float, float]:
    """Mean precision over the recall points, and the recall in the end, where each image counts so many times.

    verdicts: (D,) at one threshold and range of areas, by falling score. image: (D,) whose box each is. times: (N,) how
    often each image counts. figures: how many there are, each counted as often as its image; at least 1. recalls: (R,),
    ascending. This is pycocotools' accumulate: precision at a recall is the best at any higher one.
    """
    right = wrong = 0
    reached = np.empty(len(verdicts))
    precision = np.empty(len(verdicts))
    points = 0
    for box in range(len(verdicts)):
        here = times[image[box]]
        if verdicts[box] == WRONG:
            wrong += here
        elif verdicts[box] == RIGHT and here:
            right += here
            # only right boxes raise precision, so the best precision is never at a wrong one
            reached[points] = right / figures
            precision[points] = right / (wrong + right + 2.220446049250313e-16)
            points += 1
    for point in range(points - 1, 0, -1):
        precision[point - 1] = max(precision[point - 1], precision[point])
    total, at = 0.0, 0
    for recall in recalls:
        while at < points and reached[at] < recall:
            at += 1
        if at == points:
            break
        total += precision[at]
    return total / len(recalls), right / figures


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
