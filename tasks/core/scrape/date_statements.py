"""Statements of a date, such as a year or a century, and the years that all of them together may mean."""

import itertools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

FIRST_YEAR, LAST_YEAR = -1_000_000, 2100
_DIGITS_OF_YEAR = 4
_FIRST_BARE, _LAST_DAY, _LAST_MONTH, _LAST_CENTURY = 100, 31, 12, 21
_CERTAINLY_OURS = 1500
"""A year that is of our era, even where another of the same text is before Christ."""
_END_OF_EGYPT = 30
"""Before Christ, the end of Egypt's last period: "332-30" is not 332-330, nor "664-30" 664-630."""
_LONG_SPAN, _SHORT_SPAN = 350, 10
_CHAINED = frozenset({"-", "/", "and", "until"})
_UP_TO, _FROM = frozenset({"until", "before", "later"}), frozenset({"since", "after", "later"})


class YearRange(NamedTuple):
    """The first and the last year that a work may be from; None where nothing is said."""

    first: int | None = None
    last: int | None = None


class UnreadError(Exception):
    """A word or number that is not understood; so nothing is."""


@dataclass(slots=True)
class Statement:
    """A year, a decade, a century ... as it is read, word by word."""

    text: str = ""
    number: int = 0
    kind: str = ""  # year, count (an ordinal, whose unit may be said elsewhere), tens (10 or 100 years), range, later
    segment: int = 0
    digits: int = 0
    year_at: int = 0  # where in the text its digits of a year begin
    unit: int | None = None  # in years
    is_whole: bool = False  # an ordinal that says so
    is_roman: bool = False
    is_other: bool = False  # of another calendar, or a month
    parts: tuple[tuple[float, float], ...] = ()
    bound: str | None = None
    era: str | None = None
    is_era_in_front: bool = False
    link: str | None = None  # what joins it to the statement before it

    def as_in(self, text: str | None) -> "Statement":
        """A copy of it with the year of a text that differs in the digits of its years alone."""
        entry = Statement(*_VALUES(self))
        digits = (text or "")[self.year_at : self.year_at + self.digits]
        if 2 < self.digits <= _DIGITS_OF_YEAR and digits.isdigit():  # Roman years are no digits
            entry.text, entry.number = digits, int(digits)
        return entry

    @property
    def is_count(self) -> bool:
        """Whether it is an ordinal whose unit is not said."""
        return self.kind == "count" and self.unit is None

    @property
    def is_year_alone(self) -> bool:
        """Whether it is a year of our era of which nothing else is said."""
        is_more = self.is_other or self.era or self.bound or self.parts
        return self.kind == "year" and not is_more and 2 < self.digits <= _DIGITS_OF_YEAR and self.number >= _FIRST_BARE

    def years(self) -> tuple[int, int]:
        """First and last year, by era, unit and parts. Raises UnreadError for a year that no work is from."""
        width = self.unit or 1
        first = (self.number - 1) * width + 1 if self.kind == "count" else self.number
        if self.era == "bc":
            first = -(first + width - 1)
        last = first + width - 1
        if self.parts and width > 1:
            begins, ends = zip(*self.parts, strict=True)
            first, last = first + round(width * min(begins)), first + max(round(width * max(ends)), 1) - 1
        if not self.number or first < FIRST_YEAR or last > LAST_YEAR:
            raise UnreadError(self.text)
        return first, last


_VALUES = operator.attrgetter(*Statement.__slots__)


def settled(statements: Sequence[Statement], *, is_all: bool) -> list[Statement]:
    """The statements that say years, each with its unit and era, which may stand with its neighbour.

    is_all: whether the text has no other words; then "XIX" and "19th" are centuries. Raises UnreadError where a number
    may say a year, but not which.
    """
    found = _of_our_calendar(statements)
    pairs = [*itertools.pairwise(found)]
    for before, entry in reversed(pairs):
        _share_back(before, entry)
    for before, entry in pairs:
        if entry.link in _CHAINED:
            _share_on(before, entry)
    if is_all and all(entry.is_count for entry in found):
        for entry in found:
            is_century = (entry.is_roman or entry.is_whole) and 9 <= entry.number <= _LAST_CENTURY
            entry.unit = 100 if is_century else None
    found = _with_whole_decades(found)
    kept = [entry for entry, behind in itertools.zip_longest(found, found[1:]) if _says_years(entry, behind)]
    is_before_christ = any(entry.era == "bc" for entry in kept)
    for entry in kept:  # beside a year before Christ, the others must say that they are not
        if is_before_christ and entry.era is None and entry.kind != "later" and entry.years()[0] < _CERTAINLY_OURS:
            raise UnreadError(entry.text)
    return kept


