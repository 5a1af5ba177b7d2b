"""The second look: what two pictures are to each other, from their small grey thumbnails.

The one is laid over the other (`registration`), and both are freed of their local tones: what is left is drawing,
brushwork, edges. Reproductions of one work agree in it nearly everywhere; two works of one series, however alike their
light and composition, do not: other brushstrokes lie in other places.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.relations import Relation
from tasks.core.dedup.patches import NO_PATCHES, Patches, compare_patches
from tasks.core.dedup.scores import APART_SCORE, COPY_SCORE
from tasks.core.dedup.views import View

LEAST_AGREEMENT = 0.8
"""Share of the patches that agree (`patches`), of those that say anything. Copies in JPEG of quality 30, in noise, an
eighth of their size, with a banner had 0.82 at least; different works in one mount, and pages of text, 0.77 at most."""
MOST_CLASH = 0.5
"""Leaves of one book, stamps, works in one ornate frame agree but in one place: of the patches there, so many clash at
most. Copies had 0.45 at most; works in one frame 0.76 at least; a ninth of a picture replaced by another, 0.51."""
LEAST_PATCHES = 40
"""What agrees in fewer patches, of some 900, shows too little to be called a copy."""
OFF_COST_PER_PX = 0.3
ALIKE_TONES = 0.85
"""Two works whose coarse light and dark correlate so far are look-alikes."""
WHOLE_SHARE = 0.94
"""Shares from here on are the whole picture: the registration's own error is some 2 % of an area."""
DETAIL_SHARE = 0.45
"""Just below what is left where 15 % are cut off at every side, 49 %."""
SAME_TONE = 0.02
"""Mean difference of coarse tones, of 1, that saving again may bring; a gamma of 0.9 brings 0.03."""

STORED_DECIMALS = 3
"""Of score, share and tone, as they are kept."""

_SIDES_PX = (32, 64, 128)
_STEPS_OF_LEVEL = (30, 12, 8)
_LEAST_COARSE_CORRELATION = 0.45
_STARTS = tuple(np.array(box) for box in ((0.0, 0.0, 1.0, 1.0), (0.07, 0.07, 0.93, 0.93), (-0.08, -0.08, 1.08, 1.08)))
_RIMS_PX = (7, 1)
"""How wide a rim takes no part in a step of the registration: where one picture has a frame, what is `normalised`
beside it tells of the frame, in both. Where that leads nowhere, what there is to see may lie at the edge."""
_LITTLE_POWER = 0.3
"""Mean square of what is `normalised`: 99 of 100 paintings have more; portraits on a dark ground less."""
_RADIUS_PX = 3
_NOISE = 12.0
"""Grey levels: what a JPEG of low quality adds to brushwork, and a fine contour in common does not outweigh."""
_CELLS = 6
_EDGE_PX = 2
_LEAST_POWER = 0.1
_LEAST_SIDE_PX = 8
_CORNERS = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
_SAME_PLACE = 1 / 30


@dataclass(frozen=True)
class Agreement:
    """How far two pictures agree.

    score: 0..1, the mean correlation of the cells in which either has something to show, less 0.3 for each px that
    three of four cells at most are off; 0 where nothing has. share: 0..1, the part of either picture that the other
    shows, of the two the smaller; tone: 0..1, mean difference of their coarse tones there; likeness: -1..1, correlation
    of these. patches: what they show in detail; none are looked at where the score is too low for a copy.
    """

    score: float
    share: float
    tone: float
    likeness: float
    patches: Patches


NO_AGREEMENT = Agreement(0.0, 0.0, 1.0, 0.0, NO_PATCHES)
"""Where the two can't be laid over each other."""


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


class _Overlay(NamedTuple):
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


def measure_agreement(a: NDArray[np.uint8], b: NDArray[np.uint8], view: View) -> Agreement:
    """How far b agrees with that view of a.

    Grey, (H, W), at most 512 px a side; the tinier side decides what can be seen.

    Registration goes from coarse to fine. It starts from the view's box; where that leads nowhere, from the whole, and
    from either picture as the middle of the other. What has nothing in common on a coarse level is not looked at more
    closely.
    """
    posed, whole = view.pose(a), b.astype(np.float32)
    left, top, right, bottom = view.box_in(posed) or (0, 0, posed.shape[1], posed.shape[0])
    levels = _levels(posed.astype(np.float32), whole, (bottom - top, right - left))
    box = np.array([left, top, right, bottom]) / (posed.shape[::-1] * 2)
    starts = [_from_box(start) for start in (box, *_STARTS)]
    seen_share = (right - left) * (bottom - top) / posed.size if view.margins else 1.0
    best, coarse = None, None
    for overlay in _coarse_overlays(levels[0](), starts):
        if overlay.correlation < _LEAST_COARSE_CORRELATION:
            coarse = overlay if coarse is None or overlay.correlation > coarse.correlation else coarse
            continue
        finest = _refine(overlay, levels[1:])
        measured = NO_AGREEMENT if finest is None else _agreement(finest, seen_share)
        best = measured if best is None or measured.score > best.score else best
        if best.score >= COPY_SCORE:
            break
    if best is None:
        return NO_AGREEMENT if coarse is None else _agreement(coarse, seen_share)
    return best


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
    fine = registration.normalise(template, _RADIUS_PX, _NOISE), registration.normalise(other, _RADIUS_PX, _NOISE)
    sides = _sides_of_px(template.shape), _sides_of_px(other.shape)
    return _Level(template, other, fine, *sides, _STEPS_OF_LEVEL[number])


