"""Lists of codes: their order, and neighbours in it, by hand."""

from typing import Any

import numpy as np
import pytest

from tasks.core.dedup import bits
from tasks.core.dedup.list_kernels import count_shared, near_neighbours, put_in_order

CODES = np.array([0b0000, 0b0001, 0b0111, 0b0000], np.uint64)
UPRIGHT = np.zeros(4, np.uint8)


@pytest.mark.parametrize(
    ("row_bits", "expected"),
    [
        pytest.param(2, [2**63 + 0, 0 + 1, 2**62 + 2], id="the last bit stands first, those of the row last"),
        pytest.param(63, [2**63 + 0, 1, 2], id="next to nothing of a code is left"),
    ],
)
def test_codes_in_another_order_know_their_rows(row_bits: int, expected: list[int]):
    last_first = bits.permutation({bit: (bit + 63) % 64 for bit in range(64)})
    assert put_in_order(np.array([1, 2, 2**63], np.uint64), last_first, row_bits).tolist() == expected


@pytest.mark.parametrize(
    ("pictures", "angles", "reach", "most", "radius_bits", "expected"),
    [
        pytest.param([0, 1, 2, 3], UPRIGHT, 3, 1, 1, [(0, 3), (1, 3)], id="of all behind each the nearest"),
        pytest.param([0, 1, 2, 3], UPRIGHT, 1, 1, 1, [(0, 1)], id="of the next one alone"),
        pytest.param([0, 1, 2, 3], UPRIGHT, 3, 2, 1, [(0, 1), (0, 3), (1, 3)], id="the two nearest"),
        pytest.param([0, 1, 2, 0], UPRIGHT, 3, 1, 1, [(0, 1), (0, 1)], id="none of the same picture"),
        pytest.param([0, 1, 2, 3], [0, 0, 0, 90], 3, 1, 1, [(0, 1)], id="none that is turned on its side"),
        pytest.param([3, 2, 1, 0], UPRIGHT, 3, 1, 0, [(0, 3)], id="the smaller picture first"),
        pytest.param([0, 1, 2, 3], UPRIGHT, 3, 3, 64, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], id="all"),
    ],
)
def test_near_neighbours(
    pictures: list[int], angles: Any, reach: int, most: int, radius_bits: int, expected: list[tuple[int, int]]
):
    columns = np.array(angles, np.uint8), np.array(pictures, np.uint32), np.array([5, 6, 7, 8], np.uint8)
    found = near_neighbours(np.arange(4, dtype=np.uint64), CODES, *columns, reach, most, radius_bits)
    number_of = dict(zip(pictures, (5, 6, 7, 8), strict=True)) if len(set(pictures)) == 4 else {}
    rows = [(int(pair >> 40), int(pair >> 16) & 0xFFFFFF, int(pair >> 8) & 255, int(pair) & 255) for pair in found]
    assert sorted(row[:2] for row in rows) == expected
    assert all(number_of.get(one, five) == five and number_of.get(two, six) == six for one, two, five, six in rows)


def test_places_that_two_pictures_share_are_counted_from_either_side():
    codes = np.array([0, 2**20 - 1, 2**40 - 1], np.uint64)
    places = np.array([[10, 10, 0, 0], [60, 10, 0, 0], [10, 80, 0, 0]], np.uint8)
    moved, starts = places + np.array([5, 5, 0, 0], np.uint8), np.array([0, 3])
    pair = np.array([[0, 0]])
    assert count_shared((codes, codes), (places, moved), (starts, starts), pair, 50, 4).tolist() == [3]
    assert count_shared((codes, ~codes), (places, moved), (starts, starts), pair, 50, 4).tolist() == [0]
