"""Several categories in one number: the mean over those that have a figure, as VOC and COCO have it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.systems import Scorer

AVERAGED = ("AP_2010", "AP_2007")


def mean_over_categories(
    scores: Mapping[str, Mapping[str, float]], measures: Sequence[str] = AVERAGED
) -> dict[str, float]:
    """The mean of each measure over the categories in which it is defined, as `mAP_2010` and so on, and `categories`.

    scores: of each category by measure, as scorers give them. A measure that is defined nowhere is NaN.
    `categories`: in how many the first measure is defined: for AP those that have a figure to find.

    >>> mean_over_categories({"cat": {"AP": 0.5}, "dog": {"AP": 0.25}, "eel": {"AP": float("nan")}}, ["AP"])
    {'mAP': 0.375, 'categories': 2.0}
    """
    means = {f"m{measure}": _mean([one[measure] for one in scores.values()]) for measure in measures}
    return {**means, "categories": float(sum(not np.isnan(one[measures[0]]) for one in scores.values()))}


def categories_scorer(scorers: Mapping[str, Scorer], measures: Sequence[str] = AVERAGED) -> Scorer:
    """A scorer of `mean_over_categories`, from one scorer for each category over the same images."""

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        return mean_over_categories({name: scorer(times) for name, scorer in scorers.items()}, measures)

    return score


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")
