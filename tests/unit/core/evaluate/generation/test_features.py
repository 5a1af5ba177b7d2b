"""What is refused before anything is computed, blocks of rows, sets beside each other, and one class of them."""

import numpy as np
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.generation import features
from tasks.core.evaluate.generation.features import (
    Extracts,
    SetArrays,
    check_extracts,
    check_features,
    check_ids,
    check_labels,
    check_pair,
    class_names,
    common_exponent,
    extracts_of,
    named,
    of_class,
    scaled_blocks,
    set_sizes,
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
    assert [block.dtype for block in scaled_blocks(np.ones((2, 3), dtype), 0)] == [np.float64]


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


def test_a_block_is_a_copy():
    table = np.ones((3, 2))
    next(scaled_blocks(table, 0))[:] = 7
    assert table.tolist() == np.ones((3, 2)).tolist()


def test_a_bad_row_of_a_later_block_has_its_number_in_the_set(monkeypatch):
    monkeypatch.setattr(features, "BLOCK", 2)
    table = np.ones((7, 2))
    table[5, 0] = np.nan
    with pytest.raises(BadInput, match="got nan in row 5"):
        check_features("theirs", table)


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


def table(rows: int, columns: int = 2) -> np.ndarray:
    return np.arange(float(rows * columns)).reshape(rows, columns)


def mock_extracts() -> Extracts:
    """35 samples and 37 images of the reference, all but one of class a."""
    return Extracts(
        (table(35), table(37)),
        (table(35), table(37)),
        np.full((35, 2), 0.5),
        np.ones((35, 3), np.float32),
        ["a"] * 35,
        ["a"] * 36 + ["b"],
    )


def test_features_stand_in_where_neither_set_has_others_for_precision():
    got = extracts_of(SetArrays(table(3)), SetArrays(table(4)), None)
    assert got.distribution
    assert got.manifold
    assert got.manifold is got.distribution
    own = extracts_of(SetArrays(table(3), table(3, 5)), SetArrays(table(4), table(4, 5)), None)
    assert own.manifold
    assert [one.shape for one in own.manifold] == [(3, 5), (4, 5)]


@pytest.mark.parametrize(
    ("samples", "reference", "has_similarities", "said"),
    [
        pytest.param(SetArrays(table(3), table(3)), SetArrays(table(4)), False, "manifold=FILE of samples", id="ours"),
        pytest.param(
            SetArrays(table(3)), SetArrays(table(4), table(4)), False, "manifold=FILE of samples", id="theirs"
        ),
        pytest.param(SetArrays(None, table(3)), SetArrays(), False, "manifold=FILE of samples", id="no reference"),
        pytest.param(SetArrays(table(3)), SetArrays(), False, "features of a reference or of training", id="alone"),
        pytest.param(SetArrays(table(3)), SetArrays(), True, None, id="beside training images"),
        pytest.param(SetArrays(None, None, table(3)), SetArrays(table(4), table(4)), False, None, id="probabilities"),
    ],
)
def test_features_that_are_compared_with_nothing_are_refused(samples, reference, has_similarities, said):
    similarities = np.ones((3, 1), np.float32) if has_similarities else None
    if said is None:
        assert extracts_of(samples, reference, similarities).distribution is None
        return
    with pytest.raises(BadInput, match=f"expected {said}"):
        extracts_of(samples, reference, similarities)


def test_sizes_are_those_of_whatever_there_is():
    assert set_sizes(mock_extracts()) == (35, 37)
    assert set_sizes(Extracts(probabilities=np.eye(4))) == (4, None)
    assert set_sizes(Extracts(similarities=np.ones((5, 2), np.float32))) == (5, None)
    assert set_sizes(Extracts()) == (0, None)


def test_one_class_has_its_rows_of_all_arrays():
    assert class_names(mock_extracts()) == ["a", "b"]
    assert class_names(Extracts(probabilities=np.eye(4))) == []
    assert set_sizes(of_class(mock_extracts(), "a")) == (35, 36)
    got = of_class(mock_extracts(), "b")
    assert got.distribution
    assert got.distribution[1].tolist() == [[72.0, 73.0]]
    assert got.similarities is not None
    assert got.similarities.shape == (0, 3)


def test_what_is_refused_names_the_generator():
    with pytest.raises(BadInput, match=r"^ours: expected more$"), named("ours"):
        raise BadInput("expected more")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"manifold": (np.ones((3, 2)), np.ones((37, 2)))}, "samples: expected as many rows", id="samples"),
        pytest.param({"manifold": (np.ones((35, 2)), np.ones((3, 2)))}, "reference: expected as many", id="reference"),
        pytest.param(
            {"probabilities": np.ones((3, 1))}, "in all files, got 35 and 35 and 3 and 35", id="probabilities"
        ),
        pytest.param({"similarities": np.ones((3, 1))}, "samples: expected as many rows", id="similarities"),
        pytest.param({"sample_classes": ["a"]}, "classes of the samples: expected one for each of 35 rows", id="few"),
        pytest.param({"sample_classes": None}, "classes of samples and reference or of neither", id="of one set"),
        pytest.param({"manifold": (np.ones((35, 2)), np.ones((37, 3)))}, "got 2 and 3 columns", id="columns"),
        pytest.param({"probabilities": np.ones((35, 2))}, "whose sum is 1", id="no probabilities"),
        pytest.param(
            dict.fromkeys(("distribution", "manifold", "probabilities", "similarities")), "got neither", id="nothing"
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(changes, said):
    with pytest.raises(BadInput) as problem:
        check_extracts(mock_extracts()._replace(**changes))
    assert said in str(problem.value)
