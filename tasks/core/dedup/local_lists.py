"""Pairs of pictures with places in common, in time that grows as their number: neighbours in lists of codes.

To compare all codes with all others grows with the square, and most of what is found then is chance: codes of common
corners. So the codes are put in order, again and again, each time by other bits first, and each is compared with the
few next to it alone, of which the nearest is taken. Codes that differ in few bits soon stand next to each other in some
list, unless many others are as near: corners that all pictures have are left out of themselves, the more of them the
larger the collection (Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002, section 3; Bawa
and others, "LSH Forest", WWW 2005). Pairs that the lists suggest are then counted code by code.

Each list holds the codes of one sector of angles, since copies stand upright. Sectors are twice as wide as pictures may
be turned, and every other layout is moved on by half, so that two such codes share a sector in one of them.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.candidates import distinct
from tasks.core.dedup.local import LEAST_MATCHES, MOST_MATCHES, RADIUS_BITS, KeypointTable, LocalPairs
from tasks.core.dedup.sizes import MOST_TURN

_Whole = TypeVar("_Whole", bound=np.integer[Any])

LISTS = 16
"""Orders of the bits, of which each layout of sectors has every other one."""
REACH = 16
"""So many codes behind each one in a list are looked at, and the nearest of them is taken."""
_FEW_LOOKED_AT = 2**19
"""In small collections more are looked at, in each list so many in all; of every 16 the nearest is taken."""
LEAST_NEAR = 2
"""Two pictures that share so many places in the lists are compared code by code."""
_STEPS = 180
"""Of angles, two degrees each."""
_SECTORS = _STEPS // (2 * MOST_TURN)
SECTORS = range(2 * _SECTORS)
"""Six of 60 degrees, and six that begin 30 degrees later."""
_PICTURE, _KEYPOINT = np.uint64(24), np.uint64(8)
"""Bits of a picture's number, and of a keypoint's within its picture."""
_PICTURES_AT_ONCE = 1024
"""On the left, while pairs are told from what lists have found: some thousand near keypoints of each."""
_NUMBERS = 2 ** int(_PICTURE)
MOST_PICTURES = _NUMBERS - 2 * _PICTURES_AT_ONCE
"""More can't be numbered."""


class SectorCodes(NamedTuple):
    """Keypoints of one sector, sorted by picture and number, so that the lists don't depend on how they are stored.

    codes: (M,) uint64. angles: (M,) uint8, as in Keypoints. pictures: (M,) uint32. numbers: (M,) uint8, which of its
    picture's keypoints each is.
    """

    codes: NDArray[np.uint64]
    angles: NDArray[np.uint8]
    pictures: NDArray[np.uint32]
    numbers: NDArray[np.uint8]


def codes_of_sector(sector: int, galleries: Iterable[tuple[NDArray[np.int64], KeypointTable]]) -> SectorCodes:
    """Those of one of the SECTORS, of galleries in any order, each with the numbers of its pictures (P,)."""
    codes, angles, keypoints = [np.empty(0, np.uint64)], [np.empty(0, np.uint8)], [np.empty(0, np.uint32)]
    for pictures, gallery in galleries:
        is_in = _is_in_sector(gallery.keypoints.places[:, 3], sector)
        owners = gallery.owners[is_in]
        numbers = np.flatnonzero(is_in) - gallery.starts[owners]
        codes.append(gallery.keypoints.codes[is_in])
        angles.append(gallery.keypoints.places[is_in, 3])
        keypoints.append((pictures[owners] << int(_KEYPOINT) | numbers).astype(np.uint32))
    keypoint = _joined(keypoints)
    order = np.argsort(keypoint).astype(np.uint32)
    keypoint = keypoint[order]
    picture, number = keypoint >> np.uint32(_KEYPOINT), (keypoint & np.uint32(255)).astype(np.uint8)
    return SectorCodes(_joined(codes)[order], _joined(angles)[order], picture, number)


