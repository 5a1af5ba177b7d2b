"""How well a detector finds figures by the rule of PASCAL VOC, which the Picasso paper takes (sections 5.5 and 7.1).

`voc_verdicts` says once which boxes are right, a `Curve` what precision and recall come to at each score, and
`voc_scorer` computes AP and best F where images count several times.
"""

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
MEASURES = (
    "AP_2010",
    "AP_2007",
    "F",
    "precision_at_F",
    "recall_at_F",
    "score_at_F",
    "most_precision",
    "most_recall",
)
"""F is the largest on the curve; precision, recall and score are those of its point (Picasso, section 5.5). most_*: the
largest anywhere on the curve, each for itself, as the caption of Fig. 7 has it; the largest F is F in both readings.
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

    The boxes of an image come by falling score. Each takes the figure that it overlaps most, taken or not. It is right
    if their IoU reaches the threshold and nobody has taken the figure, and ignored if that figure is a crowd, which
    plays the part of VOC's `difficult`. Otherwise it is wrong, also where a second figure would be free: there
    pycocotools decides differently. A crowd's overlap is the ordinary IoU here.

    A box without an area overlaps nothing. Equal overlaps: the first figure by x, y, width and height, crowds last. So
    the result depends on the order of neither figures nor boxes.
    """
    settings = settings or VocSettings()
    order = np.lexsort((truth.is_crowd, *truth.xywh_px.T[::-1], truth.image))
    truth = DrawnFigures(
        truth.images, truth.image[order], truth.xywh_px[order], truth.area_px2[order], truth.is_crowd[order]
    )
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
    """The detector that looks at nothing: one box of score 1 for each image, as large as the canvas.

    In a portrait the figure fills more than half of the canvas, so that even a random box of that size counts as right
    (Picasso, section 5.1): what this detector reaches is what can be had for nothing.

    width_px, height_px: (N,) upright sizes in px. Raises BadInput where a size is missing or is not above 0.
    """
    sides = np.stack([side.cast(pa.float64()).fill_null(float("nan")) for side in (width_px, height_px)], axis=1)
    if unknown := int((~(sides > 0).all(axis=1)).sum()):
        raise BadInput(
            f"full-frame baseline: expected a width and height above 0 of every image, "
            f"got none for {counted(unknown, 'image')}"
        )
    xywh_px = np.concatenate([np.zeros_like(sides), sides], axis=1)
    return Detections(np.arange(len(sides), dtype=np.int64), xywh_px, np.ones(len(sides)))


class Curve(NamedTuple):
    """The precision-recall curve: what has been found down to each score, one point for each that counted boxes have.

    score: (P,) falling, each once. right, wrong: (P,) how many boxes of at least that score are; their sum rises.
    figures: how many there are to find. No point without a counted box.
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
        """(P,) harmonic mean of precision and recall, 0 where both are; NaN where there are no figures."""
        if not self.figures:
            return np.full(len(self.right), np.nan)
        return 2 * self.right / (self.figures + self.right + self.wrong)

    @property
    def envelope(self) -> Floats:
        """(P,) the best precision at each recall or a higher one."""
        return np.maximum.accumulate(self.precision[::-1])[::-1]


class BestF(NamedTuple):
    """The point of a curve with the largest F. score: the threshold to set; NaN without a point of the curve."""

    f_measure: float
    precision: float
    recall: float
    score: float


def precision_recall_curve(verdicts: VocVerdicts, times: NDArray[np.int64] | None = None) -> Curve:
    """The curve where each image counts so many times, once by default. times: (N,), 0 or more.

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
    """Area under the curve's envelope, with all points, as in VOC from 2010 on; NaN where there are no figures.

    0 where nothing is found.

    >>> ap_2010(Curve(np.array([0.9, 0.8, 0.7]), np.array([1, 1, 2]), np.array([0, 1, 1]), 2))  # right, wrong, right
    0.8333333333333333
    """
    if not curve.figures:
        return float("nan")
    return float(np.diff(curve.right, prepend=0) @ curve.envelope) / curve.figures


