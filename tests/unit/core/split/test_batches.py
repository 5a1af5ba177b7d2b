"""Dealing single images: whole batches, a short last one, and figures that come out even."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tasks.core.split.batches import FigureCounts, deal_images
from tasks.core.strata import Strata

POPART = (3, 1, 1)
Counts = tuple[int, ...]


def deal(
    of: list[int],
    quotas: list[Counts],
    figures: list[int] | None = None,
    *,
    seats: Counts = POPART,
    seed: int = 1,
    placed: Counts | None = None,
    names: list[str] | None = None,
    purpose: str = "split",
) -> list[int]:
    """The split of each image; of: its stratum."""
    listed = names or [f"r{number:03}" for number in range(len(of))]
    count = figures and FigureCounts(np.array(figures), np.array(placed or [0] * len(seats)))
    strata = Strata([f"style {number}" for number in range(len(quotas))], np.array(of, np.int64))
    cut = len(listed) // 2
    given = pa.chunked_array([listed[:cut], listed[cut:]], pa.string())
    got = deal_images(
        given, strata, np.array(quotas, np.int64).reshape(-1, len(seats)), np.array(seats), count or None, seed, purpose
    )
    return got.tolist()


def quota(count: int) -> Counts:
    return 3 * count // 5, count // 5, count // 5


# --- PoPArt, section 3.3


@pytest.mark.parametrize("batches", [1, 2, 7])
def test_each_batch_of_five_in_the_order_of_figures_has_three_one_and_one(batches: int):
    count = 5 * batches
    for seed in range(20):
        got = deal([0] * count, [quota(count)], list(range(2 * count, count, -1)), seed=seed)
        for start in range(0, count, 5):
            assert np.bincount(got[start : start + 5]).tolist() == [3, 1, 1]


def test_batches_are_walked_inside_each_stratum():
    of, figures = [0, 1] * 10, [n for number in range(10) for n in (number, 100 - number)]
    for seed in range(20):
        got = np.array(deal(of, [(6, 2, 2)] * 2, figures, seed=seed))
        first, second = got[::2], got[1::2]  # figures ascend in the one and descend in the other
        for part in (first[:5], first[5:], second[:5], second[5:]):
            assert np.bincount(part).tolist() == [3, 1, 1]


@pytest.mark.parametrize("place", range(5))
def test_in_a_batch_each_place_is_dealt_each_seat_by_chance(place: int):
    found = Counter(deal([0] * 5, [POPART], seed=seed)[place] for seed in range(500))
    assert stats.chisquare([found[0], found[1], found[2]], [300, 100, 100]).pvalue > 0.01


def test_the_short_last_batch_has_the_fewest_figures():
    for seed in range(20):
        got = deal([0] * 7, [(4, 2, 1)], list(range(20, 13, -1)), seed=seed)
        assert np.bincount(got[:5]).tolist() == [3, 1, 1]
        assert sorted(got[5:]) == [0, 1]


def test_images_with_as_many_figures_are_put_in_order_by_chance_and_not_by_name():
    first = [sorted(deal([0] * 10, [(6, 2, 2)], [3] * 10, seed=seed)[:5]) for seed in range(30)]
    assert any(five != [0, 0, 0, 1, 2] for five in first)  # by name, the first five would always be one batch


def test_without_figures_all_is_by_chance():
    first = [sorted(deal([0] * 10, [(6, 2, 2)], seed=seed)[:5]) for seed in range(30)]
    assert any(five != [0, 0, 0, 1, 2] for five in first)


@pytest.mark.parametrize(
    ("of", "quotas", "seats"),
    [
        pytest.param([], [], POPART, id="nobody"),
        pytest.param([], [(0, 0, 0)], POPART, id="nobody of a stratum"),
        pytest.param([0], [(0, 0, 1)], POPART, id="one image, for test"),
        pytest.param([0] * 6, [(0, 3, 3)], POPART, id="train has enough"),
        pytest.param([0] * 11, [(3, 4, 4)], POPART, id="train had too many"),
        pytest.param([0] * 8, [(8, 0, 0)], POPART, id="only train has places"),
        pytest.param([0] * 4 + [1] * 12, [(0, 2, 2), (7, 3, 2)], POPART, id="two strata, one of them uneven"),
        pytest.param([0] * 7, [(7,)], (1,), id="one split"),
        pytest.param([0] * 12, [(10, 2)], (5, 1), id="ArtBench"),
        pytest.param([0] * 3, [(1, 1, 1)], (999, 1, 1), id="a batch that is never full"),
    ],
)
@pytest.mark.parametrize("with_figures", [False, True])
def test_each_split_gets_its_quota(of: list[int], quotas: list[Counts], seats: Counts, with_figures: bool):
    got = deal(of, quotas, [number % 4 for number in range(len(of))] if with_figures else None, seats=seats)
    for stratum, places in enumerate(quotas):
        mine = [split for split, its in zip(got, of, strict=True) if its == stratum]
        assert np.bincount(mine, minlength=len(seats)).tolist() == list(places)


def test_a_stratum_that_is_uneven_still_has_each_split_in_its_first_batches():
    """Nine of train are there: of the eleven that come 3, 4 and 4. The first batch is dealt to all."""
    for seed in range(20):
        got = deal([0] * 11, [(3, 4, 4)], list(range(11, 0, -1)), seed=seed)
        assert np.bincount(got[:5]).tolist() == [3, 1, 1]


# --- figures


def shares(got: list[int], figures: list[int], placed: Counts = (0, 0, 0)) -> np.ndarray:
    held = np.bincount(got, figures, minlength=3) + placed
    return np.asarray(held / held.sum())


def test_figures_come_within_half_a_point_or_half_of_the_largest_image():
    figures = [110, 60, 44, 30, 22, *([5, 3, 2, 1, 1] * 40)]
    size = len(figures)
    may = max(0.005, 55 / sum(figures))
    for seed in range(40):
        got = deal([0] * size, [quota(size)], figures, seed=seed)
        assert np.abs(shares(got, figures) - [0.6, 0.2, 0.2]).max() <= may + 1e-12


def test_figures_of_what_is_published_count():
    """Test has a crowd already: what comes makes up for it, as far as places go."""
    figures = [9, 8, 7, 6, 5, 1, 1, 1, 1, 1]
    for seed in range(20):
        with_crowd = deal([0] * 10, [(6, 2, 2)], figures, seed=seed, placed=(0, 0, 30))
        in_test = sum(count for count, split in zip(figures, with_crowd, strict=True) if split == 2)
        assert in_test <= 6  # the least that a batch leaves: 5 + 1


@pytest.mark.parametrize("figures", [[0] * 10, [7, *[0] * 9], [10**6] * 10, list(range(10))])
def test_odd_numbers_of_figures(figures: list[int]):
    assert np.bincount(deal([0] * 10, [(6, 2, 2)], figures)).tolist() == [6, 2, 2]


# --- what must not move a deal


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=24),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_changes_nothing(rows: list[tuple[int, int]], with_figures: bool, chance: Any):
    sizes = np.bincount([of for of, _ in rows], minlength=3)
    quotas = [(int(size) - 2 * int(size // 5), int(size // 5), int(size // 5)) for size in sizes]
    listed = [(f"r{number}", *row) for number, row in enumerate(rows)]
    found = []
    for _ in range(2):
        names, of, figures = (list(column) for column in zip(*listed, strict=True)) if listed else ([], [], [])
        got = deal(of, quotas, figures if with_figures else None, names=names)
        found.append(dict(zip(names, got, strict=True)))
        chance.shuffle(listed)
    assert found[0] == found[1]


def test_without_figures_images_of_another_stratum_change_nothing():
    alone = deal([0] * 12, [(8, 2, 2)])
    assert deal([0] * 12 + [1] * 30, [(8, 2, 2), (18, 6, 6)])[:12] == alone


def test_seed_and_purpose_each_make_another_deal():
    assert deal([0] * 20, [(12, 4, 4)]) != deal([0] * 20, [(12, 4, 4)], seed=2)
    assert deal([0] * 20, [(12, 4, 4)]) != deal([0] * 20, [(12, 4, 4)], purpose="other")
