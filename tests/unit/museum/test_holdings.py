"""Rows are planned alone, in any order, and no two share a key."""

import re

import pytest

from examples.museum.holdings import COPIES_FRACTION, FAULTS_FRACTION, SERIES_FRACTION, holding, key_of_row


@pytest.mark.parametrize("seed", [0, 2023, -1])
def test_keys_are_unique_catalogue_numbers(seed: int) -> None:
    keys = [key_of_row(seed, row) for row in range(3000)]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"\d{4}\.\d+\.\d+", key) for key in keys)


def test_keys_stay_unique_beyond_one_round() -> None:
    assert key_of_row(1, 2_400_000) != key_of_row(1, 0)
    assert key_of_row(1, 2_400_000).rsplit(".", 1)[0] == key_of_row(1, 0).rsplit(".", 1)[0]


def test_copies_are_of_earlier_works_only() -> None:
    held = [holding(4, row) for row in range(3000)]
    copies = [one for one in held if one.original is not None]
    faults = [one for one in held if one.fault is not None]
    assert held[0].original is None
    assert held[0].fault is None
    for copy in copies:
        assert copy.original is not None
        assert copy.original < copy.row
        assert held[copy.original].original is None
        assert held[copy.original].fault is None
    assert len(copies) == pytest.approx(COPIES_FRACTION * 3000, rel=0.2)
    assert len(faults) == pytest.approx(FAULTS_FRACTION * 3000, rel=0.6)


def test_series_begin_with_earlier_works_of_their_own() -> None:
    held = [holding(4, row) for row in range(3000)]
    series = [one for one in held if one.first is not None]
    for one in series:
        assert one.first is not None
        assert one.first < one.row
        assert held[one.first] == (one.first, held[one.first].key, None, None, None, None)
        assert (one.original, one.fault) == (None, None)
    assert len(series) == pytest.approx(SERIES_FRACTION * 3000, rel=0.2)


def test_rows_are_planned_alone_and_in_any_order() -> None:
    forwards = [holding(11, row) for row in range(300)]
    assert [holding(11, row) for row in reversed(range(300))] == forwards[::-1]
