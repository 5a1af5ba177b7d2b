"""What comes in: tables, vectors and other programs' predictions, and one sentence for anything else."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.recognition.tables import (
    Queries,
    check_gallery,
    check_predictions,
    check_queries,
    check_vectors,
    foreign_notes,
    leak_notes,
)

GALLERY = check_gallery(pa.table({"id": ["a", "b", "c"], "class": ["vase", "armour", "vase"]}))


def queries(**columns: list[Any]) -> Queries:
    count = len(next(iter(columns.values())))
    texts = {"id": [f"q{row}" for row in range(count)], **columns}
    return check_queries(pa.table({name: pa.array(values, pa.string()) for name, values in texts.items()}), GALLERY)


def test_a_gallery_has_classes_in_the_order_of_their_names():
    assert GALLERY.ids.to_pylist() == ["a", "b", "c"]
    assert (GALLERY.classes, GALLERY.class_of.tolist()) == (("armour", "vase"), [1, 0, 1])


def test_a_query_without_a_class_is_a_distractor():
    found = queries(**{"class": ["vase", None]})
    assert found.class_of.tolist() == [1, -1]
    assert found.is_met.tolist() == [True, False]
    assert found.type == ("met", "distractor")
    assert found.photographer == (None, None)


def test_all_queries_may_be_distractors():
    found = check_queries(pa.table({"id": ["q"], "class": pa.nulls(1, pa.string())}), GALLERY)
    assert found.class_of.tolist() == [-1]


def test_types_and_photographers_are_kept():
    found = queries(
        **{"class": ["vase", None, None], "type": ["met", "other_art", None], "photographer": ["Ada", None, "Bo"]}
    )
    assert found.type == ("met", "other_art", "distractor")
    assert found.photographer == ("Ada", None, "Bo")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"id": [], "class": []}, "gallery: expected images, got none"),
        ({"id": ["a", "b"], "class": ["x", "x"]}, "gallery: expected at least two classes, got only 'x'"),
        ({"id": ["a", "b"], "class": ["x", None]}, "gallery: expected a class for each image, got 1 without"),
        ({"id": ["a", None], "class": ["x", "y"]}, "gallery: expected an id in each row, got 1 without"),
        ({"id": ["a", "b", "a"], "class": ["x", "y", "x"]}, "gallery: expected each id once, got 'a' several times"),
    ],
)
def test_odd_galleries_are_refused(columns: dict[str, list[Any]], said: str):
    with pytest.raises(BadInput, match=said):
        check_gallery(pa.table(columns))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"class": []}, "queries: expected queries, got none"),
        ({"class": ["x", "y", "vase"]}, r"or null for distractors, got 2 other classes \('x', 'y'\)"),
        ({"class": ["vase"], "type": ["photo"]}, "expected the type met, other_art or non_art, got 'photo'"),
        ({"class": ["vase"], "type": ["non_art"]}, "a class where the type is met, and none elsewhere, .* query 'q0'"),
        ({"class": [None], "type": ["met"]}, "a class where the type is met, and none elsewhere"),
        ({"class": ["vase", None], "id": ["q", "q"]}, "queries: expected each id once, got 'q' several times"),
    ],
)
def test_odd_queries_are_refused(columns: dict[str, list[Any]], said: str):
    with pytest.raises(BadInput, match=said):
        queries(**columns)


@pytest.mark.parametrize(
    ("vectors", "rows", "dimensions", "said"),
    [
        (np.zeros(3), 3, None, r"gallery: expected vectors of shape \(3, dimensions\), got \(3,\)"),
        (np.zeros((2, 4)), 3, None, r"got \(2, 4\)"),
        (np.zeros((3, 0)), 3, None, r"got \(3, 0\)"),
        (np.zeros((3, 4)), 3, 5, "expected 5 dimensions as in the gallery, got 4"),
        (np.zeros((3, 4), np.int64), 3, None, "expected vectors of real numbers, got int64"),
        (np.array([[0.0], [np.nan]]), 2, None, "expected finite numbers, got NaN or infinity in row 1"),
        (np.array([[-np.inf]]), 1, None, "in row 0"),
    ],
)
def test_odd_vectors_are_refused(vectors: np.ndarray, rows: int, dimensions: int | None, said: str):
    with pytest.raises(BadInput, match=said):
        check_vectors(vectors, rows, "gallery", dimensions)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_zero_vectors_are_counted(dtype: type):
    assert check_vectors(np.array([[0, 0], [0, 2], [-0.0, 0]], dtype), 3, "gallery") == 2
    assert check_vectors(np.array([[1e308, 5e-324]]), 1, "gallery", 2) == 0


def test_what_validation_and_test_share_is_said():
    val = check_queries(pa.table({"id": ["v"], "class": ["vase"], "photographer": ["Ada"]}), GALLERY)
    other = check_queries(pa.table({"id": ["t"], "class": ["armour"], "photographer": ["Bo"]}), GALLERY)
    same = check_queries(pa.table({"id": ["t", "u"], "class": ["vase", None], "photographer": ["Ada", None]}), GALLERY)
    assert leak_notes(val, other) == ()
    assert leak_notes(val, same) == (
        "1 photographer in both the validation and the test queries",
        "1 class in both the validation and the test queries",
    )
    with pytest.raises(BadInput, match=r"for validation or for test, got 1 in both \('v'\)"):
        leak_notes(val, val)


QUERIES = check_queries(pa.table({"id": ["p", "q", "r"], "class": ["vase", None, "armour"]}), GALLERY)


def table(**columns) -> pa.Table:
    plain = {"id": ["r", "p", "q"], "prediction": ["armour", "lamp", "vase"], "confidence": [3, -1, 0]}
    return pa.table({**plain, **columns})


def test_another_programs_predictions_are_taken_in_the_order_of_the_queries():
    """Any class: one that the gallery does not have is wrong. Any finite number as confidence."""
    own = check_predictions("asmk", table(), GALLERY, QUERIES)
    assert own.prediction.to_pylist() == ["lamp", "vase", "armour"]
    assert own.confidence.tolist() == [-1, 0, 3]
    assert own.outcomes.doubt.tolist() == [1, 0, -3]
    assert own.outcomes.is_met.tolist() == [True, False, True]
    assert own.outcomes.is_right.tolist() == [False, False, True]
    assert own.nearest.to_pylist() == [None, None, None]
    note = "asmk: 1 prediction of a class that the gallery does not have, which is wrong"
    assert foreign_notes("asmk", own, GALLERY) == [note]


def test_a_distractor_is_never_right():
    nobody = check_queries(pa.table({"id": ["q"], "class": pa.nulls(1, pa.string())}), GALLERY)
    one = pa.table({"id": ["q"], "prediction": ["vase"], "confidence": [1.0]})
    assert check_predictions("asmk", one, GALLERY, nobody).outcomes.is_right.tolist() == [False]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"id": ["p", "p", "q"]}, "asmk: expected each id once, got 'p' several times"),
        ({"id": ["p", "q", None]}, "asmk: expected an id in each row, got 1 without"),
        ({"id": ["p", "q", "s"]}, "asmk: expected a prediction for each test query, got none for 1 query .'r'."),
        ({"prediction": ["vase", None, "vase"]}, "asmk: expected a prediction in each row, got 1 without"),
        (
            {"confidence": [0.5, None, 1]},
            "asmk: expected a finite number as confidence .* got another for 'p'",
        ),
        ({"confidence": [0.5, 1, float("nan")]}, "asmk: expected a finite number .* got another for 'q'"),
        ({"confidence": [-float("inf"), 1, 1]}, "asmk: expected a finite number .* got another for 'r'"),
    ],
)
def test_odd_predictions_are_refused(columns, said):
    with pytest.raises(BadInput, match=said):
        check_predictions("asmk", table(**columns), GALLERY, QUERIES)


def test_predictions_of_other_queries_are_refused():
    more = pa.table({"id": [*"pqrst"], "prediction": ["vase"] * 5, "confidence": [1.0] * 5})
    with pytest.raises(BadInput, match=r"asmk: expected only the test queries, got 2 others \('s', 't'\)"):
        check_predictions("asmk", more, GALLERY, QUERIES)
