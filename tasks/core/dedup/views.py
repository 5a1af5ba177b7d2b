"""How a picture would look as another's copy, and the hashes of these views.

A view turns the picture by right angles, mirrors it, and cuts a box out of it. Where the hash of a view of `a` lies
near the hash of the whole of `b`, b may be a copy of that kind.
"""

import functools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.relations import ViewName

Box = tuple[int, int, int, int]
"""Left, top, right, bottom; in px, right and bottom are just beyond."""

MOST_MARGINS = 3
"""One inside the other: a page, a mount, a frame."""
_EDGE_LINES = 2
_LEAST_TOLERANCE = 8.0
_MOST_UNEVEN_LEVELS = 12.0
_MOST_MARKS = 0.1
"""Share of a line that may differ from the rest of a margin: dust, a stamp, a few letters."""
_LEAST_INSIDE = 0.2
_LEAST_MARGIN_PX = 2
_LEAST_SIDE_PX = 16


def inner_boxes(picture: NDArray[np.uint8]) -> list[Box]:
    """Up to three boxes in a grey (H, W) picture, each without one more margin; none where it has no margin.

    A margin is plain, of one tone on two sides that face each other, and leaves at least a fifth of the picture: a sky
    alone, or a wall on one side, is none. Pictures, or what is left of them, below 16 px a side have none.
    """
    grey = picture.astype(np.float32)
    found: list[Box] = []
    left, top, right, bottom = 0, 0, picture.shape[1], picture.shape[0]
    while len(found) < MOST_MARGINS and min(right - left, bottom - top) >= _LEAST_SIDE_PX:
        inside = grey[top:bottom, left:right]
        (before_x, after_x), (before_y, after_y) = _margins(inside.T), _margins(inside)
        if max(before_x, after_x, before_y, after_y) < _LEAST_MARGIN_PX:
            break
        left, top, right, bottom = left + before_x, top + before_y, right - after_x, bottom - after_y
        if min(right - left, bottom - top) >= _LEAST_SIDE_PX:
            found.append((left, top, right, bottom))
    return found


def _margins(lines: NDArray[np.float32]) -> tuple[int, int]:
    """How many lines are margin at the start and at the end; none where either end has none."""
    first, last = lines[:_EDGE_LINES], lines[-_EDGE_LINES:]
    if abs(float(np.median(first)) - float(np.median(last))) > _MOST_UNEVEN_LEVELS:
        return 0, 0
    ends = np.concatenate([first.ravel(), last.ravel()])
    tone = float(np.median(ends))
    tolerance = max(_LEAST_TOLERANCE, 3 * float(np.median(np.abs(ends - tone))))
    is_plain = (np.abs(lines - tone) > tolerance).mean(axis=1) <= _MOST_MARKS
    before, after = int(np.argmin(is_plain)), int(np.argmin(is_plain[::-1]))
    if not (before and after) or len(lines) - before - after < _LEAST_INSIDE * len(lines):
        return 0, 0
    return before, after


HASH_VERSION = "waves64/v1"
"""Name and version of the views' hash: `phash64` of a box, its waves taken of the pixels in whole numbers."""
STEPS = 40
"""Boxes are cut in fortieths of a side."""
_SCALE = 2**14


