"""What the words of a date say of the numbers beside them."""

import contextlib

import pytest

from tasks.core.scrape.date_reader import Reader
from tasks.core.scrape.date_statements import UnreadError
from tasks.core.scrape.date_words import lexicon_with, plain_text


def reader(text: str) -> Reader:
    return Reader(plain_text(text), lexicon_with(None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("XV sec., inizio", (1401, 1433)),
        ("19e (début)", (1801, 1833)),
        ("5 May 1850", (1850, 1850)),
        ("Dynasty 18, 1850", (1850, 1850)),
        ("no. 1850, 1900", (1900, 1900)),
        ("1850, printed by Jane Doe", (1850, 1850)),
        ("1850, printed later", (1850, None)),
        ("1850 (later print)", (1850, 1850)),
        ("1990-", (1990, None)),
        ("2nd half 4th / 1st half 3rd century BC", (-350, -251)),
    ],
)
def test_what_belongs_to_a_number(text: str, expected: tuple[int | None, int | None]) -> None:
    assert reader(text).years() == expected


@pytest.mark.parametrize("text", ["BC", "Jane Doe (1850-1920)", "1850 BC - 1200", "fine 1800", "born 1850"])
def test_what_is_not_understood_raises_or_says_no_year(text: str) -> None:
    with contextlib.suppress(UnreadError):
        assert reader(text).years() == (None, None)
