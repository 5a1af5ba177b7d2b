"""Flat shapes, drawn twice: in colour on the canvas, and as a number on the plate that knows who is where."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from examples.museum.colours import Colour, Image

Points = NDArray[np.float64]

# pixels are the same with any number of threads; one is quickest when every process paints
cv2.setNumThreads(1)

_SHIFT = 3
_TURN = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
_RING = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)


class Shape(NamedTuple):
    """A filled polygon (width_px 0) or a stroke of round ends along the corners.

    corners: (N, 1, 2) of x, y in eighths of a pixel. `is_detail` shapes (eyes, folds) get no outline.
    """

    corners: NDArray[np.int32]
    width_px: float
    colour: Colour
    is_detail: bool = False


def polygon(points_px: Points, colour: Colour, *, is_detail: bool = False) -> Shape:
    """A filled polygon."""
    return Shape(_fixed(points_px), 0.0, colour, is_detail)


def stroke(points_px: Points, width_px: float, colour: Colour, *, is_detail: bool = False) -> Shape:
    """A line of round ends through the points."""
    return Shape(_fixed(points_px), max(1.0, width_px), colour, is_detail)


def disc(
    centre_px: tuple[float, float] | Points,
    radii_px: tuple[float, float],
    colour: Colour,
    turn: float = 0.0,
    *,
    is_detail: bool = False,
) -> Shape:
    """A filled ellipse, turned clockwise by `turn` radians."""
    ring = _RING * radii_px
    if turn:
        ring = ring @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return Shape(_fixed(ring + centre_px), 0.0, colour, is_detail)


def reshaped(shapes: Sequence[Shape], change: Callable[[Points], Points]) -> tuple[Shape, ...]:
    """The shapes with their corners where `change` puts them: (N, 2) of x, y in px to the same."""
    return tuple(shape._replace(corners=_fixed(change(shape.corners[:, 0] / (1 << _SHIFT)))) for shape in shapes)


def box(left: float, top: float, right: float, bottom: float) -> Points:
    """The four corners."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


def fade(canvas: Image, top: int, bottom: int, first: Colour, second: Colour) -> None:
    """Rows top..bottom from the first colour to the second."""
    share = np.linspace(0.0, 1.0, max(0, bottom - top))[:, None]
    rows = np.rint(np.array(first) * (1 - share) + np.array(second) * share).astype(np.uint8)
    canvas[top:bottom] = np.repeat(rows[:, None], canvas.shape[1], axis=1)


def draw(canvas: Image, shapes: Sequence[Shape], outline_px: float = 0.0, ink: Colour = (0, 0, 0)) -> None:
    """Paints the shapes in their order, first all outlines, then all fillings."""
    if outline_px > 0:
        for shape in shapes:
            if not shape.is_detail:
                _put(canvas, shape, ink, 2.0 * outline_px, cv2.LINE_AA)
    for shape in shapes:
        _put(canvas, shape, shape.colour, 0.0, cv2.LINE_AA)


def draw_plate(plate: Image, shapes: Sequence[Shape], outline_px: float, number: int) -> None:
    """Writes the number wherever `draw` paints the shapes or their outlines."""
    for shape in shapes:
        widen_px = 0.0 if shape.is_detail else 2.0 * outline_px
        _put(plate, shape, (number, number, number), widen_px, cv2.LINE_8)


def _fixed(points_px: Points) -> NDArray[np.int32]:
    return np.rint(points_px * (1 << _SHIFT)).astype(np.int32)[:, None]


def _put(target: Image, shape: Shape, colour: Colour, widen_px: float, line: int) -> None:
    if shape.width_px > 0:
        width = max(1, round(shape.width_px + widen_px))
        cv2.polylines(target, [shape.corners], False, colour, width, line, _SHIFT)
        return
    cv2.fillPoly(target, [shape.corners], colour, line, _SHIFT)
    if widen_px > 0:
        cv2.polylines(target, [shape.corners], True, colour, max(1, round(widen_px)), line, _SHIFT)
