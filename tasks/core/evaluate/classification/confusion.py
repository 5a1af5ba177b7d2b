"""Which class a classifier takes for which, and what follows for each class."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.classification.predictions import Predictions

Floats = NDArray[np.float64]


class ClassScores(NamedTuple):
    """Scores of each class, 0..1, NaN where not defined; all (C,).

    precision: of the images that are said to be of the class, the share that are; NaN where none is said to be. recall:
    of the images of the class, the share that are said to be of it; NaN where there are none. f1: the harmonic mean
    of both, 2 TP / (2 TP + FP + FN); NaN where the class has neither images nor predictions, and so 0 where it has
    one of them alone. images, predictions: how many there are.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    images: NDArray[np.int64]
    predictions: NDArray[np.int64]


def confusion_matrix(predictions: Predictions, times: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """(C, C) how many images of the class of a row are said to be of the class of a column.

    times: (N,) how often each image counts, once by default. Classes are in the order of their names.
    """
    classes = len(predictions.classes)
    counts = np.ones(len(predictions.true), np.int64) if times is None else times
    flat = np.bincount(predictions.true * classes + predictions.predicted, counts, classes * classes)
    return flat.reshape(classes, classes).astype(np.int64)


def row_shares(matrix: NDArray[np.int64]) -> Floats:
    """(C, C) each row of a confusion matrix by its sum: what share of a class is said to be of each class.

    NaN in the row of a class without images.

    >>> row_shares(np.array([[3, 1], [0, 0]])).tolist()
    [[0.75, 0.25], [nan, nan]]
    """
    return divide(matrix, matrix.sum(axis=1, keepdims=True))


def class_scores(matrix: NDArray[np.int64]) -> ClassScores:
    """Precision, recall and F1 of each class of a confusion matrix."""
    right, images, predictions = np.diagonal(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
    return ClassScores(
        divide(right, predictions), divide(right, images), divide(2 * right, images + predictions), images, predictions
    )


def divide(part: NDArray[np.int64], of: NDArray[np.int64]) -> Floats:
    """Shares, NaN where they would be of nothing. part, of: broadcast against each other."""
    shares = np.full(np.broadcast_shapes(part.shape, of.shape), np.nan)
    np.divide(part, of, out=shares, where=of > 0)
    return shares
