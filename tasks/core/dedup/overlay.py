"""One picture laid over another, from coarse to fine: where registration leads from several starts."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_SIDES_PX = (32, 64, 128)
_STEPS_OF_LEVEL = (30, 12, 8)
_LEAST_COARSE_CORRELATION = 0.45
_STARTS = tuple(np.array(box) for box in ((0.0, 0.0, 1.0, 1.0), (0.07, 0.07, 0.93, 0.93), (-0.08, -0.08, 1.08, 1.08)))
_RIMS_PX = (7, 1)
"""How wide a rim takes no part in a step of the registration: where one picture has a frame, what is `normalised`
beside it tells of the frame, in both. Where that leads nowhere, what there is to see may lie at the edge."""
_LITTLE_POWER = 0.3
"""Mean square of what is `normalised`: 99 of 100 paintings have more; portraits on a dark ground less."""
RADIUS_PX = 3
"""Of the surroundings from whose tones a picture is freed."""
_NOISE = 12.0
"""Grey levels: what a JPEG of low quality adds to brushwork, and a fine contour in common does not outweigh."""
_CELLS = 6
_EDGE_PX = 2
_LEAST_POWER = 0.1
_LEAST_SIDE_PX = 8
CORNERS = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
"""Of a picture in parts of its sides, a column each."""
_SAME_PLACE = 1 / 30


class _Level(NamedTuple):
    """Both pictures at one size, and `normalised`."""

    template: NDArray[np.float32]
    other: NDArray[np.float32]
    fine: tuple[NDArray[np.float32], NDArray[np.float32]]
    most_steps: int

    @property
    def is_empty_inside(self) -> bool:
        """Whether one of the two shows hardly anything but at its edges."""
        inner = (picture[tuple(slice(side // 5, -(side // 5)) for side in picture.shape)] for picture in self.fine)
        return any(float((picture**2).mean()) < _LITTLE_POWER for picture in inner)


class Overlay(NamedTuple):
    """One picture over the other at one size: `over` on `template`, where `is_covered`. alike, off: of each cell."""

    warp: NDArray[np.float64]
    rim_px: int
    template: NDArray[np.float32]
    over: NDArray[np.float32]
    is_covered: NDArray[np.bool_]
    alike: NDArray[np.float64]
    off: NDArray[np.float64]

    @property
    def correlation(self) -> float:
        """Of all cells; 0 where there is none."""
        return float(self.alike.mean()) if len(self.alike) else 0.0


def overlays(
    posed: NDArray[np.uint8], whole: NDArray[np.uint8], box_px: tuple[float, float, float, float]
) -> Iterator[Overlay]:
    """`posed` over `whole`, grey (H, W), where registration leads: one place after the other, as long as one asks.

    It starts from a box of `posed` (left, top, right, bottom), from its whole, and from either picture as the middle of
    the other. Where the two have nothing in common at the coarse size, no finer size is tried; where that is so of all
    starts, the best coarse overlay is the only one. There is none where registration finds no way.
    """
    left, top, right, bottom = box_px
    levels = _levels(posed.astype(np.float32), whole.astype(np.float32), (bottom - top, right - left))
    box = np.array(box_px) / (posed.shape[::-1] * 2)
    coarse, is_any_refined = None, False
    for overlay in _coarse_overlays(levels[0](), (box, *_STARTS)):
        if overlay.correlation < _LEAST_COARSE_CORRELATION:
            coarse = overlay if coarse is None or overlay.correlation > coarse.correlation else coarse
            continue
        is_any_refined = True
        if (finest := _refine(overlay, levels[1:])) is not None:
            yield finest
    if coarse is not None and not is_any_refined:
        yield coarse


def _levels(
    posed: NDArray[np.float32], whole: NDArray[np.float32], box_px: tuple[float, float]
) -> list[Callable[[], _Level]]:
    """The sizes at which the two are compared, coarse first; each is made when it is first asked for."""
    from tasks.core.dedup import registration  # numba takes half a second to import, and most builds have looked before

    finest_px = min(whole.shape[0], box_px[0]), min(whole.shape[1], box_px[1])

    @functools.cache
    def level(number: int) -> _Level:
        scale = min(1.0, _SIDES_PX[number] / max(finest_px))
        height, width = (max(_LEAST_SIDE_PX, round(side * scale)) for side in finest_px)
        template = registration.resample(whole, height, width)
        rows, columns = round(posed.shape[0] * height / box_px[0]), round(posed.shape[1] * width / box_px[1])
        other = registration.resample(posed, max(_LEAST_SIDE_PX, rows), max(_LEAST_SIDE_PX, columns))
        fine = registration.normalise(template, RADIUS_PX, _NOISE), registration.normalise(other, RADIUS_PX, _NOISE)
        return _Level(template, other, fine, _STEPS_OF_LEVEL[number])

    count = 1 + sum(max(finest_px) > side_px for side_px in _SIDES_PX[:-1])
    return [functools.partial(level, number) for number in range(count)]


def _coarse_overlays(level: _Level, boxes: Sequence[NDArray[np.float64]]) -> Iterator[Overlay]:
    """Where registration leads from each box (x0, y0, x1, y1) of the other, in parts of its sides; each place once."""
    places: list[NDArray[np.float64]] = []
    for rim_px in _RIMS_PX if level.is_empty_inside else _RIMS_PX[:1]:
        for x0, y0, x1, y1 in boxes:
            overlay = _lay_over(level, np.array([[x1 - x0, 0, x0], [0, y1 - y0, y0], [0, 0, 1]]), rim_px)
            if overlay is None:
                continue
            # one place: all corners within a thirtieth of a side
            if all(np.abs((overlay.warp - place) @ CORNERS).max() >= _SAME_PLACE for place in places):
                places.append(overlay.warp)
                yield overlay


def _refine(overlay: Overlay, levels: Sequence[Callable[[], _Level]]) -> Overlay | None:
    """The overlay at finer sizes, as long as there is something in common; None where registration finds no way."""
    for level in levels:
        if overlay.correlation < _LEAST_COARSE_CORRELATION:
            break
        finer = _lay_over(level(), overlay.warp, overlay.rim_px)
        if finer is None:
            return None
        overlay = finer
    return overlay


def _lay_over(level: _Level, warp: NDArray[np.float64], rim_px: int) -> Overlay | None:
    """One picture over the other, from a warp between parts of their sides; None where registration finds no way."""
    from tasks.core.dedup import registration

    to_px, from_px = _px_of_sides(level.other.shape), _sides_of_px(level.template.shape)
    of_px = np.ascontiguousarray((to_px @ warp @ from_px)[:2])
    if not registration.align(*level.fine, of_px, level.most_steps, rim_px):
        return None
    over, is_covered = registration.apply_warp(level.other, of_px, level.template)
    if not is_covered.any():
        return None
    to_sides = _sides_of_px(level.other.shape)
    warp = to_sides @ np.vstack([of_px, [0.0, 0.0, 1.0]]) @ _px_of_sides(level.template.shape)
    return Overlay(warp, rim_px, level.template, over, is_covered, *_cells(level.template, over, is_covered))


def _sides_of_px(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """(3, 3): from pixels, centres at whole numbers, to parts of the sides, 0..1."""
    height, width = shape
    return np.array([[1 / width, 0.0, 0.5 / width], [0.0, 1 / height, 0.5 / height], [0.0, 0.0, 1.0]])


def _px_of_sides(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """(3, 3): the way back from `_sides_of_px`."""
    height, width = shape
    return np.array([[width, 0.0, -0.5], [0.0, height, -0.5], [0.0, 0.0, 1.0]])


def _cells(
    template: NDArray[np.float32], over: NDArray[np.float32], is_covered: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(C,) each: `registration.cell_agreements` of cells with any contrast, but for the outermost pixels."""
    from tasks.core.dedup import registration

    if min(template.shape) >= 12 * _EDGE_PX:
        inner = slice(_EDGE_PX, -_EDGE_PX), slice(_EDGE_PX, -_EDGE_PX)
        template, over = np.ascontiguousarray(template[inner]), np.ascontiguousarray(over[inner])
        is_covered = np.ascontiguousarray(is_covered[inner])
    longest_px = max(template.shape)
    rows, columns = (max(1, min(round(_CELLS * side / longest_px), side // 3)) for side in template.shape)
    fine = [registration.normalise(picture, RADIUS_PX, _NOISE) for picture in (template, over)]
    alike, off = registration.cell_agreements(fine[0], fine[1], is_covered, rows, columns, _LEAST_POWER)
    has_contrast = ~np.isnan(alike)
    return alike[has_contrast], off[has_contrast]
