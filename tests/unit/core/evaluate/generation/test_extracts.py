"""What networks have computed: sets beside each other, what does not fit together, one class of it."""

import numpy as np
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.generation.extracts import (
    Extracts,
    SetArrays,
    check_extracts,
    class_names,
    extracts_of,
    named,
    of_class,
    set_sizes,
)


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
