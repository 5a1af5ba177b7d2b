"""The choice of k and temperature: the highest GAP, the first of equal ones, with and without distractors."""

import numpy as np
import pytest

from tasks.core.evaluate.recognition.classifier import Votes, collect_votes, confidence_of, softmax_of
from tasks.core.evaluate.recognition.neighbours import Neighbours
from tasks.core.evaluate.recognition.tuning import outcomes_of, tune
from tests.support.recognition import score_once

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