def widest(statements: Sequence[Statement]) -> YearRange:
    """The first and the last year of all settled statements. Raises UnreadError where a range runs backwards."""
    chains: list[list[Statement]] = []
    for entry in statements:  # those that are joined say one range; one with a bound begins another
        if not chains or entry.link not in _CHAINED or entry.bound:
            chains.append([])
        chains[-1].append(entry)
    spans = [_bounded_years(chain) for chain in chains]
    firsts = [first for bound, first, _ in spans if bound not in _UP_TO]
    lasts = [last for bound, _, last in spans if bound not in _FROM]
    before_all = [last for _, _, last in itertools.takewhile(lambda span: span[0] in {"until", "before"}, spans)]
    is_begun = bool(firsts) and (not before_all or min(firsts) <= before_all[-1])  # not of "before 1850 (frame 1900)"
    said = [bound for bound, _, _ in spans if bound]
    is_open = bool(said) and (said[-1] in {"after", "later"} or spans[-1][0] == "since")
    years = YearRange(min(firsts) if is_begun else None, max(lasts) if lasts and not is_open else None)
    return YearRange() if None not in years and years > years[::-1] else years


def _bounded_years(chain: Sequence[Statement]) -> tuple[str | None, int, int]:
    bound, years = chain[0].bound, [entry.years() for entry in chain]
    firsts, lasts = zip(*years, strict=True)
    if len(chain) == 1:
        return bound, (lasts if bound == "after" else firsts)[0], (firsts if bound == "before" else lasts)[0]
    for entry, before, after in zip(chain[1:], years, years[1:], strict=False):
        if entry.link in {"-", "until"} and before[0] > after[1]:
            raise UnreadError(entry.text)
    return None if bound in {"since", "until"} else bound, min(firsts), max(lasts)


def _of_our_calendar(statements: Sequence[Statement]) -> list[Statement]:
    """The year of another calendar may stand beside ours, "1024/1615", but no range goes from one to the other."""
    for before, entry in itertools.pairwise(statements):
        if before.is_other != entry.is_other and entry.link is not None:
            ours, other = (entry, before) if before.is_other else (before, entry)
            if entry.link != "/" or (ours.era is None and ours.number <= other.number):
                raise UnreadError(other.text)
            if before.is_other and entry.is_count:
                entry.unit = before.unit
                if entry.unit is None:
                    raise UnreadError(entry.text)
    return _without_others(statements)


def _without_others(statements: Sequence[Statement]) -> list[Statement]:
    for before, entry in itertools.pairwise(statements):
        entry.link = None if before.is_other else entry.link
    return [entry for entry in statements if not entry.is_other]


def _share_back(before: Statement, entry: Statement) -> None:
    """A unit and an era behind a statement hold for those that are joined to it."""
    is_alike = before.is_roman == entry.is_roman and (entry.link != "," or before.is_roman or before.is_whole)
    if entry.link and before.is_count and entry.kind == "count" and is_alike:
        before.unit = entry.unit
    if entry.link in _CHAINED and before.era is None and not entry.is_era_in_front:
        before.era = entry.era


