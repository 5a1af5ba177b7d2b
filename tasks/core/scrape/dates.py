"""Dates in a museum's words as the first and the last year that a work may be from.

Years before Christ are negative, and there is no year 0: the 5th century BC is -500 to -401, the 19th century 1801 to
1900, "the 1800s" are 1800 to 1899, the 1850s 1850 to 1859. Early, mid and late are thirds. "c." widens nothing, since
nobody says by how much. "Before 1900" and "after 1632" say one of the two years, which itself may be it. Of several
statements, the widest range counts: "designed 1860, made about 1872" is 1860 to 1872.
"""

import itertools
import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from tasks.core.scrape import date_words as words

FIRST_YEAR, LAST_YEAR = -1_000_000, 2100
_LONGEST = 300


class YearRange(NamedTuple):
    """The first and the last year that a work may be from; None where nothing is said."""

    first: int | None = None
    last: int | None = None


@lru_cache(maxsize=65536)
def years_of_text(text: str | None) -> YearRange:
    """The years that a date in a museum's words may mean. Never raises.

    >>> [tuple(years_of_text(text)) for text in ("c. 1871-73", "c. mid- to late-19th century", "after 1632", "n.d.")]
    [(1871, 1873), (1834, 1900), (1632, None), (None, None)]
    """
    plain = unicodedata.normalize("NFKC", (text or "")[:_LONGEST]).lower()
    if words.NEVER_A_YEAR.search(plain):
        return YearRange()
    firsts: list[int] = []
    lasts: list[int] = []
    for statement in _statements(_rewritten(plain)):
        years = statement.years()
        if years is None:
            continue
        first, last = years
        if statement.bound is None:
            firsts.append(first)
            lasts.append(last)
        elif statement.bound in {words.AFTER, words.SINCE}:
            firsts.append(last if statement.bound == words.AFTER else first)
        else:
            lasts.append(first if statement.bound == words.BEFORE else last)
    first_year, last_year = min(firsts, default=None), max(lasts, default=None)
    if first_year is not None and last_year is not None and first_year > last_year:
        return YearRange()  # "after 1900, before 1850"
    return YearRange(first_year, last_year)


def year_of_cell(value: Any) -> int | None:
    """The year of a table's cell: 1850, "1850", "1850-01-01", -500, "500 BC"; None for what is none, such as 0.

    >>> [year_of_cell(value) for value in (1850, "1850-01-01", "-500", "500 BC", 1850.0, 0, "1850s", None, True)]
    [1850, 1850, -500, -500, 1850, None, None, None, None]
    """
    if isinstance(value, bool | list | tuple | dict) or value is None:
        return None
    if isinstance(value, int):
        return value if value and FIRST_YEAR <= value <= LAST_YEAR else None
    text = str(value).strip()[:_LONGEST].lower()
    match = _YEAR_CELL.fullmatch(text)
    if match is None:
        return None
    number = int(match["number"]) * (-1 if match["minus"] or match["bc"] else 1)
    return number if number and FIRST_YEAR <= number <= LAST_YEAR else None


_YEAR_CELL = re.compile(
    r"(?P<minus>-)?(?:ad )?(?P<number>\d{1,7})(?:\.0+|-\d{2}(?:-\d{2}(?:[t ].*)?)?)?(?P<bc>\s?b\.?c\.?(?:e\.?)?)?"
    r"(?:\s?(?:a\.?d\.?|c\.?e\.?))?"
)


@dataclass(slots=True)
class _Statement:
    """A year, a decade, a century ... as it is read, word by word."""

    number: int
    width: int | None  # in years; None: an ordinal whose unit follows ("15th-" in "15th-16th century")
    is_ordinal: bool = False
    until: tuple[int, int] | None = None  # of "1871-73": the last year, and the last before Christ
    is_bare: bool = False  # a number that is a year only with an era, or of three or four digits
    parts: list[tuple[float, float]] = field(default_factory=list)
    bound: str | None = None
    era: str | None = None
    is_joined: bool = False  # to the statement before it

    def years(self) -> tuple[int, int] | None:
        """First and last year; None if the statement says no year."""
        if self.width is None or not self.number or (self.is_bare and not self._is_year()):
            return None
        first = self._first()
        last = first + self.width - 1
        if self.until is not None:  # "1890-05" is a month, so it says no other year
            last = max(last, self.until[self.era == "bc"])
        if self.parts and self.width > 1:
            begin, end = min(part[0] for part in self.parts), max(part[1] for part in self.parts)
            first, last = first + round(self.width * begin), first + max(round(self.width * end), 1) - 1
        return (first, last) if first >= FIRST_YEAR and last <= LAST_YEAR else None

    def _is_year(self) -> bool:
        return self.era is not None or 100 <= self.number <= LAST_YEAR

    def _first(self) -> int:
        width = self.width or 1
        if self.is_ordinal:
            return -self.number * width if self.era == "bc" else (self.number - 1) * width + 1
        return -(self.number + width - 1) if self.era == "bc" else self.number


