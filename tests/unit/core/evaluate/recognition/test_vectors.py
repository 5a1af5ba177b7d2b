"""Descriptors: lengths, pooled maps, sums over scales, and whitening, with zeros and numbers of any size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.recognition import vectors as module
from tasks.core.evaluate.recognition.vectors import (
    learn_whitening,
    normal_blocks,
    normalise,
    pool_gem,
    sum_scales,
    whiten,
    whiten_blocks,
)


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


CROSS = np.array([(1, 0), (-1, 0), (0, 2), (0, -2)], np.float32)


def drawn(count: int, size: int, seed: int = 1) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return (chance.standard_normal((count, size)) * np.arange(1, size + 1) + 3).astype(np.float32)


def test_four_points_by_hand():
    """C = diag(.5, 2): the second axis first, each divided by the root of its variance."""
    learned = learn_whitening(CROSS)
    assert learned.mean.tolist() == [0, 0]
    assert learned.projection == pytest.approx(np.array([[0, 2**0.5], [0.5**0.5, 0]]) * 2**learned.exponent)
    whitened = np.ldexp(CROSS, -learned.exponent) @ learned.projection
    assert whitened.T @ whitened / 4 == pytest.approx(np.eye(2))
    assert whiten(CROSS, learned) == pytest.approx(np.array([(0, 1), (0, -1), (1, 0), (-1, 0)]))


def test_the_gallerys_whitened_covariance_is_the_identity_and_vectors_have_length_1():
    gallery = drawn(300, 6)
    learned = learn_whitening(gallery, None)
    whitened = (np.ldexp(gallery, -learned.exponent) - learned.mean) @ learned.projection
    assert np.cov(whitened.T, bias=True) == pytest.approx(np.eye(6), abs=1e-9)
    assert np.linalg.norm(whiten(gallery, learned), axis=1) == pytest.approx(1)


def test_the_directions_of_largest_variance_are_kept():
    gallery = drawn(300, 6)
    whole, part = learn_whitening(gallery, None), learn_whitening(gallery, 2)
    assert part.dimensions == 2
    assert np.array_equal(part.projection, whole.projection[:, :2])
    length = np.linalg.norm(whole.projection, axis=0)
    assert length.tolist() == sorted(length.tolist())  # 1 / standard deviation
    assert (np.take_along_axis(whole.projection, np.abs(whole.projection).argmax(0)[None], 0) > 0).all()


@pytest.mark.parametrize(
    ("gallery", "at_most", "kept"),
    [
        pytest.param(CROSS, 1, 1, id="fewer than there are"),
        pytest.param(CROSS, 512, 2, id="more than there are"),
        pytest.param(drawn(5, 20), None, 4, id="n images have n - 1 directions"),
        pytest.param(np.repeat(drawn(3, 4), 100, axis=0), None, 2, id="three images many times"),
        pytest.param(drawn(50, 3)[:, [0, 1, 2, 0]], 512, 3, id="one direction is another"),
        pytest.param(np.array([[1e30, 0], [-1e30, 0]]), None, 1, id="large numbers"),
        pytest.param(np.array([[1e-30, 0], [-1e-30, 0]]), None, 1, id="small numbers"),
    ],
)
def test_directions_without_variance_are_left_out(gallery, at_most, kept):
    learned = learn_whitening(gallery, at_most)
    assert learned.dimensions == kept
    assert np.isfinite(learned.projection).all()
    assert np.isfinite(whiten(gallery, learned)).all()


@pytest.mark.parametrize(
    ("gallery", "said"),
    [
        (np.zeros((0, 3)), "expected at least 2 gallery images to learn a whitening from, got 0"),
        (np.ones((1, 3)), "expected at least 2 gallery images to learn a whitening from, got 1"),
        (np.zeros((9, 3)), "expected gallery images with different vectors to learn a whitening from, got equal ones"),
        (np.full((9, 3), 0.1), "got equal ones"),
        (np.full((9, 3), 1e-200), "got equal ones"),
        (np.full((9, 3), 1.7e308), "got equal ones"),
        (np.eye(4, 65_537), "expected at most 65,536 dimensions to learn a whitening from, got 65,537"),
    ],
)
def test_nothing_to_learn_from_is_refused(gallery, said):
    with pytest.raises(BadInput, match=said):
        learn_whitening(gallery)


@pytest.mark.parametrize("exponent", [-1000, -665, 0, 665, 1018])
def test_a_power_of_two_changes_nothing(exponent):
    """Also where squares of the numbers are infinite or 0."""
    gallery = drawn(40, 5).astype(np.float64)
    queries = np.concatenate([drawn(9, 5, 2), np.zeros((1, 5))]).astype(np.float64)
    plain, scaled = learn_whitening(gallery, 3), learn_whitening(np.ldexp(gallery, exponent), 3)
    assert (scaled.exponent, scaled.dimensions) == (plain.exponent + exponent, 3)
    assert np.array_equal(scaled.projection, plain.projection)
    assert np.array_equal(whiten(np.ldexp(queries, exponent), scaled), whiten(queries, plain))


@pytest.mark.parametrize(("gallery_size", "query_size"), [(1e-200, 1e200), (1e-308, 1e308), (1, 1e308), (1e-320, 1)])
def test_queries_may_be_far_longer_than_the_gallery(gallery_size, query_size):
    """The mean is nothing beside them."""
    gallery = np.array([(1, 0), (-1, 0), (0, 2), (0, -2), (1, 1)]) * gallery_size
    learned = learn_whitening(gallery)
    along = np.array([[0.6, 0.8]]) @ learned.projection
    assert whiten(np.array([[0.6, 0.8]]) * query_size, learned) == pytest.approx(along / np.linalg.norm(along))


def test_queries_far_shorter_than_the_gallery_are_as_near_as_zero():
    learned = learn_whitening(CROSS + 1.0)
    assert np.array_equal(whiten(np.full((1, 2), 1e-300), learned), whiten(np.zeros((1, 2)), learned))


def test_a_covariance_beyond_the_memory_is_refused_in_a_sentence(monkeypatch):
    def no_memory(_shape):
        raise MemoryError

    monkeypatch.setattr(module.np, "zeros", no_memory)
    with pytest.raises(BadInput, match="expected memory for the covariance of 2 dimensions, got too little"):
        learn_whitening(CROSS)


def test_the_mean_becomes_zero():
    learned = learn_whitening(CROSS)
    assert whiten(np.zeros((1, 2)), learned).tolist() == [[0, 0]]


def test_nothing_whitened_is_nothing():
    assert whiten(np.empty((0, 2)), learn_whitening(CROSS, 1)).shape == (0, 1)


def test_whitened_blocks_are_the_whole(monkeypatch, tmp_path):
    gallery = drawn(100, 5)
    learned = learn_whitening(gallery)
    monkeypatch.setattr(module, "AT_ONCE", 7)
    mapped = np.memmap(tmp_path / "gallery", np.float32, "w+", shape=gallery.shape)
    mapped[:] = gallery
    in_blocks = learn_whitening(mapped)
    assert in_blocks.mean == pytest.approx(learned.mean)
    assert in_blocks.projection == pytest.approx(learned.projection)
    assert len(list(whiten_blocks(mapped, learned))) == 15
    assert whiten(mapped, learned) == pytest.approx((whiten(gallery, learned)), abs=1e-6)


def test_similarities_do_not_depend_on_signs():
    gallery = drawn(50, 4)
    learned = learn_whitening(gallery)
    turned = learned._replace(projection=learned.projection * [1, -1, -1, 1])
    one, other = whiten(gallery, learned), whiten(gallery, turned)
    assert one @ one.T == pytest.approx(other @ other.T, abs=1e-6)
