"""What a classifier says of images, one class of each or a probability for every class, and what is refused."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import MOST_CLASSES
from schemas.phrases import listed, quoted
from tasks.core.evaluate.table_columns import TOLERANCE, list_column, names_column, refuse_empty, refuse_repeats

CLASS, PROBABILITIES = "predicted_class", "probabilities"
_MOST_NAMES = 5

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class ClassPredictions(NamedTuple):
    """images: (N,) ids, ascending. classes: (C,) names, ascending. true, predicted: (N,) places in classes. rank: (N,)
    place of the true class among all, by falling probability, from 0; None where there are no probabilities.
    """

    images: tuple[str, ...]
    classes: tuple[str, ...]
    true: Counts
    predicted: Counts
    rank: Counts | None


def check_predictions(name: str, table: pa.Table, class_names: Sequence[str] = ()) -> ClassPredictions:
    """The predictions of a table, one image a row, in any order.

    Columns: image and true_class, texts; and either predicted_class, a text, or probabilities, a list with a number
    from 0 to 1 for each of class_names, in that order, whose sum is 1 (within TOLERANCE). The predicted class is the
    most probable; of equal probabilities, the class whose name comes first counts as the more probable one.

    name: the table's, for messages. class_names: all classes; without probabilities, they are added to those that the
    table names. Raises BadInput for what is otherwise, an empty table, an image that stands twice, a true class that
    has no probability, and more than MOST_CLASSES.
    """
    refuse_empty(name, table, "predictions")
    kinds = [column for column in (CLASS, PROBABILITIES) if column in table.column_names]
    if len(kinds) != 1:
        raise BadInput(f"{name}: expected a column {CLASS} or {PROBABILITIES}, got {'both' if kinds else 'none'}")
    images, truth = (names_column(name, table, column) for column in ("image", "true_class"))
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
    return ClassPredictions(tuple(sorted(images)), tuple(classes), _places(truth, classes)[order], predicted, rank)


def refuse_other_images(several: Mapping[str, ClassPredictions]) -> None:
    """Raises BadInput unless all classifiers are about the same images, with the same true classes: only then can they
    be compared image by image.
    """
    first = next(iter(several), "")
    for name, own in several.items():
        expected = several[first]
        if differ := sorted({*expected.images} ^ {*own.images}):
            named = listed([quoted(image) for image in differ], _MOST_NAMES)
            raise BadInput(f"{name}: expected the images of {first}, got others: {named}")
        for image, one, other in zip(own.images, *map(_true_names, (expected, own)), strict=True):
            if one != other:
                told = f"true_class {quoted(one)} of {quoted(image)}, as in {first}, got {quoted(other)}"
                raise BadInput(f"{name}: expected {told}")


def with_all_classes(several: Mapping[str, ClassPredictions]) -> dict[str, ClassPredictions]:
    """The same predictions, each with the classes of all: one without a probability is the least probable. Raises
    BadInput for more than MOST_CLASSES.
    """
    classes = sorted({one for own in several.values() for one in own.classes})
    _refuse_too_many(", ".join(several), classes)
    shared = {}
    for name, own in several.items():
        places = _places(own.classes, classes)
        shared[name] = own._replace(classes=tuple(classes), true=places[own.true], predicted=places[own.predicted])
    return shared


def _true_names(own: ClassPredictions) -> list[str]:
    return [own.classes[place] for place in own.true.tolist()]


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
