"""What is refused before anything is computed, and blocks that are the same however the rows come."""

import numpy as np
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.generation import features
from tasks.core.evaluate.generation.features import (
    blocks_of,
    check_features,
    check_ids,
    check_labels,
    check_pair,
    common_exponent,
    scaled_blocks,
)

ONE = np.ones((1, 2))


def cell(value: float, dtype: type = np.float64) -> np.ndarray:
    table = np.ones((3, 2), dtype)
    table[1, 1] = value
    return table


REFUSED = [
    pytest.param(np.zeros((0, 4)), "got 0 x 4 of float64", id="no row"),
    pytest.param(np.zeros((4, 0)), "got 4 x 0 of float64", id="no column"),
    pytest.param(np.zeros(4), "got 4 of float64", id="one dimension"),
    pytest.param(np.zeros((2, 2, 2)), "got 2 x 2 x 2 of float64", id="three dimensions"),
    pytest.param(np.array(1.0), "got a single value of float64", id="none"),
    pytest.param(np.array([["a"]]), "got 1 x 1 of <U1", id="texts"),
    pytest.param(np.array([[1j]]), "of complex128", id="complex numbers"),
    pytest.param(np.array([[None, 1.0]]), "of object", id="objects"),
    pytest.param(cell(np.nan), "expected numbers from -1e+20 to 1e+20, got nan in row 1", id="NaN"),
    pytest.param(cell(np.inf), "got inf in row 1", id="infinity"),
    pytest.param(cell(-np.inf, np.float16), "got -inf in row 1", id="minus infinity of 16 bits"),
    pytest.param(cell(1e308), "got 1e+308 in row 1", id="too large"),
    pytest.param(cell(-1.1e20, np.float32), "in row 1", id="too large in 32 bits"),
]


@pytest.mark.parametrize(("table", "said"), REFUSED)
def test_what_is_no_table_of_finite_numbers_is_refused_in_one_sentence(table, said):
    with pytest.raises(BadInput) as problem:
        check_features("theirs", table)
    assert str(problem.value).startswith("theirs: expected ")
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16])
def test_numbers_of_any_width_are_taken(dtype):
    check_features("theirs", np.ones((2, 3), dtype))
    assert [block.dtype for block in blocks_of("theirs", np.ones((2, 3), dtype))] == [np.float64]


def test_sets_of_two_extractors_are_refused():
    check_pair(ONE, ONE)
    with pytest.raises(BadInput, match="samples and reference of one feature extractor, got 2 and 3 columns"):
        check_pair(ONE, np.ones((1, 3)))
    with pytest.raises(BadInput, match=r"^reference: expected numbers"):
        check_pair(ONE, cell(np.nan))


@pytest.mark.parametrize(
    ("labels", "rows", "said"),
    [
        pytest.param(["a"], 2, "expected one for each of 2 rows, got 1", id="too few"),
        pytest.param(["a", "b"], 1, "expected one for each of 1 row, got 2", id="too many"),
        pytest.param(["a", None], 2, "expected texts, got None in row 1", id="null"),
        pytest.param(["a", 3], 2, "expected texts, got 3 in row 1", id="a number"),
        pytest.param([""], 1, "expected texts, got '' in row 0", id="empty"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels, rows, said):
    for check in (check_labels, check_ids):
        with pytest.raises(BadInput) as problem:
            check("theirs", labels, rows)
        assert str(problem.value) == f"theirs: {said}"


def test_labels_may_come_again_and_ids_may_not():
    check_labels("classes", ["a", "a"], 2)
    with pytest.raises(BadInput, match="theirs: expected each id once, got 'a' again in row 2"):
        check_ids("theirs", ["a", "b", "a"], 3)


@pytest.mark.parametrize("cuts", [[], [1], [4], [5], [3, 3, 7], [0, 10], [4, 8]])
def test_blocks_are_the_same_however_the_rows_come(monkeypatch, cuts):
    monkeypatch.setattr(features, "BLOCK", 4)
    table = np.arange(20.0).reshape(10, 2)
    got = list(blocks_of("theirs", iter(np.split(table, cuts))))
    assert [len(block) for block in got] == [4, 4, 2]
    assert np.array_equal(np.concatenate(got), table)


def test_a_block_is_a_copy():
    table = np.ones((3, 2))
    next(blocks_of("theirs", table))[:] = 7
    assert table.tolist() == np.ones((3, 2)).tolist()


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        pytest.param([], "expected features of at least one image, got none", id="no block"),
        pytest.param([np.ones((0, 2))], "expected features of at least one image, got none", id="an empty block"),
        pytest.param([ONE, np.ones((1, 3))], "expected blocks of 2 columns, got one of shape (1, 3)", id="ragged"),
        pytest.param([np.ones(3)], "expected blocks of tables of numbers, got one of shape (3,)", id="a row"),
        pytest.param([ONE, ONE, np.full((1, 2), np.nan)], "got nan in row 2", id="NaN, with its row in the set"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(parts, said):
    with pytest.raises(BadInput) as problem:
        list(blocks_of("theirs", iter(parts)))
    assert said in str(problem.value)


def test_a_bad_row_of_a_later_block_has_its_number_in_the_set(monkeypatch):
    monkeypatch.setattr(features, "BLOCK", 2)
    table = np.ones((7, 2))
    table[5, 0] = np.nan
    for read in (lambda: check_features("theirs", table), lambda: list(blocks_of("theirs", table))):
        with pytest.raises(BadInput, match="got nan in row 5"):
            read()


@pytest.mark.parametrize(
    ("largest", "other", "exponent"),
    [
        pytest.param(0.0, 0.0, 0, id="zeros"),
        pytest.param(0.75, -1.5, 1, id="of the other set, below 0"),
        pytest.param(1.0, 0.0, 1, id="a power of two itself"),
        pytest.param(5e-324, 0.0, -1073, id="the least number there is"),
        pytest.param(1e20, 0.0, 67, id="the largest allowed"),
    ],
)
def test_a_power_of_two_brings_both_sets_below_one(monkeypatch, largest, other, exponent):
    monkeypatch.setattr(features, "BLOCK", 2)
    one, two = np.zeros((5, 2)), np.zeros((1, 2))
    one[4, 1], two[0, 0] = largest, other
    assert common_exponent(one, two) == exponent
    got = np.concatenate(list(scaled_blocks(one, exponent)))
    assert got.shape == one.shape
    assert np.abs(got).max() == np.ldexp(largest, -exponent)


def test_whole_numbers_of_8_bits_have_no_sign_error():
    assert common_exponent(np.array([[-128, 3]], np.int8)) == 8