def _rewritten(text: str) -> str:
    """The text with one spelling for each era and dash, without days in numbers, and without words that say nothing."""
    for pattern, spelling in words.REWRITTEN:
        text = pattern.sub(spelling, text)
    return text


def _statements(text: str) -> list[_Statement]:
    """Statements of a text, each with its unit and era, which may stand with its neighbour: "5th-4th century BC"."""
    reader = _Reader()
    end = 0
    for match in words.TOKEN.finditer(text):
        reader.read(match, text[end : match.start()])
        end = match.end()
    found = reader.statements
    for earlier, later in reversed(list(itertools.pairwise(found))):
        if later.is_joined and earlier.width is None and later.is_ordinal:
            earlier.width = later.width
        if later.is_joined and (earlier.number >= later.number) == (later.era == "bc"):
            earlier.era = earlier.era or later.era
    for earlier, later in itertools.pairwise(found):
        if later.is_joined and earlier.era == "ad":  # "AD 50-75"
            later.era = later.era or "ad"
    return found


class _Reader:
    """Gathers the words in front of a statement, and its statements."""

    def __init__(self) -> None:
        self.statements: list[_Statement] = []
        self._parts: list[tuple[float, float]] = []
        self._bound: str | None = None
        self._era: str | None = None
        self._between = ""

    def read(self, match: re.Match[str], gap: str) -> None:
        """Read one word or number. gap: the text between it and the one before."""
        if not words.JOINT.fullmatch(gap):
            self._parts, self._bound, self._era = [], None, None
        self._between += gap
        if match["part"] or match["nth"]:
            self._parts.append(_part(match))
        elif match["onward"] or match["or_before"]:
            self._bound_last(words.SINCE if match["onward"] else words.UNTIL)
        elif match["bound"]:
            self._bound = words.BOUND_OF_WORD[match["bound"]]
        elif match["bc"] or match["ad"]:
            self._read_era("bc" if match["bc"] else "ad", is_behind=not gap.strip())
        elif (statement := self._statement(match)) is not None:
            statement.is_joined = bool(self.statements and words.JOINT.fullmatch(self._between))
            statement.parts, statement.bound, statement.era = self._parts, self._bound, self._era
            self.statements.append(statement)
            self._parts, self._bound, self._era, self._between = [], None, None, ""

    def _bound_last(self, bound: str) -> None:
        """What stands behind a statement and bounds it: "1889 or later"."""
        if self.statements:
            self.statements[-1].bound = bound

    def _read_era(self, era: str, *, is_behind: bool) -> None:
        """The era belongs to the number that it follows directly, else to the next one: "27 BC-AD 14"."""
        if is_behind and self.statements and self.statements[-1].era is None and not self._between.strip():
            self.statements[-1].era = era
        else:
            self._era = era

    def _statement(self, match: re.Match[str]) -> _Statement | None:
        if match["number"]:
            return _Statement(int(match["number"]), 1, is_bare=True)
        if match["year"]:
            return _years_and_short(int(match["year"]), match["short"], has_decade=bool(match["short_decade"]))
        if match["decade"] or match["decade_after"]:
            return self._decade(int(match["decade"] or match["decade_after"]))
        width = 100 if match["century"] or match["roman_after"] else 1000 if match["millennium"] else None
        return _Statement(_ordinal(match), width, is_ordinal=True)

    def _decade(self, number: int) -> _Statement | None:
        if number < 100:  # "1880s-90s"
            if not self.statements or not words.JOINT.fullmatch(self._between):
                return None
            number += self.statements[-1].number // 100 * 100
        return _Statement(number, 10 if number % 100 else 100)


def _part(match: re.Match[str]) -> tuple[float, float]:
    """From which share of a century, or a decade, to which: a third, or the half or quarter that is named."""
    if match["part"]:
        begin, end = words.PART_OF_WORD[match["part"]]
        return begin / 3, end / 3
    size = words.SIZE_OF_WORD[match["size"]]
    number = min(words.NUMBER_OF_WORD[match["nth"]], size)
    return (number - 1) / size, number / size


def _years_and_short(year: int, short: str, *, has_decade: bool) -> _Statement:
    scale = 10 ** len(short)
    until = (year // scale * scale + int(short) + 9 * has_decade, -int(short) or -year)
    return _Statement(year, 1, until=until, is_bare=True)


def _ordinal(match: re.Match[str]) -> int:
    if match["ordinal"]:
        return int(match["ordinal"])
    if match["word"]:
        return words.ORDINALS[match["word"]]
    return words.number_of_roman(match["roman"] or match["roman_after"])
