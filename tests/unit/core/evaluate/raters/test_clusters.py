"""Groups of boxes: by hand, and against every grouping that there is."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.raters.clusters import corner_medians, group_overlapping, kmeans
from tasks.core.evaluate.raters.pairing import overlaps_of

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
