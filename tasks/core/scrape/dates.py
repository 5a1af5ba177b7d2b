"""Dates in a museum's words as the first and the last year that a work may be from: one reader for all sources.

Years before Christ are negative, and there is no year 0: the 5th century BC is -500 to -401, the 19th century 1801 to
1900, "the 1800s" are 1800 to 1899, the 1850s 1850 to 1859. Early, mid and late are thirds. "c." widens nothing, since
nobody says by how much. "Before 1900" and "after 1632" say one of the two years, which itself may be it. Of several
statements, the widest range counts: "designed 1860, made about 1872" is 1860 to 1872.

A date with an era, a calendar or a word beside its numbers that no list of words has says no year.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from schemas.word_lists import word_lists
from tasks.core.scrape.date_reader import reader_of
from tasks.core.scrape.date_statements import FIRST_YEAR, LAST_YEAR, UnreadError, YearRange
from tasks.core.scrape.date_words import lexicon_with, plain_text

_LONGEST = 300
_WHOLE = re.compile(r"(-?\d{1,7})(?:\.0+)?")
_READ_ALIKE = re.compile(word_lists("date_patterns")["pieces"]["year"], re.VERBOSE)
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")


class DateReading(NamedTuple):
    """What was read in a text; unread: the word or number for which nothing was, unless the museum itself says so."""

    years: YearRange = YearRange()
    unread: str | None = None


@lru_cache(maxsize=131072)
def read_date(text: str | None, own: str | None = None) -> DateReading:
    """The years of a date in a museum's words, or what of it is not understood. Never raises.

    Of a text of more than 300 characters the first 300 are read. own: the JSON of a museum's DateWords.

    >>> [tuple(read_date(text).years) for text in ("c. 1871-73", "c. mid- to late-19th century", "after 1632", "n.d.")]
    [(1871, 1873), (1834, 1900), (1632, None), (None, None)]
    >>> read_date("1024 AH"), read_date("Samvat 1850").unread
    (DateReading(years=YearRange(first=None, last=None), unread='AH'), 'Samvat')
    """
    plain, lexicon = plain_text((text or "")[:_LONGEST]), lexicon_with(own)
    # texts that differ in the digits of their years alone are read once: but for a last zero, no rule asks for these
    masked = _READ_ALIKE.sub(lambda year: ("1" * len(year[0].rstrip("0"))).ljust(len(year[0]), "0"), plain)
    try:
        return DateReading(reader_of(masked, lexicon).years(plain))
    except UnreadError as problem:
        return DateReading(unread=None if str(problem).lower() in lexicon.explained else str(problem))


def year_of_cell(value: Any, own: str | None = None) -> int | None:
    """The year of a table's cell: 1850, "1850", "1850-01-01", -500, "500 BC"; None for what is none, such as 0.

    own: as of `read_date`.

    >>> [year_of_cell(value) for value in (1850, "1850-01-01", "-500", "500 BC", 1850.0, 0, "1850s", None, True)]
    [1850, 1850, -500, -500, 1850, None, None, None, None]
    """
    if isinstance(value, bool | list | tuple | dict) or value is None:
        return None
    if not isinstance(value, int):
        text = str(value)[:_LONGEST].strip()
        whole = _WHOLE.fullmatch(text)
        if whole is None:
            first, last = read_date(text, own).years
            return first if first == last else None
        value = int(whole[1])
    return value if value and FIRST_YEAR <= value <= LAST_YEAR else None


def years_of_work(
    fields: tuple[int | None, int | None],
    text: str | None,
    stated: int | None,
    year_text: str | None,
    own: str | None = None,
) -> YearRange:
    """The first and the last year of a work: of the source's own fields, else of its date in words and its year.

    fields, stated: the source's first and last year, and year, as far as they are one. A year beside the one in the
    text makes the range wider, but none before Christ one of our era. own: as of `read_date`.

    >>> [tuple(years_of_work((None, last), text, 1850, None)) for last in (1820, None) for text in ("1830", "")]
    [(None, 1820), (None, 1820), (1830, 1850), (1850, 1850)]
    """
    first, last = fields
    if (first, last) == (None, None):
        first, last = read_date(text, own).years
        if (first, last) == (None, None):
            first, last = (stated, stated) if stated is not None else read_date(year_text, own).years
        elif stated is not None and first is not None and last is not None and (stated > 0) == (last > 0):
            first, last = min(first, stated), max(last, stated)
    if first is not None and last is not None:
        first, last = min(first, last), max(first, last)
    return YearRange(first, last)


def one_year(years: YearRange, stated: int | None, *texts: str | None) -> int | None:
    """The year of a work: the only one that it may be from; else the one that the source states, or the first from 1000
    to 2099 in the texts, that lies within the years that it may be from; else none.

    >>> one_year(YearRange(1871, 1873), None, "1871-73"), one_year(YearRange(-1479, -1458), None, "1479-1458 B.C.")
    (1871, None)
    """
    first, last = years
    if first == last:
        return first
    named = [] if stated is None else [stated]
    named += [int(match[1]) for text in texts for match in _YEAR.finditer((text or "")[:_LONGEST])]
    return next((y for y in named if (first is None or first <= y) and (last is None or y <= last)), None)
