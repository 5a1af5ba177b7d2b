"""What a picture shows beside the part of it that another picture shows: more of itself, or another picture.

What was cut off a copy goes on beyond the copy's edge as if there were none. On a sheet with two pictures there is an
edge: a plain gutter, or a step from one to the other along the whole side. And what lies beyond it is to be seen all
over and in many tones, as a mount, a caption, a page of text or the bars of a screen are not.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy import ndimage

from tasks.core.dedup.sizes import PATCH_PX, STEP_PX

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in parts of a picture's sides, 0..1."""
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
_Picture = NDArray[np.float32]

_LEAST_EXTENT = 0.12
"""Of a side, that lies beyond: captions, bars and frames are narrower."""
_LEAST_MARGIN = 0.06
"""Of a side, that is looked at for an edge: around the part that both show, as on a page, or between it and another."""
_LEAST_AREA = 0.025
"""Of the sheet, that another picture takes up."""
_LEAST_SIDE = 0.18
"""Of the longer side of the sheet, that another picture is wide and high: captions have 0.12, bars of a screen 0.16."""
_LEAST_LEVELS = 2.5
"""Grey levels, root mean square, that a patch shows once what is constant along its rows or columns is taken away."""
_LEAST_TONES, _LEAST_TONES_OF_WIDE = 10.0, 8.0
"""Grey levels, standard deviation of the patches' means: most captions and many drawings have less."""
_WIDE = 0.28
"""Extent from which on what lies beyond is wider than a caption, and than what an ordinary crop has lost."""
_LARGE_AREA = 0.12
"""Of the sheet: what is wide and takes up so much may be lower than other pictures, as a panorama is."""
_MOST_SIDES = 2
"""On which another picture lies: what is on three or four is a frame."""
_RIM = 0.05
"""At both ends of the shared part's side, that does not count: corners may be round, registration is off by a px."""
_INSIDE_PX, _OUTSIDE_PX = 7, 9
"""How far from where registration has the edge it may lie, of 256 px."""
_AROUND_PX = 28
"""How far on either side of it steps from one line to the next are typical ones."""
_LEAST_TYPICAL = 2.0
"""Grey levels of such a step: what JPEG leaves on a plain ground is none."""
_MOST_OF_PLAIN, _LEAST_OF_SHOWN = 2.5, 8.0
"""Grey levels, standard deviation along a line: of a plain one, of the typical line of a picture."""
_LEAST_EVIDENCE, _LEAST_EVIDENCE_OF_WIDE = 3.4, 2.3
"""Of 2,640 ordinary copies two have more, cut along an edge in the painting; sheets that have less: decision 039."""


def shows_another_picture(picture: NDArray[np.uint8], box: Box) -> bool:
    """Whether another picture lies beside the box, the part that a second picture shows, too.

    picture: (H, W, 3) sRGB, its longer side 256 px at most. False where the box is the whole, and for a picture of
    which what lies beyond the box is narrower than 8 px.
    """
    sides = [
        (turned, edges, extent)
        for turned, edges in _from_each_side(picture.astype(np.float32), box)
        if (extent := 1 - edges[2] / turned.shape[1]) >= _LEAST_MARGIN
    ]
    shown = [e for turned, edges, e in sides if e >= _LEAST_EXTENT and _is_picture(turned, edges[2], e)]
    if not 0 < len(shown) <= _MOST_SIDES:
        return False
    # ordinary crops lose little: a narrow strip beside a picture is more often its own
    evidence = max(_edge_evidence(turned, edges) + 2 * extent for turned, edges, extent in sides)
    return bool(evidence >= (_LEAST_EVIDENCE_OF_WIDE if max(shown) >= _WIDE else _LEAST_EVIDENCE))


def _from_each_side(picture: _Picture, box: Box) -> Iterator[tuple[_Picture, tuple[int, int, int, int]]]:
    """The picture turned so that what lies beyond a side is at the right, and the box in px, for each of the four."""
    height, width = picture.shape[:2]
    scale = np.array([width, height, width, height])
    left, top, right, bottom = np.rint(np.array(box) * scale).astype(int).tolist()
    yield picture, (left, top, right, bottom)
    yield picture[:, ::-1], (width - right, top, width - left, bottom)
    yield picture.transpose(1, 0, 2), (top, left, bottom, right)
    yield picture[::-1].transpose(1, 0, 2), (height - bottom, left, height - top, right)


