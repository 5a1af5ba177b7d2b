"""Scores of a picture's stored thumbnail: is it in colour, blank, blurred, framed, a photograph of an object?

Rounded to a thousandth. Pixels are counted and summed as whole numbers, and nothing but single divisions and square
roots follows: equal thumbnails have equal scores on every machine. docs/screening.md says how the scores of real
pictures lie. None of them is a judgement of art.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Whole = NDArray[np.int32]
Grey = NDArray[np.uint8]

_LEVELS = 64
"""How finely pixels are taken for equally light."""
_IN_COLOUR = 0.95
_OF_INK = 0.01
_TAPS = 9
"""Pixels that are averaged to blur a picture once more, as Crete et al. do."""
_DEEPEST = 0.3
"""How deep a border is looked for, as a share of the side across it."""
_STEP = 28
"""Levels, of 255, by which a channel changes at the edge of a border ..."""
_ALONG = 0.7
"""... along so much of the side ..."""
_ABOVE = 2.0
"""... and so many times more often than at other depths, which in a restless picture is never."""
_PLAIN_LEVELS = 12
_PLAIN = 0.95
_UNEVEN = 1.8
"""A frame is at most so much wider at one side than at another."""
_MOST_EDGES = 6
"""Mouldings and mounts have fewer, one behind the other: a side with more is a pattern of squares."""
_GROUND_LEVELS = 14
_LEAST_OBJECT, _MOST_OBJECT = 0.03, 0.85
_RECTANGLE = 0.9
"""What fills so much of the upright rectangle around it is a picture on its sheet."""


class QualityScores(NamedTuple):
    """What is measured of a picture, 0..1 but for chroma and colourfulness; all but `border` look within the border."""

    chroma: float
    """Colour that lightness doesn't explain: above 0.5 in next to no picture, and below 1.2 in all."""
    contrast: float
    blur: float
    border: float
    """The share of the area that is frame or border."""
    object_photo: float
    colourfulness: float
    """Below 300."""


class Margins(NamedTuple):
    """How many pixels at each side are frame or border."""

    top: int
    bottom: int
    left: int
    right: int


def scores(rgb: Pixels) -> QualityScores:
    """All scores of a thumbnail, (H, W, 3), R, G, B."""
    height, width = rgb.shape[:2]
    # the same pixels, each channel by itself in memory: what follows is several times quicker, and counts the same
    rgb = np.ascontiguousarray(rgb.transpose(2, 0, 1)).transpose(1, 2, 0)
    around = margins(rgb)
    inner = rgb[around.top : height - around.bottom, around.left : width - around.right]
    covered = 1 - inner.shape[0] * inner.shape[1] / (height * width)
    small = reduce_to_quarter(inner)
    found = (chroma(small), contrast(inner), blur(inner), covered, object_photo(small), colourfulness(small))
    return QualityScores(*(round(float(score), 3) for score in found))


def reduce_to_quarter(rgb: Pixels) -> Whole:
    """(H // 4, W // 4, 3) sums of sixteen pixels each, 0..4080; a side too short to be halved is doubled first."""
    return _quartered(_quartered(rgb)).astype(np.int32)


def chroma(small: Whole) -> float:
    """How far, of 255 levels, a pixel's colour is from the mean of those equally light, in all but a twentieth of them.

    small: as `reduce_to_quarter` gives it. Colour is the pair (R - G, (R + G) / 2 - B), as for `colourfulness`. In a
    picture of one tone (greys, sepia, blueprint, ink on tinted paper) lightness says the colour, so that 0 is left; a
    seal or a colour chart on less than a twentieth of the area doesn't count.

    >>> chroma(reduce_to_quarter(np.full((8, 8, 3), (200, 150, 90), np.uint8)))
    0.0
    """
    red, green, blue = small[:, :, 0], small[:, :, 1], small[:, :, 2]
    level = (77 * red + 150 * green + 29 * blue) * _LEVELS // (256 * 4096)
    warm, cold = 2 * (red - green), red + green - 2 * blue
    level, warm, cold = level.ravel(), warm.ravel(), cold.ravel()
    many = np.maximum(np.bincount(level, minlength=_LEVELS), 1)
    off = [(side - (np.bincount(level, side, _LEVELS) / many)[level]) for side in (warm, cold)]
    far = np.sqrt(off[0] * off[0] + off[1] * off[1])
    place = int(far.size * _IN_COLOUR)
    return float(np.partition(far, place)[place]) / (2 * 16 * 255)


