"""VOC's numbers for one detector, where images count several times."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.systems import Scorer
from tasks.core.evaluate.voc.curve import Curve, ap_2007, ap_2010, best_f, precision_recall_curve
from tasks.core.evaluate.voc.verdicts import VocVerdicts

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


def voc_scorer(verdicts: VocVerdicts) -> Scorer:
    """A function of (N,) `times` to MEASURES; NaN where one is not defined.

    It gives what `voc_scores` says of data in which each image is there so many times, also where scores are equal.
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        return voc_scores(precision_recall_curve(verdicts, times))

    return score


def voc_scores(curve: Curve) -> dict[str, float]:
    """MEASURES of a curve, 0..1.

    Where there are no figures all are NaN. Where there are, but no box counts, precision and score are NaN and the rest
    is 0.
    """
    best = best_f(curve)
    return dict(
        zip(
            MEASURES,
            (
                ap_2010(curve),
                ap_2007(curve),
                best.f_measure,
                best.precision,
                best.recall,
                best.score,
                _largest(curve.precision, curve, np.nan),
                _largest(curve.recall, curve, 0.0),
            ),
            strict=True,
        )
    )


def _largest(values: NDArray[np.float64], curve: Curve, without_boxes: float) -> float:
    return float(values.max(initial=0.0 if len(values) else without_boxes)) if curve.figures else float("nan")
