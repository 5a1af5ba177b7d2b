"""Tables of boxes and ratings as arrays, what is refused, and the rounded mean of an image's ratings."""

import math
import tracemalloc
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.deformation import UNRATED
from tasks.core.evaluate.means import means_along
from tasks.core.evaluate.raters import ratings as module
from tasks.core.evaluate.raters.ratings import check_ratings, deformation_buckets, read_ratings
from tests.support.raters import FIRST, SECOND, THIRD, random_ratings, row, table


def test_boxes_by_image_then_by_coordinates():
    got = read_ratings(table(row("b", "2", SECOND, 5), row("a", "2", FIRST), row("b", "1"), row("b", "2", THIRD, 5)))
    assert (got.raters, got.images) == (("a", "b"), ("1", "2"))
    assert got.is_seen.tolist() == [[False, True], [True, True]]
    assert np.array_equal(got.rating, [[np.nan, np.nan], [np.nan, 5]], equal_nan=True)
    assert got.xyxy_px.tolist() == [[*FIRST], [*THIRD], [*SECOND]]
    assert (got.rater.tolist(), got.image.tolist(), got.keypoints_xyv) == ([0, 1, 1], [1, 1, 1], None)
    assert [*got.boxes_by_image()] == [(0, slice(0, 0)), (1, slice(0, 3))]


def test_nobody_drew_anything():
    got = read_ratings(table(row("a", "1"), row("b", "1")))
    assert (got.xyxy_px.shape, len(got.image), got.is_seen.all()) == ((0, 4), 0, True)


def test_keypoints_where_they_are_given():
    got = read_ratings(table(row("a", "1", SECOND, keypoints_xyv=[1, 2, 2]), row("b", "1", FIRST), row("b", "2")))
    assert got.keypoints_xyv is not None
    assert got.keypoints_xyv.tolist() == [[[0, 0, 0]], [[1, 2, 2]]]
    none = table(row("a", "1", SECOND, keypoints_xyv=None), row("b", "1", FIRST, keypoints_xyv=[]))
    assert read_ratings(none).keypoints_xyv is None


def test_a_bad_table_is_refused():
    with pytest.raises(BadInput, match="at least two raters"):
        read_ratings(table(row("a", "1")))


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_of_rows_makes_no_difference(seed: int, chance: Random):
    rows = random_ratings(seed)
    order = list(range(rows.num_rows))
    chance.shuffle(order)
    one, other = read_ratings(rows), read_ratings(rows.take(order))
    assert np.array_equal(one.rating, other.rating, equal_nan=True)
    for name in ("raters", "images", "is_seen", "xyxy_px", "rater", "image"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_without_a_column_of_ratings_nobody_rated():
    rows = table(row("a", "1", FIRST), row("b", "1", SECOND))
    assert np.isnan(read_ratings(rows.drop_columns("rating")).rating).all()


def test_names_that_differ_by_a_null_character_are_two():
    got = read_ratings(table(row("a", "1", FIRST), row("a\0", "1", SECOND), row("a", "1\0", THIRD)))
    assert (got.raters, got.images) == (("a", "a\0"), ("1", "1\0"))
    assert got.rater.tolist() == [0, 1, 0]


def test_a_long_name_takes_its_own_room_only():
    rows = table(*[row("ab"[place % 2], f"{place}", FIRST) for place in range(1000)], row("a", "x" * 100_000, FIRST))
    tracemalloc.start()
    assert len(read_ratings(rows).images) == 1001
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # names of one width took 400 MB


GOOD = (row("a", "1", FIRST, 2), row("b", "1", SECOND, 3))


def test_boxes_an_empty_box_and_missing_ratings_are_fine():
    check_ratings(table(*GOOD, row("a", "2"), row("b", "2", FIRST), row("a", "1", SECOND, 2)))


NAN = math.nan


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        pytest.param((), "expected a table of boxes, got one without rows", id="no row"),
        pytest.param((row("a", "1", FIRST), row("a", "2")), "expected at least two raters, got 'a' alone", id="one"),
        pytest.param((row("a", None, FIRST),), "ratings[0]: expected a text in image, got an empty", id="no image"),
        pytest.param((row(None, "1", FIRST),), "ratings[0]: expected a text in rater, got an empty", id="no rater"),
        pytest.param(
            (*GOOD, row("c", "1", (1, None, 3, 4))),
            "expected all four corners of a box or none, got [1.0, None, 3.0, 4.0] from rater 'c' in image '1'",
            id="half a box",
        ),
        pytest.param((row("a", "1", (NAN, 0, 1, 1)),), "a number from -1e+07 to 1e+07 in x_min, got nan", id="NaN"),
        pytest.param((row("a", "1", (0, 0, math.inf, 1)),), "in x_max, got inf", id="infinite"),
        pytest.param((row("a", "1", (0, 0, 1e308, 1)),), "in x_max, got 1e+308", id="too far"),
        pytest.param(
            (row("a", "1", (12, 8, 11, 48)),),
            "expected x_max above x_min and y_max above y_min, got [12.0, 8.0, 11.0, 48.0] from rater 'a' in image '1'",
            id="turned round",
        ),
        pytest.param((row("a", "1", (12, 8, 12, 48)),), "expected x_max above x_min", id="a line"),
        pytest.param(
            (row("a", "1", (0, 0, 1e-200, 1e-200)),),
            "at least 1e-06 px wide and high, got [0.0, 0.0, 1e-200, 1e-200] from rater 'a' in image '1'",
            id="an area that is none",
        ),
        pytest.param((row("", "1", FIRST),), "ratings[0]: expected a text in rater, got ''", id="an empty name"),
        pytest.param((*GOOD, row("c", "1", rating=6)), "expected a whole number from 1 to 5 in rating, got 6", id="6"),
        pytest.param((*GOOD, row("c", "1", rating=0)), "ratings[2]: expected a whole number from 1 to 5", id="0"),
        pytest.param(
            (*GOOD, GOOD[0]),
            "expected each box once, got (10.0, 10.0, 50.0, 50.0) twice from rater 'a'",
            id="twice",
        ),
        pytest.param(
            (*GOOD, row("c", "1"), row("c", "1")), "expected each box once, got 'no box' twice", id="empty box twice"
        ),
        pytest.param(
            (*GOOD, row("a", "1", None, 2)),
            "boxes or one row without a box, got both from rater 'a'",
            id="both",
        ),
        pytest.param(
            (*GOOD, row("a", "1", SECOND, 3)),
            "expected one rating on all rows of a rater and image, got 2 and 3 from rater 'a' in image '1'",
            id="two ratings",
        ),
        pytest.param((*GOOD, row("a", "1", SECOND)), "expected one rating on all rows", id="a rating and none"),
        pytest.param(
            (*GOOD, row("c", "1", FIRST, keypoints_xyv=[1, 2])), "expected x, y, v of the same joints", id="no triple"
        ),
        pytest.param(
            (row("a", "1", FIRST, keypoints_xyv=[1, 2, 2]), row("b", "1", FIRST, keypoints_xyv=[1, 2, 2] * 2)),
            "expected x, y, v of the same joints in each row of keypoints_xyv, got lists of 3, 6 numbers",
            id="other joints",
        ),
        pytest.param(
            (*GOOD, row("c", "1", FIRST, keypoints_xyv=[1, 2, 3])), "and a v of 0, 1 or 2 of a box's joints", id="v 3"
        ),
        pytest.param(
            (*GOOD, row("c", "1", FIRST, keypoints_xyv=[1, NAN, 2])), "expected finite x and y", id="joint at NaN"
        ),
        pytest.param(
            (*GOOD, row("c", "1", keypoints_xyv=[1, 2, 2])), "of a box's joints, got [1.0, 2.0, 2.0]", id="no box"
        ),
    ],
)
def test_what_is_refused(rows: tuple[dict[str, Any], ...], said: str):
    with pytest.raises(BadInput) as problem:
        check_ratings(table(*rows))
    assert said in str(problem.value)
    assert str(problem.value).startswith(("ratings: ", "ratings["))
    assert "\n" not in str(problem.value)


