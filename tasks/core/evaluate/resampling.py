"""How much scores would vary with other images of the same kind: the bootstrap over images.

Boxes are matched once. A resample draws as many images as there are, with replacement; a box of an image that was drawn
three times counts three times. That is what pycocotools computes for a file that holds the image three times, as long
as no image has a right and a wrong box of one score (Efron & Tibshirani, "An Introduction to the Bootstrap", 1993,
chapter 13).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.matching import THRESHOLDS, Matches
from tasks.core.evaluate.means import means_along

MEASURES = ("AP", "AP50", "AP75", "APS", "APM", "APL", "AR")
"""AR: of at most as many boxes per image as were matched."""
RECALLS = np.linspace(0.0, 1.0, 101)
LEVEL = 0.95
_AT_ONCE = 64
"""Resamples whose weights are held in memory."""
_AT = (0, 5)
"""Places of IoU 0.50 and 0.75 in THRESHOLDS."""

Floats = NDArray[np.float64]


def weighted_scores(matched: Matches, times: NDArray[np.int64] | None = None) -> Floats:
    """(7,) MEASURES where each image counts so many times, once by default.

    NaN where there is no figure.
    """
    values = precisions_and_recalls(matched, np.ones(len(matched.figures), np.int64) if times is None else times)
    precision = values[..., 0]
    return np.array(
        [
            precision[0].mean(),
            *precision[0, _AT],
            *(precision[area].mean() for area in (1, 2, 3)),
            values[0, :, 1].mean(),
        ]
    )


def precisions_and_recalls(matched: Matches, times: NDArray[np.int64]) -> Floats:
    """(A, 10, 2) mean precision and last recall by range of areas and threshold; NaN where there is no figure."""
    from tasks.core.evaluate.kernels import precision_and_recall  # numba takes half a second to import

    figures = times @ matched.figures
    values = np.full((len(figures), len(THRESHOLDS), 2), np.nan)
    for area, count in enumerate(figures):
        if count:
            for step in range(len(THRESHOLDS)):
                values[area, step] = precision_and_recall(
                    matched.verdicts[area, step], matched.image, times, int(count), RECALLS
                )
    return values


def bootstrap_scores(several: Sequence[Sequence[Matches]], replicates: int, rng: np.random.Generator) -> Floats:
    """(detectors, replicates, 7) MEASURES of each detector on the same resamples of the same images.

    several: of each detector the matches of each category, one or more; of several categories the measures are means
    over those that have a figure in the resample. Detectors can then be compared on the same images. Without images all
    values are NaN.
    """
    images = len(several[0][0].figures) if several else 0
    values = np.full((len(several), len(several[0]) if several else 1, replicates, len(MEASURES)), np.nan)
    for start in range(0, replicates if images else 0, _AT_ONCE):
        count = min(_AT_ONCE, replicates - start)
        weights = rng.multinomial(images, np.full(images, 1 / images), size=count)
        for place, times in enumerate(weights):
            for detector, categories in enumerate(several):
                for category, matched in enumerate(categories):
                    values[detector, category, start + place] = weighted_scores(matched, times)
    return means_along(values, 1)


def interval(values: Floats) -> tuple[float, float] | None:
    """The middle 95 % of the resamples' values, by percentiles; None where fewer than half of them are defined.

    >>> interval(np.array([0.5, 0.5, np.nan]))
    (0.5, 0.5)
    """
    defined = values[~np.isnan(values)]
    if not len(defined) or 2 * len(defined) < len(values):
        return None
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
