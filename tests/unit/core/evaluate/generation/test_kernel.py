"""The kernel distance: by hand, by a plain loop, and its draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.generation import kernel
from tasks.core.evaluate.generation.kernel import kernel_distance


def plain(one: np.ndarray, other: np.ndarray) -> float:
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
        patch.setattr(kernel, "BLOCK", block)
        got, back = kernel_distance(one, other, 1, count), kernel_distance(other, one, 1, count)
    assert got.mean == pytest.approx(plain(one, other), rel=1e-10, abs=1e-10)
    assert got.mean == pytest.approx(back.mean, rel=1e-10, abs=1e-10)


def test_subsets_are_drawn_by_the_seed_samples_first():
    chance = np.random.default_rng(0)
    one, other = chance.normal(size=(30, 4)), chance.normal(1, 1, size=(20, 4))
    draw = np.random.RandomState(7)
    values = []
    for _ in range(5):
        rows = draw.permutation(30)[:6]
        values.append(plain(one[rows], other[draw.permutation(20)[:6]]))
    got = kernel_distance(one, other, subsets=5, subset_size=6, seed=7)
    assert got.mean == pytest.approx(np.mean(values), rel=1e-12)
    assert got.sd == pytest.approx(np.std(values), rel=1e-12)
    assert got == kernel_distance(one, other, subsets=5, subset_size=6, seed=7)
    assert got != kernel_distance(one, other, subsets=5, subset_size=6, seed=8)


def test_32_bits_are_as_good_as_64():
    chance = np.random.default_rng(1)
    one, other = (chance.normal(size=(50, 8)).astype(np.float32) for _ in range(2))
    assert kernel_distance(one, other, 3, 9) == kernel_distance(one.astype(np.float64), other.astype(np.float64), 3, 9)


def test_sets_that_are_too_small_are_refused():
    few, many = np.ones((4, 2)), np.ones((9, 2))
    with pytest.raises(BadInput, match=r"samples: expected at least 5 .* of KID \(kid_subset_size\), got 4"):
        kernel_distance(few, many, subset_size=5)
    with pytest.raises(BadInput, match=r"reference: expected at least 5 .* of KID \(kid_subset_size\), got 4"):
        kernel_distance(many, few, subset_size=5)


def test_the_largest_features_overflow_nowhere():
    table = np.random.default_rng(2).choice([1e20, -1e20], size=(20, 3))
    got = kernel_distance(table, 0.5 * table, subsets=20, subset_size=4)
    assert np.isfinite(got).all()
    assert got.sd > 0
