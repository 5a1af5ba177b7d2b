"""The second look: what two pictures are to each other, from their small grey thumbnails.

The one is laid over the other (`overlay`), and both are freed of their local tones: what is left is drawing,
brushwork, edges. Reproductions of one work agree in it nearly everywhere; two works of one series, however alike their
light and composition, do not: other brushstrokes lie in other places.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.relations import Relation
from tasks.core.dedup.local import Keypoints, view_of
from tasks.core.dedup.overlay import RADIUS_PX, Overlay, overlays
from tasks.core.dedup.patches import NO_PATCHES, Patches, compare_patches
from tasks.core.dedup.scores import APART_SCORE, COPY_SCORE
from tasks.core.dedup.views import View

LEAST_AGREEMENT = 0.8
"""Share of the patches that agree (`patches`), of those that say anything. Copies in JPEG of quality 30, in noise, an
eighth of their size, with a banner had 0.82 at least; different works in one mount, and pages of text, 0.77 at most."""
MOST_CLASH = 0.5
"""Leaves of one book, stamps, works in one ornate frame agree but in one place: of the patches there, so many clash at
most. Copies had 0.45 at most; works in one frame 0.76 at least; a ninth of a picture replaced by another, 0.51."""
MOST_BROAD_CLASH = 0.2
"""Of patches of twice the size, where the small ones say nothing. One of 5,970 copies had more (0.26, under glare); two
faint works in one mount of grainy paper had 0.8, dark blurred ones on one page of a browser 0.2 to 0.33."""
LEAST_PATCHES = 40
"""What agrees in fewer patches, of some 900, shows too little to be called a copy; of a tiny picture, in fewer than
two fifths."""
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
class Agreement:
    """How far two pictures agree.

    score: 0..1, the mean correlation of the cells in which either has something to show, less 0.3 for each px by which
    the upper quartile of these cells is off; 0 where neither shows anything. share: 0..1, the part of either picture
    that the other shows, of the two the smaller; most_share: the larger, 1 where one picture lies within the other.
    side: 0..1, the part of a side of either that the other shows, of the four the smallest. tone: 0..1, mean difference
    of their coarse tones there; likeness: -1..1, correlation of these. patches: what they show in detail; none are
    looked at where the score is too low for a copy.
    """

    score: float
    share: float
    most_share: float
    side: float
    tone: float
    likeness: float
    patches: Patches


NO_AGREEMENT = Agreement(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, NO_PATCHES)
"""Where the two can't be laid over each other."""


def measure_agreement(a: NDArray[np.uint8], b: NDArray[np.uint8], view: View) -> Agreement:
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
) -> Agreement:
    """How far one picture agrees with the part of the other that their keypoints say.

    a, b: grey, (H, W), as in `measure_agreement`. keypoints: of a and of b. NO_AGREEMENT where too few lie alike.
    """
    view = view_of(*keypoints, (a.shape, b.shape))
    if view is not None and view.is_larger_than_picture:
        a, b = b, a
        view = view_of(*keypoints[::-1], (a.shape, b.shape))
    return NO_AGREEMENT if view is None else measure_agreement(a, b, view)


def _agreement(overlay: Overlay, shown: NDArray[np.float64]) -> Agreement:
    """What one overlay shows. shown: (2,) 0..1, how much of the other's width and height is not margin."""
    from tasks.core.dedup import registration

    score = max(0.0, overlay.correlation - OFF_COST_PER_PX * _upper_quartile(overlay.off))
    tones = [registration.blur(picture, RADIUS_PX)[overlay.is_covered] for picture in (overlay.template, overlay.over)]
    covered = float(overlay.is_covered.mean())
    area = abs(float(np.linalg.det(overlay.warp[:2, :2])))  # of the template, in parts of the other
    shares = sorted(min(1.0, share) for share in (covered, covered * area / float(shown.prod())))
    sides = np.array([overlay.is_covered.any(axis=axis).mean() for axis in (0, 1)])
    other_sides = sides * np.linalg.norm(overlay.warp[:2, :2], axis=0) / shown
    return Agreement(
        score=score,
        share=shares[0],
        most_share=shares[1],
        side=min(1.0, float(sides.min()), float(other_sides.min())),
        tone=float(np.abs(tones[0] - tones[1]).mean()) / 255,
        likeness=_correlation(*tones),
        patches=compare_patches(overlay.template, overlay.over, overlay.is_covered)
        if score >= COPY_SCORE
        else NO_PATCHES,
    )


def _upper_quartile(values: NDArray[np.float64]) -> float:
    """Between two values as `np.quantile` has it, in a tenth of the time; 0 where there are none."""
    if not len(values):
        return 0.0
    return float(np.interp(0.75 * (len(values) - 1), np.arange(len(values)), np.sort(values)))


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
    )
