"""What a system says of the queries: by a gallery's nearest images, or as another program's table has it."""

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.recognition.predictions import check_predictions, count_foreign, predictions_of
from tasks.core.evaluate.recognition.recognise import Recognition
from tasks.core.evaluate.recognition.scores import Outcomes
from tasks.core.evaluate.recognition.tables import check_gallery, check_queries
from tasks.core.evaluate.recognition.tuning import BestPair

GALLERY = check_gallery(pa.table({"id": ["a", "b", "c"], "class": ["vase", "armour", "vase"]}))
QUERIES = check_queries(pa.table({"id": ["p", "q", "r"], "class": ["vase", None, "armour"]}), GALLERY)


def test_predictions_have_the_names_of_classes_and_images():
    outcomes = Outcomes(np.zeros(2), np.array([True, False]), np.array([True, False]))
    pair = BestPair(1, 1.0, np.zeros((1, 1)))
    found = Recognition(
        pair, np.array([1, 0]), np.array([2, 1]), np.array([0.9, 0.5]), outcomes, 3, 0, (pair, outcomes)
    )
    own = predictions_of(found, GALLERY)
    assert own.prediction.to_pylist() == ["vase", "armour"]
    assert own.nearest.to_pylist() == ["c", "b"]
    assert (own.confidence.tolist(), own.outcomes) == ([0.9, 0.5], outcomes)


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
    assert count_foreign(own, GALLERY) == 1


def test_a_distractor_is_never_right():
    nobody = check_queries(pa.table({"id": ["q"], "class": pa.nulls(1)}), GALLERY)
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
