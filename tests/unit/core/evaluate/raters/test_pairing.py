"""Boxes matched one to one: by hand, and against every matching that there is."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.raters.pairing import overlaps_of, pair_boxes, total_overlap

ONE = (0.0, 0.0, 10.0, 10.0)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (ONE, ONE, 1.0),
        (ONE, (5, 0, 15, 10), 1 / 3),
        (ONE, (0, 0, 10, 5), 0.5),
        (ONE, (10, 0, 20, 10), 0.0),
        (ONE, (50, 50, 60, 60), 0.0),
        ((10, 10, 50, 50), (11.5, 10, 50.5, 50.5), 0.9393),
        (ONE, (3, 3, 7, 7), 0.16),
        ((-1e7, -1e7, 1e7, 1e7), (-1e7, -1e7, 1e7, 0), 0.5),
    ],
)
def test_overlap_of_two(one: tuple[float, ...], other: tuple[float, ...], expected: float):
    got = overlaps_of(np.array([one], float), np.array([other], float))
    assert got.shape == (1, 1)
    assert got[0, 0] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_nothing_overlaps_nothing(shape: tuple[int, int]):
    overlaps = overlaps_of(np.zeros((shape[0], 4)), np.zeros((shape[1], 4)))
    assert (overlaps.shape, pair_boxes(overlaps, 0.5).shape, total_overlap(overlaps)) == (shape, (0, 2), 0.0)


def test_more_pairs_come_before_better_ones():
    overlaps = np.array([[0.5, 0.99], [0.0, 0.5]])
    assert pair_boxes(overlaps, 0.5).tolist() == [[0, 0], [1, 1]]
    assert pair_boxes(overlaps, 0.51).tolist() == [[0, 1]]
    assert total_overlap(overlaps) == 1.0


def matchings(rows: int, columns: int):
    for size in range(min(rows, columns) + 1):
        for chosen in itertools.combinations(range(rows), size):
            for others in itertools.permutations(range(columns), size):
                yield [*zip(chosen, others, strict=True)]


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 4))
def test_no_matching_has_more_pairs_or_overlaps_more(seed: int, rows: int, columns: int):
    overlaps = np.random.default_rng(seed).choice([0.0, 0.3, 0.5, 0.7, 0.9], (rows, columns))
    pairs = pair_boxes(overlaps, 0.5)
    allowed = [m for m in matchings(rows, columns) if all(overlaps[pair] >= 0.5 for pair in m)]
    best = max(len(m) for m in allowed)
    most = max(sum(overlaps[pair] for pair in m) for m in allowed if len(m) == best)
    assert len(pairs) == best
    assert sum(overlaps[row, column] for row, column in pairs) == pytest.approx(most)
    assert len({*pairs[:, 0].tolist()}) == len({*pairs[:, 1].tolist()}) == len(pairs)
    whole = max(sum(overlaps[pair] for pair in m) for m in matchings(rows, columns))
    assert total_overlap(overlaps) == pytest.approx(whole)