def test_more_raters_and_images_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 3)
    check_ratings(table(row("a", "1", FIRST), row("b", "1", FIRST), row("a", "1", SECOND)))
    with pytest.raises(BadInput, match=r"^ratings: expected at most 3 pairs of a rater and an image, got 2 x 2$"):
        check_ratings(table(row("a", "1", FIRST), row("b", "2", FIRST)))


def test_more_raters_of_the_same_images_than_can_be_compared(monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARISONS", 3)
    three = [row(rater, "1", FIRST) for rater in "abc"]
    check_ratings(table(*three, row("a", "1", SECOND), row("a", "2", FIRST)))
    expected = r"^ratings: expected at most 3 comparisons of two raters of one image, got 4$"
    with pytest.raises(BadInput, match=expected):
        check_ratings(table(*three, row("a", "2", FIRST), row("b", "2", FIRST)))


def test_more_boxes_in_one_image_than_can_be_compared(monkeypatch):
    monkeypatch.setattr(module, "MOST_BOXES", 2)
    check_ratings(table(row("a", "1", FIRST), row("b", "1", FIRST), row("a", "2", FIRST)))
    with pytest.raises(BadInput, match=r"^ratings: expected at most 2 rows for each image, got 3 for '1'$"):
        check_ratings(table(row("a", "2", FIRST), row("a", "1", FIRST), row("b", "1", FIRST), row("b", "1", SECOND)))


@pytest.mark.parametrize(
    ("given_ratings", "mean", "bucket"),
    [
        ((1, 2), 1.5, 2),
        ((2, 3), 2.5, 3),
        ((1, 1, 2), 4 / 3, 1),
        ((4, 5), 4.5, 5),
        ((5, 5), 5, 5),
        ((1, 1), 1, 1),
        ((1, 1, 1, 2, 2, 2), 1.5, 2),
        ((3, None), 3, 3),
        ((None, None), np.nan, UNRATED),
    ],
)
def test_the_rounded_mean(given_ratings: tuple[int | None, ...], mean: float, bucket: int):
    whole = read_ratings(table(*(row(str(at), "1", None, rating) for at, rating in enumerate(given_ratings))))
    assert deformation_buckets(whole).tolist() == [bucket]
    assert means_along(whole.rating) == pytest.approx([mean], nan_ok=True)
