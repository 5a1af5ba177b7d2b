"""The whole protocol for one system: whiten, search, choose k and the temperature, predict (The Met dataset)."""

from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from schemas.evaluate_images import RecognitionSettings, Ties
from tasks.core.evaluate.recognition.classifier import Votes, collect_votes, confidence_of, softmax_of, weigh_votes
from tasks.core.evaluate.recognition.distractors import times_with_share
from tasks.core.evaluate.recognition.neighbours import Neighbours, Product, multiply, nearest_neighbours
from tasks.core.evaluate.recognition.scores import Outcomes
from tasks.core.evaluate.recognition.tables import Gallery, Queries
from tasks.core.evaluate.recognition.tuning import BestPair, outcomes_of, tune
from tasks.core.evaluate.recognition.vectors import normal_blocks, normalise
from tasks.core.evaluate.recognition.whitening import learn_whitening, whiten, whiten_blocks


class Recognition(NamedTuple):
    """What a system says of the test queries.

    best: k, the temperature, and GAP of all pairs on the validation queries. prediction: (Q,) classes. nearest: (Q,)
    the gallery row that each is by. confidence: (Q,) 1 / N to 1. outcomes: what `scores.scorer` scores. dimensions: of
    the vectors that were compared. alike: how many test queries have a confidence of just 1 in 64 bits. other: the
    best pair, and its outcomes, by the other rule for ties.
    """

    best: BestPair
    prediction: NDArray[np.int64]
    nearest: NDArray[np.int64]
    confidence: NDArray[np.float64]
    outcomes: Outcomes
    dimensions: int
    alike: int
    other: tuple[BestPair, Outcomes]


def find_neighbours(
    gallery: NDArray[Any],
    queries: NDArray[Any],
    settings: RecognitionSettings,
    threads: int = 2,
    product: Product = multiply,
) -> tuple[Neighbours, int]:
    """The nearest gallery images of all queries, by cosine similarity, and in how many dimensions.

    gallery: (G, d), may be a memory map, which is read in blocks. queries: (Q, d), those for validation and for test
    together, so that the gallery is searched once. Both as `check_vectors` wants them.
    """
    most = min(max(settings.k), len(gallery))
    if not settings.whiten:
        found = nearest_neighbours(normal_blocks(gallery), normalise(queries), most, threads=threads, product=product)
        return found, gallery.shape[1]
    whitening = learn_whitening(gallery, settings.dimensions)
    found = nearest_neighbours(
        whiten_blocks(gallery, whitening), whiten(queries, whitening), most, threads=threads, product=product
    )
    return found, whitening.dimensions


def recognise(
    gallery: Gallery,
    gallery_vectors: NDArray[Any],
    val: tuple[Queries, NDArray[Any]],
    test: tuple[Queries, NDArray[Any]],
    settings: RecognitionSettings,
    threads: int = 2,
    product: Product = multiply,
) -> Recognition:
    """The predictions for the test queries, with the k and temperature that are best on the validation queries.

    gallery_vectors: (G, d); val, test: queries and their vectors (Q, d). All as tables.check_* want them. `val` may be
    empty if the settings have one k and one temperature.
    """
    vectors = np.concatenate([val[1], test[1]])
    neighbours, dimensions = find_neighbours(gallery_vectors, vectors, settings, threads, product)
    parts = (slice(0, len(val[1])), slice(len(val[1]), None))
    val_votes, test_votes = (collect_votes(_rows(neighbours, part), gallery.class_of) for part in parts)
    by_ties = {ties: _by_ties(ties, (val[0], val_votes), (test[0], test_votes), settings) for ties in get_args(Ties)}
    best, outcomes = by_ties.pop(settings.ties)
    confidence = confidence_of(weigh_votes(test_votes, best.k, best.tau), test_votes.classes, best.tau)
    alike = int((softmax_of(test_votes, best.k, best.tau) == 1).sum())
    nearest = neighbours.rows[parts[1], 0]
    (other,) = by_ties.values()
    return Recognition(best, test_votes.prediction, nearest, confidence, outcomes, dimensions, alike, other)


def _by_ties(
    ties: Ties, val: tuple[Queries, Votes], test: tuple[Queries, Votes], settings: RecognitionSettings
) -> tuple[BestPair, Outcomes]:
    best = tune_on(*val, settings, ties)
    return best, outcomes_of(test[1], test[0].class_of, best.k, best.tau, ties)


def tune_on(queries: Queries, votes: Votes, settings: RecognitionSettings, ties: Ties) -> BestPair:
    """The settings' k and temperature that are best for these queries, with their share of distractors."""
    times = times_with_share(queries.ids, queries.is_met, settings.tune_distractors, settings.seed)
    return tune(settings.k, settings.tau, lambda k, tau: outcomes_of(votes, queries.class_of, k, tau, ties), times)


def _rows(neighbours: Neighbours, part: slice) -> Neighbours:
    return Neighbours(neighbours.rows[part], neighbours.similarities[part])