def ap_2007(curve: Curve) -> float:
    """Mean of the envelope at the recalls 0, 0.1 ... 1, as in VOC up to 2009; NaN where there are no figures.

    Recalls are compared as whole numbers, so that 3 figures of 10 do reach 0.3. 0 where nothing is found.
    """
    if not curve.figures:
        return float("nan")
    at = np.searchsorted(_STEPS * curve.right, np.arange(_STEPS + 1) * curve.figures)
    return float(np.append(curve.envelope, 0.0)[at].sum()) / (_STEPS + 1)


def best_f(curve: Curve) -> BestF:
    """The point with the largest F, of equal ones the one with the highest score (Picasso, section 5.5; ties: ours).

    Without a counted box F and recall are 0, and precision and score are NaN. Without figures all is NaN.
    """
    if not curve.figures:
        return BestF(*[float("nan")] * 4)
    if not len(curve.score):
        return BestF(0.0, float("nan"), 0.0, float("nan"))
    f = curve.f_measure
    at = int(f.argmax())
    return BestF(float(f[at]), float(curve.precision[at]), float(curve.recall[at]), float(curve.score[at]))


def voc_scorer(verdicts: VocVerdicts) -> Scorer:
    """A function of (N,) `times` to MEASURES; NaN where one is not defined.

    It gives what `voc_scores` says of data in which each image is there so many times, also where scores are equal.
    """
    return lambda times: voc_scores(precision_recall_curve(verdicts, times))


def voc_scores(curve: Curve) -> dict[str, float]:
    """MEASURES of a curve, 0..1.

    Where there are no figures all are NaN. Where there are, but no box counts, precision and score are NaN and the rest
    is 0.
    """
    if not curve.figures:
        return dict.fromkeys(MEASURES, float("nan"))
    most_precision = float(curve.precision.max()) if len(curve.score) else float("nan")
    most_recall = float(curve.recall.max(initial=0.0))
    numbers = (ap_2010(curve), ap_2007(curve), *best_f(curve), most_precision, most_recall)
    return dict(zip(MEASURES, numbers, strict=True))


class PlotArrays(NamedTuple):
    """Everything in one drawing, as (recall, precision), 0..1.

    lines: by detector (P, 2), from the highest score down. bests: by detector the point of the largest F, (1, 2), or
    (0, 2) without a curve. dots: by name of a group of people (R, 2), or (0, 2).
    """

    lines: dict[str, Floats]
    bests: dict[str, Floats]
    dots: dict[str, Floats]


def plot_arrays(curves: Mapping[str, Curve], people: Mapping[str, tuple[Floats, Floats]]) -> PlotArrays:
    """The arrays of one drawing (Picasso, Fig. 7 and 8), to 0.001; points that are equal then are there once in a row.

    people: by name (R,) recalls and (R,) precisions. A person for whom one of them is NaN has no dot, and a detector
    without figures to find has no line.
    """
    lines = {name: _points(curve.recall, curve.precision) for name, curve in curves.items()}
    bests = {name: best_f(curve) for name, curve in curves.items()}
    return PlotArrays(
        {name: points[_is_new(points)] for name, points in lines.items()},
        {name: _points(np.array([best.recall]), np.array([best.precision])) for name, best in bests.items()},
        {name: _points(recall, precision) for name, (recall, precision) in people.items()},
    )


def _points(recall: Floats, precision: Floats) -> Floats:
    points: Floats = np.stack([recall, precision], axis=1)
    return points[~np.isnan(points).any(axis=1)].round(_DIGITS)


def _is_new(points: Floats) -> NDArray[np.bool_]:
    is_new = np.ones(len(points), np.bool_)
    is_new[1:] = (points[1:] != points[:-1]).any(axis=1)
    return is_new
