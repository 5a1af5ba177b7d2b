"""COCO's numbers for one pose estimator, where images count several times."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.matching import THRESHOLDS, Matches, precisions_and_recalls
from tasks.core.evaluate.systems import Scorer

MEASURES = ("AP", "AP50", "AP75", "APM", "APL", "AR", "AR50", "AR75", "ARM", "ARL")
"""pycocotools' ten numbers: similarity .50:.95 except where it is named; medium and large figures by their areas."""
ALL, MEDIUM, LARGE = range(3)
"""Places in AREAS_PX2."""
_AT_50, _AT_75 = (int(np.argmin(np.abs(THRESHOLDS - at))) for at in (0.5, 0.75))


def keypoint_scorer(matched: Matches) -> Scorer:
    """A function of (N,) `times` to MEASURES, 0..1; NaN where there is no figure to find.

    It gives what pycocotools computes for data in which each image is there so many times, as long as no image has a
    right and a wrong pose of one score.
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        values = precisions_and_recalls(matched, times)
        return dict(zip(MEASURES, summarise(values[..., 0]) + summarise(values[..., 1]), strict=True))

    return score


def summarise(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Five numbers of one kind, out of (3, 10) by area and similarity: all, at .50, at .75, medium, large."""
    by_area = values.mean(axis=1)
    picked = (by_area[ALL], values[ALL, _AT_50], values[ALL, _AT_75], by_area[MEDIUM], by_area[LARGE])
    return tuple(float(value) for value in picked)
