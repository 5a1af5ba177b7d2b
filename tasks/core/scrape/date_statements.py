"""Statements of a date, such as a year or a century, and the years that all of them together may mean."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

FIRST_YEAR, LAST_YEAR = -1_000_000, 2100
_DIGITS_OF_YEAR = 4
_FIRST_BARE, _LAST_DAY, _LAST_MONTH, _LAST_CENTURY = 100, 31, 12, 21
_CENTURY = 100
_CERTAINLY_OURS = 1500
"""A year that is of our era, even where another of the same text is before Christ."""
_END_OF_EGYPT = 30
"""Before Christ, the end of Egypt's last period: "332-30" is not 332-330, nor "664-30" 664-630."""
_LONG_SPAN, _SHORT_SPAN = 350, 10
_CHAINED = frozenset({"-", "/", "and", "until"})


class YearRange(NamedTuple):
    """The first and the last year that a work may be from; None where nothing is said."""

    first: int | None = None
    last: int | None = None


class UnreadError(Exception):
    """A word or number that is not understood; so nothing is."""


@dataclass(slots=True)
class Statement:
    """A year, a decade, a century ... as it is read, word by word."""

    text: str
    number: int
    kind: str
    """year; count (an ordinal, whose unit may be said elsewhere); tens (a decade, or a hundred years); range; later."""
    segment: int
    digits: int = 0
    last: int = 0
    """Of a range."""
    unit: int | None = None
    """In years."""
    is_whole: bool = False
    """An ordinal that says so, or a year that is not short for another."""
    is_roman: bool = False
    is_no_date: bool = False
    """A day, the number of a dynasty ..."""
    is_foreign: bool = False
    """Of another calendar."""
    parts: list[tuple[float, float]] = field(default_factory=list)
    bound: str | None = None
    era: str | None = None
    is_era_in_front: bool = False
    link: str | None = None
    """What joins it to the statement before it."""

    def years(self) -> tuple[int, int]:
        """First and last year, by era, unit and parts."""
        first, width = self.number, self.unit or 1
        if self.kind == "range":
            width = self.last - first + 1
        if self.kind == "count":
            first = (self.number - 1) * width + 1
        if self.era == "bc":
            first = -(first + width - 1)
        last = first + width - 1
        if self.parts and width > 1:
            begin, end = min(part[0] for part in self.parts), max(part[1] for part in self.parts)
            first, last = first + round(width * begin), first + max(round(width * end), 1) - 1
        if not self.number or first < FIRST_YEAR or last > LAST_YEAR:
            raise UnreadError(self.text)
        return first, last


def settled(statements: list[Statement], *, is_all: bool) -> list[Statement]:
    """The statements that say years, each with its unit and era, which may stand with its neighbour.

    is_all: whether the text has no other words; then "XIX" and "19th" are centuries. Raises UnreadError where a number
    may say a year, but not which.
    """
    found = statements
    if len(statements) > 1:
        _check_calendars(statements)
    found = _dated(statements)
    if len(found) > 1:
        _share_units(found)
        for chain in _chains(found):
            _share_eras(chain)
            _lengthen(chain)
    if is_all and all(entry.kind == "count" and entry.unit is None for entry in found):
        _take_for_centuries(found)
    _place_decades(found)
    kept = _years_alone(_dated(found))
    _check_eras(kept)
    return kept


def widest(statements: Sequence[Statement]) -> YearRange:
    """The first and the last year of all settled statements. Raises UnreadError where a range runs backwards."""
    firsts: list[int] = []
    lasts: list[int] = []
    begun_by: int | None = None
    is_open = is_begun_there = False
    for chain in _chains(statements, is_bound_apart=True):
        bound, first, last = _years_of_chain(chain)
        if bound in {"since", "after", "later"}:
            is_open, is_begun_there = True, bound == "since"
        else:
            lasts.append(last)
            is_open = is_open and bound is None and not is_begun_there  # "begun 1875, finished 1880"
        if bound in {"until", "before"}:
            begun_by = last if not firsts else begun_by
        elif bound != "later":
            firsts.append(first)
    is_begun = bool(firsts) and (begun_by is None or min(firsts) <= begun_by)  # not of "before 1850 (frame 1900)"
    years = YearRange(min(firsts) if is_begun else None, max(lasts) if lasts and not is_open else None)
    is_backwards = None not in years and years > years[::-1]
    return YearRange() if is_backwards else years


def spans(statements: Sequence[Statement]) -> Iterator[tuple[int, int]]:
    """The segment of each range of two years, and its length."""
    for before, entry in itertools.pairwise(statements):
        if entry.link == "-" and before.kind == entry.kind == "year":
            yield entry.segment, entry.years()[1] - before.years()[0]