def _share_on(before: Statement, entry: Statement) -> None:
    """A unit and an era in front of a statement hold for those that follow, and so do the digits of a year."""
    is_next = before.unit == 100 and before.number < entry.number <= _LAST_CENTURY  # "siglos 17-18"
    if before.kind == "count" and entry.is_count and (entry.is_roman or entry.is_whole or before.is_whole or is_next):
        entry.unit = before.unit
    if entry.era is None and before.era == "bc":
        is_falling = before.is_era_in_front and before.unit == entry.unit and entry.number < before.number
        if not is_falling or (entry.kind == "year" and entry.number < _FIRST_BARE):
            raise UnreadError(entry.text)
        entry.is_era_in_front = True
    elif before.era is None and entry.is_era_in_front and before.number < _CERTAINLY_OURS:
        raise UnreadError(before.text)
    entry.era = entry.era or before.era
    is_short = entry.is_count and entry.digits and not entry.is_whole
    if is_short and before.era == entry.era and before.kind in {"year", "tens"} and before.digits > 2:
        _lengthen(before, entry)
    if entry.kind == "tens":
        _share_width(before, entry)


def _lengthen(before: Statement, entry: Statement) -> None:
    """The whole year of one that is short for it: "1871-73", "490-80 BC". A month behind a year is none."""
    scale = 10**entry.digits
    year = before.number // scale * scale + entry.number
    if entry.era == "bc":
        entry.kind, entry.number = "year", year if _is_short_for(year, before, entry) else entry.number
    elif year >= before.number:
        entry.kind, entry.number, entry.digits = "year", year, before.digits
    elif entry.number <= _LAST_MONTH:
        entry.is_other = True
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


def _share_width(before: Statement, entry: Statement) -> None:
    """The first of "1700-1800-tal", and of "70-80-е гг.", is as wide as the second; "1900s-1920s" are decades."""
    if before.kind == "tens" and before.unit != entry.unit:
        before.unit = entry.unit = 10
    width = entry.unit or 1
    is_plain = before.is_count and not before.is_roman and entry.number < _FIRST_BARE
    if before.number % width == 0 and (is_plain or (before.kind == "year" and before.parts)):
        before.kind, before.unit = "tens", width


def _with_whole_decades(found: Sequence[Statement]) -> list[Statement]:
    """Decades with their century, as in "60-е гг. XIX в." and "1880s-90s"."""
    for before, entry, behind in reversed([*zip([None, *found], found, [*found[1:], None], strict=False)]):
        if entry.kind != "tens" or entry.number >= _FIRST_BARE:
            continue
        century = next((one for one in (behind, before) if one and one.kind == "count" and one.unit == 100), None)
        if century is not None:
            entry.number += (century.number - 1) * 100
            entry.era, century.is_other = century.era, True
            entry.link = century.link if century is before else entry.link
        elif behind and behind.kind == "tens" and behind.link:
            entry.number += behind.number // 100 * 100
        elif before and before.number >= _FIRST_BARE and entry.link:
            entry.number += before.number // 100 * 100
        else:
            raise UnreadError(entry.text)
    return _without_others(found)


def _says_years(entry: Statement, behind: Statement | None) -> bool:
    """Whether it says years, and not a day, whose bound is one of its year: "after July 4, 1776". Raises UnreadError
    where one can't know.
    """
    link = behind.link if behind else None
    if entry.is_count and not (entry.is_roman or entry.era or entry.parts):
        if 0 < entry.number <= _LAST_DAY and entry.link not in {",", "-", "until"}:
            if behind and link == "-" and behind.kind == "year" and behind.digits < _DIGITS_OF_YEAR:
                entry.kind = "year"  # "25-220"
            elif behind and link == ",":
                behind.bound = behind.bound or entry.bound
            return entry.kind == "year"
    elif entry.is_count and entry.is_roman and (entry.era or entry.parts):
        entry.unit = 100
    elif entry.is_count and entry.era and not entry.is_whole and not entry.is_roman:
        entry.kind = "year"
    is_bare = entry.kind == "year" and entry.era is None
    is_year = _FIRST_BARE <= entry.number <= LAST_YEAR and entry.digits <= _DIGITS_OF_YEAR
    is_hundred = entry.parts and entry.number % 100 == 0  # is "fine 1800" a year, or a century?
    if entry.is_count or (is_bare and (is_hundred or not is_year)):
        raise UnreadError(entry.text)
    return True
