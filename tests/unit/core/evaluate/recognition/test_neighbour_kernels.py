"""The inner loops of the search: sums in one order, lists that stay sorted, and what is passed over."""

import math

import numpy as np
import pytest

from tasks.core.evaluate.recognition.neighbour_kernels import has_one_above, inner_product, insert, keep_nearest


@pytest.mark.parametrize("size", [0, 1, 3, 4, 7, 512])
def test_an_inner_product_is_the_exact_one_rounded(size):
    chance = np.random.default_rng(size)
    left, right = chance.standard_normal((2, size)).astype(np.float32)
    exact = math.fsum(float(one) * float(other) for one, other in zip(left, right, strict=True))
    assert inner_product(left, right) == np.float32(exact)


@pytest.mark.parametrize(
    ("similarity", "kept", "rows"),
    [
        (0.9, [0.9, 0.8, 0.5], [9, 0, 1]),
        (0.8, [0.8, 0.8, 0.5], [0, 9, 1]),  # behind the one that is as near
        (0.6, [0.8, 0.6, 0.5], [0, 9, 1]),
        (0.3, [0.8, 0.5, 0.3], [0, 1, 2]),  # as near as the last
        (0.1, [0.8, 0.5, 0.3], [0, 1, 2]),
    ],
)
def test_a_list_stays_sorted(similarity, kept, rows):
    similarities, places = np.array([0.8, 0.5, 0.3], np.float32), np.arange(3)
    insert(np.float32(similarity), 9, similarities, places)
    assert similarities.tolist() == np.array(kept, np.float32).tolist()
    assert places.tolist() == rows


@pytest.mark.parametrize(
    ("products", "is_above"),
    [([], False), ([0.4], False), ([0.5], True), ([np.nan], False), ([0.0] * 70 + [1.0], True)],
)
def test_whether_one_is_above(products, is_above):
    assert has_one_above(np.array(products, np.float32), np.float32(0.5)) is is_above


@pytest.mark.parametrize("place", [0, 63, 64, 127, 129])
def test_only_what_is_within_the_tolerance_is_looked_at_again(place):
    """The kept similarity is the exact one, not the product."""
    block = np.zeros((130, 1), np.float32)
    block[place] = 0.75
    products = np.full((1, 130), -1, np.float32)
    products[0, place] = 0.7
    for tolerance, expected in ((0.1, [0.75, 5 + place]), (0.0, [0.72, 1])):
        similarities, rows = np.array([[0.72]], np.float32), np.array([[1]])
        query, slack = np.ones((1, 1), np.float32), np.array([tolerance], np.float32)
        keep_nearest(block, 5, products, query, slack, similarities, rows)
        assert [similarities[0, 0], rows[0, 0]] == [np.float32(expected[0]), expected[1]]
