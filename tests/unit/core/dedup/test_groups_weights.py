"""What a look weighs, and what that makes of several looks."""

import numpy as np
import pytest

from tasks.core.dedup import groups
from tasks.core.dedup.groups import doubt_weights, tie_weights
from tasks.core.dedup.sizes import APART_SCORE, COPY_SCORE

SCORES = np.arange(1001) / 1000


def test_nothing_weighs_nothing():
    assert tie_weights(np.empty(0)).tolist() == doubt_weights(np.empty(0)).tolist() == []


@pytest.mark.parametrize(
    ("score", "weight"),
    [(0.0, 100), (0.599, 100), (0.6, 100), (0.601, 102), (0.8, 550), (0.999, 997), (1.0, 1000)],
)
def test_a_tie_weighs_more_the_better_the_two_agree(score: float, weight: int):
    assert tie_weights(np.array([score])).tolist() == [weight]


@pytest.mark.parametrize(
    ("score", "weight"),
    [(0.0, -300), (0.001, -1998), (0.175, -1500), (0.349, -1003), (0.35, -1000), (0.9, -1000), (1.0, -1000)],
)
def test_a_doubt_weighs_more_the_less_they_agree_but_little_where_the_look_got_lost(score: float, weight: int):
    assert doubt_weights(np.array([score])).tolist() == [weight]


def test_weights_are_whole_numbers_and_never_turn():
    for found in (tie_weights(SCORES), doubt_weights(SCORES[1:])):
        assert found.dtype == np.int64
        assert np.all(np.diff(found) >= 0)


def test_a_score_weighs_what_its_three_decimals_do():
    noise = np.linspace(-4e-4, 4e-4, 1001)
    inner = np.clip(SCORES + noise, 0, 1)
    assert tie_weights(inner).tolist() == tie_weights(SCORES).tolist()
    assert doubt_weights(inner[1:]).tolist() == doubt_weights(SCORES[1:]).tolist()


def test_one_measured_doubt_refuses_any_tie_and_two_strong_ties_outweigh_a_weak_one():
    ties, doubts = tie_weights(SCORES[SCORES >= COPY_SCORE]), doubt_weights(SCORES[1:][SCORES[1:] <= APART_SCORE])
    assert ties.max() + doubts.max() <= 0
    assert 2 * tie_weights(np.array([0.9]))[0] + doubts.max() > 0
    assert 2 * ties.max() + doubts.min() > 0


def test_a_lost_look_is_outweighed_by_one_good_tie_and_an_uncertain_one_by_any():
    good, weakest = tie_weights(np.array([0.69, COPY_SCORE]))
    assert good + groups.LOST > 0 > weakest + groups.LOST
    assert weakest + groups.UNCERTAIN > 0 >= weakest + 2 * groups.UNCERTAIN
