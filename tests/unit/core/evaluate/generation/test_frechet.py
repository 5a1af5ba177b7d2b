"""The Fréchet distance: by hand, against the factors of the features themselves, and its properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.generation import features
from tasks.core.evaluate.generation.frechet import (
    Moments,
    distance_note,
    feature_distance,
    frechet_distance,
    moments,
    root_trace,
)


def drawn(seed: int, rows: int, columns: int, shift: float = 0.0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    mix = chance.normal(size=(columns, columns)) * np.exp(-np.arange(columns) / columns * 6)
    return chance.normal(size=(rows, columns)) @ mix + shift


def plain(one: np.ndarray, other: np.ndarray) -> float:
    """Without a covariance: the sum of the singular values of A1 A2^T, where S = A^T A."""
    first, second = ((table - table.mean(axis=0)) / np.sqrt(len(table) - 1) for table in (one, other))
    step = one.mean(axis=0) - other.mean(axis=0)
    nuclear = np.linalg.svd(first @ second.T, compute_uv=False).sum()
    return float(step @ step + (first**2).sum() + (second**2).sum() - 2 * nuclear)


def distance(one: np.ndarray, other: np.ndarray) -> float:
    return frechet_distance(moments("samples", one), moments("reference", other))


def test_two_normal_distributions_by_hand():
    assert frechet_distance(Moments(np.zeros(2), np.eye(2), 9), Moments(np.array([3.0, 4.0]), 4 * np.eye(2), 9)) == 27


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param([[0.0], [2.0]], [[0.0], [2.0]], 0, id="equal"),
        pytest.param([[0.0], [2.0]], [[3.0], [5.0]], 9, id="moved by 3"),
        # variances 2 and 8: 2 + 8 - 2 * 4
        pytest.param([[-1.0], [1.0]], [[-2.0], [2.0]], 2, id="twice as wide"),
        pytest.param([[1.0], [1.0]], [[1.0], [1.0]], 0, id="no spread"),
        pytest.param([[1.0], [1.0]], [[0.0], [2.0]], 2, id="no spread in one set"),
        # spread along different axes: nothing in common
        pytest.param([[-1.0, 0.0], [1.0, 0.0]], [[0.0, -1.0], [0.0, 1.0]], 4, id="across"),
    ],
)
def test_small_sets_by_hand(one, other, expected):
    assert distance(np.array(one), np.array(other)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("rows", "others", "columns"),
    [(200, 150, 16), (40, 40, 64), (20, 300, 64), (300, 20, 64), (2, 2, 5), (2, 50, 1)],
)
def test_equal_to_the_factors_of_the_features_also_where_rows_are_few(rows, others, columns):
    one, other = drawn(1, rows, columns), drawn(2, others, columns, 0.5)
    expected = plain(one, other)
    assert distance(one, other) == pytest.approx(expected, rel=1e-11)


def test_the_covariance_is_numpys():
    table = drawn(3, 500, 12, 1000.0)
    got = moments("samples", table)
    assert np.allclose(got.covariance, np.cov(table, rowvar=False), rtol=1e-12, atol=1e-12)
    assert np.allclose(got.mean, table.mean(axis=0), rtol=1e-14)
    assert np.array_equal(got.covariance, got.covariance.T)
    assert got.rows == 500


def test_features_far_from_zero_lose_no_digits():
    table = drawn(4, 400, 6)
    near, far = moments("near", table), moments("far", table + 1e6)
    assert np.allclose(near.covariance, far.covariance, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("cuts", [[7], [100, 101], [256, 512]])
def test_the_moments_are_the_same_in_whatever_blocks_the_rows_come(monkeypatch, cuts):
    monkeypatch.setattr(features, "BLOCK", 128)
    table = drawn(5, 600, 9).astype(np.float32)
    whole, parts = moments("samples", table), moments("samples", iter(np.split(table, cuts)))
    assert np.array_equal(whole.mean, parts.mean)
    assert np.array_equal(whole.covariance, parts.covariance)
    assert np.allclose(whole.covariance, np.cov(table.astype(np.float64), rowvar=False), rtol=1e-12, atol=1e-12)


def test_a_memory_map_will_do(tmp_path):
    table = drawn(6, 300, 8).astype(np.float32)
    np.save(tmp_path / "features.npy", table)
    got = moments("samples", np.load(tmp_path / "features.npy", mmap_mode="r"))
    assert np.array_equal(got.covariance, moments("samples", table).covariance)


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(2, 30), st.integers(1, 12))
def test_never_negative_symmetric_and_zero_of_equal_sets(seed, rows, others, columns):
    one, other = drawn(seed, rows, columns), drawn(seed + 1, others, columns)
    there, back = distance(one, other), distance(other, one)
    assert there >= 0
    assert there == pytest.approx(back, rel=1e-9, abs=1e-9)
    assert distance(one, one) == 0
    assert distance(one, one[::-1]) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20])
def test_any_scale(scale):
    one, other = np.array([[-1.0], [1.0]]) * scale, np.array([[-0.5], [0.5]]) * scale
    assert distance(one, other) == pytest.approx(0.5 * scale**2, rel=1e-9)


@pytest.mark.parametrize("exponent", [-535, -500, -40, 0, 40])
def test_features_of_any_scale_lose_no_digit(exponent):
    """The distance has the scale's square, and squares of 1e-160 have few digits left."""
    one, other = drawn(1, 30, 4), drawn(2, 40, 4, 0.5)
    got = feature_distance(np.ldexp(one, exponent), np.ldexp(other, exponent))
    assert got == pytest.approx(np.ldexp(distance(one, other), 2 * exponent), rel=1e-4 if exponent < -530 else 1e-15)


def test_more_columns_than_memory_holds_pairs_of_are_refused():
    with pytest.raises(BadInput, match="samples: expected at most 16,384 columns for FID, got 60,000"):
        feature_distance(np.zeros((3, 60_000), np.float16), np.zeros((3, 60_000), np.float16))


def test_one_row_has_no_covariance():
    with pytest.raises(BadInput, match="samples: expected features of at least two images for a covariance, got one"):
        moments("samples", np.ones((1, 3)))


def test_moments_of_two_extractors_are_refused():
    one, other = moments("samples", np.ones((2, 3))), moments("reference", np.ones((2, 4)))
    with pytest.raises(BadInput, match="one feature extractor, got 3 and 4 columns"):
        frechet_distance(one, other)


@pytest.mark.parametrize("bad", [[[1.0, 2.0], [0.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]], [[np.inf, 0.0], [0.0, 1.0]]])
def test_what_is_no_covariance_is_refused(bad):
    with pytest.raises(BadInput, match="expected a covariance of finite numbers"):
        root_trace(np.array(bad), np.eye(2))


@pytest.mark.parametrize(("images", "has_note"), [(2, True), (3, True), (4, False)])
def test_a_note_where_images_are_no_more_than_columns(images, has_note):
    said = distance_note(images, 3)
    assert (said is not None) == has_note
    assert not has_note or str(said).startswith(f"FID of {images} images and 3 columns: ")
