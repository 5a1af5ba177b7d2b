"""Bits put in another order and counted, beside Python's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.dedup import bits

WORDS = st.integers(0, 2**64 - 1)


@given(WORDS)
def test_bits_are_counted(word: int):
    assert int(bits.count_bits(np.uint64(word))) == word.bit_count()


@given(WORDS, st.permutations(range(64)))
def test_each_bit_goes_to_its_place(word: int, places: list[int]):
    table = bits.permutation(dict(enumerate(places)))
    expected = sum(1 << place for bit, place in enumerate(places) if word >> bit & 1)
    assert int(bits.permute_bits(np.uint64(word), table)) == expected


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1])
def test_bits_that_have_no_place_are_left_out(word: int):
    assert int(bits.permute_bits(np.uint64(word), bits.permutation({63: 0}))) == word >> 63
