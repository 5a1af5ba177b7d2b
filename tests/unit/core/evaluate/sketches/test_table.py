"""The table of sketches: what it holds, and one sentence for each thing that is wrong."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.sketches.table import check_sketches, values_of_photos
from tests.support.sketches import table


def test_sketches_come_in_the_order_of_their_ids():
    got = check_sketches(
        "t",
        table(
            {"sketch": "c", "method": "upgd", "photo": "q", "subset": "animal", "class": "cat", "strokes": 8},
            {"sketch": "a", "photo": "r", "mean_oks": 0.5, "clip_cosine": -0.25},
            {"sketch": "b", "photo": "q", "subset": "animal", "class": "cat"},
        ),
    )
    assert got.ids == ("a", "b", "c")
    assert (got.methods, got.method.tolist()) == (("anime", "upgd"), [0, 0, 1])
    assert (got.photos, got.photo.tolist()) == (("q", "r"), [1, 0, 0])
    assert got.subsets == ("animal", "body")
    assert got.strokes.tolist() == [0, 0, 8]
    assert np.array_equal(got.mean_oks, [0.5, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(got.cosine, [-0.25, np.nan, np.nan], equal_nan=True)
    assert np.isnan(got.ratio).all()


def test_the_ratio_of_each_sketch():
    got = check_sketches("t", table({"photo_complexity": 6, "sketch_complexity": 2}))
    assert got.ratio.tolist() == [3]


@pytest.mark.parametrize(("photo", "sketch", "ratio"), [(3.0, 1.0, 3.0), (1.0, 1.0, 1.0), (1.0, 2.0, 0.5)])
def test_above_1_is_simpler_than_the_photo(photo: float, sketch: float, ratio: float):
    got = check_sketches("t", table({"photo_complexity": photo, "sketch_complexity": sketch}))
    assert got.ratio.tolist() == [ratio]


def test_the_largest_and_the_smallest_complexity_still_have_a_ratio():
    got = check_sketches("t", table({"photo_complexity": 1e15, "sketch_complexity": 1e-15}))
    assert got.ratio.tolist() == pytest.approx([1e30])


@pytest.mark.parametrize("value", [0.0, -0.0, -1.0, np.nan, np.inf, 1e308])
@pytest.mark.parametrize("what", ["photo", "sketch"])
def test_a_complexity_that_is_none_is_refused(value: float, what: str):
    column = f"{what}_complexity"
    with pytest.raises(BadInput) as problem:
        check_sketches("t", table(COMPLEX, {**COMPLEX, "photo": "p2", column: value}))
    assert str(problem.value) == f"t[1]: expected a number from 1e-15 to 1e+15 in {column}, got {value}"


def test_an_empty_table_is_refused():
    empty = pa.table({name: pa.array([], pa.string()) for name in ("sketch", "method", "photo", "subset")})
    with pytest.raises(BadInput, match=r"^t: expected a table of sketches, got one without rows$"):
        check_sketches("t", empty)


COMPLEX = {"photo_complexity": 1.0, "sketch_complexity": 1.0}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"sketch": None}], "t[0]: expected a text in sketch, got an empty cell"),
        ([{"method": ""}], "t[0]: expected a text in method, got ''"),
        ([{}, {"sketch": "s1"}], "t[1]: expected each sketch once, got 's1' again, as in row 0"),
        (
            [{}, {}],
            "t[1]: expected one sketch for each method, photo and number of strokes, "
            "got ['anime', 'p1', 0] again, as in row 0",
        ),
        ([{"strokes": 0}], "t[0]: expected a whole number from 1 to 1e+09 in strokes, got 0"),
        ([{"strokes": 8.5}], "t[0]: expected a whole number from 1 to 1e+09 in strokes, got 8.5"),
        ([{"mean_oks": 1.01}], "t[0]: expected a number from 0 to 1 in mean_oks, got 1.01"),
        ([{"mean_oks": float("nan")}], "t[0]: expected a number from 0 to 1 in mean_oks, got nan"),
        ([{"clip_cosine": -1.5}], "t[0]: expected a number from -1 to 1 in clip_cosine, got -1.5"),
        (
            [{**COMPLEX, "sketch_complexity": 0.0}],
            "t[0]: expected a number from 1e-15 to 1e+15 in sketch_complexity, got 0.0",
        ),
        (
            [COMPLEX, {**COMPLEX, "photo": "p2", "photo_complexity": None}],
            "t[1]: expected a number from 1e-15 to 1e+15 in photo_complexity, got an empty cell",
        ),
        (
            [{"photo_complexity": 1.0}],
            "t: expected one column sketch_complexity, got columns sketch, method, photo, subset, photo_complexity",
        ),
        (
            [{}, {"method": "b", "subset": "face"}],
            "t[1]: expected subset 'body' of photo 'p1', as in row 0, got 'face'",
        ),
        (
            [{"class": "cat"}, {"method": "b", "class": None}],
            "t[1]: expected class 'cat' of photo 'p1', as in row 0, got an empty cell",
        ),
        (
            [COMPLEX, {**COMPLEX, "method": "b", "photo_complexity": 2.0}],
            "t[1]: expected photo_complexity 1.0 of photo 'p1', as in row 0, got 2.0",
        ),
    ],
)
def test_what_is_refused(rows: list[dict[str, Any]], message: str):
    with pytest.raises(BadInput) as problem:
        check_sketches("t", table(*rows))
    assert str(problem.value) == message


def test_a_column_that_is_the_same_for_all_sketches_of_a_photo():
    known = check_sketches("t", table({"photo": "p2"}, {}, {"method": "b"}))
    assert values_of_photos("year", known, {"s1": None, "s2": "1650", "s3": "1650"}) == ["1650", None]
    message = r"^--by year: expected one value for all sketches of a photo, got '1650' and an empty cell for 'p1'$"
    with pytest.raises(BadInput, match=message):
        values_of_photos("year", known, {"s1": None, "s2": "1650", "s3": None})
