"""Pairs of pictures of which one shows a part of the other, by keypoints: places that look alike and lie alike.

Hashes are of whole pictures, or of boxes that are known beforehand. A detail, half of a picture, a picture on a page
or on a screen is found by what it shows itself: where three places in it look as three in another picture, and lie to
each other as they do there, the two are worth a second look.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup import search
from tasks.core.dedup.views import STEPS, View

SIDE_PX = 256
"""Longest side of the picture in which keypoints have their places."""
MOST_KEYPOINTS = 200
LEVEL_SCALE = 1.2
"""Sizes of keypoints: each so many times the one before."""
RADIUS_BITS = 6
"""Codes that differ in at most so many of 64 bits are of places that look alike."""
LEAST_MATCHES = 3
"""Of 636 paintings, 12 in 100,000 pairs have so many by chance; of their details, 15 to 30 % of the area, 86 % have."""
MOST_ALIKE = 4
"""Chequers and dots have one corner a hundred times; of 636 paintings none has so many of one code."""
MOST_MATCHES = 96
"""Of one pair of pictures, the nearest: copies have some 200, pages of one font thousands, and to count those that lie
alike takes the square of it."""
_MOST_PAIRS = 20_000_000
"""Of codes, at once: some 700 MB."""
_SAMPLE = 64


class Keypoints(NamedTuple):
    """codes: (K,) uint64; places: (K, 4) uint8, x and y in px of a picture whose longest side is SIDE_PX, the size as
    a power of 1.2 (0..7), and the angle in steps of 2 degrees (0..179).
    """

    codes: NDArray[np.uint64]
    places: NDArray[np.uint8]


class Gallery(NamedTuple):
    """The keypoints of many pictures, one after the other: those of picture i at starts[i] .. starts[i + 1]."""

    keypoints: Keypoints
    starts: NDArray[np.int64]

    @property
    def owners(self) -> NDArray[np.int64]:
        """(K,) the picture of each keypoint."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def part(self, first: int, stop: int) -> "Gallery":
        """Pictures first .. stop - 1."""
        begin, end = self.starts[first], self.starts[stop]
        of_part = Keypoints(self.keypoints.codes[begin:end], self.keypoints.places[begin:end])
        return Gallery(of_part, self.starts[first : stop + 1] - begin)


class LocalPairs(NamedTuple):
    """Picture a and picture b share `matches` places; each (P,), sorted by a, b."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    matches: NDArray[np.int64]


def distinctive(found: Keypoints) -> Keypoints:
    """Without codes that stand at more than MOST_ALIKE places of the picture: they can't say where they are."""
    _, of, counts = np.unique(found.codes, return_inverse=True, return_counts=True)
    is_rare = counts[of] <= MOST_ALIKE
    return Keypoints(found.codes[is_rare], found.places[is_rare])


def gallery_of(pictures: list[Keypoints]) -> Gallery:
    """One gallery of the keypoints of some pictures, in their order."""
    starts = np.cumsum([0, *(len(picture.codes) for picture in pictures)])
    codes = np.concatenate([np.empty(0, np.uint64), *(picture.codes for picture in pictures)])
    places = np.concatenate([np.empty((0, 4), np.uint8), *(picture.places for picture in pictures)])
    return Gallery(Keypoints(codes, places), starts)


def match_galleries(left: Gallery, right: Gallery | None = None) -> LocalPairs:
    """All pairs of a picture on the left and one on the right, or of two on the left (a < b), that share at least
    LEAST_MATCHES places.

    Exact, and the same in whatever parts the pictures are compared. What would need too much memory at once, as pages
    of one font do, is compared in parts.
    """
    found = []
    for first, stop in _parts(left, right):
        pairs = _match(left.part(first, stop), left if right is None else right)
        found.append(pairs._replace(a=pairs.a + first))
    a, b, matches = (np.concatenate(columns) for columns in zip(*found, strict=True))
    stays = a < b if right is None else np.ones(len(a), np.bool_)
    return LocalPairs(a[stays], b[stays], matches[stays])


