"""Sizes of batches: timings by hand and what becomes of the size after each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.io.detectors.batch_size import MAX_PICTURES, BatchSize, padded_size


def test_a_batch_doubles_while_that_pays():
    size = BatchSize(4, most=32)
    for pictures, seconds in ((4, 9.0), (4, 4.0), (8, 9.0), (8, 6.0), (16, 99.0), (16, 11.9)):
        size.record_time(pictures, seconds)  # 1 s each, then 0.75 s; then 0.744 s: not worth the memory
    assert size.pictures == 8
    size.record_time(8, 0.1)
    assert size.pictures == 8


@pytest.mark.parametrize(
    ("seconds_of_two", "expected"),
    [
        pytest.param(2 / 1.05 - 0.001, 4, id="a picture is a little more than 5 % faster"),
        pytest.param(2 / 1.05 + 0.001, 1, id="a little less"),
        pytest.param(2.0, 1, id="as fast"),
        pytest.param(4.0, 1, id="slower"),
        pytest.param(0.0, 4, id="no time at all"),
    ],
)
def test_a_doubling_pays_if_a_picture_is_a_twentieth_faster(seconds_of_two, expected):
    size = BatchSize(1)
    for pictures, seconds in ((1, 5.0), (1, 1.0), (2, 5.0), (2, seconds_of_two)):
        size.record_time(pictures, seconds)
    assert size.pictures == expected


def test_the_first_batch_of_a_size_and_one_that_is_not_full_say_nothing():
    size = BatchSize(4)
    size.record_time(4, 1.0)
    size.record_time(3, 1.0)
    assert size.pictures == 4
    size.record_time(4, 1.0)
    assert size.pictures == 8


def test_a_batch_of_an_earlier_size_that_ends_late_says_nothing():
    size = BatchSize(2)
    for pictures in (2, 2, 2, 2):  # two threads were on their way when the size became 4
        size.record_time(pictures, 1.0)
    assert size.pictures == 4
    size.record_time(4, 1.0)  # so this one is the first of its size ...
    assert size.pictures == 4
    size.record_time(4, 1.0)  # ... and this one is timed
    assert size.pictures == 8


def test_a_batch_grows_to_the_most_and_a_fixed_one_stays():
    size, fixed = BatchSize(4, most=6), BatchSize(1, most=1)
    for _ in range(9):
        size.record_time(size.pictures, 1.0 / size.pictures)
        fixed.record_time(1, 1.0)
    assert (size.pictures, fixed.pictures) == (6, 1)


def test_without_a_limit_of_its_own_a_batch_has_at_most_64_pictures():
    size = BatchSize(4)
    for _ in range(99):
        size.record_time(size.pictures, 1.0 / size.pictures)
    assert size.pictures == MAX_PICTURES == 64


def test_a_first_size_beyond_the_most_is_the_most_and_stays():
    size = BatchSize(4, most=2)
    assert size.pictures == 2
    for seconds in (9.0, 1.0, 9.0):
        size.record_time(2, seconds)
    assert size.pictures == 2


def test_where_the_step_to_the_most_did_not_pay_the_size_before_it_returns():
    size = BatchSize(4, most=6)
    for pictures, seconds in ((4, 9.0), (4, 4.0), (6, 9.0), (6, 6.0)):
        size.record_time(pictures, seconds)
    assert size.pictures == 4


def test_a_batch_that_did_not_fit_is_halved_once_however_many_threads_say_so():
    size = BatchSize(16)
    size.halve(16)
    size.halve(16)
    assert size.pictures == 8
    size.halve(1)
    assert size.pictures == 1
    size.record_time(1, 1.0)
    size.record_time(1, 1.0)
    assert size.pictures == 1


def test_a_batch_that_was_not_full_and_did_not_fit_is_what_counts():
    size = BatchSize(16)
    size.halve(7)
    assert size.pictures == 3
    size.halve(16)  # an older one, of when the size was larger
    assert size.pictures == 3


@pytest.mark.parametrize(
    ("pictures", "most", "places"),
    [
        pytest.param(1, 1, 1, id="one"),
        pytest.param(2, 64, 2, id="a power of two"),
        pytest.param(5, 64, 8, id="the next power"),
        pytest.param(33, 64, 64, id="the last power"),
        pytest.param(5, 6, 6, id="the most, before the next power"),
        pytest.param(7, 6, 7, id="more than the most: no padding"),
    ],
)
def test_a_batch_is_padded_to_a_power_of_two_or_the_most(pictures, most, places):
    assert padded_size(pictures, most) == places


@given(st.integers(1, 64), st.integers(1, 64))
def test_a_batch_has_place_for_its_pictures_and_few_shapes(pictures, most):
    places = padded_size(pictures, most)
    assert pictures <= places
    assert places in (most, pictures) or places.bit_count() == 1
