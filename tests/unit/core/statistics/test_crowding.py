"""Crowding: by hand, and against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.statistics.crowding import crowding

WIDTH, HEIGHT = 7, 5
edges, sides = st.integers(-3, 8), st.integers(0, 6)
boxes = st.lists(st.tuples(edges, edges, sides, sides), min_size=1, max_size=8)
Box = tuple[float, float, float, float]


def measured(drawn: list[Box], width: float = WIDTH, height: float = HEIGHT) -> tuple[float, float]:
    found = crowding(np.zeros(len(drawn), np.int64), np.array(drawn, float).reshape(-1, 4), np.array([[width, height]]))
    return found.covered[0], found.proximity[0]


def by_pixels(drawn: list[Box]) -> float:
    picture = np.zeros((HEIGHT, WIDTH), bool)
    for box in drawn:
        x, y, width, height = map(int, box)
        picture[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)] = True
    return float(picture.mean())


def by_all_pairs(drawn: list[Box]) -> float:
    centres = [(x + width / 2, y + height / 2) for x, y, width, height in drawn]
    nearest = [
        min(math.dist(one, other) for place, other in enumerate(centres) if place != mine)
        for mine, one in enumerate(centres)
    ]
    return sum(nearest) / len(nearest) / math.hypot(WIDTH, HEIGHT)


@given(boxes)
def test_measures_are_those_of_plain_loops(drawn: list[Box]):
    covered, proximity = measured(drawn)
    assert covered == pytest.approx(by_pixels(drawn))
    assert proximity == pytest.approx(by_all_pairs(drawn)) if len(drawn) > 1 else math.isnan(proximity)


@pytest.mark.parametrize(
    ("drawn", "covered"),
    [
        pytest.param([(0, 0, 7, 5)], 1.0, id="all of it"),
        pytest.param([(-9, -9, 99, 99)], 1.0, id="beyond every edge"),
        pytest.param([(0, 0, 7, 1), (0, 0, 1, 5)], 11 / 35, id="a corner is counted once"),
        pytest.param([(7, 0, 3, 3), (-4, 0, 4, 4)], 0.0, id="beside it"),
        pytest.param([(2, 2, 0, 3)], 0.0, id="of no area"),
        pytest.param([(0.5, 0.5, 0.5, 0.5)] * 3, 0.25 / 35, id="equal boxes, parts of pixels"),
    ],
)
def test_by_hand(drawn: list[Box], covered: float):
    assert measured(drawn)[0] == pytest.approx(covered)


def test_images_without_boxes_or_without_a_size():
    found = crowding(np.array([1, 2, 2]), np.ones((3, 4)), np.array([[4, 3], [4, 3], [np.nan, 3], [0, 0], [4, 3.0]]))
    np.testing.assert_array_equal(found.covered, [0, 1 / 12, np.nan, np.nan, 0])
    assert np.isnan(found.proximity).all()
    assert crowding(np.zeros(0, np.int64), np.zeros((0, 4)), np.zeros((0, 2))).covered.shape == (0,)
