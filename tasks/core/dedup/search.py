"""All pairs of 64-bit hashes that differ in few bits: exact, whatever the number of threads or pieces.

A small table is compared hash by hash with numpy; what would take longer goes through bands (search_bands.py), whose
compiler is not even imported before. A pair takes 17 bytes in the answer, and about as many again on the way to it.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Pairs = tuple[NDArray[np.int64], NDArray[np.uint8]]
"""(P, 2) rows, sorted, and (P,) how many bits they lie apart."""

MAX_RADIUS_BITS = 16
MAX_HASHES = 2**32 - 1  # a row is 32 bits of a word; more hashes are searched in pieces
_COMPARED_AT_ONCE = 1 << 20
_FEW_COMPARISONS = 10**8  # a quarter of a second in numpy; importing the compiler takes twice that


def near_pairs(hashes: Hashes, radius_bits: int, threads: int = 2) -> Pairs:
    """Pairs of rows (i, j), i < j, sorted, whose hashes differ in at most `radius_bits`, and by how many bits.

    hashes: (N,), distinct. Raises ValueError for equal hashes (group them first) and for a radius outside 0..16.

    >>> near_pairs(np.array([0, 7, 1], np.uint64), 2)[0].tolist()
    [[0, 2], [1, 2]]
    """
    _check(radius_bits, threads, hashes=hashes)
    return _search(hashes, None, radius_bits, threads)


def near_pairs_between(left: Hashes, right: Hashes, radius_bits: int, threads: int = 2) -> Pairs:
    """Pairs (i, j), sorted, i a row of `left`, j of `right`, within `radius_bits`, and by how many bits they differ.

    left: (N,), right: (M,), each distinct in itself; a hash in both is a pair 0 bits apart. Raises as `near_pairs`.

    >>> near_pairs_between(np.array([0], np.uint64), np.array([255, 0, 1], np.uint64), 1)[0].tolist()
    [[0, 1], [0, 2]]
    """
    _check(radius_bits, threads, left=left, right=right)
    return _search(left, right, radius_bits, threads)


def piece_pairs(hashes: int, pieces: int) -> list[tuple[range, range]]:
    """Rows of each two pieces that are searched together, and of each piece with itself: all pairs, once each.

    Pieces follow each other and differ by a row at most; empty ones, of more pieces than hashes, are left out.

    >>> piece_pairs(5, 2)
    [(range(0, 3), range(0, 3)), (range(0, 3), range(3, 5)), (range(3, 5), range(3, 5))]
    """
    if pieces < 1:
        raise ValueError(f"expected at least 1 piece, got {pieces}")
    bounds = [-(-hashes * number // pieces) for number in range(pieces + 1)]
    parts = [range(start, stop) for start, stop in pairwise(bounds) if start < stop]
    return [(first, second) for at, first in enumerate(parts) for second in parts[at:]]


def _check(radius_bits: int, threads: int, **sides: Hashes) -> None:
    if not 0 <= radius_bits <= MAX_RADIUS_BITS:
        raise ValueError(f"expected radius_bits from 0 to {MAX_RADIUS_BITS}, got {radius_bits}")
    if threads < 1:
        raise ValueError(f"expected at least 1 thread, got {threads}")
    for name, hashes in sides.items():
        if hashes.dtype != np.uint64 or hashes.ndim != 1:
            raise ValueError(f"expected {name} of shape (N,) and type uint64, got {hashes.shape} and {hashes.dtype}")
        if len(hashes) > MAX_HASHES:
            raise ValueError(f"expected at most {MAX_HASHES} {name} (search more in pieces), got {len(hashes)}")
        ordered = np.sort(hashes)
        equal = int(np.count_nonzero(ordered[1:] == ordered[:-1]))
        if equal:
            raise ValueError(f"expected distinct {name}, got {equal} that equal another (group equal ones first)")


def _compare_all(left: Hashes, right: Hashes | None, radius_bits: int) -> Hashes:
    """(P,) row << 32 | other row, sorted, by comparing all, in blocks; without `right` the pairs within `left`."""
    others = left if right is None else right
    rows = max(1, _COMPARED_AT_ONCE // max(1, len(others)))
    found = [np.empty(0, np.uint64)]
    for start in range(0, len(left), rows):
        skipped = start if right is None else 0
        distances = np.bitwise_count(left[start : start + rows, None] ^ others[None, skipped:])
        first, second = np.nonzero(distances <= radius_bits)
        pairs = ((first + start).astype(np.uint64) << np.uint64(32)) | (second + skipped).astype(np.uint64)
        found.append(pairs if right is not None else pairs[first < second])
    return np.concatenate(found)


def _search(left: Hashes, right: Hashes | None, radius_bits: int, threads: int) -> Pairs:
    others, halves = left if right is None else right, np.uint64(32)
    if len(left) * len(others) // (2 if right is None else 1) <= _FEW_COMPARISONS:
        packed = _compare_all(left, right, radius_bits)
    else:
        from tasks.core.dedup.search_bands import banded_pairs

        if len(left) <= len(others):
            packed = banded_pairs(left, right, radius_bits, threads)
        else:  # the fewer hashes are looked up among the more
            turned = banded_pairs(others, left, radius_bits, threads)
            packed = np.sort((turned << halves) | (turned >> halves))
    pairs, distances = np.empty((len(packed), 2), np.int64), np.empty(len(packed), np.uint8)
    for start in range(0, len(packed), _COMPARED_AT_ONCE):
        block = slice(start, start + _COMPARED_AT_ONCE)
        pairs[block, 0], pairs[block, 1] = packed[block] >> halves, packed[block] & np.uint64(0xFFFFFFFF)
        distances[block] = np.bitwise_count(left[pairs[block, 0]] ^ others[pairs[block, 1]])
    return pairs, distances
