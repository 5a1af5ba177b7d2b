"""The second look: what two pictures are to each other, from their small grey thumbnails.

The one is laid over the other (`registration`), and both are freed of their local tones: what is left is drawing, brushwork,
edges. Reproductions of one work agree in it nearly everywhere; two works of one series, however alike their light and
composition, do not: other brushstrokes lie in other places.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.relations import Relation
from tasks.core.dedup.views import STEPS, View

COPY_SCORE = 0.6
OFF_COST_PER_PX = 0.3
"""Copies score 0.6 and 0.3 for each px that they are off. Of paintings saved at quality 30 and a quarter of their size the least had 0.72,
0.2 px off; of painted works of one series, as if traced, the most 0.76, but 0.8 px off (docs/dedup.md)."""
APART_SCORE = 0.45
"""Scores below are two works: of 1,067 paintings, the nearest different ones by hash had at most 0.43."""
ALIKE_TONES = 0.85
"""Two works whose coarse light and dark correlate so far are look-alikes."""
WHOLE_SHARE = 0.94
"""Shares from here on are the whole picture: the registration's own error is some 2 % of an area."""
DETAIL_SHARE = 0.5
SAME_TONE = 0.02
"""Mean difference of coarse tones, of 1, that saving again may bring; a gamma of 0.9 brings 0.03."""

_SIDES_PX = (32, 64, 128)
_STEPS = (30, 12, 8)
_RADIUS_PX = 3
_NOISE = 12.0
"""Grey levels: what a JPEG of low quality adds to brushwork, and a fine contour in common does not outweigh."""
_CELLS = 6
_EDGE_PX = 2
_LEAST_POWER = 0.1
_LEAST_CELLS = 4
_LEAST_SIDE_PX = 8


@dataclass(frozen=True)
class Agreement:
    """How far two pictures agree. score: 0..1, mean over the cells in which either has something to show; 0 where nothing has.

    share: 0..1, the part of either picture that the other shows, of the two the smaller; tone: 0..1, mean difference of their
    coarse tones there; likeness: -1..1, correlation of these; cells: on how many cells the score rests; off_px: how far three
    of four cells at most are off, px of the thumbnail.
    """

    score: float
    share: float
    tone: float
    likeness: float
    cells: int
    off_px: float


NOTHING = Agreement(0.0, 0.0, 1.0, 0.0, 0, 0.0)
"""Where the two can't be laid over each other."""


def agreement(a: NDArray[np.uint8], b: NDArray[np.uint8], view: View) -> Agreement:
    """How far b agrees with that view of a. Grey, (H, W), at most 512 px a side; the tinier side decides what can be seen.

    Registration goes from coarse to fine; what has nothing in common on a coarse level is not looked at more closely.
    """
    from tasks.core.dedup import registration  # numba takes half a second to import, and most builds have looked before

    seen, whole = view.seen(a).astype(np.float32), b.astype(np.float32)
    left, top, right, bottom = (place / STEPS for place in view.box)
    box_px = seen.shape[0] * (bottom - top), seen.shape[1] * (right - left)
    finest_px = min(whole.shape[0], box_px[0]), min(whole.shape[1], box_px[1])
    laid = np.array([[right - left, 0.0, left], [0.0, bottom - top, top], [0.0, 0.0, 1.0]])  # of sides: 0..1 to 0..1
    for side_px, steps in zip(_SIDES_PX, _STEPS, strict=True):
        scale = min(1.0, side_px / max(finest_px))
        height, width = (max(_LEAST_SIDE_PX, round(side * scale)) for side in finest_px)
        template = registration.resampled(whole, height, width)
        other = registration.resampled(
            seen,
            max(_LEAST_SIDE_PX, round(seen.shape[0] * height / box_px[0])),
            max(_LEAST_SIDE_PX, round(seen.shape[1] * width / box_px[1])),
        )
        to_template, to_other = _sides_of_px(template.shape), _sides_of_px(other.shape)
        warp = np.ascontiguousarray((np.linalg.inv(to_other) @ laid @ to_template)[:2])
        fine = registration.normalised(template, _RADIUS_PX, _NOISE)
        if not registration.aligned(fine, registration.normalised(other, _RADIUS_PX, _NOISE), warp, steps):
            return NOTHING
        over, is_there = registration.warped(other, warp, template)
        cells, off = _cells(template, over, is_there)
        if scale == 1.0 or side_px == _SIDES_PX[-1] or _score(cells) < APART_SCORE:
            break
        laid = to_other @ np.vstack([warp, [0.0, 0.0, 1.0]]) @ np.linalg.inv(to_template)
    return _agreement(cells, off, template, over, is_there, other.size, warp)


