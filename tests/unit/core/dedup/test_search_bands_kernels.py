"""The inner loops of the search: buckets in order, bits dealt anew, and pairs once each."""

from itertools import combinations

import numpy as np
import pytest

from tasks.core.dedup import search_bands as kernels

AS_THEY_ARE = np.array([[value << (8 * byte) for value in range(256)] for byte in range(8)], np.uint64)
NOTHING_EARLIER = np.empty(0, np.uint64)


def keys(*values: int) -> kernels.Hashes:
    return np.array(values, np.uint64)


def band(width_bits: int, radius_bits: int, earlier: dict[int, int] | None = None, shift: int = 0) -> kernels.Band:
    """earlier: bits of earlier bands, and the tolerance of each."""
    told = earlier or {}
    return kernels.Band(
        np.uint64(shift),
        np.uint64((1 << width_bits) - 1),
        np.uint64(radius_bits),
        np.array([*told], np.uint64),
        np.array([*told.values()], np.uint64),
    )


def pairs(found: kernels.Hashes) -> list[tuple[int, int]]:
    return sorted((int(pair) >> 32, int(pair) & 0xFFFFFFFF) for pair in found)


# --- the index


def test_an_index_has_buckets_in_order_and_equal_ones_in_the_order_of_rows():
    index = kernels.build_index(keys(0b10, 0b01, 0b110, 0b00), AS_THEY_ARE, np.uint64(0), 2)
    assert index.rows.tolist() == [3, 1, 0, 2]
    assert index.hashes[:4].tolist() == [0b00, 0b01, 0b10, 0b110]
    assert index.hashes.size == 4 + kernels.LANES, "so that a step of lanes at the last key reads nothing foreign"
    assert [int(start) for start in index.starts[:5]] == [0, 1, 2, 4, 4]


def test_an_index_of_nothing():
    index = kernels.build_index(keys(), AS_THEY_ARE, np.uint64(0), 3)
    assert index.rows.tolist() == []
    assert not index.starts.any()


def test_the_bits_of_the_band_may_lie_anywhere():
    index = kernels.build_index(keys(1 << 60, 1, 3 << 60), AS_THEY_ARE, np.uint64(60), 4)
    assert index.rows.tolist() == [1, 0, 2]
    assert [int(start) for start in index.starts[:5]] == [0, 1, 2, 2, 3]


def test_a_deal_moves_bits_and_leaves_distances():
    reverse = np.zeros((8, 256), np.uint64)
    for bit in range(64):
        for value in range(256):
            reverse[bit // 8, value] |= np.uint64(((value >> (bit % 8)) & 1) << (63 - bit))
    one, other = np.uint64(0x8000000000000001), np.uint64(0b110)
    assert int(kernels.permute_bits(np.uint64(1), reverse)) == 1 << 63
    assert int(kernels.permute_bits(one, AS_THEY_ARE)) == int(one)
    moved = int(kernels.permute_bits(one, reverse)) ^ int(kernels.permute_bits(other, reverse))
    assert moved.bit_count() == 4


# --- pairs


NEAR = keys(0b0000, 0b0001, 0b0110, 1 << 20, 0b0110 | 1 << 20)


@pytest.mark.parametrize(
    ("masks", "radius_bits", "expected"),
    [
        pytest.param([0], 0, [], id="no two are equal"),
        pytest.param([0], 1, [(0, 3), (2, 4)], id="within a bucket"),
        pytest.param([0, 1], 1, [(0, 1), (0, 3), (2, 4)], id="and in the next one"),
        pytest.param([0, 1, 6], 2, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 4), (3, 4)], id="and two bits off"),
    ],
)
def test_pairs_of_buckets_that_differ_by_a_mask(masks, radius_bits, expected):
    index = kernels.build_index(NEAR, AS_THEY_ARE, np.uint64(0), 4)
    found = kernels.tile_pairs(index, index, band(4, radius_bits), keys(*masks), 0, 16, True)
    assert pairs(found) == expected


def test_tiles_together_give_each_pair_once():
    index = kernels.build_index(NEAR, AS_THEY_ARE, np.uint64(0), 4)
    masks = keys(*range(16))
    for size in (1, 2, 4, 8, 16):
        parts = [
            kernels.tile_pairs(index, index, band(4, 64), masks, start, size, True) for start in range(0, 16, size)
        ]
        assert pairs(np.concatenate(parts)) == list(combinations(range(5), 2))


def test_what_an_earlier_band_has_found_is_not_found_again():
    index = kernels.build_index(NEAR, AS_THEY_ARE, np.uint64(0), 4)
    earlier = {1 << 20: 0}  # by that bit alone, pairs that agree in it
    found = kernels.tile_pairs(index, index, band(4, 2, earlier), keys(0, 1, 6), 0, 16, True)
    assert pairs(found) == [(0, 3), (1, 3), (2, 4)]


def test_between_two_tables_rows_stay_on_their_sides():
    left = kernels.build_index(keys(5, 0), AS_THEY_ARE, np.uint64(0), 4)
    right = kernels.build_index(keys(0, 4, 5), AS_THEY_ARE, np.uint64(0), 4)
    found = kernels.tile_pairs(left, right, band(4, 1), keys(0, 1, 2, 4, 8), 0, 16, False)
    assert pairs(found) == [(0, 1), (0, 2), (1, 0), (1, 1)]


def test_more_pairs_than_there_is_room_for_at_first_and_more_in_a_bucket_than_lanes():
    """60 keys in one bucket: 1,770 pairs, where there is room for 1,024."""
    many = keys(*(number << 8 for number in range(60)))
    index = kernels.build_index(many, AS_THEY_ARE, np.uint64(0), 4)
    found = kernels.tile_pairs(index, index, band(4, 64), keys(0), 0, 16, True)
    assert pairs(found) == list(combinations(range(60), 2))
