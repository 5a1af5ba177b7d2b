"""The whole protocol for one system: whiten, search, choose k and the temperature, predict (The Met dataset)."""

import functools
from typing import Any, NamedTuple, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_images import RecognitionSettings, Ties
from tasks.core.evaluate.recognition import classifier
from tasks.core.evaluate.recognition.classifier import BestPair
from tasks.core.evaluate.recognition.neighbours import Neighbours, Product, multiply, nearest_neighbours
from tasks.core.evaluate.recognition.scores import Outcomes, times_with_share
from tasks.core.evaluate.recognition.tables import Gallery, Queries, QueryPredictions
from tasks.core.evaluate.recognition.vectors import learn_whitening, normal_blocks, normalise, whiten, whiten_blocks


class Recognition(NamedTuple):
    """What a system says of the test queries.

    best: k, the temperature, and GAP of all pairs on the validation queries. predictions: with a confidence of 1 / N to
    1. dimensions: of the vectors that were compared. alike: how many test queries have a confidence of just 1 in 64
    bits. other: the best pair, and its outcomes, by the other rule for ties.
    """

    best: BestPair
    predictions: QueryPredictions
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
    most, dimensions = min(max(settings.k), len(gallery)), gallery.shape[1]
    blocks, vectors = normal_blocks(gallery), normalise(queries)
    if settings.whiten:
        whitening = learn_whitening(gallery, settings.dimensions)
        dimensions = whitening.dimensions
        blocks, vectors = whiten_blocks(gallery, whitening), whiten(queries, whitening)
    return nearest_neighbours(blocks, vectors, most, threads=threads, product=product), dimensions


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
    both = np.concatenate([val[1], test[1]])
    neighbours, dimensions = find_neighbours(gallery_vectors, both, settings, threads, product)
    of_val, of_test = slice(len(val[1])), slice(len(val[1]), None)
    val_votes, test_votes = (
        classifier.collect_votes(Neighbours._make(values[part] for values in neighbours), gallery.class_of)
        for part in (of_val, of_test)
    )
    times = times_with_share(val[0].ids, val[0].is_met, settings.tune_distractors, settings.seed)

    def choose(ties: Ties) -> tuple[BestPair, Outcomes]:
        outcomes = functools.partial(classifier.outcomes_of, val_votes, val[0].class_of, ties=ties)
        best = classifier.tune(settings.k, settings.tau, outcomes, times)
        return best, classifier.outcomes_of(test_votes, test[0].class_of, best.k, best.tau, ties)

    (best, outcomes), other = map(choose, sorted(get_args(Ties), key=settings.ties.__ne__))
    confidence = classifier.confidence_of(
        classifier.weigh_votes(test_votes, best.k, best.tau), test_votes.classes, best.tau
    )
    alike = int((classifier.softmax_of(test_votes, best.k, best.tau) == 1).sum())
    names = pa.array(gallery.classes, pa.string()).take(pa.array(test_votes.prediction))
    nearest = gallery.ids.combine_chunks().take(pa.array(neighbours.rows[of_test, 0]))
    return Recognition(best, QueryPredictions(names, confidence, nearest, outcomes), dimensions, alike, other)
