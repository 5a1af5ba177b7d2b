"""64 bits as one number, most significant first, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays

from tasks.core.hash import uint64_from_bits


def bit(row: int, column: int) -> np.ndarray:
    bits = np.zeros((8, 8), bool)
    bits[row, column] = True
    return bits


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        pytest.param(np.zeros((8, 8), bool), 0, id="no bit is 0"),
        pytest.param(np.ones((8, 8), bool), 2**64 - 1, id="all bits are the largest number, without overflow"),
        pytest.param(bit(0, 0), 2**63, id="the first bit is the most significant"),
        pytest.param(bit(7, 7), 1, id="the last bit is 1"),
        pytest.param(bit(0, 7), 2**56, id="a row is eight bits"),
        pytest.param(bit(1, 0), 2**55, id="the second row follows the first"),
    ],
)
def test_each_bit_has_its_place(bits: np.ndarray, expected: int):
    got = uint64_from_bits(bits)
    assert got == expected
    assert type(got) is int


@given(arrays(bool, (8, 8)))
def test_the_number_is_the_one_that_the_digits_spell(bits: np.ndarray):
    assert uint64_from_bits(bits) == int("".join("1" if value else "0" for value in bits.ravel()), 2)


@given(arrays(bool, (8, 8)))
def test_bits_that_lie_otherwise_in_memory_are_the_same_bits(bits: np.ndarray):
    assert uint64_from_bits(np.asfortranarray(bits)) == uint64_from_bits(bits)


@pytest.mark.parametrize("shape", [(64,), (4, 16), (8, 8, 1), (9, 8), (0, 0)], ids=str)
def test_other_shapes_are_refused(shape: tuple[int, ...]):
    with pytest.raises(ValueError, match=r"expected bits of shape \(8, 8\), got"):
        uint64_from_bits(np.zeros(shape, bool))
