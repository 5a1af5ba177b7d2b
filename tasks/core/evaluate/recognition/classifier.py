"""What the nearest exhibits say: a class for each query, and how sure that is (The Met dataset, section 3, Eq. 2); and
which k and temperature do best on the validation queries (A.1).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.evaluate_images import Ties
from tasks.core.evaluate.recognition.neighbours import Neighbours
from tasks.core.evaluate.recognition.scores import Outcomes, scorer

Floats = NDArray[np.float64]


class Votes(NamedTuple):
    """similarity: (Q, K) of each query's nearest images, clamped at 0, nearest first. is_nearest_of_class: (Q, K) no
    nearer image is of the same class, so that this similarity is its class's s_c for every k that reaches it.
    prediction: (Q,) class of the nearest image. classes: N, and gallery_rows: of the whole gallery.
    """

    similarity: Floats
    is_nearest_of_class: NDArray[np.bool_]
    prediction: NDArray[np.int64]
    classes: int
    gallery_rows: int


class BestPair(NamedTuple):
    """Of k and tau. gap: (ks, taus) GAP of every pair; NaN where there was nothing to choose by."""

    k: int
    tau: float
    gap: NDArray[np.float64]


def collect_votes(neighbours: Neighbours, gallery_class: NDArray[np.int64]) -> Votes:
    """What the neighbours (Q, K) of queries say, K at least 1; gallery_class: (G,) the class of each row, from 0 on.

    The class is that of the nearest image, of equally near ones the lower row, also where no similarity is above 0 and
    all classes have the same s_c, 0 (ours: the paper says both this and that it is the class of the largest s_c).
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


def weigh_votes(votes: Votes, k: int, tau: float) -> Floats:
    """(Q,) the doubt about each query's prediction by its k nearest images with the temperature tau, at most 0.

    The lower, the surer: it is (ln of the odds against the prediction - ln(N - 1)) / tau, the odds against it being
    (1 - confidence) / confidence. Near 1, confidences differ by less than 64 bits can hold, and the odds become 0 where
    tau is large; their logarithm does neither. For k = 1 the doubt is the similarity below 0, whatever tau is.

    With s of the best class, the odds against it are (sum of e^(tau s_c) over the other classes of the k nearest + (N -
    their number) e^0) / e^(tau s). A k beyond the gallery takes all of it. Raises ValueError for a k that was not
    searched, or below 1.

    >>> neighbours = Neighbours(np.array([[0, 1]]), np.array([[0.9, 0.5]], np.float32))
    >>> votes = collect_votes(neighbours, np.arange(4))
    >>> weigh_votes(votes, 1, 10).round(4).tolist(), weigh_votes(votes, 2, 10).round(4).tolist()
    ([-0.9], [-0.5085])
    """
    searched = votes.similarity.shape[1]
    if k < 1 or min(k, votes.gallery_rows) > searched:
        raise ValueError(f"expected k from 1 to the {searched} neighbours that were searched, got {k}")
    others = np.where(votes.is_nearest_of_class[:, 1:k], votes.similarity[:, 1:k], 0.0)  # e^0 of what is no vote
    return _log_mean_weight(tau * others, max(votes.classes - 1, 1)) / tau - votes.similarity[:, 0]


def softmax_of(votes: Votes, k: int, tau: float) -> Floats:
    """(Q,) the confidence in each query's prediction as the authors' code computes it, in 64 bits: with a high
    temperature it is just 1 for many. k, tau: as of `weigh_votes`.

    >>> neighbours = Neighbours(np.array([[0, 1]]), np.array([[0.9, 0.5]], np.float32))
    >>> softmax_of(collect_votes(neighbours, np.arange(4)), 2, 10).round(4).tolist()
    [0.9818]
    """
    others = np.where(votes.is_nearest_of_class[:, 1:k], votes.similarity[:, 1:k], 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        own = np.exp(tau * votes.similarity[:, 0])
        total = own + np.exp(tau * others).sum(axis=1) + (votes.classes - 1 - others.shape[1])
        return np.asarray(np.where(np.isfinite(total), own / total, 1.0))


def confidence_of(doubt: Floats, classes: int, tau: float) -> Floats:
    """(Q,) the softmax of the predicted class among N classes, 1 / N to 1, from the doubt about it.

    >>> confidence_of(np.array([0.0, -1.0]), 4, 10).round(4).tolist()
    [0.25, 0.9999]
    """
    return np.asarray(1 / (1 + (classes - 1) * np.exp(tau * doubt)))


def outcomes_of(votes: Votes, class_of: NDArray[np.int64], k: int, tau: float, ties: Ties = "log_odds") -> Outcomes:
    """What predictions by k images and this temperature come to; class_of: (Q,) the truth, -1 for a distractor."""
    is_official = ties == "official"
    doubt = -softmax_of(votes, k, tau) if is_official else weigh_votes(votes, k, tau)
    return Outcomes(doubt, np.asarray(class_of >= 0), np.asarray(votes.prediction == class_of), is_official)


def tune(
    ks: Sequence[int], taus: Sequence[float], outcomes: Callable[[int, float], Outcomes], times: NDArray[np.int64]
) -> BestPair:
    """The first pair with the highest GAP, in the order of k, then of tau (ours: the paper does not say of which).

    outcomes: of the validation queries with a pair. times: (Q,) how often each query counts: 0 leaves out a distractor.
    Without a Met query to choose by, the first pair is taken and all GAPs are NaN.
    """
    gap = np.array([[scorer(outcomes(k, tau))(times)["GAP"] for tau in taus] for k in ks])
    best = int(np.argmax(np.nan_to_num(gap)))
    return BestPair(ks[best // len(taus)], taus[best % len(taus)], gap)


def _log_mean_weight(exponents: Floats, others: int) -> Floats:
    """(Q,) ln of the mean of e^x over the classes that are not predicted: exponents (Q, K), and 0 for all the others.

    Small exponents are summed as e^x - 1, so that they do not vanish beside 1; large ones relative to the largest.
    """
    largest = exponents.max(axis=1, initial=0.0)
    small = np.log1p(np.expm1(np.minimum(exponents, 1.0)).sum(axis=1) / others)
    shares = np.exp(exponents - largest[:, None]).sum(axis=1) + (others - exponents.shape[1]) * np.exp(-largest)
    return np.asarray(np.where(largest < 1, small, largest + np.log(np.maximum(shares, 1.0) / others)))
