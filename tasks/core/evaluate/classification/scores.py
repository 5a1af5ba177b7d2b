"""A classifier's scores: accuracy, means over classes, and those of each class."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.classification.confusion import class_scores, confusion_matrix
from tasks.core.evaluate.classification.predictions import Predictions
from tasks.core.evaluate.means import mean_of_defined
from tasks.core.evaluate.systems import Scorer


def classification_scorer(predictions: Predictions, top: Sequence[int] = ()) -> Scorer:
    """The scorer of a classifier over images: (N,) how often each image counts.

    `accuracy` is the share of images whose class is right, `top_<k>` that of images whose true class is among the k
    most probable ones: NaN without probabilities, 1 from as many as there are classes on. `macro_precision`,
    `macro_recall` (also called balanced accuracy) and `macro_F1` are means over the classes for which they are
    defined, each class counting alike. `precision_<class>`, `recall_<class>` and `F1_<class>` are those of each class,
    by `ClassScores`. `images` is how many count. NaN where there is nothing to divide by.
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        images = int(times.sum())
        matrix = confusion_matrix(predictions, times)
        each = class_scores(matrix)
        scores = {"images": float(images), "accuracy": _share(int(np.trace(matrix)), images)}
        for most in top:
            rank = predictions.rank
            scores[f"top_{most}"] = np.nan if rank is None else _share(int(times[rank < most].sum()), images)
        columns = {"precision": each.precision, "recall": each.recall, "F1": each.f1}
        scores.update((f"macro_{name}", mean_of_defined(values)) for name, values in columns.items())
        for name, values in columns.items():
            scores.update(zip([f"{name}_{one}" for one in predictions.classes], values.tolist(), strict=True))
        return scores

    return score


def _share(part: int, of: int) -> float:
    return part / of if of else float("nan")
