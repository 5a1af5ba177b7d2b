"""The Inception score: by hand, by the formula as it is written, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.generation import inception_score as module
from tasks.core.evaluate.generation.inception_score import InceptionScore, check_probabilities, inception_score


def one_hot(*classes: int, of: int = 10) -> np.ndarray:
    return np.eye(of)[list(classes)]


def plain(table: np.ndarray) -> float:
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
    first, second = 1.0, plain(table[3:])
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
    expected = [plain(table[order][i * rows // parts : (i + 1) * rows // parts]) for i in range(parts)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        got = inception_score(table, parts, seed=5)
    assert got.mean == pytest.approx(np.mean(expected), rel=1e-12)
    assert got.sd == pytest.approx(np.std(expected), rel=1e-9, abs=1e-12)
    assert 1 <= got.mean <= classes * (1 + 1e-12)


def test_32_bits_sum_to_1_nearly_and_are_brought_to_1():
    table = np.random.default_rng(0).dirichlet(np.ones(1000), 40)
    exact, rounded = inception_score(table, 1), inception_score(table.astype(np.float32), 1)
    assert rounded.mean == pytest.approx(exact.mean, rel=1e-6)
    assert inception_score(np.full((4, 3), 0.33333), 1) == InceptionScore(1.0, 0.0)


def test_16_bits_are_taken_and_brought_to_1_in_64_bits():
    table = np.random.default_rng(0).dirichlet(np.ones(10), 40)
    narrow = table.astype(np.float16)
    assert np.abs(narrow.astype(np.float64).sum(axis=1) - 1).max() > 1e-4
    assert inception_score(narrow, 1).mean == pytest.approx(inception_score(table, 1).mean, rel=1e-3)
    wide = narrow.astype(np.float64)
    assert inception_score(narrow, 1) == inception_score(wide / wide.sum(axis=1, keepdims=True), 1)


@pytest.mark.parametrize("total", [0.9901, 1.0099])
def test_the_tolerance_is_that_of_classification(total):
    assert inception_score(np.full((4, 2), total / 2), 1) == InceptionScore(1.0, 0.0)
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
