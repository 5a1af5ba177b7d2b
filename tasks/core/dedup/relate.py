"""The second look: what two pictures are to each other, from their small grey thumbnails.

The one is laid over the other (`overlay`), and both are freed of their local tones: what is left is drawing,
brushwork, edges. Reproductions of one work agree in it nearly everywhere; two works of one series, however alike their
light and composition, do not: other brushstrokes lie in other places.

The last word is that of small patches (`compare_patches`). Edges of mounts, rules and lines of text run straight
through a patch, and agree wherever two sheets are laid out alike. So each patch is freed of whatever is constant along
its rows or its columns: what is left is drawing, letters, strokes. Two works in one mount agree all around and nowhere
inside; two pages of text agree by chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.relations import Relation
from tasks.core.dedup.beside import WHOLE, Box
from tasks.core.dedup.local import Keypoints, view_of
from tasks.core.dedup.overlay import RADIUS_PX, Overlay, overlays
from tasks.core.dedup.sizes import AGREES, APART_SCORE, COPY_SCORE, PATCH_PX, STEP_PX
from tasks.core.dedup.views import View

Picture = NDArray[np.float32]
Mask = NDArray[np.bool_]

CLASHES = 0.4
"""Correlation of a patch below which it clashes."""

_LEAST_LEVELS = 1.5
"""Grey levels, root mean square, that can be seen in a patch: a drawing in 20 % of its contrast has some 3."""
_STRONG_LEVELS = 8.0
"""What is so strong in one picture and not there in the other was covered or replaced."""
_OF_HALF_SIZE = 0.5
"""How many grey levels count in pictures of half the size, of those that count here: grain is averaged away."""
_LEAST_SILENT = 8
"""Of the nine small patches below one of twice the size."""
_LEAST_OF_HALF_SIZE = 6
_CLEAR_LEVELS = 4.0
"""What is fainter does not count in a window: the dots of a halftone, sampled otherwise, clash on a plain ground."""
_MOST_RATIO = 4.0
"""Of two strengths that are alike: one scan of a canvas is sharper than another."""
_WINDOW = 6
"""Patches along a side of a window, 28 px of 128: a picture that takes up 15 % of the area of its mount has 50 px."""
_LEAST_IN_WINDOW = 20
_RIM = 0.12
"""Of either side, in which no window lies: banners, colour bars and stamps cover the edges of copies."""

_CLASH_WEIGHT = 2
"""Clashing patches count so many times in a strip: where pictures have nothing in common, as many agree by chance."""


class Patches(NamedTuple):
    """compared: how many patches both pictures cover. agreeing, clashing: how many of them do. clash: 0..1, the share
    of clashing ones where they lie closest together. broad_clash: 0..1, the share of those of twice the size that
    clash, where nothing is to be seen in the small ones: a faint picture in a mount whose paper has a grain. middle:
    how much of the middle agrees, of what agrees everywhere: near 0 where all that is to be seen is a frame. box: of
    the template, around what agrees: without a strip along a side in which much clashes.
    """

    compared: int
    agreeing: int
    clashing: int
    clash: float
    broad_clash: float
    middle: float
    box: Box = WHOLE

    @property
    def agreement(self) -> float:
        """0..1, the share of those that agree; 0 where there is nothing to see."""
        return self.agreeing / max(1, self.agreeing + self.clashing)


NO_PATCHES = Patches(0, 0, 0, 0.0, 0.0, 0.0)
"""Where there is nothing to see, or nothing was looked at."""


def compare_patches(template: Picture, over: Picture, is_covered: Mask) -> Patches:
    """Compare (H, W) grey levels, 0..255, of a picture and the one that lies over it, in patches of 8 x 8 px.

    Only patches that are covered whole take part. A patch agrees if its correlation is 0.5 or more, after the better of
    shifts by a px. It clashes if both pictures show something of like strength in it, which correlates by less than
    0.4, or if what one shows strongly is missing in the other. Where one picture has noise all over, more is asked of
    what is to be seen. In pictures of less than 8 px nothing is compared.
    """
    seen = _marks(template, over, is_covered, 1.0)
    if not seen.is_whole.any():
        return NO_PATCHES
    agreeing, clashing = _window_sums(seen.is_agreeing), _window_sums(seen.is_clashing & seen.is_clear)
    judged = agreeing + clashing
    share = np.where(judged >= _LEAST_IN_WINDOW, clashing / np.maximum(1, judged), 0.0)
    whole, agree, clash = (int(mask.sum()) for mask in (seen.is_whole, seen.is_agreeing, seen.is_clashing))
    broad_clash = _broad_clash(template, over, is_covered, seen)
    box = _box_of_agreeing(seen, template.shape)
    return Patches(whole, agree, clash, float(share.max()), broad_clash, _middle(seen), box)


class _Marks(NamedTuple):
    """Which patches, (rows, columns), are covered whole, agree, clash, and show more than dots of a halftone."""

    is_whole: Mask
    is_agreeing: Mask
    is_clashing: Mask
    is_clear: Mask


def _marks(template: Picture, over: Picture, is_covered: Mask, level_share: float) -> _Marks:
    """The marks of each patch. level_share: how much of the usual grey levels is asked of what is to be seen."""
    from tasks.core.dedup.registration import patch_statistics  # numba takes half a second to import

    powers, correlations = patch_statistics(template, over, is_covered)
    is_whole = ~np.isnan(correlations)
    noise = abs(float(np.median(powers[1][is_whole] - powers[0][is_whole]))) if is_whole.any() else 0.0
    least = np.sqrt((level_share * _LEAST_LEVELS) ** 2 + noise)
    low, high = np.sqrt(powers.min(axis=0)), np.sqrt(powers.max(axis=0))
    is_alike_strong = (high >= least) & (low >= 0.6 * least) & (_MOST_RATIO * low >= high)
    is_missing = high >= max(level_share * _STRONG_LEVELS, 2 * least)
    is_agreeing = is_whole & (high >= least) & (correlations >= AGREES)
    is_clashing = is_whole & (is_alike_strong | is_missing) & (correlations < CLASHES)
    return _Marks(is_whole, is_agreeing, is_clashing, high >= _CLEAR_LEVELS)


def _middle(seen: _Marks) -> float:
    """The share of patches that agree in the middle half of either side, of that share everywhere."""
    places = (np.flatnonzero(seen.is_whole.any(axis=axis)) for axis in (1, 0))
    middle = tuple(slice(place[0] + len(place) // 4, place[-1] + 1 - len(place) // 4) for place in places)
    agreeing, whole = (mask[middle].sum() for mask in (seen.is_agreeing, seen.is_whole))
    everywhere = seen.is_agreeing.sum() / seen.is_whole.sum()
    return float(agreeing / max(1, whole) / max(everywhere, 0.01))


def _box_of_agreeing(seen: _Marks, shape: tuple[int, ...]) -> Box:
    """Two sheets that share one picture may lie so that what is beside it lies over something else in the other."""
    clash = _CLASH_WEIGHT * seen.is_clashing.astype(np.int64) - seen.is_agreeing
    ends = []
    for side_px, lines in zip(shape[::-1], (clash.sum(axis=0), clash.sum(axis=1)), strict=True):
        first_px = (side_px - PATCH_PX) % STEP_PX // 2 + (PATCH_PX - STEP_PX) // 2
        # of all strips along this end the one that is odd for most of its patches
        strips = [int(np.argmax(np.append(0, np.cumsum(of)))) for of in (lines, lines[::-1])]
        if sum(strips) >= len(lines):
            return WHOLE
        ends.append([(first_px + STEP_PX * strip) / side_px if strip else 0.0 for strip in strips])
    (left, right), (top, bottom) = ends
    return left, top, 1 - right, 1 - bottom


def _broad_clash(template: Picture, over: Picture, is_covered: Mask, seen: _Marks) -> float:
    """The share of patches at half the size that clash, of those that say anything where the small ones say nothing."""
    rows, columns = (max(0, (side // 2 - PATCH_PX) // STEP_PX + 1) for side in template.shape)
    small = (seen.is_whole & ~seen.is_agreeing & ~seen.is_clashing)[: 2 * rows + 2, : 2 * columns + 2]
    silent = np.zeros((2 * rows + 2, 2 * columns + 2), np.int64)
    silent[: small.shape[0], : small.shape[1]] = small
    # a patch at half the size lies over three by three small ones
    silence = sum(silent[i : i + 2 * rows : 2, j : j + 2 * columns : 2] for i in range(3) for j in range(3))
    is_silent = np.asarray(silence >= _LEAST_SILENT)
    if is_silent.sum() < _LEAST_OF_HALF_SIZE:
        return 0.0
    is_whole = np.asarray(_quarters(is_covered).all(axis=0))
    broad = _marks(_quarters(template).mean(axis=0), _quarters(over).mean(axis=0), is_whole, _OF_HALF_SIZE)
    agreeing, clashing = (int((mask & is_silent).sum()) for mask in (broad.is_agreeing, broad.is_clashing))
    return clashing / (agreeing + clashing) if agreeing + clashing >= _LEAST_OF_HALF_SIZE else 0.0


def _quarters(picture: NDArray[Any]) -> NDArray[Any]:
    """(4, H // 2, W // 2): the four pixels of which each of a picture of half the size is made."""
    height, width = (side // 2 * 2 for side in picture.shape)
    return np.stack([picture[i:height:2, j:width:2] for i in (0, 1) for j in (0, 1)])


def _window_sums(mask: Mask) -> NDArray[np.int64]:
    """How many are set in each window of patches, the rim left away; a side that has fewer is one window."""
    inner = mask[tuple(slice(rim, side - rim) for side in mask.shape for rim in [round(_RIM * side)])]
    sums = np.zeros((inner.shape[0] + 1, inner.shape[1] + 1), np.int64)
    sums[1:, 1:] = inner.cumsum(axis=0).cumsum(axis=1)
    rows, columns = (min(_WINDOW, side) for side in inner.shape)
    return np.asarray(sums[rows:, columns:] - sums[:-rows, columns:] - sums[rows:, :-columns] + sums[:-rows, :-columns])


LEAST_AGREEMENT = 0.8
"""Of the patches that say anything. Copies in JPEG of quality 30, in noise, an eighth of their size, with a banner had
0.82 at least; different works in one mount, and pages of text, 0.77 at most."""
MOST_CLASH = 0.5
"""Leaves of one book, stamps, works in one ornate frame agree but in one place: of the patches there, so many clash at
most. Copies had 0.45 at most; works in one frame 0.76 at least; a ninth of a picture replaced by another, 0.51."""
MOST_BROAD_CLASH = 0.2
"""Of patches of twice the size, where the small ones say nothing. One of 5,970 copies had more (0.26, under glare); two
faint works in one mount of grainy paper had 0.8, dark blurred ones on one page of a browser 0.2 to 0.33."""
LEAST_MIDDLE = 0.25
"""Different dark works in one carved frame that fills half of the sheet had 0.13 at most, copies of paintings 0.5."""
LEAST_PATCHES = 40
"""What agrees in fewer, of some 900 (of a tiny picture, than two fifths), shows too little to be called a copy."""
OFF_COST_PER_PX = 0.3
ALIKE_TONES = 0.85
"""Two works whose coarse light and dark correlate so far are look-alikes."""
WHOLE_SHARE = 0.94
"""Shares from here on are the whole picture: the registration's own error is some 2 % of an area."""
DETAIL_SHARE = 0.45
"""Just below what is left where 15 % are cut off at every side, 49 %."""
DETAIL_SIDE = 0.55
"""Halves, wings of a diptych and single pages show half of one side of the whole; crops by a quarter, 0.75. Of 3,036
copies two show less: narrow pictures on a blurred ground."""
WITHIN_SHARE = 0.78
"""Of a copy and its work one lies within the other, up to what two trimmed copies lost at opposite sides. Strips of
three pictures that move on by one, and parts of a page that was scrolled, overlap by 0.76 at most: each shows what the
other does not."""
SAME_TONE = 0.02
"""Mean difference of coarse tones, of 1, that saving again may bring; a gamma of 0.9 brings 0.03."""

STORED_DECIMALS = 3
"""Of score, share and tone, as they are kept."""


@dataclass(frozen=True)
class PixelAgreement:
    """How far two pictures agree.

    score: 0..1, the mean correlation of the cells in which either has something to show, less 0.3 for each px by which
    the upper quartile of these cells is off; 0 where neither shows anything. share: 0..1, the part of either picture
    that the other shows, of the two the smaller; most_share: the larger, 1 where one picture lies within the other.
    side: 0..1, the part of a side of either that the other shows, of the four the smallest. tone: 0..1, mean difference
    of their coarse tones there; likeness: -1..1, correlation of these. patches: none where no copy by its score. boxes:
    around the part of either picture that the other shows.
    """

    score: float
    share: float
    most_share: float
    side: float
    tone: float
    likeness: float
    patches: Patches
    boxes: tuple[Box, Box] = (WHOLE, WHOLE)

    def parts(self) -> Iterator[tuple[int, Box]]:
        """Of the first (0) and the second picture (1) those that show more than the other, with its part."""
        for side, (left, top, right, bottom) in enumerate(self.boxes):
            if (right - left) * (bottom - top) < WHOLE_SHARE:
                yield side, (left, top, right, bottom)


NO_AGREEMENT = PixelAgreement(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, NO_PATCHES)
"""Where the two can't be laid over each other."""


def measure_agreement(a: NDArray[np.uint8], b: NDArray[np.uint8], view: View) -> PixelAgreement:
    """How far b agrees with that view of a.

    a, b: grey, (H, W), sides 1 to 512 px; the smaller picture decides what can be seen. Of the places to
    which registration leads the first where they are copies, or else the best; NO_AGREEMENT where it leads nowhere.
    """
    posed = view.pose(a)
    left, top, right, bottom = view.box_in(posed) or (0, 0, posed.shape[1], posed.shape[0])
    shown = np.array([right - left, bottom - top]) / posed.shape[::-1] if view.margins else np.ones(2)
    best = None
    for overlay in overlays(posed, b, (left, top, right, bottom)):
        measured = _agreement(overlay, shown)
        best = measured if best is None or measured.score > best.score else best
        if best.score >= COPY_SCORE:
            break
    return best or NO_AGREEMENT


def measure_local_agreement(
    a: NDArray[np.uint8], b: NDArray[np.uint8], keypoints: tuple[Keypoints, Keypoints]
) -> PixelAgreement:
    """How far one picture agrees with the part of the other that their keypoints say.

    a, b: grey, (H, W), as in `measure_agreement`. keypoints: of a and of b. NO_AGREEMENT where too few lie alike.
    """
    view = view_of(*keypoints, (a.shape, b.shape))
    if view is not None and view.is_larger_than_picture:
        a, b = b, a
        view = view_of(*keypoints[::-1], (a.shape, b.shape))
        measured = NO_AGREEMENT if view is None else measure_agreement(a, b, view)
        return replace(measured, boxes=measured.boxes[::-1])
    return NO_AGREEMENT if view is None else measure_agreement(a, b, view)


def _agreement(overlay: Overlay, shown: NDArray[np.float64]) -> PixelAgreement:
    """What one overlay shows. shown: (2,) 0..1, how much of the other's width and height is not margin."""
    from tasks.core.dedup import registration

    score = max(0.0, overlay.correlation - OFF_COST_PER_PX * _upper_quartile(overlay.off))
    tones = [registration.blur(picture, RADIUS_PX)[overlay.is_covered] for picture in (overlay.template, overlay.over)]
    covered = float(overlay.is_covered.mean())
    area = abs(float(np.linalg.det(overlay.warp[:2, :2])))  # of the template, in parts of the other
    shares = sorted(min(1.0, share) for share in (covered, covered * area / float(shown.prod())))
    sides = np.array([overlay.is_covered.any(axis=axis).mean() for axis in (0, 1)])
    other_sides = sides * np.linalg.norm(overlay.warp[:2, :2], axis=0) / shown
    patches = NO_PATCHES
    if score >= COPY_SCORE:
        patches = compare_patches(overlay.template, overlay.over, overlay.is_covered)
    side = min(1.0, float(sides.min()), float(other_sides.min()))
    tone = float(np.abs(tones[0] - tones[1]).mean()) / 255
    shared = _overlap(_box_of_covered(overlay.is_covered), patches.box)
    boxes = _box_of_other(overlay.warp, shared), shared
    return PixelAgreement(score, shares[0], shares[1], side, tone, _correlation(*tones), patches, boxes)


def _box_of_covered(is_covered: Mask) -> Box:
    rows, columns = (np.flatnonzero(is_covered.any(axis=axis)) for axis in (1, 0))
    height, width = is_covered.shape
    return columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height


def _overlap(one: Box, other: Box) -> Box:
    (left, top), (right, bottom) = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
    return float(left), float(top), float(right), float(bottom)


def _box_of_other(warp: NDArray[np.float64], box: Box) -> Box:
    """Around the place of the template's box in the other picture, as far as it reaches."""
    left, top, right, bottom = box
    corners = np.array([[left, right, left, right], [top, top, bottom, bottom], [1.0] * 4])
    x, y = np.clip((warp @ corners)[:2], 0.0, 1.0)
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _upper_quartile(values: NDArray[np.float64]) -> float:
    """Between two values as `np.quantile` has it, in a tenth of the time; 0 where there are none."""
    if not len(values):
        return 0.0
    return float(np.interp(0.75 * (len(values) - 1), np.arange(len(values)), np.sort(values)))


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    spread = float(one.std()) * float(other.std())
    return float(((one - one.mean()) * (other - other.mean())).mean()) / spread if spread else 0.0


def relation_of_agreement(measured: PixelAgreement, view: View, *, has_equal_size: bool) -> Relation:
    """What such an agreement says. has_equal_size: both images have the same width and height.

    Two empty sheets are DIFFERENT: nothing in them says that they are one, and they must not tie others. What agrees in
    few patches, or not in all that there is to see, is UNCERTAIN.
    """
    if measured.score < APART_SCORE:
        is_alike = measured.likeness >= ALIKE_TONES and measured.share >= DETAIL_SHARE
        return Relation.LOOK_ALIKE if is_alike else Relation.DIFFERENT
    if measured.score < COPY_SCORE or not _do_patches_agree(measured.patches):
        return Relation.UNCERTAIN
    if measured.share < DETAIL_SHARE or measured.side < DETAIL_SIDE or measured.most_share < WITHIN_SHARE:
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
    least = min(LEAST_PATCHES, 0.4 * found.compared)
    return (
        found.agreeing >= max(1, least)
        and found.agreement >= LEAST_AGREEMENT
        and found.clash <= MOST_CLASH
        and found.broad_clash <= MOST_BROAD_CLASH
        and found.middle >= LEAST_MIDDLE
    )
