"""What a classifier says of images, one class of each or a probability for every class; which class it takes for which,
and its scores: accuracy, and means over classes.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import MOST_CLASSES
from schemas.phrases import listed, quoted
from tasks.core.evaluate.means import mean_of_defined
from tasks.core.evaluate.systems import Scorer
from tasks.core.evaluate.table_columns import (
    TOLERANCE,
    list_column,
    names_column,
    refuse_empty,
    refuse_repeats,
    require_columns,
)

NEEDED = ("image", "true_class")
CLASS, PROBABILITIES = "predicted_class", "probabilities"
_MOST_NAMES = 5

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class Predictions(NamedTuple):
    """Predictions in the order of the images' ids, whatever the order of the table; N images, C classes.

    images: (N,) ids. classes: (C,) names, ascending. true, predicted: (N,) places in classes. rank: (N,) place of the
    true class among all, by falling probability, from 0; None where the classifier gives no probabilities.
    """

    images: tuple[str, ...]
    classes: tuple[str, ...]
    true: Counts
    predicted: Counts
    rank: Counts | None


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


def check_predictions(name: str, table: pa.Table, class_names: Sequence[str] = ()) -> Predictions:
    """The predictions of a table, one image a row.

    Columns: image and true_class, texts; and either predicted_class, a text, or probabilities, a list with a number
    from 0 to 1 for each of class_names, in that order, whose sum is 1. The predicted class is the most probable; of
    equal probabilities, the class whose name comes first counts as the more probable one.

    name: the table's, for messages. class_names: all classes; without probabilities, they are added to those that the
    table names. Raises BadInput for a table without rows, missing columns, both kinds of prediction or none, values of
    the wrong kind, an image that stands twice, probabilities without class_names, or that are not as many,
    not from 0 to 1 or do not add up to 1 (within 0.01), a true class that has no probability, and more than 20,000
    classes.
    """
    refuse_empty(name, table, "predictions")
    require_columns(name, table, NEEDED)
    kinds = [column for column in (CLASS, PROBABILITIES) if column in table.column_names]
    if len(kinds) != 1:
        raise BadInput(f"{name}: expected a column {CLASS} or {PROBABILITIES}, got {'both' if kinds else 'none'}")
    require_columns(name, table, kinds)
    images, truth = (names_column(name, table, column) for column in NEEDED)
    refuse_repeats(name, images, "each image once")
    order = np.array(sorted(range(len(images)), key=images.__getitem__), np.int64)
    if kinds == [CLASS]:
        guesses = names_column(name, table, CLASS)
        classes = sorted({*truth, *guesses, *class_names})
        predicted, rank = _places(guesses, classes)[order], None
    else:
        classes = sorted(class_names)
        _check_classes(name, truth, classes)
        probabilities = _probabilities(name, table, class_names)[order]
        predicted, rank = _ranked(probabilities, _places(truth, classes)[order])
    _refuse_too_many(name, classes)
    return Predictions(tuple(sorted(images)), tuple(classes), _places(truth, classes)[order], predicted, rank)


def refuse_other_images(several: Mapping[str, Predictions]) -> None:
    """Raises BadInput unless all classifiers are about the same images, which have the same true classes.

    Only then can they be compared image by image. several: predictions by the name of each classifier.
    """
    names = list(several)
    for name in names[1:]:
        one, other = (
            {image: each.classes[place] for image, place in zip(each.images, each.true.tolist(), strict=True)}
            for each in (several[names[0]], several[name])
        )
        if differ := sorted(one.keys() ^ other.keys()):
            named = [quoted(image) for image in differ]
            raise BadInput(f"{name}: expected the images of {names[0]}, got others: {listed(named, _MOST_NAMES)}")
        for image, true_class in one.items():
            if other[image] != true_class:
                got = (
                    f"true_class {quoted(true_class)} of {quoted(image)}, as in {names[0]}, got {quoted(other[image])}"
                )
                raise BadInput(f"{name}: expected {got}")


def with_all_classes(several: Mapping[str, Predictions]) -> dict[str, Predictions]:
    """The same predictions, each with the classes of all.

    A class for which a classifier has no probability is its least probable one, and so no true class of an image.
    Raises BadInput where they are too many together.
    """
    classes = sorted({one for own in several.values() for one in own.classes})
    _refuse_too_many(", ".join(several), classes)
    shared = {}
    for name, own in several.items():
        places = _places(own.classes, classes)
        shared[name] = own._replace(classes=tuple(classes), true=places[own.true], predicted=places[own.predicted])
    return shared


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


def confusion_matrix(predictions: Predictions) -> Counts:
    """(C, C) images of the class of a row that are said to be of the class of a column, classes by name.

    The whole matrix: 8 bytes times the square of the number of classes.
    """
    cells, classes = confusion_cells(predictions), len(predictions.classes)
    matrix = np.zeros((classes, classes), np.int64)
    matrix[cells.true, cells.predicted] = cells.images
    return matrix


def row_shares(predictions: Predictions) -> Floats:
    """(C, C) of the images of the class of a row, the share that is said to be of the class of a column.

    NaN in the row of a class without images.
    """
    matrix = confusion_matrix(predictions)
    return divide(matrix, matrix.sum(axis=1, keepdims=True))


def divide(part: Counts, of: Counts) -> Floats:
    """Shares, NaN where they would be of nothing. part, of: broadcast against each other."""
    shares = np.full(np.broadcast_shapes(part.shape, of.shape), np.nan)
    np.divide(part, of, out=shares, where=of > 0)
    return shares


def _places(names: Sequence[str], classes: Sequence[str]) -> Counts:
    place_of = {name: place for place, name in enumerate(classes)}
    return np.array([place_of[name] for name in names], np.int64)


def _refuse_too_many(name: str, classes: Sequence[str]) -> None:
    if len(classes) > MOST_CLASSES:
        raise BadInput(f"{name}: expected at most {MOST_CLASSES:,} classes, got {len(classes):,}")


def _check_classes(name: str, truth: Sequence[str], classes: Sequence[str]) -> None:
    if not classes:
        expected = "the names of the classes that the probabilities are of, in their order (--set 'classes=[a, b]')"
        raise BadInput(f"{name}: expected {expected}, got none")
    refuse_repeats("classes", classes, "each class once")
    if others := sorted(set(truth) - set(classes)):
        raise BadInput(f"{name}: expected true classes that have a probability, got {quoted(others[0])}")


def _probabilities(name: str, table: pa.Table, class_names: Sequence[str]) -> Floats:
    """(N, C) with columns in the order of the classes' names."""
    lists = list_column(name, table, PROBABILITIES)
    for row, numbers in enumerate(lists):
        if numbers is None or len(numbers) != len(class_names):
            got = "an empty cell" if numbers is None else str(len(numbers))
            raise BadInput(f"{name}[{row}]: expected {len(class_names)} probabilities, one for each class, got {got}")
    values = np.array(lists, np.float64).reshape(len(lists), len(class_names))
    is_within = ((values >= 0) & (values <= 1)).all(axis=1)
    # clipped, as the sum of numbers like 1e308 would be no number
    is_right = is_within & (np.abs(np.clip(values, 0, 1).sum(axis=1) - 1) <= TOLERANCE)
    for row in np.flatnonzero(~is_right)[:1].tolist():
        raise BadInput(f"{name}[{row}]: expected probabilities from 0 to 1 that add up to 1, got {quoted(lists[row])}")
    return values[:, np.argsort(np.array(class_names, object), kind="stable")]


def _ranked(probabilities: Floats, true: Counts) -> tuple[Counts, Counts]:
    """(N,) the most probable class, and (N,) how many classes come before the true one."""
    of_true = probabilities[np.arange(len(true)), true][:, None]
    is_earlier = np.arange(probabilities.shape[1]) < true[:, None]
    before = (probabilities > of_true) | ((probabilities == of_true) & is_earlier)
    return probabilities.argmax(axis=1).astype(np.int64), before.sum(axis=1).astype(np.int64)


def _share(part: int, of: int) -> float:
    return part / of if of else float("nan")
