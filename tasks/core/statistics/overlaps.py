"""Which boxes of one picture overlap: a sweep from left to right, as machine code."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Overlaps(NamedTuple):
    """Two readings of "overlap", for each box: with how many others of its image it shares more than half of the
    smaller one's area (`mostly`), and with how many it shares any area, so that their IoU is above 0 (`touching`).
    """

    mostly: Ints
    touching: Ints


def count_overlaps(image: Ints, xywh_px: Floats) -> Overlaps:
    """(G,) each: with how many boxes of its image each box overlaps. image: (G,) which each is in, ascending.

    xywh_px: (G, 4), as edges. A box of no area overlaps none; equal boxes overlap. PoPArt does not define overlaps;
    the most pairs in a picture of People-Art are its 11 (Fig. 7) where half of the smaller box has to be shared. The
    time grows with the boxes that share a range of x with one another: quadratic in those of one picture at worst.

    >>> boxes = np.array([[0, 0, 10, 10], [3, 3, 4, 4], [9, 9, 9, 9.]])
    >>> [counts.tolist() for counts in count_overlaps(np.zeros(3, np.int64), boxes)]
    [[1, 1, 0], [2, 1, 1]]
    """
    order = np.lexsort((xywh_px[:, 0], image))
    mostly, touching = np.zeros((2, len(image)), np.int64)
    _sweep(image[order], xywh_px[order], mostly, touching)
    found = Overlaps(np.empty_like(mostly), np.empty_like(touching))
    found.mostly[order], found.touching[order] = mostly, touching
    return found


@compiled
def _sweep(image: Ints, xywh_px: Floats, mostly: Ints, touching: Ints) -> None:
    """Count into (G,) zeros; boxes by image, then by their left edge."""
    for one in range(len(image)):
        x, y, width, height = xywh_px[one]
        for other in range(one + 1, len(image)):
            left, top, its_width, its_height = xywh_px[other]
            if image[other] != image[one] or left >= x + width:
                break
            shared_width = min(x + width, left + its_width) - left
            shared_height = min(y + height, top + its_height) - max(y, top)
            if shared_width <= 0 or shared_height <= 0:
                continue
            touching[one] += 1
            touching[other] += 1
            if shared_width * shared_height > 0.5 * min(width * height, its_width * its_height):
                mostly[one] += 1
                mostly[other] += 1
