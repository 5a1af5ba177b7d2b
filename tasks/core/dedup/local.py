"""Pairs of pictures of which one shows a part of the other, by keypoints: places that look alike and lie alike.

Hashes are of whole pictures, or of boxes that are known beforehand. A detail, half of a picture, a picture on a page or
on a screen is found by what it shows itself: where three places in it look as three in another picture, and lie to each
other as they do there, the two are worth a second look.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup import search
from tasks.core.dedup.sizes import LEVEL_SCALE
from tasks.core.dedup.views import STEPS, View

SIDE_PX = 256
"""Longest side of the picture in which keypoints have their places."""
MOST_KEYPOINTS = 200
RADIUS_BITS = 6
"""Codes that differ in at most so many of 64 bits are of places that look alike."""
LEAST_MATCHES = 3
"""Of 636 paintings, 12 in 100,000 pairs have so many by chance; of their details, 15 to 30 % of the area, 86 % have."""
MOST_ALIKE = 4
"""Chequers and dots have one corner a hundred times; of 636 paintings none has so many of one code."""
MOST_MATCHES = 96
"""Of one pair, the nearest: copies have some 200, pages of one font thousands, and counting takes the square of it."""
_MOST_PAIRS = 8_000_000
"""Of codes, at once: some 1 GB."""
_SAMPLE = 64
"""One distinct code of so many is searched first, to tell how many pairs there will be."""


class Keypoints(NamedTuple):
    """codes: (K,) uint64; places: (K, 4) uint8, x and y in px of a picture whose longest side is SIDE_PX, the size as
    a power of 1.2 (0..7), and the angle in steps of 2 degrees (0..179).
    """

    codes: NDArray[np.uint64]
    places: NDArray[np.uint8]


class KeypointTable(NamedTuple):
    """The keypoints of many pictures, one after the other: those of picture i at starts[i] .. starts[i + 1]."""

    keypoints: Keypoints
    starts: NDArray[np.int64]

    @property
    def owners(self) -> NDArray[np.int64]:
        """(K,) the picture of each keypoint."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def part(self, first: int, stop: int) -> "KeypointTable":
        """Pictures first .. stop - 1."""
        begin, end = self.starts[first], self.starts[stop]
        of_part = Keypoints(self.keypoints.codes[begin:end], self.keypoints.places[begin:end])
        return KeypointTable(of_part, self.starts[first : stop + 1] - begin)


class LocalPairs(NamedTuple):
    """Picture a and picture b share `matches` places; each (P,), sorted by a, b."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    matches: NDArray[np.int64]


def distinctive_keypoints(found: Keypoints) -> Keypoints:
    """Without codes that stand at more than MOST_ALIKE places of the picture: they can't say where they are."""
    _, of, counts = np.unique(found.codes, return_inverse=True, return_counts=True)
    is_rare = counts[of] <= MOST_ALIKE
    return Keypoints(found.codes[is_rare], found.places[is_rare])