def _sides_of_px(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """(3, 3): from pixels, centres at whole numbers, to parts of the sides, 0..1."""
    height, width = shape
    return np.array([[1 / width, 0.0, 0.5 / width], [0.0, 1 / height, 0.5 / height], [0.0, 0.0, 1.0]])


def _cells(
    template: NDArray[np.float32], over: NDArray[np.float32], is_there: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(C,), twice: how a template and what lies over it correlate in each cell with something to show, and how far it is off, px.

    The outermost pixels are left out: where one of the two has a frame, they are half of it.
    """
    from tasks.core.dedup import registration

    if min(template.shape) >= 12 * _EDGE_PX:
        inner = slice(_EDGE_PX, -_EDGE_PX), slice(_EDGE_PX, -_EDGE_PX)
        template, over = np.ascontiguousarray(template[inner]), np.ascontiguousarray(over[inner])
        is_there = np.ascontiguousarray(is_there[inner])
    longest_px = max(template.shape)
    rows, columns = (max(1, min(round(_CELLS * side / longest_px), side // 3)) for side in template.shape)
    fine = [registration.normalised(picture, _RADIUS_PX, _NOISE) for picture in (template, over)]
    alike, off = registration.agreements(fine[0], fine[1], is_there, rows, columns, _LEAST_POWER)
    told = ~np.isnan(alike)
    return alike[told], off[told]


def _score(cells: NDArray[np.float64]) -> float:
    return max(0.0, float(cells.mean())) if len(cells) else 0.0


def _agreement(
    cells: NDArray[np.float64],
    off: NDArray[np.float64],
    template: NDArray[np.float32],
    over: NDArray[np.float32],
    is_there: NDArray[np.bool_],
    other_px2: int,
    warp: NDArray[np.float64],
) -> Agreement:
    from tasks.core.dedup import registration

    covered_px2 = int(is_there.sum())
    if not covered_px2:
        return NOTHING
    tones = [registration.blurred(picture, _RADIUS_PX)[is_there] for picture in (template, over)]
    shown_px2 = covered_px2 * abs(float(np.linalg.det(warp[:, :2])))
    return Agreement(
        score=_score(cells),
        share=min(1.0, covered_px2 / template.size, shown_px2 / other_px2),
        tone=float(np.abs(tones[0] - tones[1]).mean()) / 255,
        likeness=_correlation(*tones),
        cells=len(cells),
        off_px=float(np.quantile(off, 0.75)) if len(off) else 0.0,
    )


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    spread = float(one.std()) * float(other.std())
    return float(((one - one.mean()) * (other - other.mean())).mean()) / spread if spread else 0.0


def relation(found: Agreement, view: View, *, has_equal_size: bool) -> Relation:
    """What such an agreement says.

    has_equal_size: both images have the same width and height. Two empty sheets are DIFFERENT: nothing in them says that they
    are one, and they must not tie others. What agrees in fewer than a handful of cells is UNCERTAIN.
    """
    if found.score < APART_SCORE:
        is_alike = found.likeness >= ALIKE_TONES and found.share >= DETAIL_SHARE
        return Relation.LOOK_ALIKE if is_alike else Relation.DIFFERENT
    if found.score < COPY_SCORE + OFF_COST_PER_PX * found.off_px or found.cells < _LEAST_CELLS:
        return Relation.UNCERTAIN
    if found.share < DETAIL_SHARE:
        return Relation.DETAIL
    if view.turns:
        return Relation.TURNED
    if view.is_mirrored:
        return Relation.MIRRORED
    if found.share < WHOLE_SHARE:
        return Relation.CROPPED
    if found.tone > SAME_TONE:
        return Relation.RECOLOURED
    return Relation.REENCODED if has_equal_size else Relation.RESIZED
