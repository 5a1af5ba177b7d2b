"""The whole protocol for one system: whiten, search, choose k and the temperature, predict (The Met dataset)."""

import functools
from typing import Any, NamedTuple, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_images import RecognitionSettings, Ties
from tasks.core.evaluate.recognition.classifier import (
    BestPair,
    collect_votes,
    confidence_of,
    outcomes_of,
    softmax_of,
    tune,
    weigh_votes,
)
from tasks.core.evaluate.recognition.neighbours import Neighbours, Product, multiply, nearest_neighbours
from tasks.core.evaluate.recognition.scores import Outcomes, times_with_share
from tasks.core.evaluate.recognition.tables import Gallery, Predictions, Queries
from tasks.core.evaluate.recognition.vectors import learn_whitening, normal_blocks, normalise, whiten, whiten_blocks


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
    neighbours, dimensions = find_neighbours(
        gallery_vectors, np.concatenate([val[1], test[1]]), settings, threads, product
    )
    of_val, of_test = slice(len(val[1])), slice(len(val[1]), None)
    val_votes, test_votes = (
        collect_votes(Neighbours._make(values[part] for values in neighbours), gallery.class_of)
        for part in (of_val, of_test)
    )
    times = times_with_share(val[0].ids, val[0].is_met, settings.tune_distractors, settings.seed)

    def choose(ties: Ties) -> tuple[BestPair, Outcomes]:
        outcomes = functools.partial(outcomes_of, val_votes, val[0].class_of, ties=ties)
        best = tune(settings.k, settings.tau, outcomes, times)
        return best, outcomes_of(test_votes, test[0].class_of, best.k, best.tau, ties)

    (best, outcomes), other = map(choose, sorted(get_args(Ties), key=settings.ties.__ne__))
    confidence = confidence_of(weigh_votes(test_votes, best.k, best.tau), test_votes.classes, best.tau)
    alike = int((softmax_of(test_votes, best.k, best.tau) == 1).sum())
    nearest = neighbours.rows[of_test, 0]
    return Recognition(best, test_votes.prediction, nearest, confidence, outcomes, dimensions, alike, other)


def predictions_of(found: Recognition, gallery: Gallery) -> Predictions:
    """The predictions by a gallery's nearest images, with the names of its classes and images."""
    return Predictions(
        pa.array(gallery.classes, pa.string()).take(pa.array(found.prediction)),
        found.confidence,
        gallery.ids.combine_chunks().take(pa.array(found.nearest)),
        found.outcomes,
    )
