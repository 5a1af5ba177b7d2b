"""Shares of distractors: nested, drawn by id, and GAP- at 0; and those of one type."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from tasks.core.evaluate.recognition.distractors import TypeOfDistractors, score_shares, score_types, times_with_share
from tasks.core.evaluate.recognition.scores import Outcomes, scorer
from tests.support.recognition import score_once

SHARES = (0.0, 0.05, 0.1, 0.5, 1.0)
IDS = pa.chunked_array([[f"query {number}" for number in range(240)]])
IS_MET = np.arange(240) < 40


def chosen(share: float, seed: int = 3) -> set[int]:
    return set(np.flatnonzero(times_with_share(IDS, IS_MET, share, seed)).tolist())


def test_a_larger_share_contains_the_smaller_ones_and_all_met_queries():
    sets = [chosen(share) for share in SHARES]
    assert [len(found) - 40 for found in sets] == [0, 10, 20, 100, 200]
    assert all(smaller < larger for smaller, larger in itertools.pairwise(sets))
    assert set(range(40)) <= sets[0]


def test_another_seed_draws_others_and_the_order_of_queries_draws_the_same():
    assert chosen(0.1, 4) != chosen(0.1)
    mixed = np.random.default_rng(1).permutation(240)
    times = times_with_share(pa.chunked_array([IDS.take(mixed).combine_chunks()]), IS_MET[mixed], 0.1, 3)
    assert set(mixed[times == 1].tolist()) == chosen(0.1)


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.49, 1), (0.5, 2), (0.84, 3), (1.0, 3)])
def test_numbers_are_rounded_halves_up(share: float, count: int):
    ids = pa.chunked_array([["a", "b", "c"]])
    assert times_with_share(ids, np.zeros(3, np.bool_), share, 0).sum() == count


def test_no_query():
    assert times_with_share(pa.chunked_array([], pa.string()), np.zeros(0, np.bool_), 1.0, 0).tolist() == []


def test_gap_falls_from_gap_minus_to_gap():
    chance = np.random.default_rng(2)
    is_right = IS_MET & (chance.random(240) < 0.6)
    outcomes = Outcomes(chance.random(240) + ~IS_MET * 0.2, IS_MET, is_right)
    rows = score_shares(scorer(outcomes), IDS, IS_MET, SHARES, 3)
    assert [(row.share, row.distractors) for row in rows] == list(zip(SHARES, [0, 10, 20, 100, 200], strict=True))
    gaps = [row.gap for row in rows]
    assert gaps == sorted(gaps, reverse=True)
    whole = score_once(outcomes)
    assert (gaps[0], gaps[-1]) == (whole["GAP_minus"], whole["GAP"])


def test_gap_with_the_distractors_of_one_type():
    """The surest query is no art, so that other art costs nothing; a distractor of no known type is in neither."""
    types = ("non_art", "met", "other_art", "distractor")
    is_met = np.array([kind == "met" for kind in types])
    score = scorer(Outcomes(np.array([-0.9, -0.8, -0.7, -1.0]), is_met, is_met))
    assert score_types(score, types) == [TypeOfDistractors("other_art", 1, 1.0), TypeOfDistractors("non_art", 1, 0.5)]
    assert score_types(score, ("distractor", "met", "distractor", "distractor")) == []