def _years_of_chain(chain: Sequence[Statement]) -> tuple[str | None, int, int]:
    """How the years of joined statements are bound, and what they are."""
    bound = chain[0].bound
    if bound == "later":
        return bound, 0, 0
    years = [entry.years() for entry in chain]
    for (before, after), entry in zip(itertools.pairwise(years), chain[1:], strict=True):
        if entry.link in {"-", "until"} and before[0] > after[1]:
            raise UnreadError(entry.text)
    first, last = min(year[0] for year in years), max(year[1] for year in years)
    if len(chain) > 1:
        return None if bound in {"since", "until"} else bound, first, last
    return bound, last if bound == "after" else first, first if bound == "before" else last


def _dated(statements: Sequence[Statement]) -> list[Statement]:
    found = [entry for entry in statements if not entry.is_no_date and not entry.is_foreign]
    for before, entry in itertools.pairwise(statements):
        if before.is_foreign and entry.link == "/" and entry.kind == "count" and entry.unit is None:
            if before.unit is None:
                raise UnreadError(entry.text)
            entry.unit = before.unit  # a century of ours beside one of another calendar
        if before.is_no_date or before.is_foreign:
            entry.link = None
    return found


def _chains(statements: Sequence[Statement], *, is_bound_apart: bool = False) -> Iterator[list[Statement]]:
    """Statements that are joined. is_bound_apart: those with a bound of their own begin another chain."""
    chain: list[Statement] = []
    for entry in statements:
        if chain and (entry.link not in _CHAINED or (is_bound_apart and entry.bound)):
            yield chain
            chain = []
        chain.append(entry)
    if chain:
        yield chain


def _check_calendars(statements: Sequence[Statement]) -> None:
    """The year of another calendar may stand beside ours, "1024/1615", but no range goes from one to the other."""
    for before, entry in itertools.pairwise(statements):
        if before.is_foreign != entry.is_foreign and entry.link is not None:
            ours, other = (entry, before) if before.is_foreign else (before, entry)
            if entry.link != "/" or (ours.era is None and ours.number <= other.number):
                raise UnreadError(other.text)


def _share_units(found: Sequence[Statement]) -> None:
    pairs = [pair for pair in itertools.pairwise(found) if pair[1].link and pair[0].kind == pair[1].kind == "count"]
    for before, entry in reversed(pairs):
        is_alike = before.is_roman == entry.is_roman and (entry.link != "," or before.is_roman or before.is_whole)
        if before.unit is None and is_alike:
            before.unit = entry.unit
    for before, entry in pairs:
        is_next = before.unit == _CENTURY and before.number < entry.number <= _LAST_CENTURY  # "siglos 17-18"
        is_alike = entry.is_roman or entry.is_whole or before.is_whole or is_next
        if entry.unit is None and entry.link in _CHAINED and is_alike:
            entry.unit = before.unit


def _take_for_centuries(found: Sequence[Statement]) -> None:
    for entry in found:
        if (entry.is_roman or entry.is_whole) and 9 <= entry.number <= _LAST_CENTURY:
            entry.unit = 100


def _share_eras(chain: Sequence[Statement]) -> None:
    """An era in front holds for what follows, one behind for what stands before it."""
    for before, entry in reversed(list(itertools.pairwise(chain))):
        if before.era is None and entry.era and not entry.is_era_in_front:
            before.era = entry.era
    for before, entry in itertools.pairwise(chain):
        if entry.era is None and before.era == "ad":
            entry.era = "ad"
        elif entry.era is None and before.era == "bc":
            is_falling = before.is_era_in_front and before.unit == entry.unit and entry.number < before.number
            if not is_falling or (entry.kind == "year" and entry.number < _FIRST_BARE):
                raise UnreadError(entry.text)
            entry.era, entry.is_era_in_front = "bc", True
        elif before.era is None and entry.is_era_in_front and before.number < _CERTAINLY_OURS:
            raise UnreadError(before.text)


def _lengthen(chain: Sequence[Statement]) -> None:
    """The whole year of one that is short for it: "1871-73", "490-80 BC". A month behind a year is no date."""
    for before, entry in itertools.pairwise(chain):
        is_short = entry.kind == "count" and entry.unit is None and not entry.is_roman and not entry.is_whole
        if (
            before.era != entry.era
            or before.kind not in {"year", "tens"}
            or before.digits < 3
            or not is_short
            or not entry.digits
        ):
            continue
        scale = 10**entry.digits
        year = before.number // scale * scale + entry.number
        if entry.era == "bc":
            entry.kind, entry.number = "year", year if _is_short_for(year, before, entry) else entry.number
        elif year >= before.number:
            entry.kind, entry.number, entry.digits = "year", year, before.digits
        elif entry.number <= _LAST_MONTH:
            entry.is_no_date = True
        else:
            raise UnreadError(entry.text)


