"""Predictions and confidences, by hand and by plain loops, and the choice of k and temperature."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.recognition.classifier import (
    Votes,
    collect_votes,
    confidence_of,
    outcomes_of,
    softmax_of,
    tune,
    weigh_votes,
)
from tasks.core.evaluate.recognition.neighbours import Neighbours
from tests.support.recognition import score_once


def votes_of(similarities: list[float], classes: list[int], others: int = 0) -> Votes:
    """One query's neighbours by falling similarity, and how many classes the gallery has beside theirs."""
    new = range(max(classes) + 1, max(classes) + 1 + others)
    rows = np.arange(len(classes))[None]
    return collect_votes(Neighbours(rows, np.array([similarities], np.float32)), np.array([*classes, *new]))


def confidence(votes: Votes, k: int, tau: float) -> np.ndarray:
    return confidence_of(weigh_votes(votes, k, tau), votes.classes, tau)


@pytest.mark.parametrize(
    ("similarities", "others", "k", "tau", "expected"),
    [
        pytest.param([0.9, 0.5], 2, 2, 1, 0.4027, id="N = 4, tau 1"),
        pytest.param([0.9, 0.5], 2, 2, 10, 0.9818, id="N = 4, tau 10"),
        pytest.param([0.9, 0.5], 2, 1, 1, 0.4505, id="N = 4, k = 1"),
        pytest.param([0.8, 0.2], 998, 2, 10, 0.7478, id="N = 1000"),
        pytest.param([0.82, 0.81], 998, 2, 10, 0.4589, id="N = 1000, two that are near each other"),
        pytest.param([0.0, 0.0], 2, 2, 10, 0.25, id="nothing is near"),
        pytest.param([-0.1, -0.5], 2, 2, 10, 0.25, id="clamped at 0"),
        pytest.param([0.5, -0.5], 2, 2, 10, 0.9802, id="a class that is clamped counts as one that is not met"),
        pytest.param([1.0, 0.99], 998, 2, 500, 0.9933, id="tau 500"),
    ],
)
def test_confidence_by_hand(similarities, others, k, tau, expected):
    votes = votes_of(similarities, [0, 1], others)
    assert confidence(votes, k, tau)[0] == pytest.approx(expected, abs=5e-5)


def test_the_second_class_by_hand():
    """The softmax of the second class is the first one's times e^(tau (s2 - s1)): .2699 and .0180."""
    for tau, expected in ((1, 0.2699), (10, 0.0180)):
        first = confidence(votes_of([0.9, 0.5], [0, 1], 2), 2, tau)[0]
        assert first * math.exp(tau * (0.5 - 0.9)) == pytest.approx(expected, abs=5e-5)


def test_k_beyond_the_gallery_takes_all_of_it():
    votes = votes_of([0.9, 0.5], [0, 1])
    assert weigh_votes(votes, 50, 1) == pytest.approx(weigh_votes(votes, 2, 1))


@pytest.mark.parametrize("k", [0, 3])
def test_a_k_that_was_not_searched_is_refused(k):
    with pytest.raises(ValueError, match="expected k from 1 to the 2 neighbours that were searched, got"):
        weigh_votes(votes_of([0.9, 0.5], [0, 1], 7), k, 1)


def test_a_class_counts_by_its_nearest_image():
    assert weigh_votes(votes_of([0.9, 0.8, 0.5], [0, 0, 1], 2), 3, 1) == pytest.approx(
        weigh_votes(votes_of([0.9, 0.5], [0, 1], 2), 2, 1)
    )


@pytest.mark.parametrize("similarities", [[0.9, 0.9], [0.0, 0.0], [-0.5, -0.5]])
def test_of_classes_that_are_equally_near_the_one_of_the_lower_row_is_predicted(similarities):
    assert votes_of(similarities, [1, 0]).prediction.tolist() == [1]