def _parts(left: Gallery, right: Gallery | None) -> list[tuple[int, int]]:
    """Ranges of the pictures on the left: as many as it takes, by a sample."""
    pictures = len(left.starts) - 1
    codes, counts = np.unique(left.keypoints.codes, return_counts=True)
    others, other_counts = np.unique((left if right is None else right).keypoints.codes, return_counts=True)
    near, _ = search.near_pairs_between(codes[::_SAMPLE], others, RADIUS_BITS, 1)
    pairs = int((counts[::_SAMPLE][near[:, 0]] * other_counts[near[:, 1]]).sum()) * _SAMPLE
    parts = min(max(1, pictures), 1 + pairs // _MOST_PAIRS)
    bounds = np.linspace(0, pictures, parts + 1).astype(int).tolist()
    return list(itertools.pairwise(bounds))


def _match(left: Gallery, right: Gallery) -> LocalPairs:
    from tasks.core.dedup import local_kernels

    one, other, bits = _near_keypoints(left.keypoints.codes, right.keypoints.codes)
    a, b = left.owners[one], right.owners[other]
    order = np.lexsort((other, one, bits, b, a))
    back = np.lexsort((one, other, bits, b, a))
    a, b = a[order], b[order]
    is_first = np.ones(len(a), np.bool_)
    is_first[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    starts = np.append(np.flatnonzero(is_first), len(a))
    places = left.keypoints.places[one], right.keypoints.places[other]
    # both ways, so that it does not matter which picture is on the left
    there = local_kernels.count_matches(starts, places[0][order], places[1][order], MOST_MATCHES)
    and_back = local_kernels.count_matches(starts, places[1][back], places[0][back], MOST_MATCHES)
    matches = np.maximum(there, and_back)
    firsts = starts[:-1][matches >= LEAST_MATCHES]
    return LocalPairs(a[firsts], b[firsts], matches[matches >= LEAST_MATCHES])


def _near_keypoints(
    left: NDArray[np.uint64], right: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """(P,) each: keypoints on both sides whose codes are near, and how near, in bits."""
    distinct = np.unique(left), np.unique(right)
    pairs, bits = search.near_pairs_between(*distinct, RADIUS_BITS, 1)
    sides = [_spread(codes, of) for codes, of in zip((left, right), distinct, strict=True)]
    counts = [np.diff(starts) for _, starts in sides]
    of_pair = counts[0][pairs[:, 0]], counts[1][pairs[:, 1]]
    many = of_pair[0] * of_pair[1]
    place = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    width = np.repeat(of_pair[1], many)
    one = sides[0][0][np.repeat(sides[0][1][pairs[:, 0]], many) + place // width]
    other = sides[1][0][np.repeat(sides[1][1][pairs[:, 1]], many) + place % width]
    return one, other, np.repeat(bits, many)


def _spread(codes: NDArray[np.uint64], distinct: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keypoints of distinct[i]: order[starts[i] : starts[i + 1]]."""
    order = np.argsort(codes, kind="stable")
    return order, np.append(np.searchsorted(codes[order], distinct), len(codes))


def view_of(one: Keypoints, other: Keypoints, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> View | None:
    """The box of one picture that another shows, as most of their keypoints say; it may reach beyond the picture.

    shapes: (height, width) of both, of one proportion with the pictures of the keypoints. None where fewer than
    LEAST_MATCHES lie alike.
    """
    from tasks.core.dedup import local_kernels

    bits = np.bitwise_count(one.codes[:, None] ^ other.codes)
    mine, others = np.nonzero(bits <= RADIUS_BITS)
    nearest = np.lexsort((others, mine, bits[mine, others]))[:MOST_MATCHES]
    places = one.places[mine[nearest]], other.places[others[nearest]]
    is_match = local_kernels.matches_on_one_place(*places)
    if is_match.sum() < LEAST_MATCHES:
        return None
    return _box_view(places[0][is_match].astype(float), places[1][is_match].astype(float), shapes)


def _box_view(
    mine: NDArray[np.float64], others: NDArray[np.float64], shapes: tuple[tuple[int, ...], tuple[int, ...]]
) -> View | None:
    """The box of one picture that the other fills, from places (M, 4) in both that belong together."""
    freed = mine[:, :2] - mine[:, :2].mean(axis=0), others[:, :2] - others[:, :2].mean(axis=0)
    of_sizes = LEVEL_SCALE ** float(np.median(mine[:, 2] - others[:, 2]))
    of_places = (freed[0] * freed[1]).sum() / (freed[1] ** 2).sum()
    scale = np.clip(of_places, of_sizes / LEVEL_SCALE, of_sizes * LEVEL_SCALE)
    start = mine[:, :2].mean(axis=0) - scale * others[:, :2].mean(axis=0)
    extents = [np.array(shape[::-1]) * SIDE_PX / max(shape) for shape in shapes]
    corners = np.rint(STEPS * np.array([start, start + scale * extents[1]]) / extents[0]).astype(int)
    (x0, y0), (x1, y1) = corners.tolist()
    return View(box=(x0, y0, x1, y1)) if x1 > x0 and y1 > y0 else None
