"""Sources that say less than before, or more: cases about a threshold of 5 % and five works."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import RECORDS, UNREAD
from tasks.core.shifts import Shift, SourceShare, shares, shifts

KNOWN = {"artist": "Jan Steen", "year": 1660, "rights_uri": "https://creativecommons.org/publicdomain/zero/1.0/"}
NOTHING = {"artist": None, "year": None, "rights_uri": "NOASSERTION"}


def works(count: int, said: dict[str, Any], source: str = "m") -> list[dict[str, Any]]:
    return [{"source": source, **said}] * count


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=RECORDS)


def unread(count: int) -> pa.Table:
    rows = [{"field": "artist", "source": "m", "words": "x", "records": count}]
    return pa.Table.from_pylist(rows if count else [], schema=UNREAD)


def test_shares_are_of_records_that_are_listed():
    dropped = works(3, {**NOTHING, "reason": "bad_record"})
    found = shares(table([*works(8, KNOWN), *works(2, NOTHING), *dropped, *works(1, KNOWN, "n")]), unread(4))
    assert {key: (value.works, value.number) for key, value in found.items()} == {
        ("m", "unknown_artist"): (10, 2),
        ("m", "undated"): (10, 2),
        ("m", "without_rights"): (10, 2),
        ("m", "unread_artist"): (10, 4),
        ("n", "unknown_artist"): (1, 0),
        ("n", "undated"): (1, 0),
        ("n", "without_rights"): (1, 0),
        ("n", "unread_artist"): (1, 0),
    }


def test_a_work_with_a_range_of_years_is_dated_and_an_older_release_has_none():
    dated = {**NOTHING, "year_first": -500}
    assert shares(table(works(1, dated)), None)["m", "undated"] == (1, 0)
    without = table(works(1, dated)).drop_columns(["year_first", "year_last"])
    assert shares(without, None)["m", "undated"] == (1, 1)


@pytest.mark.parametrize(
    ("before", "now", "is_told"),
    [
        ((100, 10), (100, 15), True),
        ((100, 10), (100, 14), False),
        ((1000, 100), (1000, 149), False),
        ((1000, 100), (1000, 150), True),
        ((100, 60), (100, 10), True),  # many have a date at last: perhaps invented ones
        ((20, 0), (20, 4), False),
        ((20, 0), (20, 5), True),
        ((10_000, 0), (10, 10), True),
        ((0, 0), (100, 100), True),
    ],
)
def test_a_share_is_told_that_is_another_one_by_a_twentieth_and_five_works(before, now, is_told):
    one, other = SourceShare(*before), SourceShare(*now)
    found = list(shifts(["m"], {("m", "undated"): one}, {("m", "undated"): other}))
    assert found == ([Shift("m", "undated", one, other)] if is_told else [])


def test_a_new_source_and_what_was_not_counted_before_have_not_shifted():
    before, now = shares(table(works(9, KNOWN)), None), shares(table(works(9, NOTHING, "n")), unread(9))
    assert not list(shifts(["m", "n"], before, now))
    same = shares(table(works(9, KNOWN)), unread(9))
    assert not list(shifts(["m"], before, same))


def test_the_sentence_has_both_numbers():
    shift = Shift("met", "unknown_artist", SourceShare(1000, 120), SourceShare(2000, 820))
    assert shift.sentence() == (
        "source 'met': 820 of 2,000 are works of unknown artists (41%); at the last release it was 12%: does the "
        "source use other words now, or does the program read them anew?"
    )
