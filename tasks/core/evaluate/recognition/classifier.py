"""What the nearest exhibits say: a class for each query, and how sure that is (The Met dataset, section 3, Eq. 2)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.recognition.neighbours import Neighbours

Floats = NDArray[np.float64]


class Votes(NamedTuple):
    """What predictions with every k and temperature are made of.

    similarity: (Q, K) of each query's nearest images, clamped at 0, nearest first. is_nearest_of_class: (Q, K) no
    nearer image is of the same class, so that this similarity is its class's s_c for every k that reaches it.
    prediction: (Q,) class of the nearest image. classes: N, of the whole gallery. gallery_rows: of the whole gallery.
    """

    similarity: Floats
    is_nearest_of_class: NDArray[np.bool_]
    prediction: NDArray[np.int64]
    classes: int
    gallery_rows: int


def collect_votes(neighbours: Neighbours, gallery_class: NDArray[np.int64]) -> Votes:
    """What the neighbours (Q, K) of queries say, K at least 1; gallery_class: (G,) the class of each row, from 0 on.

    A class is predicted by its nearest image, so of two classes that are equally near, that of the lower row. This
    holds, too, where no similarity is above 0 and all classes have the same s_c, 0, and the confidence 1 / N (ours: the
    paper says both that the class is that of the nearest image and that it is that of the largest s_c).
    """
    classes = gallery_class[neighbours.rows]
    is_nearest = np.ones(classes.shape, np.bool_)
    for place in range(1, classes.shape[1]):
        is_nearest[:, place] = (classes[:, :place] != classes[:, place : place + 1]).all(axis=1)
    return Votes(
        np.maximum(neighbours.similarities.astype(np.float64), 0.0),
        is_nearest,
        classes[:, 0],
        len(np.unique(gallery_class)),
        len(gallery_class),
    )


def confidence_of(odds_against: Floats) -> Floats:
    """(Q,) the softmax of the predicted class, 1 / N to 1, from the odds against it."""
    return np.asarray(1 / (1 + odds_against))


def weigh_votes(votes: Votes, k: int, tau: float) -> Floats:
    """(Q,) the odds against each query's prediction by its k nearest images with the temperature tau, from 0 on.

    These are (1 - confidence) / confidence: the lower, the surer. Near 1, confidences differ by less than 64 bits can
    hold, and their odds do not; so predictions are ranked by the odds.

    confidence = e^(tau s) / (sum of e^(tau s_c) over the classes of the k nearest + (N - their number) e^0) for the
    best class's s. All exponents are differences to the best one, so that none is too large for any tau. A k beyond
    the gallery takes all of it. Raises ValueError for a k that was not searched, or below 1.

    >>> neighbours = Neighbours(np.array([[0, 1]]), np.array([[0.9, 0.5]], np.float32))
    >>> votes = collect_votes(neighbours, np.arange(4))
    >>> [confidence_of(weigh_votes(votes, 2, tau)).round(4).tolist() for tau in (1, 10)]
    [[0.4027], [0.9818]]
    """
    searched = votes.similarity.shape[1]
    if k < 1 or min(k, votes.gallery_rows) > searched:
        raise ValueError(f"expected k from 1 to the {searched} neighbours that were searched, got {k}")
    similarity, counts = votes.similarity[:, :k], votes.is_nearest_of_class[:, :k]
    best = similarity[:, :1]
    others = np.where(counts[:, 1:], np.exp(tau * (similarity[:, 1:] - best)), 0.0).sum(axis=1)
    absent = votes.classes - counts.sum(axis=1)
    return np.asarray(others + absent * np.exp(-tau * best[:, 0]))
