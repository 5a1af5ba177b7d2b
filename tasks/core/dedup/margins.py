"""The picture inside plain margins: a mount, a passe-partout, a border, the ground on which it was photographed."""

import numpy as np
from numpy.typing import NDArray

Box = tuple[int, int, int, int]
"""Left, top, right, bottom, in px; right and bottom just beyond."""

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
