"""Which class a classifier takes for which, and what follows for each class."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.classification.predictions import Predictions

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class ClassScores(NamedTuple):
    """Scores of each class, 0..1, NaN where not defined; all (C,).

    precision: of the images that are said to be of the class, the share that are; NaN where none is said to be. recall:
    of the images of the class, the share that are said to be of it; NaN where there are none. f1: the harmonic mean
    of both, 2 TP / (2 TP + FP + FN); NaN where the class has neither images nor predictions, and so 0 where it has
    one of them alone. images, predictions, right: how many there are, and how many are both.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    images: Counts
    predictions: Counts
    right: Counts


class ConfusionCells(NamedTuple):
    """The cells of a confusion matrix that are above 0, by row and column; all (L,). true, predicted: places in the
    classes. images: how many.
    """

    true: Counts
    predicted: Counts
    images: Counts


def class_scores(predictions: Predictions, times: Counts | None = None) -> ClassScores:
    """Precision, recall and F1 of each class, without a matrix of all classes by all.

    times: (N,) how often each image counts, once by default.
    """
    counts = np.ones(len(predictions.true), np.int64) if times is None else times
    is_right = predictions.true == predictions.predicted
    images, guesses, right = (
        np.bincount(places, weights, len(predictions.classes)).astype(np.int64)
        for places, weights in (
            (predictions.true, counts),
            (predictions.predicted, counts),
            (predictions.true, counts * is_right),
        )
    )
    return ClassScores(
        divide(right, guesses), divide(right, images), divide(2 * right, images + guesses), images, guesses, right
    )


def confusion_cells(predictions: Predictions) -> ConfusionCells:
    """The cells of the confusion matrix that are above 0: never more than there are images."""
    classes = len(predictions.classes)
    flat, images = np.unique(predictions.true * classes + predictions.predicted, return_counts=True)
    return ConfusionCells(*np.divmod(flat, max(classes, 1)), images.astype(np.int64))


def row_shares(predictions: Predictions) -> Floats:
    """(C, C) of the images of the class of a row, the share that is said to be of the class of a column.

    NaN in the row of a class without images. Classes are in the order of their names. The whole matrix: 8 bytes times
    the square of the number of classes.
    """
    cells, classes = confusion_cells(predictions), len(predictions.classes)
    matrix = np.zeros((classes, classes), np.int64)
    matrix[cells.true, cells.predicted] = cells.images
    return divide(matrix, matrix.sum(axis=1, keepdims=True))


def divide(part: Counts, of: Counts) -> Floats:
    """Shares, NaN where they would be of nothing. part, of: broadcast against each other."""
    shares = np.full(np.broadcast_shapes(part.shape, of.shape), np.nan)
    np.divide(part, of, out=shares, where=of > 0)
    return shares