def test_no_query_has_no_prediction():
    votes = collect_votes(Neighbours(np.empty((0, 2), np.int64), np.empty((0, 2), np.float32)), np.array([0, 1]))
    assert votes.prediction.shape == weigh_votes(votes, 2, 1).shape == (0,)


neighbours_of_one = st.lists(st.tuples(st.floats(-1, 1, width=32), st.integers(0, 4)), min_size=1, max_size=8).map(
    lambda pairs: sorted(pairs, reverse=True)
)


@given(neighbours_of_one, st.integers(0, 9), st.integers(1, 8), st.floats(0.01, 20))
def test_confidence_is_that_of_plain_loops(pairs, others, k, tau):
    k = min(k, len(pairs))
    classes = sorted({place for _, place in pairs})
    codes = [classes.index(place) for _, place in pairs]
    best: dict[int, float] = {}
    for (similarity, _), code in list(zip(pairs, codes, strict=True))[:k]:
        best[code] = max(best.get(code, 0.0), similarity)
    total = sum(math.exp(tau * s) for s in best.values()) + len(classes) + others - len(best)
    votes = votes_of([similarity for similarity, _ in pairs], codes, others)
    got = confidence(votes, k, tau)[0]
    assert got == pytest.approx(math.exp(tau * best[codes[0]]) / total)
    assert 1 / (len(classes) + others) - 1e-12 <= got <= 1


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=9))
def test_for_k_1_the_ranking_is_free_of_the_temperature(similarities):
    column = np.array(similarities, np.float32)[:, None]
    found = Neighbours(np.zeros(column.shape, np.int64), column)
    votes = collect_votes(found, np.arange(2))._replace(classes=224_408)  # the Met's
    by_similarity = np.argsort(-np.maximum(column[:, 0], 0), kind="stable").tolist()
    for tau in (5e-324, 1e-300, 0.01, 0.1, 1, 50, 500, 700, 800, 10_000):
        assert np.argsort(weigh_votes(votes, 1, tau), kind="stable").tolist() == by_similarity


def test_confidences_that_64_bits_cannot_tell_from_1_are_still_ranked():
    for tau in (500, 800, 10_000):
        several = [votes_of([similarity, 0.1], [0, 1], 998) for similarity in (0.98, 0.99, 1.0)]
        assert [confidence(votes, 2, tau)[0] for votes in several] == [1, 1, 1]
        doubt = [weigh_votes(votes, 2, tau)[0] for votes in several]
        assert doubt[0] > doubt[1] > doubt[2]


@pytest.mark.parametrize("tau", [1e-200, 1e-9, 0.5, 1.2, 30, 10_000])
def test_the_doubt_is_the_logarithm_of_the_odds(tau):
    """By Python's decimals, which neither overflow nor vanish."""
    with localcontext(prec=400):
        factor = Decimal(tau)
        for similarities, others in (([0.9, 0.85, 0.2], 3), ([0.9, 0.9, 0.9], 1), ([0.5, 0.0, 0.0], 200_000)):
            best, *rest = (Decimal(float(np.float32(value))) for value in similarities)
            total = sum((factor * value).exp() for value in rest) + others
            exact = ((total / (len(rest) + others)).ln()) / factor - best
            got = weigh_votes(votes_of(similarities, [0, 1, 2], others), 3, tau)[0]
            assert got == pytest.approx(float(exact), abs=1e-12)


def test_a_gallery_of_one_class_is_always_sure():
    assert confidence(votes_of([0.5, 0.4], [0, 0]), 2, 50).tolist() == [1]


# a Met query with one near class, and a distractor between two near classes, which is nearer
VOTES = collect_votes(
    Neighbours(np.array([[0, 2], [1, 2]]), np.array([[0.8, 0.2], [0.82, 0.81]], np.float32)), np.arange(1000)
)
TRUTH = np.array([0, -1])


def test_the_outcomes_of_a_pair():
    outcomes = outcomes_of(VOTES, TRUTH, 2, 10)
    assert (outcomes.is_met.tolist(), outcomes.is_right.tolist()) == ([True, False], [True, False])
    assert confidence_of(outcomes.doubt, 1000, 10) == pytest.approx([0.7478, 0.4589], abs=5e-5)


