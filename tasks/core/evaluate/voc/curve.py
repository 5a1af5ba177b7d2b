"""The precision-recall curve of a detector, and what is read off it: average precision and the point of the best F."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.kernels import IGNORED, RIGHT
from tasks.core.evaluate.voc.verdicts import VocVerdicts

Floats = NDArray[np.float64]
_STEPS = 10
"""AP of 2007 looks at the recalls 0, 0.1 ... 1."""


class Curve(NamedTuple):
    """What has been found down to each score: one point for each score that counted boxes have.

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

    The envelope at a recall is the best precision at that recall or a higher one. 0 where nothing is found.

    >>> ap_2010(Curve(np.array([0.9, 0.8, 0.7]), np.array([1, 1, 2]), np.array([0, 1, 1]), 2))  # right, wrong, right
    0.8333333333333333
    """
    if not curve.figures:
        return float("nan")
    steps = np.diff(curve.right, prepend=0)
    return float(steps @ _envelope(curve)) / curve.figures


def ap_2007(curve: Curve) -> float:
    """Mean of the envelope at the recalls 0, 0.1 ... 1, as in VOC up to 2009; NaN where there are no figures.

    Recalls are compared as whole numbers, so that 3 figures of 10 do reach 0.3. 0 where nothing is found.
    """
    if not curve.figures:
        return float("nan")
    at = np.searchsorted(_STEPS * curve.right, np.arange(_STEPS + 1) * curve.figures)
    return float(np.append(_envelope(curve), 0.0)[at].sum()) / (_STEPS + 1)


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


def _envelope(curve: Curve) -> Floats:
    """(P,) the best precision at each point or a later one."""
    return np.maximum.accumulate(curve.precision[::-1])[::-1]
