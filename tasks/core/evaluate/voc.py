"""How well a detector finds figures by the rule of PASCAL VOC, which the Picasso paper takes (sections 5.5 and 7.1).

`voc_verdicts` says once which boxes are right, a `Curve` what precision and recall come to at each score, and
`voc_scorer` computes AP and best F where images count several times.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_figures import VocSettings
from schemas.phrases import counted
from tasks.core.columns import Column
from tasks.core.evaluate.kernels import IGNORED, RIGHT, WRONG
from tasks.core.evaluate.matching import Detections, DrawnFigures, box_overlaps, count_figures, rows_by_image
from tasks.core.evaluate.systems import Scorer

Floats = NDArray[np.float64]
MEASURES = ("AP_2010", "AP_2007", "F", "precision_at_F", "recall_at_F", "score_at_F", "most_precision", "most_recall")
"""F is the largest on the curve; precision, recall and score are those of its point (Picasso, section 5.5). most_*: the
largest anywhere on the curve, each for itself, as the caption of Fig. 7 has it.
"""
AVERAGED = ("AP_2010", "AP_2007")
"""Of several categories: all others are of one threshold, which differs from category to category."""

_EDGE_PX = {"x+w-1": 0.0, "x+w": 1.0}
"""By how much the sides of a box are longer than its width and height, by `far_corner`."""
_ALL = ((-np.inf, np.inf),)
_STEPS = 10
"""AP of 2007 looks at the recalls 0, 0.1 ... 1."""
_DIGITS = 3
"""Of a plot: a thousandth of the axis is less than what can be seen."""


class VocVerdicts(NamedTuple):
    """Whether each box is right.

    verdict: (D,) IGNORED, RIGHT or WRONG. image: (D,) row of each box's image. score: (D,), falling; of equal scores
    those that are wrong come first. figures: (N,) how many each image has, without crowds.
    """

    verdict: NDArray[np.uint8]
    image: NDArray[np.int64]
    score: Floats
    figures: NDArray[np.int64]


def voc_verdicts(truth: DrawnFigures, detections: Detections, settings: VocSettings | None = None) -> VocVerdicts:
    """The verdict on each box, by the rule of VOC's devkit of 2010 (VOCevaldet).

    The boxes of an image come by falling score. Each takes the figure that it overlaps most, taken or not, of equal
    ones the first by x, y, width and height, crowds last. It is right if their IoU, the ordinary one also of a crowd,
    reaches the threshold and nobody has taken the figure, and ignored if that figure is a crowd, which plays the part
    of VOC's `difficult`. Otherwise it is wrong, also where a second figure would be free: there pycocotools decides
    differently. A box without an area overlaps nothing.
    """
    settings = settings or VocSettings()
    order = np.lexsort((truth.is_crowd, *truth.xywh_px.T[::-1], truth.image))
    truth = DrawnFigures._make([truth.images, *(values[order] for values in truth[1:])])
    edge = np.array([0.0, 0.0, 1.0, 1.0]) * _EDGE_PX[settings.far_corner]
    verdict = np.full(len(detections.score), WRONG, np.uint8)
    for figures, boxes in rows_by_image(truth, detections.image):
        is_nobody = np.zeros(figures.stop - figures.start, np.bool_)  # for pycocotools nobody is a crowd: ordinary IoU
        overlaps = box_overlaps(detections.xywh_px[boxes] + edge, truth.xywh_px[figures] + edge, is_nobody)
        verdict[boxes] = _take_best(overlaps, truth.is_crowd[figures], settings.iou)
    order = np.lexsort((verdict != WRONG, -detections.score))
    figures_of_images = count_figures(truth, truth.is_crowd, _ALL)[:, 0]
    return VocVerdicts(verdict[order], detections.image[order], detections.score[order], figures_of_images)


def _take_best(overlaps: Floats, is_crowd: NDArray[np.bool_], threshold: float) -> NDArray[np.uint8]:
    """(D,) verdicts in one image. overlaps: (D, G), boxes by falling score."""
    verdict = np.full(len(overlaps), WRONG, np.uint8)
    if not overlaps.size:
        return verdict
    overlaps = np.nan_to_num(overlaps, nan=0.0)  # of boxes whose areas are beyond the largest number
    best = overlaps.argmax(axis=1)
    rows = np.flatnonzero(overlaps.max(axis=1) >= threshold)
    is_ignored = is_crowd[best[rows]]
    verdict[rows[is_ignored]] = IGNORED
    rows = rows[~is_ignored]
    verdict[rows[np.unique(best[rows], return_index=True)[1]]] = RIGHT  # the first box of each figure
    return verdict


def full_frame_boxes(width_px: Column, height_px: Column) -> Detections:
    """One box of score 1 for each image, as large as the canvas: what this detector reaches can be had for nothing, as
    in a portrait the figure fills more than half of the canvas (Picasso, section 5.1).

    width_px, height_px: (N,) upright sizes in px. Raises BadInput where a size is missing or is not above 0.
    """
    sides = np.stack([side.cast(pa.float64()).fill_null(float("nan")) for side in (width_px, height_px)], axis=1)
    if unknown := int((~(sides > 0).all(axis=1)).sum()):
        expected = "a width and height above 0 of every image"
        raise BadInput(f"full-frame baseline: expected {expected}, got none for {counted(unknown, 'image')}")
    xywh_px = np.concatenate([np.zeros_like(sides), sides], axis=1)
    return Detections(np.arange(len(sides), dtype=np.int64), xywh_px, np.ones(len(sides)))


class Curve(NamedTuple):
    """The precision-recall curve, one point for each score that counted boxes have.

    score: (P,) falling, each once. right, wrong: (P,) how many boxes of at least that score are. figures: how many
    there are to find.
    """

    score: Floats
    right: NDArray[np.int64]
    wrong: NDArray[np.int64]
    figures: int

    @property
    def precision(self) -> Floats:
        """(P,) share of the boxes that are right."""
        return self.right / (self.right + self.wrong)

    @property
    def recall(self) -> Floats:
        """(P,) share of the figures that are found; NaN where there are none."""
        return self.right / self.figures if self.figures else np.full(len(self.right), np.nan)

    @property
    def f_measure(self) -> Floats:
        """(P,) harmonic mean of precision and recall, 0 where both are."""
        return 2 * self.right / (self.figures + self.right + self.wrong)

    @property
    def envelope(self) -> Floats:
        """(P,) the best precision at each recall or a higher one."""
        return np.maximum.accumulate(self.precision[::-1])[::-1]


def precision_recall_curve(verdicts: VocVerdicts, times: NDArray[np.int64] | None = None) -> Curve:
    """The curve where each image counts so many times, (N,), once by default.

    Boxes of equal scores make one point, since no threshold can part them. AP is that of VOC's devkit, in which each
    box makes a point of its own, for an order in which the wrong boxes of a score come before the right ones.
    """
    counts = (np.ones(len(verdicts.figures), np.int64) if times is None else times)[verdicts.image]
    counts = counts * (verdicts.verdict != IGNORED)
    is_counted = counts > 0
    score, counts, is_right = verdicts.score[is_counted], counts[is_counted], verdicts.verdict[is_counted] == RIGHT
    is_last = np.append(score[1:] != score[:-1], np.ones(min(len(score), 1), np.bool_))
    right = np.cumsum(counts * is_right)[is_last]
    wrong = np.cumsum(counts * ~is_right)[is_last]
    figures = verdicts.figures.sum() if times is None else times @ verdicts.figures
    return Curve(score[is_last], right, wrong, int(figures))


def ap_2010(curve: Curve) -> float:
    """Area under the curve's envelope, with all points, as VOC from 2010 on; NaN without figures, 0 if all are wrong.

    >>> ap_2010(Curve(np.array([0.9, 0.8, 0.7]), np.array([1, 1, 2]), np.array([0, 1, 1]), 2))  # right, wrong, right
    0.8333333333333333
    """
    if not curve.figures:
        return float("nan")
    return float(np.diff(curve.right, prepend=0) @ curve.envelope) / curve.figures


def ap_2007(curve: Curve) -> float:
    """Mean of the envelope at the recalls 0, 0.1 ... 1, as in VOC up to 2009; NaN without figures, 0 if all are wrong.

    Recalls are compared as whole numbers, so that 3 figures of 10 do reach 0.3.
    """
    if not curve.figures:
        return float("nan")
    at = np.searchsorted(_STEPS * curve.right, np.arange(_STEPS + 1) * curve.figures)
    return float(np.append(curve.envelope, 0.0)[at].sum()) / (_STEPS + 1)


def best_f(curve: Curve) -> tuple[float, float, float, float]:
    """F, precision, recall and score, the threshold to set, of the point with the largest F, of equal ones the one with
    the highest score (Picasso, section 5.5; ties: ours).

    Without a counted box F and recall are 0, and precision and score are NaN. Without figures all is NaN.
    """
    nothing = 0.0 if curve.figures else math.nan
    if not (curve.figures and len(curve.score)):
        return nothing, math.nan, nothing, math.nan
    f = curve.f_measure
    at = int(f.argmax())
    return float(f[at]), float(curve.precision[at]), float(curve.recall[at]), float(curve.score[at])


def voc_scorer(verdicts: VocVerdicts) -> Scorer:
    """A function of (N,) `times` to `voc_scores` of data in which each image is there so many times."""
    return lambda times: voc_scores(precision_recall_curve(verdicts, times))


def voc_scores(curve: Curve) -> dict[str, float]:
    """MEASURES of a curve, 0..1: NaN without figures; where no box counts, precision and score are NaN, the rest 0."""
    if not curve.figures:
        return dict.fromkeys(MEASURES, float("nan"))
    most_precision = float(curve.precision.max()) if len(curve.score) else float("nan")
    most_recall = float(curve.recall.max(initial=0.0))
    numbers = (ap_2010(curve), ap_2007(curve), *best_f(curve), most_precision, most_recall)
    return dict(zip(MEASURES, numbers, strict=True))


PlotArrays = tuple[dict[str, Floats], dict[str, Floats], dict[str, Floats]]
"""Lines, best points and dots by name, each (P, 2) of (recall, precision), 0..1."""


def plot_arrays(curves: Mapping[str, Curve], people: Mapping[str, tuple[Floats, Floats]]) -> PlotArrays:
    """One drawing (Picasso, Fig. 7 and 8), to 0.001: each detector's line, from the highest score down, and its point
    of the largest F, and a dot for each person. Points that are equal then are there once in a row.

    people: by name of a group (R,) recalls and (R,) precisions. A person for whom one of them is NaN has no dot, and a
    detector without figures to find has no line.
    """
    lines = {name: _points(curve.recall, curve.precision) for name, curve in curves.items()}
    bests = {name: np.array(best_f(curve))[:, None] for name, curve in curves.items()}
    return (
        {name: points[np.any(np.diff(points, axis=0, prepend=-1), axis=1)] for name, points in lines.items()},
        {name: _points(recall, precision) for name, (_, precision, recall, _) in bests.items()},
        {name: _points(recall, precision) for name, (recall, precision) in people.items()},
    )


def _points(recall: Floats, precision: Floats) -> Floats:
    points: Floats = np.stack([recall, precision], axis=1)
    return points[~np.isnan(points).any(axis=1)].round(_DIGITS)
