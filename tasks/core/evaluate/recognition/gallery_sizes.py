"""Accuracy by how many images of a query's class the gallery has (The Met dataset, Figure 8)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.recognition.scores import Outcomes


class Accuracy(NamedTuple):
    """images: of the class in the gallery. queries: Met queries of such classes. acc: the share that is right."""

    images: int
    queries: int
    acc: float


class Gain(NamedTuple):
    """points: first less second ACC, -1 to 1. relative: the same as a share of the second; NaN where that is 0."""

    images: int
    queries: int
    first: float
    second: float
    points: float
    relative: float


def gallery_sizes(class_of: NDArray[np.int64], gallery_class: NDArray[np.int64]) -> NDArray[np.int64]:
    """(Q,) how many images of each query's class the gallery has; 0 for a distractor (class -1).

    >>> gallery_sizes(np.array([1, -1, 0]), np.array([0, 1, 1])).tolist()
    [2, 0, 1]
    """
    counts = np.bincount(gallery_class, minlength=int(class_of.max(initial=-1)) + 1)
    return np.where(class_of >= 0, counts[class_of], 0) if len(counts) else np.zeros(len(class_of), np.int64)


def accuracy_by_size(outcomes: Outcomes, sizes: NDArray[np.int64]) -> list[Accuracy]:
    """ACC of the Met queries for each number of images that occurs, ascending. sizes: (Q,) as `gallery_sizes` has it.

    Of a number without a Met query there is no row.
    """
    rows = []
    for images in np.unique(sizes[outcomes.is_met]).tolist():
        is_here = outcomes.is_met & (sizes == images)
        rows.append(Accuracy(images, int(is_here.sum()), float(outcomes.is_right[is_here].mean())))
    return rows


def gain_by_size(first: Outcomes, second: Outcomes, sizes: NDArray[np.int64]) -> list[Gain]:
    """By how much one system is better than another on the same queries, for each number of images.

    The paper's figure shows the relative gain in percent.
    """
    rows = []
    for one, other in zip(accuracy_by_size(first, sizes), accuracy_by_size(second, sizes), strict=True):
        relative = (one.acc - other.acc) / other.acc if other.acc else float("nan")
        rows.append(Gain(one.images, one.queries, one.acc, other.acc, one.acc - other.acc, relative))
    return rows
