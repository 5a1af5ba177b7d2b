"""The 64-bit number against imagehash's own hexadecimal text."""

import imagehash
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from PIL import Image

from tasks.core.hash import uint64_from_bits


@given(arrays(bool, (8, 8)))
def test_the_number_is_the_one_that_imagehash_writes(bits: np.ndarray):
    assert f"{uint64_from_bits(bits):016x}" == str(imagehash.ImageHash(bits))


@given(arrays(bool, (8, 8)), arrays(bool, (8, 8)))
def test_bits_apart_are_those_that_imagehash_counts(one: np.ndarray, two: np.ndarray):
    apart = (uint64_from_bits(one) ^ uint64_from_bits(two)).bit_count()
    assert apart == imagehash.ImageHash(one) - imagehash.ImageHash(two)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_hash_of_a_picture(seed: int):
    pixels = np.random.default_rng(seed).integers(0, 256, (40, 60), np.uint8)
    found = imagehash.phash(Image.fromarray(pixels))
    assert uint64_from_bits(np.asarray(found.hash)) == int(str(found), 16)
