"""FID, KID and the Inception score: by hand, by plain formulas, their properties, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.generation import features, set_scores
from tasks.core.evaluate.generation.features import check_probabilities
from tasks.core.evaluate.generation.set_scores import (
    MeanScore,
    Moments,
    distance_note,
    feature_distance,
    frechet_distance,
    inception_score,
    kernel_distance,
    moments,
)


def drawn(seed: int, rows: int, columns: int, shift: float = 0.0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    mix = chance.normal(size=(columns, columns)) * np.exp(-np.arange(columns) / columns * 6)
    return chance.normal(size=(rows, columns)) @ mix + shift


def plain_frechet(one: np.ndarray, other: np.ndarray) -> float:
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
    expected = plain_frechet(one, other)
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


def test_moments_of_several_blocks_are_numpys(monkeypatch):
    monkeypatch.setattr(features, "BLOCK", 128)
    table = drawn(5, 600, 9).astype(np.float32)
    got = moments("samples", table)
    assert np.allclose(got.mean, table.astype(np.float64).mean(axis=0), rtol=1e-12, atol=1e-12)
    assert np.allclose(got.covariance, np.cov(table.astype(np.float64), rowvar=False), rtol=1e-12, atol=1e-12)


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


@pytest.mark.parametrize(("images", "has_note"), [(2, True), (3, True), (4, False)])
def test_a_note_where_images_are_no_more_than_columns(images, has_note):
    said = distance_note(images, 3)
    assert (said is not None) == has_note
    assert not has_note or str(said).startswith(f"FID of {images} images and 3 columns: ")


def plain_kernel(one: np.ndarray, other: np.ndarray) -> float:
    def of(x: np.ndarray, y: np.ndarray) -> float:
        return (float(x @ y) / len(x) + 1) ** 3

    def inside(table: np.ndarray) -> float:
        pairs = [of(x, y) for i, x in enumerate(table) for j, y in enumerate(table) if i != j]
        return sum(pairs) / len(pairs)

    return inside(one) + inside(other) - 2 * float(np.mean([[of(x, y) for y in other] for x in one]))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param([0, 1], [0, 1], -3.5, id="the same two"),
        pytest.param([0, 1], [1, 2], 9.5, id="others"),
        pytest.param([0, 0], [0, 0], 0, id="all equal"),
        pytest.param([0, 0], [1, 1], 7, id="1 + 8 - 2"),
    ],
)
def test_in_one_dimension_by_hand(one, other, expected):
    tables = [np.array(values, float)[:, None] for values in (one, other)]
    assert kernel_distance(*tables, subsets=3, subset_size=2) == (expected, 0)


@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(1, 5), st.sampled_from([2, 3, 100]))
def test_equal_to_a_plain_loop_in_any_blocks(seed, count, columns, block):
    """A subset of all images is all of both sets."""
    chance = np.random.default_rng(seed)
    one, other = chance.normal(size=(count, columns)), chance.normal(1, 2, size=(count, columns))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "BLOCK", block)
        got, back = kernel_distance(one, other, 1, count), kernel_distance(other, one, 1, count)
    assert got.mean == pytest.approx(plain_kernel(one, other), rel=1e-10, abs=1e-10)
    assert got.mean == pytest.approx(back.mean, rel=1e-10, abs=1e-10)


def test_subsets_are_drawn_by_the_seed_samples_first():
    chance = np.random.default_rng(0)
    one, other = chance.normal(size=(30, 4)), chance.normal(1, 1, size=(20, 4))
    draw = np.random.RandomState(7)
    values = []
    for _ in range(5):
        rows = draw.permutation(30)[:6]
        values.append(plain_kernel(one[rows], other[draw.permutation(20)[:6]]))
    got = kernel_distance(one, other, subsets=5, subset_size=6, seed=7)
    assert got.mean == pytest.approx(np.mean(values), rel=1e-12)
    assert got.sd == pytest.approx(np.std(values), rel=1e-12)
    assert got == kernel_distance(one, other, subsets=5, subset_size=6, seed=7)
    assert got != kernel_distance(one, other, subsets=5, subset_size=6, seed=8)


def test_32_bits_are_as_good_as_64():
    chance = np.random.default_rng(1)
    one, other = (chance.normal(size=(50, 8)).astype(np.float32) for _ in range(2))
    assert kernel_distance(one, other, 3, 9) == kernel_distance(one.astype(np.float64), other.astype(np.float64), 3, 9)


def test_the_largest_features_overflow_nowhere():
    table = np.random.default_rng(2).choice([1e20, -1e20], size=(20, 3))
    got = kernel_distance(table, 0.5 * table, subsets=20, subset_size=4)
    assert np.isfinite(got).all()
    assert got.sd > 0


def one_hot(*classes: int, of: int = 10) -> np.ndarray:
    return np.eye(of)[list(classes)]


def plain_inception(table: np.ndarray) -> float:
    middle = table.mean(axis=0)
    divergences = [sum(p * np.log(p / q) for p, q in zip(row, middle, strict=True) if p > 0) for row in table]
    return float(np.exp(np.mean(divergences)))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param(one_hot(*range(10)), 10, id="sure of each, ten classes"),
        pytest.param(one_hot(*[3] * 7), 1, id="sure of each, one class"),
        pytest.param(np.full((5, 10), 0.1), 1, id="no idea of any"),
        pytest.param(one_hot(0, 0, 0, 1, of=2), 1.7548, id="three of one and one of another"),
        pytest.param(np.array([[0.2, 0.8]]), 1, id="one sample"),
        pytest.param(np.ones((4, 1)), 1, id="one class in all"),
    ],
)
def test_one_part_by_hand(table, expected):
    got = inception_score(table, parts=1)
    assert got.mean == pytest.approx(expected, abs=5e-5)
    assert got.sd == 0


def test_mean_and_deviation_over_parts_in_their_order():
    table = one_hot(0, 0, 0, 1, 2, 2, of=3)  # parts of three: all alike; one and two
    first, second = 1.0, plain_inception(table[3:])
    got = inception_score(table, parts=2, seed=None)
    assert got.mean == pytest.approx((first + second) / 2)
    assert got.sd == pytest.approx((second - first) / 2)


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 6), st.integers(1, 4), st.sampled_from([2, 5, 100]))
def test_equal_to_the_formula_in_any_blocks(seed, rows, classes, parts, block):
    chance = np.random.default_rng(seed)
    table = chance.dirichlet(np.full(classes, 0.3), rows)
    if rows < parts:
        return
    order = np.random.RandomState(5).permutation(rows)
    expected = [plain_inception(table[order][i * rows // parts : (i + 1) * rows // parts]) for i in range(parts)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_scores, "BLOCK", block)
        got = inception_score(table, parts, seed=5)
    assert got.mean == pytest.approx(np.mean(expected), rel=1e-12)
    assert got.sd == pytest.approx(np.std(expected), rel=1e-9, abs=1e-12)
    assert 1 <= got.mean <= classes * (1 + 1e-12)


def test_32_bits_sum_to_1_nearly_and_are_brought_to_1():
    table = np.random.default_rng(0).dirichlet(np.ones(1000), 40)
    exact, rounded = inception_score(table, 1), inception_score(table.astype(np.float32), 1)
    assert rounded.mean == pytest.approx(exact.mean, rel=1e-6)
    assert inception_score(np.full((4, 3), 0.33333), 1) == MeanScore(1.0, 0.0)


def test_16_bits_are_taken_and_brought_to_1_in_64_bits():
    table = np.random.default_rng(0).dirichlet(np.ones(10), 40)
    narrow = table.astype(np.float16)
    assert np.abs(narrow.astype(np.float64).sum(axis=1) - 1).max() > 1e-4
    assert inception_score(narrow, 1).mean == pytest.approx(inception_score(table, 1).mean, rel=1e-3)
    wide = narrow.astype(np.float64)
    assert inception_score(narrow, 1) == inception_score(wide / wide.sum(axis=1, keepdims=True), 1)


@pytest.mark.parametrize("total", [0.9901, 1.0099])
def test_the_tolerance_is_that_of_classification(total):
    assert inception_score(np.full((4, 2), total / 2), 1) == MeanScore(1.0, 0.0)
    for wrong in (0.989, 1.011):
        with pytest.raises(BadInput, match=r"whose sum is 1 within 0\.01, got a sum of"):
            check_probabilities("theirs", np.full((4, 2), wrong / 2))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        pytest.param([[1.5, -0.5]], "of at least 0, got -0.5 in row 0", id="negative"),
        pytest.param([[1.0, 0.0], [0.5, 0.4]], "a sum of 0.9 in row 1", id="less than 1"),
        pytest.param([[0.0, 0.0]], "a sum of 0 in row 0", id="zeros"),
        pytest.param([[2.0, 3.0]], "a sum of 5 in row 0", id="logits"),
        pytest.param([[np.nan, 1.0]], "got nan in row 0", id="NaN"),
        pytest.param([[1e308, 1.0]], "got 1e+308 in row 0", id="too large"),
        pytest.param(np.zeros((0, 3)), "got 0 x 3 of float64", id="none"),
    ],
)
def test_what_is_no_probability_is_refused(table, said):
    with pytest.raises(BadInput) as problem:
        check_probabilities("theirs", np.array(table))
    assert str(problem.value).startswith("theirs: expected ")
    assert said in str(problem.value)


def test_fewer_samples_than_parts_are_refused():
    with pytest.raises(BadInput, match="at least one sample in each of 10 parts, got 3 samples"):
        inception_score(one_hot(1, 2, 3))
