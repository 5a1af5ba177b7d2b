"""How deformed the figures of an image are: the rounded mean of its ratings (Ginosar et al., 2014, section 7.1)."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
UNRATED = 0
"""The bucket of an image that nobody rated."""


def round_means(total: Integers, count: Integers) -> Integers:
    """(I,) means of ratings, rounded, a half up (ours: the paper does not say); UNRATED where nobody rated.

    total, count: (I,) sums and numbers of ratings of 1 to 5. In whole numbers, so that 2.5 is exactly that.

    >>> round_means(np.array([3, 5, 4, 0]), np.array([2, 2, 3, 0])).tolist()
    [2, 3, 1, 0]
    """
    return np.asarray((2 * total + count) // np.maximum(2 * count, 1), np.int64)
