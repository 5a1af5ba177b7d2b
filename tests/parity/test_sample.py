"""sample against successive draws: their law worked out exactly, and numpy's weighted choice without replacement."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from schemas.sample import Sample
from tasks.core import sample
from tasks.core.siphash import siphash

ARTISTS = ["monet"] * 5 + ["manet"] * 3 + ["morisot"]  # 1/5, 1/3 and 1: each artist a third
ODDS = np.array([1 / 15] * 5 + [1 / 9] * 3 + [1 / 3])
RECORDS, PLACES, SEEDS = len(ARTISTS), 4, 2000
SETS = list(combinations(range(RECORDS), PLACES))


def exact_law(odds: np.ndarray, places: int) -> dict[tuple[int, ...], float]:
    """The odds of each set of successive draws, each in proportion to the weights of what is left."""
    law: dict[tuple[int, ...], float] = {(): 1.0}
    for count in range(1, places + 1):
        law = {
            chosen: sum(
                law[before] * odds[last] / (1 - odds[list(before)].sum())
                for last in chosen
                for before in [tuple(one for one in chosen if one != last)]
            )
            for chosen in combinations(range(len(odds)), count)
        }
    return law


@pytest.fixture(scope="module")
def ours() -> list[int]:
    """How often each set of SETS is drawn."""
    none = pa.array([False] * RECORDS)
    view = pa.table(
        {
            "record_id": [f"r{n}" for n in range(RECORDS)],
            "style": ["Impressionism"] * RECORDS,
            "weighs_as": ARTISTS,
            "is_included": none,
            "replaced_because": pa.nulls(RECORDS, pa.string()),
        }
    )
    found: Counter[tuple[int, ...]] = Counter()
    for seed in range(SEEDS):
        outcome = sample.decide(view, Sample(label="sample", seed=seed, at_most=PLACES))
        found[tuple(np.flatnonzero(outcome["reason"].is_null()).tolist())] += 1
    assert set(found) <= set(SETS)
    return [found[chosen] for chosen in SETS]


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    law = exact_law(ODDS, PLACES)
    assert sum(law.values()) == pytest.approx(1)
    return np.array([law[chosen] for chosen in SETS])


def joined(expected: np.ndarray, *counted: list[int]) -> list[np.ndarray]:
    """Cells of at least ten expected each, the rarest sets together: chi-squared holds for such."""
    order = np.argsort(expected)
    cell = np.floor(np.cumsum(expected[order]) / 10)
    cell = np.searchsorted(np.unique(cell), cell)
    return [np.bincount(cell, np.asarray(values, np.float64)[order]) for values in (expected, *counted)]


def test_sets_come_as_often_as_successive_draws_give_them(ours: list[int], exact: np.ndarray):
    expected, counted = joined(exact * SEEDS, ours)
    assert len(expected) > 50
    assert stats.chisquare(counted, expected).pvalue > 0.01


def test_each_record_comes_as_often_as_the_law_says(ours: list[int], exact: np.ndarray):
    has = np.array([[record in chosen for record in range(RECORDS)] for chosen in SETS])
    share = exact @ has
    assert share.sum() == pytest.approx(PLACES)
    away = (np.array(ours) @ has - SEEDS * share) / np.sqrt(SEEDS * share * (1 - share))
    assert np.abs(away).max() < 3


def test_sets_come_as_often_as_from_numpy(ours: list[int], exact: np.ndarray):
    chance = np.random.default_rng(3)
    drawn = Counter(tuple(sorted(chance.choice(RECORDS, PLACES, replace=False, p=ODDS).tolist())) for _ in range(SEEDS))
    _, one, other = joined(exact * SEEDS, ours, [drawn[chosen] for chosen in SETS])
    assert stats.chi2_contingency([one, other]).pvalue > 0.01


def test_another_law_would_be_told_apart_by_this_number_of_seeds(ours: list[int], exact: np.ndarray):
    even = np.full(len(SETS), SEEDS / len(SETS))
    law = exact_law(ODDS**0.8 / (ODDS**0.8).sum(), PLACES)  # a little flatter
    flatter = np.array([law[chosen] for chosen in SETS])
    assert stats.chisquare(ours, even).pvalue < 1e-9
    expected, counted = joined(flatter * SEEDS, ours)
    assert stats.chisquare(counted, expected).pvalue < 1e-3


def test_our_siphash_is_the_one_of_pandas():
    """pandas hashes text by SipHash-2-4, and then stirs the bits (the last step of splitmix64)."""
    words = ["", "wikiart:1", "Käthe", "日本", *(f"wikiart:{'x' * (n % 40)}{n}" for n in range(2000))]
    said = [word.encode() for word in words]
    found = np.empty(len(words), np.uint64)
    siphash(
        np.cumsum([0, *map(len, said)]).astype(np.int64),
        np.frombuffer(b"".join(said), np.uint8),
        np.frombuffer(b"0123456789123456", np.uint64).reshape(1, 2),
        np.zeros(len(words), np.int64),
        found,
    )
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        found = (found ^ (found >> np.uint64(shift))) * np.uint64(factor)
    theirs = pd.util.hash_array(np.array(words, object), hash_key="0123456789123456", categorize=False)
    assert found.tolist() == theirs.tolist()
