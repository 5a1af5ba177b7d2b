"""Bits of hashes, counted and put in another order, compiled: imported only where there is much to search."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

Hashes = NDArray[np.uint64]


def permutation(place_of: Mapping[int, int]) -> Hashes:
    """(8, 256) the table for `permute_bits`: what each byte becomes. place_of: where each bit goes, 0..63."""
    values = np.arange(256, dtype=np.uint64)
    table = np.zeros((8, 256), np.uint64)
    for bit, place in place_of.items():
        table[bit // 8] |= ((values >> np.uint64(bit % 8)) & np.uint64(1)) << np.uint64(place)
    return table


@compiled
def permute_bits(word: np.uint64, table: Hashes) -> np.uint64:
    """The word with its bits in another order, which leaves all distances. table: (8, 256) where each byte's go."""
    found = np.uint64(0)
    for byte in range(8):
        found |= table[byte, (word >> np.uint64(8 * byte)) & np.uint64(255)]
    return found


@compiled
def count_bits(word: np.uint64) -> np.uint64:
    """How many bits are set (Warren, Hacker's Delight, 5-1)."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)
