"""A long table as arrays, whatever the order of its rows."""

import tracemalloc
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.raters.ratings import read_ratings
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


def test_numbers_may_be_names():
    rows = pa.table({"rater": [1, 2], "image": [10, 9], **{name: [None, None] for name in table().column_names[2:]}})
    assert read_ratings(rows)[:2] == (("1", "2"), ("10", "9"))


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
    with pytest.raises(BadInput, match="expected one column x_min, got columns rater"):
        read_ratings(rows.drop_columns(["rating", "x_min"]))


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
