"""How crowded pictures are: what their figures cover together, and how near each is to the next, as machine code.

PoPArt (Schneider & Vollmer, 2023), section 4.2, names the number of people, their proximity and how much of a picture
they fill as measures of crowds, without formulas: these are ours.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Crowding(NamedTuple):
    """Of each image, (N,) each. covered: the share that the union of its boxes covers, in [0, 1]. proximity: the mean,
    over its boxes, of the distance from centre to nearest centre, in diagonals of the image; NaN with fewer than two.
    """

    covered: Floats
    proximity: Floats


def crowding(image: Ints, xywh_px: Floats, sides_px: Floats) -> Crowding:
    """image: (G,) which each box is in, ascending; xywh_px: (G, 4), as edges; sides_px: (N, 2) width and height of each
    image. Of boxes only what lies in the picture covers it. Both are NaN for an image whose size is not known or not
    above 0. The time is quadratic in the boxes of one picture.

    >>> boxes = np.array([[0, 0, 6, 8], [0, 0, 3, 8.]])
    >>> covered, proximity = crowding(np.zeros(2, np.int64), boxes, np.array([[6, 8.]]))
    >>> covered.tolist(), proximity.tolist()
    ([1.0], [0.15])
    """
    covered, proximity = np.zeros(len(sides_px)), np.full(len(sides_px), np.nan)
    is_known = (sides_px[:, 0] > 0) & (sides_px[:, 1] > 0)
    covered[~is_known] = np.nan
    order = np.lexsort((xywh_px[:, 1], image))
    order = order[is_known[image[order]]]
    if len(order):
        _measure(image[order], xywh_px[order], sides_px, covered, proximity)
    return Crowding(covered, proximity)


@compiled
def _measure(image: Ints, xywh_px: Floats, sides_px: Floats, covered: Floats, proximity: Floats) -> None:
    """Fill in each image that has boxes; boxes by image, then by their upper edge."""
    start = 0
    while start < len(image):
        stop = start + 1
        while stop < len(image) and image[stop] == image[start]:
            stop += 1
        width, height = sides_px[image[start]]
        boxes = xywh_px[start:stop]
        covered[image[start]] = _union_px2(boxes, width, height) / (width * height)
        if stop - start > 1:
            proximity[image[start]] = _mean_nearest_px(boxes) / np.sqrt(width * width + height * height)
        start = stop


@compiled
def _union_px2(boxes: Floats, width: float, height: float) -> float:
    """The area of the union of boxes (B, 4), sorted by their upper edges, within the picture: strip by strip."""
    edges = np.empty(2 * len(boxes))
    for place in range(len(boxes)):
        edges[2 * place] = min(max(boxes[place, 0], 0.0), width)
        edges[2 * place + 1] = min(max(boxes[place, 0] + boxes[place, 2], 0.0), width)
    edges.sort()
    area = 0.0
    for place in range(len(edges) - 1):
        left, right = edges[place], edges[place + 1]
        if right <= left:
            continue
        filled, reached = 0.0, 0.0
        for x, y, box_width, box_height in boxes:
            if x <= left and x + box_width >= right:
                top, bottom = max(y, reached), min(y + box_height, height)
                if bottom > top:
                    filled += bottom - top
                    reached = bottom
        area += filled * (right - left)
    return area


@compiled
def _mean_nearest_px(boxes: Floats) -> float:
    total = 0.0
    for one in range(len(boxes)):
        least = np.inf
        for other in range(len(boxes)):
            if other != one:
                across = boxes[one, 0] - boxes[other, 0] + (boxes[one, 2] - boxes[other, 2]) / 2
                down = boxes[one, 1] - boxes[other, 1] + (boxes[one, 3] - boxes[other, 3]) / 2
                least = min(least, across * across + down * down)
        total += np.sqrt(least)
    return total / len(boxes)
