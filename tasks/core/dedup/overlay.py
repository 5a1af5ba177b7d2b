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
_CORNERS = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
_SAME_PLACE = 1 / 30


class _Level(NamedTuple):
    """Both pictures at one size, and `normalised`. to_template, to_other: from px to parts of the sides."""

    template: NDArray[np.float32]
    other: NDArray[np.float32]
    fine: tuple[NDArray[np.float32], NDArray[np.float32]]
    to_template: NDArray[np.float64]
    to_other: NDArray[np.float64]
    most_steps: int

    @property
    def is_empty_inside(self) -> bool:
        """Whether one of the two shows hardly anything but at its edges."""
        inner = (picture[tuple(slice(side // 5, -(side // 5)) for side in picture.shape)] for picture in self.fine)
        return any(float((picture**2).mean()) < _LITTLE_POWER for picture in inner)


class Overlay(NamedTuple):
    """One picture laid over the other at one size: `over` on `template`, where `is_covered`.

    alike, off: of each cell.
    """

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
    for overlay in _coarse_overlays(levels[0](), [_from_box(start) for start in (box, *_STARTS)]):
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
    finest_px = min(whole.shape[0], box_px[0]), min(whole.shape[1], box_px[1])
    count = 1 + sum(max(finest_px) > side_px for side_px in _SIDES_PX[:-1])
    return [functools.cache(functools.partial(_level, posed, whole, box_px, finest_px, n)) for n in range(count)]


def _level(
    posed: NDArray[np.float32],
    whole: NDArray[np.float32],
    box_px: tuple[float, float],
    finest_px: tuple[float, float],
    number: int,
) -> _Level:
    from tasks.core.dedup import registration  # numba takes half a second to import, and most builds have looked before

    scale = min(1.0, _SIDES_PX[number] / max(finest_px))
    height, width = (max(_LEAST_SIDE_PX, round(side * scale)) for side in finest_px)
    template = registration.resample(whole, height, width)
    other = registration.resample(
        posed,
        max(_LEAST_SIDE_PX, round(posed.shape[0] * height / box_px[0])),
        max(_LEAST_SIDE_PX, round(posed.shape[1] * width / box_px[1])),
    )
    fine = registration.normalise(template, RADIUS_PX, _NOISE), registration.normalise(other, RADIUS_PX, _NOISE)
    sides = _sides_of_px(template.shape), _sides_of_px(other.shape)
    return _Level(template, other, fine, *sides, _STEPS_OF_LEVEL[number])


def _coarse_overlays(level: _Level, starts: Sequence[NDArray[np.float64]]) -> Iterator[Overlay]:
    """Where registration leads from each start; each place once."""
    places: list[NDArray[np.float64]] = []
    for rim_px in _RIMS_PX if level.is_empty_inside else _RIMS_PX[:1]:
        for start in starts:
            overlay = _lay_over(level, start, rim_px)
            if overlay is not None and not _is_near_any(overlay.warp, places):
                places.append(overlay.warp)
                yield overlay


def _is_near_any(warp: NDArray[np.float64], others: list[NDArray[np.float64]]) -> bool:
    """Whether a warp has all corners within a thirtieth of a side of where one of the others has them."""
    return any(np.abs((warp - other) @ _CORNERS).max() < _SAME_PLACE for other in others)


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


def _from_box(box: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, 3): from parts of the sides of what a box (x0, y0, x1, y1) shows to parts of the sides of the whole."""
    return np.array([[box[2] - box[0], 0.0, box[0]], [0.0, box[3] - box[1], box[1]], [0.0, 0.0, 1.0]])


def _lay_over(level: _Level, warp: NDArray[np.float64], rim_px: int) -> Overlay | None:
    """One picture over the other, from a warp between parts of their sides; None where registration finds no way."""
    from tasks.core.dedup import registration

    of_px = np.ascontiguousarray((_px_of_sides(level.other.shape) @ warp @ level.to_template)[:2])
    if not registration.align(*level.fine, of_px, level.most_steps, rim_px):
        return None
    over, is_covered = registration.apply_warp(level.other, of_px, level.template)
    if not is_covered.any():
        return None
    warp = level.to_other @ np.vstack([of_px, [0.0, 0.0, 1.0]]) @ _px_of_sides(level.template.shape)
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
    """`registration.cell_agreements` of a template and the picture over it: (C,) each, for the cells with any contrast.

    The outermost pixels are left out: where one of the two has a frame, they are half of it.
    """
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
