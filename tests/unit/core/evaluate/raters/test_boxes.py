"""Boxes matched one to one, and in groups: by hand and by plain loops."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.raters.boxes import (
    corner_medians,
    group_overlapping,
    kmeans,
    overlaps_of,
    pair_boxes,
    total_overlap,
)

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


DRAWS = np.random.default_rng(1).random((20, 6))


def groups(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def inertia(points: np.ndarray, labels: np.ndarray) -> float:
    return sum(
        float(((points[labels == label] - points[labels == label].mean(axis=0)) ** 2).sum()) for label in set(labels)
    )


def test_two_far_groups_are_told_apart():
    points = np.array([[0.0, 0], [1, 0], [100, 0], [101, 0], [0, 1]])
    assert groups(kmeans(points, 2, DRAWS)) == {frozenset({0, 1, 4}), frozenset({2, 3})}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_equal_points_are_one_group(count: int):
    points = np.array([[0.0, 0], [0, 0], [5, 5], [5, 5], [9, 0]])
    got = kmeans(points, count, DRAWS)
    assert len(set(got.tolist())) == count
    assert (got[0], got[2]) == (got[1], got[3])


def test_one_start_is_enough_for_one_group_and_draws_near_1_are_fine():
    points = np.array([[1.0], [2.0], [4.0]])
    assert kmeans(points, 1, np.array([[np.nextafter(1, 0)]])).tolist() == [0, 0, 0]
    assert len(set(kmeans(points, 3, np.full((1, 3), np.nextafter(1, 0))).tolist())) == 3


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_no_grouping_of_few_points_has_a_smaller_inertia(seed: int, count: int):
    """Twenty starts find the best of all groupings of six points."""
    points = np.random.default_rng(seed).integers(0, 30, (6, 4)).astype(float)
    best = min(
        inertia(points, np.array(labels))
        for labels in itertools.product(range(count), repeat=6)
        if len(set(labels)) == count
    )
    assert inertia(points, kmeans(points, count, DRAWS)) <= best * (1 + 1e-9) + 1e-9


def plain_groups(overlaps: np.ndarray, rater: np.ndarray, least: float) -> set[frozenset[int]]:
    """Average linkage as its definition has it."""
    whole = [[place] for place in range(len(rater))]
    while True:
        pairs = [
            (np.mean([overlaps[one, other] for one in a for other in b]), -place, -later)
            for place, a in enumerate(whole)
            for later, b in enumerate(whole)
            if place < later and not {rater[one] for one in a} & {rater[other] for other in b}
        ]
        if not pairs or max(pairs)[0] < least:
            return {frozenset(group) for group in whole}
        _, place, later = max(pairs)
        whole[-place] += whole.pop(-later)


@given(st.integers(0, 10_000))
def test_groups_of_overlapping_boxes_as_a_plain_loop_has_them(seed: int):
    chance = np.random.default_rng(seed)
    low = chance.integers(0, 40, (9, 2))
    boxes = np.concatenate([low, low + chance.integers(20, 60, (9, 2))], axis=1) + chance.random((9, 4))
    rater = np.sort(chance.integers(0, 5, 9))
    overlaps = overlaps_of(boxes, boxes)
    got = groups(group_overlapping(overlaps, rater, 0.5))
    assert got == plain_groups(overlaps, rater, 0.5)
    assert all(len({rater[place] for place in group}) == len(group) for group in got)


@pytest.mark.parametrize(
    ("overlap", "raters", "expected"),
    [(0.5, (0, 1), 1), (0.49, (0, 1), 2), (1.0, (0, 0), 2)],
)
def test_two_boxes_join_from_the_least_overlap_on_unless_one_rater_drew_both(
    overlap: float, raters: tuple[int, int], expected: int
):
    overlaps = np.array([[1.0, overlap], [overlap, 1.0]])
    assert len(groups(group_overlapping(overlaps, np.array(raters), 0.5))) == expected


def test_nothing_to_group():
    assert len(group_overlapping(np.zeros((0, 0)), np.zeros(0, np.int64), 0.5)) == 0
    assert corner_medians(np.zeros((0, 4)), np.zeros(0, np.int64), np.zeros(0, np.int64)).shape == (0, 4)


def test_medians_of_groups():
    points = np.array([[1.0, 10], [2, 20], [9, 0], [4, 40]])
    assert corner_medians(points, np.array([7, 7, 3, 7]), np.array([3, 7])).tolist() == [[9, 0], [2, 20]]
