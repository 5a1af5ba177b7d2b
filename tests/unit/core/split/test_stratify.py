"""Placing units of several images, or of several labels: iterative stratification, against the paper's own plain
words.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.split.stratify import place_units

SHARES = (0.6, 0.2, 0.2)
Unit = dict[int, int]  # label: how many of the unit's images have it


def place(
    units: list[Unit],
    shares: Sequence[float] = SHARES,
    *,
    sizes: list[int] | None = None,
    order: list[int] | None = None,
    there: list[list[int]] | None = None,
) -> list[int]:
    """The split of each unit, where all images are in units. there: by label, the images that lie in each split
    already.
    """
    width = 1 + max((label for unit in units for label in unit), default=-1)
    size = np.array(sizes or [sum(unit.values()) for unit in units], np.int64)
    fixed = np.array(there or np.zeros((width, len(shares))), np.float64)
    pairs = [(number, *pair) for number, unit in enumerate(units) for pair in unit.items()]
    unit, label, images = np.array(pairs, np.int64).reshape(-1, 3).T
    whole = np.bincount(label, images, width) + fixed.sum(axis=1)
    lacking = whole[:, None] * np.array(shares) - fixed
    rank = np.array(range(len(units)) if order is None else order, np.int64)
    wants = np.maximum(lacking, 0).sum(axis=0)
    total = wants * size.sum() / max(wants.sum(), 1)
    return place_units(unit.copy(), label.copy(), images.copy(), size, rank, lacking, total).tolist()


@pytest.mark.parametrize(
    ("units", "shares", "expected"),
    [
        pytest.param([], SHARES, [], id="nobody"),
        pytest.param([{0: 1}], SHARES, [0], id="one image"),
        pytest.param([{0: 9}], SHARES, [0], id="one group: the largest split"),
        pytest.param([{0: 9}], (0.0, 0.1, 0.9), [2], id="which may be test"),
        pytest.param([{0: 5}, {0: 5}], (0.5, 0.5), [0, 1], id="halves"),
        pytest.param([{0: 2}, {0: 2}, {0: 6}], SHARES, [1, 2, 0], id="the largest first"),
        pytest.param([{0: 90}, {0: 5}, {0: 5}], SHARES, [0, 1, 2], id="a group larger than its share"),
        pytest.param([{0: 5}] * 5, SHARES, [0, 0, 1, 2, 0], id="3, 1 and 1 of five as large"),
        pytest.param([{0: 2}, {1: 2}] * 5, (0.5, 0.5), None, id="two labels by halves"),
    ],
)
def test_placing(units: list[Unit], shares: Sequence[float], expected: list[int] | None):
    got = place(units, shares)
    if expected is None:
        assert np.bincount(got).tolist() == [len(units) // 2] * 2
    else:
        assert got == expected or (len(units) == 5 and np.bincount(got).tolist() == [3, 1, 1])


def test_the_rarest_label_comes_first():
    """Two images have the rare label: one for each half, and the common ones make up for the rest."""
    got = np.array(place([{0: 1}] * 8 + [{0: 1, 1: 1}] * 2, (0.5, 0.5), sizes=[1] * 10))
    assert sorted(got[8:].tolist()) == [0, 1]
    assert np.bincount(got).tolist() == [5, 5]


def test_what_is_published_is_made_up_for_label_by_label():
    """Of label 0 all five lie in train; of label 1 two lie in test.

    Each label's new units fill what that label lacks.
    """
    got = place([{0: 1}] * 5 + [{1: 1}] * 8, there=[[5, 0, 0], [0, 0, 2]], sizes=[1] * 13)
    assert np.bincount(got[5:], minlength=3).tolist() == [6, 2, 0]
    assert np.bincount(got[:5], minlength=3).tolist() == [1, 2, 2]


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_where_each_label_has_one_unit_not_all_go_to_the_largest_split(size: int):
    got = np.bincount(place([{label: size} for label in range(100)]), minlength=3) / 100
    assert np.abs(got - SHARES).max() <= 0.01


def test_the_draw_decides_between_equals():
    units = [{0: 4}] * 5
    assert place(units, order=[4, 3, 2, 1, 0]) == place(units)[::-1]


UNITS = st.lists(st.dictionaries(st.integers(0, 4), st.integers(1, 6), min_size=1, max_size=3), max_size=14)


@given(UNITS, st.randoms(use_true_random=False))
def test_the_order_of_units_changes_nothing(units: list[Unit], chance: Any):
    named = list(range(len(units)))
    got = place(units)
    chance.shuffle(named)
    place_of = {name: number for number, name in enumerate(named)}
    turned = [dict(reversed(units[name].items())) for name in named]
    order = [place_of[name] for name in range(len(units))]  # the same draw
    width = 1 + max((label for unit in units for label in unit), default=-1)
    there = np.zeros((width, 3), np.int64).tolist()
    again = place(turned, order=order, there=there)
    assert [again[place_of[name]] for name in range(len(units))] == got


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 6))
def test_all_images_come_as_near_to_the_shares_as_the_largest_unit_allows(sizes: list[int], labels: int):
    got = place([{number % labels: size} for number, size in enumerate(sizes)])
    held = np.bincount(got, sizes, minlength=3)
    assert np.abs(held - np.array(SHARES) * sum(sizes)).max() <= max(sizes)


# --- Sechidis, Tsoumakas & Vlahavas (2011), Algorithm 1, word for word: the reference


def sechidis(samples: list[set[int]], shares: Sequence[float], chance: np.random.Generator) -> list[int]:
    left = set(range(len(samples)))
    wants = [len(samples) * share for share in shares]
    labels = set().union(*samples)
    wants_of = {label: [sum(label in one for one in samples) * share for share in shares] for label in labels}
    found = [-1] * len(samples)
    while any(samples[one] for one in left):
        counts = {label: sum(label in samples[one] for one in left) for label in sorted(labels)}
        rarest = min((label for label in counts if counts[label]), key=counts.__getitem__)
        for one in sorted(left):
            if rarest in samples[one]:
                most = max(wants_of[rarest])
                best = [split for split in range(len(shares)) if wants_of[rarest][split] == most]
                most = max(wants[split] for split in best)
                split = int(chance.choice([split for split in best if wants[split] == most]))
                found[one] = split
                left.remove(one)
                wants[split] -= 1
                for label in samples[one]:
                    wants_of[label][split] -= 1
    return found


def off(samples: list[set[int]], got: list[int], shares: Sequence[float]) -> tuple[float, float]:
    """Mean distance of the labels' shares, and of that of all images, from what is wanted: in images."""
    labels = sorted(set().union(*samples))
    has = np.array([[label in one for label in labels] for one in samples])
    split = np.array(got)[:, None] == np.arange(len(shares))
    away = np.abs(has.T.astype(int) @ split - has.sum(axis=0)[:, None] * np.array(shares))
    return float(away.mean()), float(np.abs(split.sum(axis=0) - len(samples) * np.array(shares)).mean())


@pytest.mark.parametrize("shares", [SHARES, (0.5, 0.5), (0.8, 0.1, 0.1)])
def test_labels_and_images_are_balanced_no_worse_than_by_the_paper(shares: Sequence[float]):
    """Thirty sets of 120 images, each with one to three of twelve labels, some rare: Zipf's law."""
    chance = np.random.default_rng(11)
    odds = 1 / np.arange(1, 13)
    mine, theirs = [], []
    for _ in range(30):
        samples = [
            set(chance.choice(12, chance.integers(1, 4), replace=False, p=odds / odds.sum()).tolist())
            for _ in range(120)
        ]
        theirs.append(off(samples, sechidis(samples, shares, chance), shares))
        order = chance.permutation(120).tolist()
        mine.append(
            off(
                samples, place([dict.fromkeys(one, 1) for one in samples], shares, sizes=[1] * 120, order=order), shares
            )
        )
    ours, papers = np.mean(mine, axis=0), np.mean(theirs, axis=0)
    assert ours[1] <= papers[1]
    assert ours[0] <= papers[0] + 0.2  # of an image: that much of a label is given for all images to come out even
