"""People's scores of sketches: mean ratings, and average rank scores as Eq. 6 is printed."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from schemas.evaluate_images import SketchSettings
from tasks.core.evaluate.sketches.agreement import RECOGNISABILITY, SIMPLICITY, PeopleScores, check_answers
from tasks.core.evaluate.sketches.table import check_sketches
from tests.support.sketches import table

SKETCHES = check_sketches("t", table(*({"method": method} for method in "abcde"), {"photo": "p2"}))
NAMES = ("person", "sketch", "question", "value")


def answers(*rows: tuple[Any, ...]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(NAMES)})


def read(*rows: tuple[Any, ...], settings: SketchSettings | None = None) -> dict[str, PeopleScores]:
    return check_answers("a", answers(*rows), SKETCHES, settings or SketchSettings())


def test_the_mean_of_ratings():
    got = read(("ann", "s1", RECOGNISABILITY, 5), ("bob", "s1", RECOGNISABILITY, 2), ("bob", "s3", RECOGNISABILITY, 1))
    assert np.array_equal(got[RECOGNISABILITY].score, [3.5, np.nan, 1, np.nan, np.nan, np.nan], equal_nan=True)
    assert got[RECOGNISABILITY].responses.tolist() == [2, 0, 1, 0, 0, 0]
    assert np.isnan(got[SIMPLICITY].score).all()


def by_equation_6(places: list[int], options: int) -> float:
    """Sum of frequency times weight, by the number of responses."""
    weights = {place: options + 1 - place for place in range(1, options + 1)}
    return sum(places.count(place) * weight for place, weight in weights.items()) / len(places)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9))
def test_the_average_rank_score(places: list[int]):
    rows = [(f"person {number}", "s2", SIMPLICITY, place) for number, place in enumerate(places)]
    assert read(*rows)[SIMPLICITY].score[1] == pytest.approx(by_equation_6(places, 5), abs=1e-12)


def test_the_first_place_is_the_simplest_and_weighs_five():
    got = read(*(("ann", f"s{place}", SIMPLICITY, place) for place in range(1, 6)))
    assert got[SIMPLICITY].score[:5].tolist() == [5, 4, 3, 2, 1]


def test_other_scales():
    settings = SketchSettings(highest_rating=7, places=3)
    got = read(("ann", "s1", RECOGNISABILITY, 7), ("ann", "s1", SIMPLICITY, 3), settings=settings)
    assert (got[RECOGNISABILITY].score[0], got[SIMPLICITY].score[0]) == (7, 1)


def test_the_same_place_in_two_rankings():
    assert read(("ann", "s1", SIMPLICITY, 1), ("ann", "s6", SIMPLICITY, 1), ("bob", "s2", SIMPLICITY, 1))


def test_no_answers_at_all():
    empty = pa.table({name: pa.array([], pa.int64() if name == "value" else pa.string()) for name in NAMES})
    got = check_answers("a", empty, SKETCHES, SketchSettings())
    assert [scores.responses.tolist() for scores in got.values()] == [[0] * 6] * 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("ann", "s9", SIMPLICITY, 1)], "a[0]: expected a sketch of the table of sketches, got 's9'"),
        ([("ann", "s1", "beauty", 1)], "a[0]: expected a question, recognisability or simplicity, got 'beauty'"),
        ([(None, "s1", SIMPLICITY, 1)], "a[0]: expected a text in person, got an empty cell"),
        ([("ann", "s1", SIMPLICITY, 6)], "a[0]: expected a whole number from 1 to 5 in value, got 6"),
        ([("ann", "s1", RECOGNISABILITY, 0)], "a[0]: expected a whole number from 1 to 5 in value, got 0"),
        ([("ann", "s1", RECOGNISABILITY, 2.5)], "a[0]: expected a whole number from 1 to 5 in value, got 2.5"),
        (
            [("ann", "s1", RECOGNISABILITY, None)],
            "a[0]: expected a whole number from 1 to 5 in value, got an empty cell",
        ),
        (
            [("ann", "s1", RECOGNISABILITY, 1), ("ann", "s1", RECOGNISABILITY, 2)],
            "a[1]: expected one answer of each person to each question, "
            "got ['ann', 'recognisability', 's1'] again, as in row 0",
        ),
        (
            [("ann", "s1", SIMPLICITY, 2), ("bob", "s2", SIMPLICITY, 2), ("ann", "s3", SIMPLICITY, 2)],
            "a[2]: expected each place once in a person's ranking of a photo's sketches, "
            "got 2 again by 'ann', as in row 0",
        ),
    ],
)
def test_what_is_refused(rows: list[tuple], message: str):
    with pytest.raises(BadInput) as problem:
        read(*rows)
    assert str(problem.value) == message


def test_a_value_within_the_other_questions_scale_only():
    with pytest.raises(BadInput) as problem:
        read(("ann", "s1", SIMPLICITY, 4), settings=SketchSettings(places=3))
    assert str(problem.value) == "a[0]: expected simplicity from 1 to 3, got 4"
