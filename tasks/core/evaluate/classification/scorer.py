"""Which class a classifier takes for which, and its scores: accuracy, and means over classes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tasks.core.evaluate.classification.predictions import ClassPredictions, Counts, Floats
from tasks.core.evaluate.means import mean_of_defined
from tasks.core.evaluate.systems import Scorer


class ClassScores(NamedTuple):
    """Scores of each class, 0..1, NaN where not defined; all (C,).

    precision: the share that is right of the images that are said to be of the class. recall: of the images of the
    class. f1: 2 TP / (2 TP + FP + FN); NaN where the class has neither images nor predictions, and so 0 where it has
    one of them alone. images, predictions, right: how many there are, and how many are both.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    images: Counts
    predictions: Counts
    right: Counts


def classification_scorer(predictions: ClassPredictions, top: Sequence[int] = ()) -> Scorer:
    """The scorer of a classifier over images: (N,) how often each image counts.

    `accuracy` is the share of images whose class is right, `top_<k>` that of images whose true class is among the k
    most probable ones: NaN without probabilities, 1 from as many as there are classes on. `macro_precision`,
    `macro_recall` (also called balanced accuracy) and `macro_F1` are means over the classes for which they are
    defined, each class counting alike. `images` is how many count. NaN where there is nothing to divide by.
    """
    rank = predictions.rank

    def score(times: Counts) -> dict[str, float]:
        images = int(times.sum())
        each = class_scores(predictions, times)
        right = {f"top_{most}": np.nan if rank is None else int(times[rank < most].sum()) for most in top}
        counts = {"accuracy": int(each.right.sum()), **right}
        shares = {name: part / images if images else np.nan for name, part in counts.items()}
        means = zip(("precision", "recall", "F1"), each[:3], strict=True)
        return {"images": float(images), **shares, **{f"macro_{name}": mean_of_defined(own) for name, own in means}}

    return score


def class_scores(predictions: ClassPredictions, times: Counts | None = None) -> ClassScores:
    """The scores of each class. times: (N,) how often each image counts, once by default."""
    true, predicted = predictions.true, predictions.predicted
    counts = np.ones(len(true), np.int64) if times is None else times
    weighted = ((true, counts), (predicted, counts), (true, counts * (true == predicted)))
    images, guesses, right = (
        np.bincount(places, weights, len(predictions.classes)).astype(np.int64) for places, weights in weighted
    )
    shares = divide(right, guesses), divide(right, images), divide(2 * right, images + guesses)
    return ClassScores(*shares, images, guesses, right)


def confusion_cells(predictions: ClassPredictions) -> tuple[Counts, Counts, Counts]:
    """(L,) each: the places of the true and of the predicted class, and the images, of the cells above 0 of the
    confusion matrix, by row and column.
    """
    classes = len(predictions.classes)
    flat, images = np.unique(predictions.true * classes + predictions.predicted, return_counts=True)
    return *np.divmod(flat, max(classes, 1)), images.astype(np.int64)


def confusion_matrix(predictions: ClassPredictions) -> Counts:
    """(C, C) images of the class of a row that are said to be of the class of a column."""
    matrix = np.zeros((len(predictions.classes),) * 2, np.int64)
    true, predicted, images = confusion_cells(predictions)
    matrix[true, predicted] = images
    return matrix


def row_shares(predictions: ClassPredictions) -> Floats:
    """(C, C) `confusion_matrix` as shares of the images of each row's class; NaN in the row of a class without any."""
    matrix = confusion_matrix(predictions)
    return divide(matrix, matrix.sum(axis=1, keepdims=True))


def divide(part: Counts, of: Counts) -> Floats:
    """Shares, NaN where they would be of nothing. part, of: broadcast against each other."""
    shares = np.full(np.broadcast_shapes(part.shape, of.shape), np.nan)
    np.divide(part, of, out=shares, where=of > 0)
    return shares
