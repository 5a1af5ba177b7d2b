"""How a search is divided into bands: every pair within the radius lies within the tolerance of one of them."""

from itertools import combinations

import numpy as np
import pytest

from tasks.core.dedup import search_bands
from tasks.core.dedup.search_bands import BandShape, SearchSize

EVEN = {
    BandShape(width, tolerance): search_bands._masks(BandShape(width, tolerance)) / 2**width
    for width in range(4, 25)
    for tolerance in range(7)
}
"""Shares of pairs that are looked at, of keys whose bits are thrown."""


@pytest.mark.parametrize(
    ("band", "masks"),
    [
        pytest.param(BandShape(4, 0), [0], id="no tolerance: the same bucket"),
        pytest.param(BandShape(3, 1), [0, 1, 2, 4], id="one bit"),
        pytest.param(BandShape(3, 2), [0, 1, 2, 3, 4, 5, 6], id="two bits, ascending"),
        pytest.param(BandShape(2, 5), [0, 1, 2, 3], id="more than there are"),
    ],
)
def test_the_ways_in_which_two_buckets_may_differ(band, masks):
    assert search_bands.masks_of(band).tolist() == masks
    assert search_bands._masks(band) == len(masks)


@pytest.mark.parametrize("radius_bits", [0, 1, 5, 10, 16])
@pytest.mark.parametrize("keys", [1, 1000, 10**6])
def test_bands_leave_no_pair_out(radius_bits, keys):
    """Tolerances t_k and the number of bands add up to r + 1: who differs by t_k + 1 in each differs by r + 1."""
    bands = search_bands.plan_bands(SearchSize(keys, keys, True), radius_bits, EVEN)
    assert sum(band.tolerance_bits + 1 for band in bands) == radius_bits + 1
    assert sum(band.width_bits for band in bands) <= 64
    assert [band.width_bits for band in bands] == sorted((band.width_bits for band in bands), reverse=True)


def test_more_keys_take_wider_bands():
    few, many = (search_bands.plan_bands(SearchSize(n, n, True), 8, EVEN) for n in (1000, 10**7))
    assert many[0].width_bits > few[0].width_bits


def test_every_bit_has_one_place_and_the_evenest_are_at_the_top_of_a_band():
    order = [*range(10, 64), *range(10)]
    table = search_bands._bit_permutation(order, [8, 6])
    places = [int(table[bit // 8, 1 << (bit % 8)]).bit_length() - 1 for bit in range(64)]
    assert sorted(places) == list(range(64))
    assert places[10] == 7  # the evenest bit, at the top of the first band
    assert places[11] == 13  # the next one, at the top of the second
    assert sorted(places[bit] for bit in order[:14]) == list(range(14))
    assert table[0, 0] == 0
    assert int(table[1, 0b101]) == int(table[1, 0b100]) | int(table[1, 0b001]), "a byte is the sum of its bits"


def test_the_evenest_bits_come_first():
    """Bit 3 is set in half of the keys, bit 0 in a quarter, all others never."""
    keys = np.array([0, 8, 0, 9], np.uint64)
    order, shares = search_bands._balance(keys)
    assert order[:3] == [3, 0, 1]
    assert shares[BandShape(4, 6)] == 1.0
    assert all(0 < share <= 1 for share in shares.values())


def test_one_key_has_no_pair_to_learn_from():
    order, shares = search_bands._balance(np.array([5], np.uint64))
    assert sorted(order) == list(range(64))
    assert shares[BandShape(4, 0)] == 1 / 16


def test_tiles_are_powers_of_two_and_no_larger_than_the_band():
    assert search_bands._tile_size(10, 4, 1) == 8
    assert search_bands._tile_size(10, 4, 2) == 1
    assert search_bands._tile_size(2**24, 20, 1) == 2**9
    assert search_bands._tile_size(2**24, 4, 64) == 1


def naive(left: np.ndarray, right: np.ndarray | None, radius_bits: int) -> list[int]:
    if right is None:
        near = [
            (i, j) for i, j in combinations(range(len(left)), 2) if int(left[i] ^ left[j]).bit_count() <= radius_bits
        ]
    else:
        near = [
            (i, j)
            for i in range(len(left))
            for j in range(len(right))
            if int(left[i] ^ right[j]).bit_count() <= radius_bits
        ]
    return [i << 32 | j for i, j in near]


@pytest.mark.parametrize("radius_bits", [0, 3, 9, 16])
@pytest.mark.parametrize("threads", [1, 3])
def test_by_bands_the_same_pairs_as_by_comparing_all(radius_bits, threads):
    rng = np.random.default_rng(radius_bits)
    centres = rng.integers(0, 2**63, 12, np.uint64)
    near = centres[rng.integers(0, 12, 150)]
    for _ in range(10):  # up to ten bits turned over
        near = near ^ (np.uint64(1) << rng.integers(0, 64, 150).astype(np.uint64))
    keys = np.unique(near)
    assert search_bands.banded_pairs(keys, None, radius_bits, threads).tolist() == naive(keys, None, radius_bits)
    one, other = keys[::2], keys[1::2]
    assert search_bands.banded_pairs(one, other, radius_bits, threads).tolist() == naive(one, other, radius_bits)