@pytest.mark.parametrize(
    ("ks", "taus", "times", "k", "tau", "gap"),
    [
        pytest.param([1, 2], [1.0, 10.0], [1, 1], 2, 10.0, [[0.5, 0.5], [0.5, 1.0]], id="the softmax lowers it"),
        pytest.param([1, 2], [1.0, 10.0], [1, 0], 1, 1.0, [[1, 1], [1, 1]], id="of equal ones the first"),
        pytest.param([2, 1], [10.0, 1.0], [1, 0], 2, 10.0, [[1, 1], [1, 1]], id="in the order that is given"),
        pytest.param([2], [1.0], [1, 1], 2, 1.0, [[0.5]], id="a single pair"),
        pytest.param([1, 2], [1.0], [0, 1], 1, 1.0, [[np.nan], [np.nan]], id="no Met query"),
    ],
)
def test_the_first_pair_with_the_highest_gap(ks, taus, times, k, tau, gap):
    best = tune(ks, taus, lambda k, tau: outcomes_of(VOTES, TRUTH, k, tau), np.array(times))
    assert (best.k, best.tau) == (k, tau)
    assert best.gap.tolist() == [pytest.approx(line, nan_ok=True) for line in gap]


def test_accuracy_is_free_of_k_and_temperature():
    chance = np.random.default_rng(5)
    similarities = -np.sort(-chance.uniform(-0.2, 1, (60, 10)).astype(np.float32), axis=1)
    rows = np.argsort(chance.random((60, 90)), axis=1)[:, :10]
    votes = collect_votes(Neighbours(rows, similarities), np.arange(90) // 2)
    truth = np.where(chance.random(60) < 0.5, votes.prediction, chance.integers(-1, 45, 60))
    scores = [score_once(outcomes_of(votes, truth, k, tau)) for k in (1, 3, 10) for tau in (0.01, 15, 500)]
    assert len({score["ACC"] for score in scores}) == 1
    assert len({score["GAP"] for score in scores}) > 3


def by_the_authors(votes: Votes, truth: np.ndarray, k: int, tau: float) -> float:
    """GAP as in The Met's reference code: the softmax in 64 bits, then np.argsort; here a stable one."""
    others = np.where(votes.is_nearest_of_class[:, 1:k], votes.similarity[:, 1:k], 0)
    own = np.exp(tau * votes.similarity[:, 0])
    confidence = own / (own + np.exp(tau * others).sum(axis=1) + votes.classes - 1 - others.shape[1])
    is_right = (votes.prediction == truth)[np.argsort(-confidence, kind="stable")]
    precision = np.cumsum(is_right) / (1 + np.arange(len(truth)))
    return float((precision * is_right).sum() / (truth >= 0).sum())


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("tau", [0.01, 1, 20, 500])
def test_official_ties_are_those_of_the_authors_and_differ_only_where_the_softmax_saturates(k: int, tau: float):
    chance = np.random.default_rng(7)
    similarities = -np.sort(-chance.uniform(0.2, 1, (300, 10)).astype(np.float32), axis=1)
    rows = np.argsort(chance.random((300, 90)), axis=1)[:, :10]
    votes = collect_votes(Neighbours(rows, similarities), np.arange(90) // 2)
    truth = np.where(chance.random(300) < 0.5, votes.prediction, np.where(chance.random(300) < 0.5, -1, 3))
    official, ours = (score_once(outcomes_of(votes, truth, k, tau, ties))["GAP"] for ties in ("official", "log_odds"))
    assert official == pytest.approx(by_the_authors(votes, truth, k, tau), abs=1e-12)
    if tau < 500:
        assert official == pytest.approx(ours, abs=1e-12)
    else:
        assert (softmax_of(votes, k, tau) == 1).sum() > 30
        assert abs(official - ours) > 1e-4