def match_galleries(left: KeypointTable, right: KeypointTable | None = None) -> LocalPairs:
    """Pairs of pictures, one of either side or two of the left (a < b), that share at least LEAST_MATCHES places.

    Exact: what would need too much memory at once, as pages of one font do, is compared in parts, with one result.
    """
    found = []
    for first, stop in _parts(left, right):
        part = left.part(first, stop)
        pairs = _match(part, left, first) if right is None else _match(part, right)
        found.append(pairs._replace(a=pairs.a + first))
    return LocalPairs(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _parts(left: KeypointTable, right: KeypointTable | None) -> list[tuple[int, int]]:
    """Ranges of the pictures on the left, each with some _MOST_PAIRS pairs of near codes at most, as a sample tells."""
    pictures = len(left.starts) - 1
    codes, counts = np.unique(left.keypoints.codes, return_counts=True)
    others, other_counts = np.unique((left if right is None else right).keypoints.codes, return_counts=True)
    near, _ = search.near_pairs_between(codes[::_SAMPLE], others, RADIUS_BITS, 1)
    pairs = int((counts[::_SAMPLE][near[:, 0]] * other_counts[near[:, 1]]).sum()) * _SAMPLE
    parts = min(max(1, pictures), 1 + pairs // _MOST_PAIRS)
    bounds = np.linspace(0, pictures, parts + 1).astype(int).tolist()
    return list(itertools.pairwise(bounds))


_NearKeypoints = tuple[NDArray[np.int64], ...]
"""Keypoints that look alike, (P,) each: their pictures a and b, bits between them, their numbers in a and in b."""


def _match(left: KeypointTable, right: KeypointTable, later_than: int | None = None) -> LocalPairs:
    """later_than: of the pictures on the right, those only that come after the one on the left and so many more."""
    near = _near_keypoints(left, right)
    if later_than is not None:
        is_later = near[1] > near[0] + later_than
        near = tuple(column[is_later] for column in near)
    a, b, bits, one, other = near
    # both ways, so that it does not matter which picture is on the left
    pairs, back = _count_matches(near, left, right), _count_matches((b, a, bits, other, one), right, left)
    matches = np.maximum(pairs.matches, back.matches[np.lexsort((back.a, back.b))])
    return LocalPairs(*(column[matches >= LEAST_MATCHES] for column in (pairs.a, pairs.b, matches)))


def _count_matches(near: _NearKeypoints, left: KeypointTable, right: KeypointTable) -> LocalPairs:
    """All pairs of pictures with at least LEAST_MATCHES near keypoints, and how many of the nearest lie alike."""
    from tasks.core.dedup import local_kernels  # numba takes half a second to import

    most = [int(np.diff(side.starts).max(initial=1)) for side in (left, right)]
    sizes = (len(left.starts), len(right.starts), RADIUS_BITS + 1, *most)
    rows = np.ravel_multi_index(near, sizes)
    rows.sort()  # one number a row: ten times as fast as to sort by five columns
    a, b, _, one, other = np.unravel_index(rows, sizes)
    starts = np.flatnonzero((np.diff(a, prepend=-1) != 0) | (np.diff(b, prepend=-1) != 0))
    stops = np.append(starts[1:], len(a))[: len(starts)]
    is_enough = stops - starts >= LEAST_MATCHES
    starts, stops = starts[is_enough], np.minimum(stops, starts + MOST_MATCHES)[is_enough]
    mine, others = left.keypoints.places[left.starts[a] + one], right.keypoints.places[right.starts[b] + other]
    return LocalPairs(a[starts], b[starts], local_kernels.count_matches(starts, stops, mine, others))


def _near_keypoints(left: KeypointTable, right: KeypointTable) -> _NearKeypoints:
    """All pairs of keypoints, one of either side, whose codes differ in at most RADIUS_BITS."""
    codes = left.keypoints.codes, right.keypoints.codes
    (distinct, counts), (others, other_counts) = (np.unique(of, return_counts=True) for of in codes)
    pairs, bits = search.near_pairs_between(distinct, others, RADIUS_BITS, 1)
    # the keypoints of distinct[i]: order[starts[i] : starts[i] + counts[i]]
    orders = [np.argsort(of, kind="stable") for of in codes]
    starts = np.cumsum(counts) - counts, np.cumsum(other_counts) - other_counts
    width = other_counts[pairs[:, 1]]
    many = counts[pairs[:, 0]] * width
    place = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    width = np.repeat(width, many)
    one = orders[0][np.repeat(starts[0][pairs[:, 0]], many) + place // width]
    other = orders[1][np.repeat(starts[1][pairs[:, 1]], many) + place % width]
    a, b = left.owners[one], right.owners[other]
    return a, b, np.repeat(bits.astype(np.int64), many), one - left.starts[a], other - right.starts[b]


def view_of(one: Keypoints, other: Keypoints, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> View | None:
    """The box of one picture that another shows, as most of their keypoints say; it may reach beyond the picture.

    shapes: (height, width) of both, of one proportion with the keypoints' pictures. None below LEAST_MATCHES.
    """
    from tasks.core.dedup import local_kernels  # numba takes half a second to import

    bits = np.bitwise_count(one.codes[:, None] ^ other.codes)
    mine, others = np.nonzero(bits <= RADIUS_BITS)
    nearest = np.lexsort((others, mine, bits[mine, others]))[:MOST_MATCHES]
    places = one.places[mine[nearest]], other.places[others[nearest]]
    is_match = local_kernels.matches_on_one_place(*places)
    if is_match.sum() < LEAST_MATCHES:
        return None
    my_xy, my_level, xy, level = (side[is_match, part].astype(float) for side in places for part in (slice(2), 2))
    freed = my_xy - my_xy.mean(axis=0), xy - xy.mean(axis=0)
    of_sizes = LEVEL_SCALE ** float(np.median(my_level - level))
    of_places = (freed[0] * freed[1]).sum() / (freed[1] ** 2).sum()
    scale = np.clip(of_places, of_sizes / LEVEL_SCALE, of_sizes * LEVEL_SCALE)
    start = my_xy.mean(axis=0) - scale * xy.mean(axis=0)
    extents = [np.array(shape[::-1]) * SIDE_PX / max(shape) for shape in shapes]
    corners = np.rint(STEPS * np.array([start, start + scale * extents[1]]) / extents[0]).astype(int)
    (x0, y0), (x1, y1) = corners.tolist()
    return View(box=(x0, y0, x1, y1)) if x1 > x0 and y1 > y0 else None
