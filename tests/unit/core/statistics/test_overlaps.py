"""Overlaps of boxes: against a plain loop over all pairs, and by hand."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.statistics.overlaps import count_overlaps

Box = tuple[float, float, float, float]
sides = st.integers(0, 6)
boxes = st.lists(st.tuples(st.integers(0, 2), st.tuples(st.integers(-3, 5), st.integers(-3, 5), sides, sides)))


def counted(drawn: list[tuple[int, Box]]) -> list[tuple[int, int]]:
    image = np.array([image for image, _ in drawn], np.int64)
    xywh_px = np.array([box for _, box in drawn], np.float64).reshape(-1, 4)
    return [*zip(*(counts.tolist() for counts in count_overlaps(image, xywh_px)), strict=True)]


def shared_px2(one: Box, other: Box) -> float:
    width, height = (
        min(one[side] + one[side + 2], other[side] + other[side + 2]) - max(one[side], other[side]) for side in (0, 1)
    )
    return max(width, 0) * max(height, 0)


def by_all_pairs(drawn: list[tuple[int, Box]]) -> list[tuple[int, int]]:
    found = [[0, 0] for _ in drawn]
    for one, other in combinations(range(len(drawn)), 2):
        (image, box), (its_image, its_box) = drawn[one], drawn[other]
        shared = shared_px2(box, its_box)
        if image == its_image and shared > 0:
            is_mostly = shared / min(box[2] * box[3], its_box[2] * its_box[3]) > 0.5
            for place in (one, other):
                found[place][0] += is_mostly
                found[place][1] += 1
    return [(mostly, touching) for mostly, touching in found]


@given(boxes)
def test_counts_are_those_of_a_plain_loop(drawn: list[tuple[int, Box]]):
    drawn = sorted(drawn, key=lambda one: one[0])
    assert counted(drawn) == by_all_pairs(drawn)


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        pytest.param([], [], id="no box"),
        pytest.param([(4, (0, 0, 9, 9))], [(0, 0)], id="one box"),
        pytest.param([(0, (0, 0, 9, 0)), (0, (0, 0, 9, 9))], [(0, 0), (0, 0)], id="a box of no area"),
        pytest.param([(0, (0, 0, 9, 9)), (1, (0, 0, 9, 9))], [(0, 0), (0, 0)], id="in two images"),
        pytest.param([(0, (1, 1, 5, 5))] * 3, [(2, 2)] * 3, id="equal boxes"),
        pytest.param([(0, (0, 0, 4, 4)), (0, (4, 0, 4, 4))], [(0, 0), (0, 0)], id="side by side"),
        pytest.param([(0, (0, 0, 10, 10)), (0, (-5, 0, 10, 10))], [(0, 1), (0, 1)], id="just half, beyond the edge"),
        pytest.param([(0, (0, 0, 10, 10)), (0, (-4, 0, 10, 10))], [(1, 1), (1, 1)], id="more than half"),
        pytest.param([(0, (0, 0, 10, 10)), (0, (3, 3, 4, 4))], [(1, 1), (1, 1)], id="one inside: IoU .16, smaller 1.0"),
    ],
)
def test_by_hand(drawn: list[tuple[int, Box]], expected: list[tuple[int, int]]):
    assert counted(drawn) == expected