def _is_short_for(year: int, before: Statement, entry: Statement) -> bool:
    """Whether a number of few digits behind a year before Christ is short for that year: "490-80" is 490-480, and
    "100-50" what it says. Raises UnreadError where nobody knows: "180-50".
    """
    span, is_round, is_long = before.number - year, before.number % 5 == 0, before.number - entry.number >= _LONG_SPAN
    if entry.number == _END_OF_EGYPT and (span <= 0 or not is_round):
        return False
    is_certain = (is_round and span <= _SHORT_SPAN) or entry.link != "-" or entry.text.startswith("0")
    if is_long if span <= 0 else not (is_long or is_certain):
        raise UnreadError(entry.text)
    return span > 0


def _place_decades(found: Sequence[Statement]) -> None:
    """The century of "60-е гг. XIX в." and of "1880s-90s"."""
    for one, other in itertools.pairwise(found):
        if other.kind == "tens" and other.link in _CHAINED:
            _share_width(one, other)
    for place in range(len(found) - 1, -1, -1):
        entry = found[place]
        if entry.kind != "tens" or entry.number >= _FIRST_BARE:
            continue
        behind = found[place + 1] if place + 1 < len(found) else None
        before = found[place - 1] if place else None
        century = next((one for one in (behind, before) if one and one.kind == "count" and one.unit == 100), None)
        if century is not None:
            entry.number += (century.number - 1) * 100
            entry.era, century.is_no_date = century.era, True
            entry.link = century.link if century is before else entry.link
        elif behind and behind.kind == "tens" and behind.link:
            entry.number += behind.number // 100 * 100
        elif before and before.number >= _FIRST_BARE and entry.link:
            entry.number += before.number // 100 * 100
        else:
            raise UnreadError(entry.text)


def _share_width(before: Statement, entry: Statement) -> None:
    """The first of "1700-1800-tal", and of "70-80-е гг.", is as wide as the second; "1900s-1920s" are decades."""
    if before.kind == "tens" and before.unit != entry.unit:
        before.unit = entry.unit = 10
    width = entry.unit or 1
    is_plain = before.kind == "count" and before.unit is None and not before.is_roman and entry.number < _FIRST_BARE
    if before.number % width == 0 and (is_plain or (before.kind == "year" and before.parts)):
        before.kind, before.unit = "tens", width


def _years_alone(dated: Sequence[Statement]) -> list[Statement]:
    """The statements that say years; a bound in front of a day is one of its year: "after July 4, 1776"."""
    kept: list[Statement] = []
    for place, entry in enumerate(dated):
        behind = dated[place + 1] if place + 1 < len(dated) else None
        if _says_years(entry):
            kept.append(entry)
        elif behind is not None and behind.link == "-" and behind.kind == "year" and behind.digits < _DIGITS_OF_YEAR:
            entry.kind = "year"  # "25-220"
            kept.append(entry)
        elif behind is not None and behind.link == "," and behind.bound is None:
            behind.bound = entry.bound
    return kept


def _says_years(entry: Statement) -> bool:
    """Whether a statement says years, and not a day. Raises UnreadError where one can't know."""
    if entry.kind == "count" and entry.unit is None:
        if entry.is_roman and (entry.era or entry.parts):
            entry.unit = 100
        elif entry.era and not entry.is_whole and not entry.is_roman:
            entry.kind = "year"
        elif (
            entry.is_roman
            or entry.era
            or entry.parts
            or not 0 < entry.number <= _LAST_DAY
            or entry.link in {",", "-", "until"}
        ):
            raise UnreadError(entry.text)
        else:
            return False
    is_bare = entry.kind == "year" and entry.era is None
    if is_bare and (not _FIRST_BARE <= entry.number <= LAST_YEAR or entry.digits > 4):
        raise UnreadError(entry.text)
    if is_bare and entry.parts and entry.number % 100 == 0:  # is "fine 1800" a year, or a century?
        raise UnreadError(entry.text)
    return True


def _check_eras(kept: Sequence[Statement]) -> None:
    """Beside years before Christ, other years must say that they are not."""
    if any(entry.era == "bc" for entry in kept):
        for entry in kept:
            if entry.era is None and entry.kind != "later" and entry.years()[0] < _CERTAINLY_OURS:
                raise UnreadError(entry.text)
