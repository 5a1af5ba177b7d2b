"""A classifier's scores: accuracy, and means over classes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.classification.confusion import class_scores
from tasks.core.evaluate.classification.predictions import Predictions
from tasks.core.evaluate.means import mean_of_defined
from tasks.core.evaluate.systems import Scorer


def classification_scorer(predictions: Predictions, top: Sequence[int] = ()) -> Scorer:
    """The scorer of a classifier over images: (N,) how often each image counts.

    `accuracy` is the share of images whose class is right, `top_<k>` that of images whose true class is among the k
    most probable ones: NaN without probabilities, 1 from as many as there are classes on. `macro_precision`,
    `macro_recall` (also called balanced accuracy) and `macro_F1` are means over the classes for which they are
    defined, each class counting alike. `images` is how many count. NaN where there is nothing to divide by.
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        images = int(times.sum())
        each = class_scores(predictions, times)
        scores = {"images": float(images), "accuracy": _share(int(each.right.sum()), images)}
        for most in top:
            rank = predictions.rank
            scores[f"top_{most}"] = np.nan if rank is None else _share(int(times[rank < most].sum()), images)
        return {
            **scores,
            "macro_precision": mean_of_defined(each.precision),
            "macro_recall": mean_of_defined(each.recall),
            "macro_F1": mean_of_defined(each.f1),
        }

    return score


def _share(part: int, of: int) -> float:
    return part / of if of else float("nan")
