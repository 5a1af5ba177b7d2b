"""sample against successive draws: their odds worked out exactly, and numpy's weighted choice without replacement."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from schemas.draw import Sample
from tasks.core import sample

ARTISTS = ["p", "p", "p", "q", "r"]  # weights 1/3, 1/3, 1/3, 1, 1: each artist a third
ODDS = np.array([1 / 9, 1 / 9, 1 / 9, 1 / 3, 1 / 3])
NAMES = [f"r{number}" for number in range(5)]
PAIRS = [(i, j) for i in range(5) for j in range(i + 1, 5)]
DRAWS = 2500


def in_pairs(counted: "Counter[tuple[int, ...]]") -> list[int]:
    assert set(counted) <= set(PAIRS)
    return [counted[pair] for pair in PAIRS]


@pytest.fixture(scope="module")
def ours() -> list[int]:
    view = pa.table({"record_id": NAMES, "style": ["Cubism"] * 5, "artist": ARTISTS})
    found: Counter[tuple[int, ...]] = Counter()
    for seed in range(DRAWS):
        reasons = sample.decide(view, Sample(label="sample", seed=seed, at_most=2))["reason"].to_pylist()
        found[tuple(row for row, reason in enumerate(reasons) if reason is None)] += 1
    return in_pairs(found)


def test_pairs_come_as_often_as_successive_draws_give_them(ours: list[int]):
    exact = [ODDS[i] * ODDS[j] / (1 - ODDS[i]) + ODDS[j] * ODDS[i] / (1 - ODDS[j]) for i, j in PAIRS]
    assert sum(exact) == pytest.approx(1)
    assert stats.chisquare(ours, np.array(exact) * DRAWS).pvalue > 0.01


def test_pairs_come_as_often_as_from_numpy(ours: list[int]):
    chance = np.random.default_rng(3)
    drawn = (tuple(sorted(chance.choice(5, 2, replace=False, p=ODDS).tolist())) for _ in range(DRAWS))
    assert stats.chi2_contingency([ours, in_pairs(Counter(drawn))]).pvalue > 0.01


def test_even_odds_would_be_told_apart_by_this_number_of_draws(ours: list[int]):
    assert stats.chisquare(ours, np.full(len(PAIRS), DRAWS / len(PAIRS))).pvalue < 1e-9
