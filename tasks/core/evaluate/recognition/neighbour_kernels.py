"""The inner loops of the search for nearest neighbours, imported only where they are searched."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

_CHUNK = 64
"""Products that are compared in one step: nearly all steps have none above the threshold."""


@compiled
def inner_product(left: NDArray[np.float32], right: NDArray[np.float32]) -> np.float32:
    """The inner product of two vectors, summed in 64 bits in one fixed order, then rounded to 32 bits.

    A product of two 32-bit numbers is exact in 64 bits, so the sum is right to about 1e-16 of the vectors' lengths:
    the result is the same on every machine, however the vectors are cut into blocks.
    """
    first = second = third = fourth = 0.0
    even = len(left) // 4 * 4
    for place in range(0, even, 4):
        first += np.float64(left[place]) * np.float64(right[place])
        second += np.float64(left[place + 1]) * np.float64(right[place + 1])
        third += np.float64(left[place + 2]) * np.float64(right[place + 2])
        fourth += np.float64(left[place + 3]) * np.float64(right[place + 3])
    for place in range(even, len(left)):
        first += np.float64(left[place]) * np.float64(right[place])
    return np.float32((first + second) + (third + fourth))


@compiled
def insert(similarity: np.float32, row: int, similarities: NDArray[np.float32], rows: NDArray[np.int64]) -> None:
    """Put a row into one query's list (K,), in place, behind those that are as near; nothing where it is no nearer
    than the last one.

    As rows come in their order, those that are equally near stay in it.
    """
    at = len(similarities) - 1
    if similarity <= similarities[at]:
        return
    while at > 0 and similarities[at - 1] < similarity:
        similarities[at] = similarities[at - 1]
        rows[at] = rows[at - 1]
        at -= 1
    similarities[at] = similarity
    rows[at] = row


@compiled
def has_one_above(products: NDArray[np.float32], threshold: np.float32) -> bool:
    """Whether one of the numbers is at least the threshold. Without an early exit the compiler makes it wide."""
    above = np.uint8(0)
    for place in range(len(products)):
        above |= np.uint8(products[place] >= threshold)
    return bool(above)


@compiled
def keep_nearest(
    block: NDArray[np.float32],
    first_row: int,
    products: NDArray[np.float32],
    queries: NDArray[np.float32],
    tolerance: NDArray[np.float32],
    similarities: NDArray[np.float32],
    rows: NDArray[np.int64],
) -> None:
    """Put the block's rows that are nearer than what is kept into the list of each query, in place.

    products: (Q, B) inner products of queries and block, each wrong by less than its query's `tolerance` (Q,).
    queries: (Q, d). block: (B, d), the gallery's rows from `first_row` on; blocks come in the order of rows.
    similarities, rows: (Q, K) the nearest so far by falling similarity, then by row; -inf where there is none yet.
    """
    last = similarities.shape[1] - 1
    for query in range(len(queries)):
        here = products[query]
        threshold = similarities[query, last] - tolerance[query]
        for start in range(0, len(here), _CHUNK):
            chunk = here[start : start + _CHUNK]
            if not has_one_above(chunk, threshold):
                continue
            for place in range(len(chunk)):
                if chunk[place] >= threshold:
                    similarity = inner_product(queries[query], block[start + place])
                    insert(similarity, first_row + start + place, similarities[query], rows[query])
                    threshold = similarities[query, last] - tolerance[query]
