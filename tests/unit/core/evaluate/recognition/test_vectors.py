"""Descriptors: lengths, pooled maps and sums over scales, with zeros and numbers of any size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.recognition.vectors import normal_blocks, normalise, pool_gem, sum_scales


@pytest.mark.parametrize(
    ("vector", "expected"),
    [
        ([3, 4], [0.6, 0.8]),
        ([0, 0], [0, 0]),  # a zero vector stays zero
        ([1e308, 1e308], [0.5**0.5] * 2),
        ([1e-308, 0], [1, 0]),
        ([5e-324, -5e-324], [0.5**0.5, -(0.5**0.5)]),
        ([-7], [-1]),
    ],
)
def test_vectors_of_any_length_get_length_1(vector: list[float], expected: list[float]):
    got = normalise(np.array([vector], float))
    assert got[0].tolist() == pytest.approx(expected)
    assert got.dtype == np.float32


def test_nothing_in_nothing_out():
    assert normalise(np.empty((0, 3))).shape == (0, 3)
    assert list(normal_blocks(np.empty((0, 3)))) == []


def test_blocks_are_the_whole():
    vectors = np.random.default_rng(1).standard_normal((10, 4)).astype(np.float16)
    assert np.array_equal(np.concatenate(list(normal_blocks(vectors, 3))), normalise(vectors))


@pytest.mark.parametrize(
    ("values", "p", "expected"),
    [
        pytest.param([1, 2, 3, 4], 3, 2.9240, id="p = 3"),
        pytest.param([1, 2, 3, 4], 1, 2.5, id="p = 1 is the mean"),
        pytest.param([1, 2, 3, 4], 1000, 4 * 0.25**0.001, id="a large p comes near the maximum"),
        pytest.param([-5, 0, 0, 0], 3, 1e-6, id="nothing is below 1e-6"),
        pytest.param([1e300, 1e300, 1e300, 1e300], 3, 1e300, id="no power is too large"),
    ],
)
def test_generalised_mean(values: list[float], p: float, expected: float):
    assert pool_gem(np.array(values, float).reshape(1, 2, 2), p)[0] == pytest.approx(expected, rel=2e-5)


def test_maps_of_several_images_and_channels():
    maps = np.arange(24.0).reshape(2, 3, 2, 2)
    pooled = pool_gem(maps)
    assert pooled.shape == (2, 3)
    assert pooled[1, 2] == pytest.approx(np.mean(maps[1, 2] ** 3) ** (1 / 3))


@pytest.mark.parametrize("shape", [(2, 2), (3, 0, 2), (3, 2, 0)])
def test_maps_without_a_position_are_refused(shape: tuple[int, ...]):
    with pytest.raises(BadInput, match="expected feature maps of shape"):
        pool_gem(np.zeros(shape))


def test_scales_are_summed_and_divided_by_the_length():
    summed = sum_scales(np.array([[[1, 0], [1, 0]], [[0, 1], [-1, 0]]]))
    assert summed.tolist() == [pytest.approx([0.5**0.5] * 2), [0, 0]]


@given(st.lists(st.lists(st.floats(-10, 10, width=32), min_size=3, max_size=3), min_size=1, max_size=5))
def test_one_scale_leaves_vectors_of_length_1_as_they_are(values):
    vectors = normalise(np.array(values))
    assert sum_scales(vectors[None]) == pytest.approx(vectors, abs=1e-6)


@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 3)])
def test_no_scale_is_refused(shape: tuple[int, ...]):
    with pytest.raises(BadInput, match=r"expected descriptors of shape \(scales, images, dimensions\)"):
        sum_scales(np.zeros(shape))
