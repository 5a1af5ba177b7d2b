"""How many new images of each stratum go to each split: whole batches, the seats of a short one, what is taken
already.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tasks.core.split.batches import seats_of

POPART = (3, 1, 1)


def found(
    placed: list[tuple[int, ...]], new: list[int], seats: tuple[int, ...] = POPART, seed: int = 1
) -> list[list[int]]:
    there = np.array(placed, np.int64).reshape(-1, len(seats))
    names = [f"style {number}" for number in range(len(new))]
    return seats_of(there, np.array(new, np.int64), np.array(seats), names, seed, "split/short").tolist()


@pytest.mark.parametrize(
    ("placed", "new", "seats", "expected"),
    [
        pytest.param([], [], POPART, [], id="no strata"),
        pytest.param([(0, 0, 0)], [0], POPART, [[0, 0, 0]], id="nobody"),
        pytest.param([(0, 0, 0)], [10], POPART, [[6, 2, 2]], id="two batches"),
        pytest.param([(0, 0, 0), (0, 0, 0)], [5, 10], POPART, [[3, 1, 1], [6, 2, 2]], id="each stratum by itself"),
        pytest.param([(3, 1, 1)], [5], POPART, [[3, 1, 1]], id="beside a batch that is there"),
        pytest.param([(3, 0, 0)], [2], POPART, [[0, 1, 1]], id="what a batch lacks"),
        pytest.param([(0, 1, 1)], [8], POPART, [[6, 1, 1]], id="what two lack"),
        pytest.param([(9, 0, 0)], [2], POPART, [[0, 1, 1]], id="who has too many gets none"),
        pytest.param([(9, 0, 0)], [6], POPART, [[0, 3, 3]], id="until the others have theirs"),
        pytest.param([(9, 0, 0)], [11], POPART, [[3, 4, 4]], id="and then all do"),
        pytest.param([(0, 12, 0)], [8], POPART, [[6, 0, 2]], id="those that lack share in proportion"),
        pytest.param([(0,)], [7], (1,), [[7]], id="one split"),
        pytest.param([(0, 0)], [12], (5, 1), [[10, 2]], id="ArtBench"),
        pytest.param([(0, 0)], [100], (1, 9), [[10, 90]], id="the Met's queries"),
    ],
)
def test_seats(placed: list[tuple[int, ...]], new: list[int], seats: tuple[int, ...], expected: list[list[int]]):
    assert found(placed, new, seats) == expected


SEEDS = 1500


@pytest.mark.parametrize(
    ("left", "law"),
    [
        # which seats are taken: hypergeometric, {train x 3, val, test} without replacement
        pytest.param(1, {(1, 0, 0): 3 / 5, (0, 1, 0): 1 / 5, (0, 0, 1): 1 / 5}, id="one place"),
        pytest.param(2, {(2, 0, 0): 3 / 10, (1, 1, 0): 3 / 10, (1, 0, 1): 3 / 10, (0, 1, 1): 1 / 10}, id="two places"),
        pytest.param(
            3, {(3, 0, 0): 1 / 10, (2, 1, 0): 3 / 10, (2, 0, 1): 3 / 10, (1, 1, 1): 3 / 10}, id="three places"
        ),
        pytest.param(4, {(3, 1, 0): 1 / 5, (3, 0, 1): 1 / 5, (2, 1, 1): 3 / 5}, id="four places"),
    ],
)
@pytest.mark.parametrize("batches", [0, 7])
def test_a_short_last_batch_draws_its_places_from_the_five_seats(
    left: int, law: dict[tuple[int, ...], float], batches: int
):
    """The literal law, where there is one stratum."""
    whole = batches * np.array(POPART)
    counted = Counter(
        tuple((found([(0, 0, 0)], [5 * batches + left], seed=seed)[0] - whole).tolist()) for seed in range(SEEDS)
    )
    assert set(counted) == set(law)
    assert stats.chisquare([counted[key] for key in law], [SEEDS * odds for odds in law.values()]).pvalue > 0.01


def test_what_is_published_has_taken_its_seats():
    """Two images lie in train and one in val: one more takes train's last seat or test's, as likely the one as the
    other.
    """
    counted = Counter(tuple(found([(2, 1, 0)], [1], seed=seed)[0]) for seed in range(SEEDS))
    assert set(counted) == {(1, 0, 0), (0, 0, 1)}
    assert stats.chisquare([counted[1, 0, 0], counted[0, 0, 1]]).pvalue > 0.01


@pytest.mark.parametrize("left", [1, 2, 3, 4])
def test_the_short_batches_of_many_strata_do_not_add_up(left: int):
    for seed in range(30):
        got = np.array(found([(0, 0, 0)] * 40, [left] * 40, seed=seed))
        assert np.all(got <= POPART)
        assert np.abs(5 * got.sum(axis=0) - np.array(POPART) * got.sum()).max() <= 6


NUMBERS = st.lists(st.tuples(st.tuples(*[st.integers(0, 12)] * 3), st.integers(0, 23)), max_size=6)


@given(NUMBERS, st.integers(0, 99), st.sampled_from([(3, 1, 1), (1, 1, 1), (7, 2, 1)]))
def test_all_new_images_get_seats_and_no_stratum_gets_more_than_it_may(
    strata: list[tuple[tuple[int, ...], int]], seed: int, seats: tuple[int, ...]
):
    placed, new = [of for of, _ in strata], [count for _, count in strata]
    got = np.array(found(placed, new, seats, seed), np.int64).reshape(-1, 3)
    assert got.sum(axis=1).tolist() == new
    assert got.min(initial=0) >= 0
    batches = -(-(np.array(placed, np.int64).reshape(-1, 3) + got).sum(axis=1, keepdims=True) // sum(seats))
    limit = np.maximum(batches * np.array(seats), np.array(placed, np.int64).reshape(-1, 3))
    assert np.all(np.array(placed, np.int64).reshape(-1, 3) + got <= limit)


@given(NUMBERS, st.integers(0, 99))
def test_the_order_of_strata_changes_nothing(strata: list[tuple[tuple[int, ...], int]], seed: int):
    placed, new = (
        np.array([of for of, _ in strata], np.int64).reshape(-1, 3),
        np.array([count for _, count in strata], np.int64),
    )
    names = [f"style {number}" for number in range(len(new))]
    got = seats_of(placed, new, np.array(POPART), names, seed, "short")
    turned = seats_of(placed[::-1], new[::-1], np.array(POPART), names[::-1], seed, "short")
    assert np.array_equal(turned[::-1], got)


def test_seed_purpose_and_name_each_make_another_draw():
    def drawn(seed: int, purpose: str, first: int) -> list[list[int]]:
        names = [f"style {number}" for number in range(first, first + 40)]
        return seats_of(np.zeros((40, 3), np.int64), np.full(40, 2), np.array(POPART), names, seed, purpose).tolist()

    assert drawn(1, "a", 0) == drawn(1, "a", 0)
    assert drawn(1, "a", 0) not in (drawn(2, "a", 0), drawn(1, "b", 0), drawn(1, "a", 40))


def test_of_splits_that_lack_as_much_chance_decides():
    """An equal lack in every stratum would else be made up for in one split alone."""
    got = np.array(found([(5, 0, 0)] * 200, [1] * 200, POPART)).sum(axis=0)
    assert got[0] == 0
    assert abs(got[1] - 100) < 30