def _joined(parts: list[NDArray[_Whole]]) -> NDArray[_Whole]:
    """The parts as one, which are then forgotten: of 400,000 pictures a sector has twelve million keypoints."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole


def _is_in_sector(angles: NDArray[np.uint8], sector: int) -> NDArray[np.bool_]:
    wide = _STEPS // _SECTORS
    moved = angles.astype(np.int64) + wide // 2 * (sector // _SECTORS)
    return np.asarray(moved % _STEPS // wide == sector % _SECTORS)


def lists_of(sector: int) -> range:
    """The lists of a sector, by their orders' numbers."""
    return range(sector // _SECTORS, LISTS, 2)


def near_in_list(number: int, of: SectorCodes) -> NDArray[np.uint64]:
    """(N,) uint64, distinct and sorted: pairs of near keypoints of two pictures that one list has found. Each has the
    smaller picture, the larger (24 bits each), the keypoint's number in the one, and in the other (8 bits each).
    """
    from tasks.core.dedup import bits, list_kernels  # numba takes half a second to import

    # other bits first in each list, far from each other
    places = {bit: 63 - ((2 * number + 1) * bit + 5 * number) % 64 for bit in range(64)}
    row_bits = len(of.codes).bit_length()
    order = list_kernels.put_in_order(of.codes, bits.permutation(places), row_bits)
    order.sort()  # far faster than argsort, and in place
    order &= np.uint64(2**row_bits - 1)
    reach = min(max(REACH, _FEW_LOOKED_AT // max(1, len(order))), max(1, len(order)))
    near = list_kernels.near_neighbours(order, *of, reach, -(-reach // REACH), RADIUS_BITS)
    near.sort()
    return near


def pairs_in_lists(lists: Sequence[NDArray[np.uint64]]) -> NDArray[np.int64]:
    """(P, 2) pairs of pictures, sorted, the smaller first, that share LEAST_NEAR places or more.

    lists: what each list of all sectors has found, all of the pictures on the left.
    """
    ends = [end >> (_PICTURE + 2 * _KEYPOINT) for near in lists if len(near) for end in (near[0], near[-1])]
    if not ends:
        return np.empty((0, 2), np.int64)
    bounds = np.arange(int(min(ends)), int(max(ends)) + 1 + _PICTURES_AT_ONCE, _PICTURES_AT_ONCE)
    starts = [starts_in(near, bounds) for near in lists]
    found = []
    for block in range(len(bounds) - 1):
        near = distinct(np.concatenate([of[at[block] : at[block + 1]] for of, at in zip(lists, starts, strict=True)]))
        pairs = near >> (2 * _KEYPOINT)
        first = np.flatnonzero(np.diff(pairs, prepend=~pairs[:1]))
        pairs = pairs[first[np.diff(first, append=len(pairs)) >= LEAST_NEAR]]
        found.append(np.stack([pairs >> _PICTURE, pairs & np.uint64(_NUMBERS - 1)], axis=1).astype(np.int64))
    return np.concatenate(found)


def starts_in(near: NDArray[np.uint64], pictures: NDArray[np.int64]) -> NDArray[np.int64]:
    """(P,) where the sorted pairs of keypoints begin whose picture on the left is each of these, or a later one."""
    return np.searchsorted(near, pictures.astype(np.uint64) << (_PICTURE + 2 * _KEYPOINT))


def count_shared(left: KeypointTable, right: KeypointTable, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """(P,) how many places two pictures share, of all their keypoints. pairs: (P, 2), a picture of either side."""
    from tasks.core.dedup import list_kernels

    mine, other = left.keypoints, right.keypoints
    codes, places, starts = (mine.codes, other.codes), (mine.places, other.places), (left.starts, right.starts)
    return list_kernels.count_shared(codes, places, starts, pairs, MOST_MATCHES, RADIUS_BITS)


def matches_within(gallery: KeypointTable) -> LocalPairs:
    """The pairs of pictures of one gallery that share LEAST_MATCHES places or more, found by lists."""
    pictures = np.arange(len(gallery.starts) - 1)
    near = []
    for sector in SECTORS:
        codes = codes_of_sector(sector, [(pictures, gallery)])
        near += [near_in_list(number, codes) for number in lists_of(sector)]
    pairs = pairs_in_lists(near)
    matches = count_shared(gallery, gallery, pairs)
    is_enough = matches >= LEAST_MATCHES
    return LocalPairs(pairs[is_enough, 0], pairs[is_enough, 1], matches[is_enough])