def _is_picture(picture: _Picture, start: int, extent: float) -> bool:
    """Whether the columns from `start` on, `extent` of all, hold a picture."""
    grey = picture.mean(axis=2)
    factor = 2 if max(grey.shape) > 128 else 1
    height, width = (side // factor for side in grey.shape)
    small = grey[: height * factor, : width * factor].reshape(height, factor, width, factor).mean(axis=(1, 3))
    beyond = small[:, -(-start // factor) + 2 :]
    if min(beyond.shape) < PATCH_PX:
        return False
    patches: NDArray[Any] = sliding_window_view(beyond, (PATCH_PX, PATCH_PX))[::STEP_PX, ::STEP_PX]
    tones = patches.mean(axis=(2, 3))
    freed = patches - patches.mean(axis=2, keepdims=True) - patches.mean(axis=3, keepdims=True)
    is_shown = np.sqrt(((freed + tones[..., None, None]) ** 2).mean(axis=(2, 3))) >= _LEAST_LEVELS
    number_of, _ = ndimage.label(is_shown, np.ones((3, 3)))
    is_wide = extent >= _WIDE
    for number, place in enumerate(ndimage.find_objects(number_of), 1):
        mask = number_of[place] == number
        area = mask.sum() * STEP_PX**2 / small.size
        is_high = STEP_PX * min(mask.shape) + PATCH_PX >= _LEAST_SIDE * max(small.shape)
        is_large = area >= _LEAST_AREA and (is_high or (is_wide and area >= _LARGE_AREA))
        if is_large and tones[place][mask].std() >= (_LEAST_TONES_OF_WIDE if is_wide else _LEAST_TONES):
            return True
    return False


def _edge_evidence(picture: _Picture, box: tuple[int, int, int, int]) -> float:
    """How clearly the box's right side is an edge in the picture; some 1 where the picture goes on, 5 at a gutter.

    The sum of: how many times the typical step from line to line the one at the edge is (natural logarithm); twice the
    share of rows in which it is twice their own; how little the lines on either side go together, 0 to 2; and 1 where
    a line there is plain, and the picture is not.
    """
    _, top, right, bottom = box
    rim = max(1, round(_RIM * (bottom - top)))
    rows = picture[top + rim : bottom - rim]
    steps = np.abs(np.diff(rows, axis=1)).mean(axis=2)
    first, stop = max(0, right - _AROUND_PX), min(steps.shape[1], right + _AROUND_PX)
    near = np.arange(max(first + 4, right - _INSIDE_PX), min(stop - 4, right + _OUTSIDE_PX))
    if not len(near) or not len(rows):
        return 0.0
    means = steps.mean(axis=0)
    edge = int(near[means[near].argmax()])
    around = [steps[:, first : edge - 2], steps[:, edge + 3 : stop]]
    typical = max(_LEAST_TYPICAL, float(np.median(np.concatenate(around, axis=1).mean(axis=0))))
    of_rows = np.maximum(_LEAST_TYPICAL, np.max([np.median(side, axis=1) for side in around], axis=0))
    clear = float((steps[:, edge] > 2 * of_rows).mean())
    lines = rows[:, [edge - 2, edge + 3]].mean(axis=2)
    shown = rows.mean(axis=2).std(axis=0)
    is_gutter = shown[near].min() < _MOST_OF_PLAIN and np.median(shown[first : near[0]]) > _LEAST_OF_SHOWN
    apart = 1 - _correlation(lines - lines.mean(axis=0))
    return float(math.log(max(0.5, means[edge]) / typical) + 2 * clear + apart + is_gutter)


def _correlation(freed: _Picture) -> float:
    """Of two columns whose mean is 0; 0 where one is plain."""
    one, other = freed.T.astype(np.float64)
    spread = math.sqrt(float((one**2).sum() * (other**2).sum()))
    return float((one * other).sum()) / spread if spread else 0.0