def colourfulness(small: Whole) -> float:
    """The metric M(3) of Hasler and Suesstrunk, "Measuring colourfulness in natural images" (2003), on its own scale.

    The spread of the colours (R - G, (R + G) / 2 - B), and 0.3 times how far their mean is from grey, in levels of 255.
    The authors' viewers called 0 not, 15 slightly, 33 moderately, 45 averagely, 59 quite, 82 highly and 109 extremely
    colourful. small: as `reduce_to_quarter` gives it.

    >>> colourfulness(reduce_to_quarter(np.full((8, 8, 3), 130, np.uint8)))
    0.0
    >>> round(colourfulness(reduce_to_quarter(np.full((8, 8, 3), (255, 0, 0), np.uint8))), 3)  # 0.3 x |(255, 127.5)|
    85.53
    """
    red, green, blue = (small[:, :, channel].astype(np.int64) for channel in range(3))
    pixels, spread, mean = red.size, 0, 0
    for side, per_level in ((red - green, 16), (red + green - 2 * blue, 32)):
        total, squares = int(side.sum()), int((side * side).sum())
        spread += (pixels * squares - total * total) * (32 // per_level) ** 2
        mean += (total * (32 // per_level)) ** 2
    return (math.sqrt(spread) + 0.3 * math.sqrt(mean)) / (32 * pixels)


def contrast(rgb: Pixels) -> float:
    """How far apart, of 255 levels, the darkest and the lightest hundredth are, in the channel where that is most.

    >>> contrast(np.zeros((8, 8, 3), np.uint8))
    0.0
    """
    ranges = []
    for channel in range(3):
        counted = np.cumsum(np.bincount(rgb[:, :, channel].ravel(), minlength=256))
        least = int(counted[-1]) * _OF_INK
        darkest, lightest = (np.searchsorted(counted, least, "right"), np.searchsorted(counted, counted[-1] - least))
        ranges.append(int(lightest - darkest))
    return max(ranges) / 255


def blur(rgb: Pixels) -> float:
    """What is left of the differences between neighbours when the picture is blurred again: near 1 where it was blurred
    already (Crete et al., "The blur effect: perception and estimation with a new no-reference metric", 2007).

    The worse of both directions: 1 along one without any difference, 0 along one of at most 10 px, which says nothing.
    """
    grey = luma(rgb)
    # every second line across is enough, and half the work
    return max(_blur_down(lines) for lines in (grey[:, ::2].copy(), grey[::2].T))


def luma(rgb: Pixels) -> Grey:
    """(H, W) lightness, 0..255, by the weights of Rec. 601."""
    weighed = np.multiply(rgb[:, :, 0], 77, dtype=np.uint16)
    weighed += np.multiply(rgb[:, :, 1], 150, dtype=np.uint16)
    weighed += np.multiply(rgb[:, :, 2], 29, dtype=np.uint16)  # at most 255 * 256
    return np.asarray((weighed >> 8).astype(np.uint8))


def margins(rgb: Pixels) -> Margins:
    """How much at each side is border: a plain strip that ends in a straight edge, or, on all four sides, any strip.

    A straight edge is a line along most of a side at which colours change, as they do not elsewhere: frames and mounts
    end in one, but not dark grounds, skies or the paper around a drawing. Frames in perspective aren't found.
    """
    turned = rgb.transpose(1, 0, 2)
    sides = (rgb, rgb[::-1], turned, turned[::-1])
    along = [_edge_shares(side) for side in sides]
    usual = [float(np.sort(found)[len(found) // 2]) if len(found) else 0.0 for found in along]
    framed = _frame([_depths(found >= max(_ALONG, _ABOVE * half)) for found, half in zip(along, usual, strict=True)])
    if framed:
        return framed
    return Margins(*(_plain_depth(side, _depths(found >= _ALONG)) for side, found in zip(sides, along, strict=True)))


def object_photo(small: Whole) -> float:
    """How much a picture looks like one solid thing before a plain, perhaps shaded, ground, as vases are photographed.

    The share of the outermost pixels that are ground, times how solid what stands before it is. 0 where nothing, next
    to nothing, nearly everything or a rectangle stands there. small: as `reduce_to_quarter` gives it.
    """
    is_thing = np.abs(small - _ground(small)).max(axis=2) > 16 * _GROUND_LEVELS
    area = int(is_thing.sum()) / is_thing.size
    if not _LEAST_OBJECT <= area <= _MOST_OBJECT:
        return 0.0
    rows, columns = (np.flatnonzero(is_thing.any(axis=axis)) for axis in (1, 0))
    if area * is_thing.size > _RECTANGLE * (rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1):
        return 0.0
    rim = np.ones(is_thing.shape, bool)
    wide = max(1, min(rim.shape) // 20)
    rim[wide:-wide, wide:-wide] = False
    at_rim = 1 - int(is_thing[rim].sum()) / int(rim.sum())
    return at_rim * min(_solid(is_thing), _solid(is_thing.T))


def _quartered(rgb: Pixels | NDArray[np.uint16]) -> NDArray[np.uint16]:
    """(H // 2, W // 2, 3) sums of four pixels each, beyond 16 bits only the fifth time. A side of 1 px is doubled."""
    plain = rgb if min(rgb.shape[:2]) > 1 else rgb.repeat(2, 0).repeat(2, 1)
    plain = plain[: plain.shape[0] // 2 * 2, : plain.shape[1] // 2 * 2]
    rows = np.add(plain[::2], plain[1::2], dtype=np.uint16)
    return np.asarray(rows[:, ::2] + rows[:, 1::2])


def _blur_down(grey: Grey) -> float:
    if grey.shape[0] <= _TAPS + 1:
        return 0.0
    # neighbouring averages over _TAPS pixels have all but two in common, and differ by what these do, over _TAPS
    half = _TAPS // 2
    sharp = np.multiply(_apart(grey[half + 1 : -half], grey[half : -half - 1]), _TAPS, dtype=np.uint16)
    soft = _apart(grey[_TAPS:], grey[:-_TAPS])
    whole, lost = int(sharp.sum(dtype=np.int64)), int((np.maximum(sharp, soft) - soft).sum(dtype=np.int64))
    return 1 - lost / whole if whole else 1.0


def _apart(some: Pixels, others: Pixels) -> Pixels:
    """How far apart numbers of 8 bits are, in 8 bits."""
    return np.asarray(np.maximum(some, others) - np.minimum(some, others))


def _edge_shares(side: Pixels) -> NDArray[np.float64]:
    """(D,) along how much of the side, 0..1, colours change at each depth; the first depth is 2 px."""
    depth, length = int(side.shape[0] * _DEEPEST), side.shape[1]
    if depth < 3:  # so small that two borders could meet
        return np.zeros(0)
    middle = side[: depth + 3, length // 10 : length - length // 10 : 2].copy("K")  # side by side in memory
    steps = _apart(middle[3:], middle[:-3]).max(axis=2)
    return np.asarray(np.count_nonzero(steps >= _STEP, axis=1) / steps.shape[1])


def _depths(is_edge: NDArray[np.bool_]) -> list[int]:
    return [row + 2 for row in np.flatnonzero(is_edge).tolist()]


def _frame(edges: list[list[int]]) -> Margins | None:
    """The widest frame of edges on all four sides that lie about equally deep, if there is one."""
    for found in edges:
        separate = sum(depth - before > 3 for before, depth in zip([-9, *found], found, strict=False))
        if separate > _MOST_EDGES:
            return None
    for most in sorted({depth for found in edges for depth in found}, reverse=True):
        depths = [max((depth for depth in found if depth <= most), default=0) for found in edges]
        if _UNEVEN * min(depths) + 2 >= most and min(depths):
            return Margins(*depths)
    return None


def _plain_depth(side: Pixels, edges: list[int]) -> int:
    """The deepest of the edges up to which the side is plain from the outside on, 0 if there is none."""
    found = 0
    for depth in edges:
        outer = side[: depth - 1]  # the last row may belong to the edge
        usual = np.array([_usual(outer[:, :, channel]) for channel in range(3)], np.uint8)
        if (_apart(outer, usual).max(axis=2) <= _PLAIN_LEVELS).mean() < _PLAIN:
            return found
        found = depth
    return found


def _usual(plane: Grey) -> int:
    """The middle one of the levels, the upper of two; counted, since sorting so many takes longer."""
    return int(np.searchsorted(np.cumsum(np.bincount(plane.ravel(), minlength=256)), plane.size // 2, "right"))


def _ground(small: Whole) -> Whole:
    """(H, W, 3) the ground without anything before it: the corners' colours, shaded evenly from one to the other."""
    height, width = small.shape[:2]
    tall, wide = max(1, height // 12), max(1, width // 12)
    corners = [
        small[rows, columns].reshape(-1, 3)
        for rows in (slice(0, tall), slice(-tall, None))
        for columns in (slice(0, wide), slice(-wide, None))
    ]
    nw, ne, sw, se = (np.sort(corner, axis=0)[len(corner) // 2][:, None, None] for corner in corners)
    down = np.arange(height, dtype=np.int32)[:, None]
    across = np.arange(width, dtype=np.int32)
    last_down, last_across = max(height - 1, 1), max(width - 1, 1)
    west = nw * (last_down - down) + sw * down
    east = ne * (last_down - down) + se * down
    shaded = (west * (last_across - across) + east * across) // (last_down * last_across)
    return np.asarray(shaded.transpose(1, 2, 0))


def _solid(is_thing: NDArray[np.bool_]) -> float:
    """What rows hold of their lengths from the first true pixel to the last, all rows together; 0 without any."""
    has = is_thing.any(axis=1)
    first = is_thing[has].argmax(axis=1)
    last = is_thing.shape[1] - is_thing[has][:, ::-1].argmax(axis=1)
    spans = int((last - first).sum())
    return int(is_thing.sum()) / spans if spans else 0.0