@dataclass(frozen=True)
class View:
    """How a picture may be changed in another.

    turns: right angles, counterclockwise, before all else. is_mirrored: left for right. tilt_degrees: then so far,
    counterclockwise, about the middle. box: x0, y0, x1, y1 in fortieths of a side. margins: how many plain margins are
    cut off, one inside the other, in place of the box. is_local: the box is that of `local.view_of`.
    """

    turns: int = 0
    is_mirrored: bool = False
    tilt_degrees: int = 0
    box: Box = (0, 0, STEPS, STEPS)
    margins: int = 0
    is_local: bool = False

    @property
    def is_larger_than_picture(self) -> bool:
        """Whether the box has more area than the picture, out of which it then reaches."""
        return (self.box[2] - self.box[0]) * (self.box[3] - self.box[1]) > STEPS**2

    def pose(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture turned, mirrored and tilted, not cut."""
        turned = np.rot90(picture, self.turns)
        posed = np.ascontiguousarray(turned[:, ::-1] if self.is_mirrored else turned)
        return _tilted(posed, self.tilt_degrees) if self.tilt_degrees else posed

    def box_in(self, posed: NDArray[np.uint8]) -> tuple[float, float, float, float] | None:
        """x0, y0, x1, y1 in px of a picture that `pose` has turned; None where it has fewer margins."""
        height, width = posed.shape
        if self.margins:
            boxes = inner_boxes(posed)
            return boxes[self.margins - 1] if len(boxes) >= self.margins else None
        x0, y0, x1, y1 = self.box
        return x0 * width / STEPS, y0 * height / STEPS, x1 * width / STEPS, y1 * height / STEPS


def _tilted(picture: NDArray[np.uint8], degrees: int) -> NDArray[np.uint8]:
    """Turned counterclockwise about its middle, in the same frame; the corners are filled from the nearest edge."""
    height, width = picture.shape
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    down = (np.arange(height) - (height - 1) / 2)[:, None]
    across = (np.arange(width) - (width - 1) / 2)[None, :]
    y = np.clip(cos * down + sin * across + (height - 1) / 2, 0, height - 1)
    x = np.clip(cos * across - sin * down + (width - 1) / 2, 0, width - 1)
    top, left = y.astype(np.int64), x.astype(np.int64)
    y, x = y - top, x - left
    padded = np.pad(picture, (0, 1), mode="edge").astype(np.float64).ravel()  # below and right of the last px
    place = top * (width + 1) + left
    upper = padded[place] * (1 - x) + padded[place + 1] * x
    lower = padded[place + width + 1] * (1 - x) + padded[place + width + 2] * x
    return np.asarray(np.rint(upper * (1 - y) + lower * y), np.uint8)


# Left, top, right, bottom, in fortieths of a side: what is cut off. Chosen one after the other, each time the box that
# brought most crops of 636 paintings within 8 bits: first of crops by up to 15 % at each side, then also of those at
# one side or corner; one for those that lose 15 % at all four; the last sixteen, within 10 bits, for crops of 636
# paintings that lose 15 to 25 % of an axis, at one side or at a corner
_CUTS = (
    (2, 2, 2, 3), (3, 3, 2, 1), (1, 2, 4, 1), (4, 1, 1, 3), (1, 1, 3, 5), (2, 5, 3, 2), (5, 3, 5, 3), (5, 3, 1, 1),
    (1, 1, 5, 3), (2, 2, 1, 5), (3, 5, 2, 5), (2, 4, 5, 1), (1, 5, 1, 1), (4, 2, 5, 5), (1, 2, 1, 2), (5, 2, 2, 4),
    (1, 5, 5, 4), (5, 5, 3, 3), (4, 1, 1, 1), (5, 0, 2, 5), (1, 3, 5, 5), (3, 0, 5, 0), (5, 4, 0, 5), (4, 5, 5, 1),
    (0, 0, 2, 3), (0, 4, 4, 0), (5, 5, 3, 0), (4, 4, 5, 4), (5, 1, 5, 3), (5, 5, 1, 2), (3, 0, 2, 6), (6, 3, 4, 5),
    (0, 0, 5, 5), (5, 0, 0, 5), (0, 0, 5, 0), (5, 5, 0, 0), (0, 0, 0, 5), (5, 0, 0, 0), (0, 5, 6, 0), (0, 5, 0, 0),
    (6, 6, 6, 6),
    (0, 0, 8, 8), (8, 0, 0, 8), (8, 8, 0, 0), (0, 8, 8, 0), (0, 0, 8, 0), (8, 0, 0, 0), (0, 9, 0, 0), (0, 0, 0, 9),
    (8, 2, 0, 6), (2, 2, 6, 8), (2, 8, 4, 0), (0, 8, 9, 0), (0, 2, 8, 6), (8, 6, 0, 0), (0, 0, 8, 9), (0, 6, 8, 4),
)  # fmt: skip

_MIRRORED_CUTS = 16
"""Mirror images are seldom trimmed much: these find all of 43 that lost 10 % of each axis, and the whole alone 7."""


def _box(left: int, top: int, right: int, bottom: int) -> Box:
    return left, top, STEPS - right, STEPS - bottom


VIEWS: dict[ViewName, tuple[View, ...]] = {
    "phash": (View(),),
    "mirrored": tuple(View(is_mirrored=True, box=_box(*cuts)) for cuts in ((0, 0, 0, 0), *_CUTS[:_MIRRORED_CUTS])),
    "turned": tuple(View(turns, is_mirrored) for is_mirrored in (False, True) for turns in (1, 2, 3)),
    "crops": tuple(View(box=_box(*cuts)) for cuts in _CUTS),
    "tilted": tuple(View(tilt_degrees=degrees, box=_box(2, 2, 2, 2)) for degrees in (4, -4)),
    "inner": tuple(View(margins=number) for number in range(1, MOST_MARGINS + 1)),
}
"""The views of each name. `phash` is the measured hash of the whole picture itself."""

LOCAL = View(is_local=True)
ALL_VIEWS: tuple[View, ...] = (*(view for views in VIEWS.values() for view in views), LOCAL)
"""Every view; its place here is its number in the table of relations, whose name changes with this list."""


def view_numbers(name: ViewName) -> range:
    """The places in ALL_VIEWS of the views of one name.

    >>> view_numbers("mirrored"), len(view_numbers("crops"))
    (range(1, 18), 57)
    """
    first = ALL_VIEWS.index(VIEWS[name][0])
    return range(first, first + len(VIEWS[name]))


def view_hashes(picture: NDArray[np.uint8], views: Sequence[View]) -> NDArray[np.uint64]:
    """(V,) the hash of each view of a grey picture, (H, W), sides 1 to 512 px: the bits of `phash64`, first bit
    highest; 0 where the picture has no such view.

    A bit says whether one of the 8 x 8 slowest waves of the view is above their median. As with imagehash's phash (a
    cosine transform of 32 x 32 px), but the waves lie over the pixels as they are: a box may begin between two.
    """
    found = np.zeros(len(views), np.uint64)
    places_of: defaultdict[tuple[int, bool, int], list[int]] = defaultdict(list)
    for place, view in enumerate(views):
        places_of[view.turns, view.is_mirrored, view.tilt_degrees].append(place)
    for places in places_of.values():
        posed = views[places[0]].pose(picture)
        boxes = {place: box for place in places if (box := views[place].box_in(posed)) is not None}
        if boxes:
            found[list(boxes)] = _box_hashes(posed.astype(np.float64), list(boxes.values()))
    return found


def _box_hashes(picture: NDArray[np.float64], boxes: Sequence[tuple[float, float, float, float]]) -> NDArray[np.uint64]:
    height, width = picture.shape
    down = _wave_stack(height, tuple((box[1], box[3]) for box in boxes))
    across = _wave_stack(width, tuple((box[0], box[2]) for box in boxes))
    # whole numbers below 2^53: sums are exact in any order, and so are equal heights
    heights = (down.reshape(-1, height) @ picture).reshape(len(boxes), 8, width) @ across.transpose(0, 2, 1)
    heights = heights.reshape(len(boxes), 64)
    ordered = np.sort(heights, axis=1)
    is_above = 2 * heights > (ordered[:, 31] + ordered[:, 32])[:, None]
    return np.packbits(is_above, axis=1).view(">u8").astype(np.uint64)[:, 0]


@functools.lru_cache(maxsize=512)
def _wave_stack(length: int, bounds: tuple[tuple[float, float], ...]) -> NDArray[np.float64]:
    """(V, 8, length): the 8 slowest cosine waves between bounds in px, mean of each pixel, as whole numbers."""
    start, stop = np.array(bounds).T[:, :, None]
    edges = (np.clip(np.arange(length + 1), start, stop) - start) / (stop - start)
    wave = np.arange(1, 8)[:, None]
    areas = np.concatenate([edges[:, None], np.sin(np.pi * wave * edges[:, None]) / (np.pi * wave)], axis=1)
    # rounded before the differences are taken: so each wave but the first is 0 on a flat picture
    return np.asarray(np.diff(np.rint(areas * length * _SCALE), axis=2))