def _coarse_overlays(level: _Level, starts: Sequence[NDArray[np.float64]]) -> Iterator[_Overlay]:
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


def _refine(overlay: _Overlay, levels: Sequence[Callable[[], _Level]]) -> _Overlay | None:
    """The overlay at finer sizes, as long as there is something in common; None where registration gets lost."""
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


def _lay_over(level: _Level, warp: NDArray[np.float64], rim_px: int) -> _Overlay | None:
    """One picture over the other, from a warp between parts of their sides; None where registration gets lost."""
    from tasks.core.dedup import registration

    of_px = np.ascontiguousarray((np.linalg.inv(level.to_other) @ warp @ level.to_template)[:2])
    if not registration.align(*level.fine, of_px, level.most_steps, rim_px):
        return None
    over, is_covered = registration.apply_warp(level.other, of_px, level.template)
    if not is_covered.any():
        return None
    warp = level.to_other @ np.vstack([of_px, [0.0, 0.0, 1.0]]) @ np.linalg.inv(level.to_template)
    return _Overlay(warp, rim_px, level.template, over, is_covered, *_cells(level.template, over, is_covered))


def _sides_of_px(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """(3, 3): from pixels, centres at whole numbers, to parts of the sides, 0..1."""
    height, width = shape
    return np.array([[1 / width, 0.0, 0.5 / width], [0.0, 1 / height, 0.5 / height], [0.0, 0.0, 1.0]])


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
    fine = [registration.normalise(picture, _RADIUS_PX, _NOISE) for picture in (template, over)]
    alike, off = registration.cell_agreements(fine[0], fine[1], is_covered, rows, columns, _LEAST_POWER)
    has_contrast = ~np.isnan(alike)
    return alike[has_contrast], off[has_contrast]


def _agreement(overlay: _Overlay, seen_share: float) -> Agreement:
    """seen_share: 0..1, how much of the other picture there is to see, its margins left away."""
    from tasks.core.dedup import registration

    off_px = float(np.quantile(overlay.off, 0.75)) if len(overlay.off) else 0.0
    score = max(0.0, overlay.correlation - OFF_COST_PER_PX * off_px)
    tones = [registration.blur(picture, _RADIUS_PX)[overlay.is_covered] for picture in (overlay.template, overlay.over)]
    covered = float(overlay.is_covered.mean())
    area = abs(float(np.linalg.det(overlay.warp[:2, :2])))  # of the template, in parts of the other
    return Agreement(
        score=score,
        share=min(1.0, covered, covered * area / seen_share),
        tone=float(np.abs(tones[0] - tones[1]).mean()) / 255,
        likeness=_correlation(*tones),
        patches=compare_patches(overlay.template, overlay.over, overlay.is_covered)
        if score >= COPY_SCORE
        else NO_PATCHES,
    )


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    spread = float(one.std()) * float(other.std())
    return float(((one - one.mean()) * (other - other.mean())).mean()) / spread if spread else 0.0


def relation_of_agreement(measured: Agreement, view: View, *, has_equal_size: bool) -> Relation:
    """What such an agreement says.

    has_equal_size: both images have the same width and height. Two empty sheets are DIFFERENT: nothing in them says
    that they are one, and they must not tie others. What agrees in few patches, or not in all that there is to see, is
    UNCERTAIN.
    """
    if measured.score < APART_SCORE:
        is_alike = measured.likeness >= ALIKE_TONES and measured.share >= DETAIL_SHARE
        return Relation.LOOK_ALIKE if is_alike else Relation.DIFFERENT
    if measured.score < COPY_SCORE or not _do_patches_agree(measured.patches):
        return Relation.UNCERTAIN
    if measured.share < DETAIL_SHARE:
        return Relation.DETAIL
    if view.turns:
        return Relation.TURNED
    if view.is_mirrored:
        return Relation.MIRRORED
    if measured.share < WHOLE_SHARE or view.margins:
        return Relation.CROPPED
    if measured.tone > SAME_TONE:
        return Relation.RECOLOURED
    return Relation.REENCODED if has_equal_size else Relation.RESIZED


def _do_patches_agree(found: Patches) -> bool:
    return found.agreeing >= LEAST_PATCHES and found.agreement >= LEAST_AGREEMENT and found.clash <= MOST_CLASH
