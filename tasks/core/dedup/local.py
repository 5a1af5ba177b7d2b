"""Pairs of pictures of which one shows a part of the other, by keypoints: places that look alike and lie alike.

Hashes are of whole pictures, or of boxes that are known beforehand. A detail, half of a picture, a picture on a page or
on a screen is found by what it shows itself: where three places in it look as three in another picture, and lie to each
other as they do there, the two are worth a second look.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

    def picture(self, number: int) -> Keypoints:
        """Those of one picture."""
        of_picture = slice(self.starts[number], self.starts[number + 1])
        return Keypoints(self.keypoints.codes[of_picture], self.keypoints.places[of_picture])


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
