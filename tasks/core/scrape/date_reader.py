"""Reads the words of a date one by one: what each says of the number before or behind it."""

import dataclasses
import functools
import itertools
import sys
from typing import Any

from schemas.word_lists import word_lists
from tasks.core.scrape.date_statements import Statement, UnreadError, YearRange, settled, widest
from tasks.core.scrape.date_words import DateToken, Lexicon, tokens

_KINDS = word_lists("date_patterns")["kinds"]
_DATED, _IN_FRONT = frozenset(_KINDS["dated"]), frozenset(_KINDS["in_front"])
_OPENING, _CLOSING, _JOINS = frozenset(_KINDS["opening"]), frozenset(_KINDS["closing"]), _KINDS["joins"]
_SAID_IN_FRONT = ("parts", "bound", "era", "is_era_in_front", "link", "is_other")
_SPAN_OF_LIFE = range(15, 101)
_END = DateToken("", {"sign": ""}, is_close=False, year_at=0)


@dataclasses.dataclass(slots=True)
class Segment:
    """What stands between two commas, brackets or so."""

    behind_name: str | None = None  # the word that no list has right before its bracket: "Rembrandt (1606-1669)"
    unread: str | None = None  # the first word that no list has
    is_named: bool = False  # it names a period, a person or a place: other words in it don't matter
    is_strict: bool = False  # but such a word stands behind a year, and may be an era
    unit: int | None = None  # of the next ordinal
    size: int | None = None
    is_label: bool = False
    is_copy: bool = False
    are_decades: bool = False
    has_day: bool = False


class Reader:
    """Reads a plain text's tokens one by one: gathers the words in front of a statement, and statements."""

    def __init__(self, plain: str, lexicon: Lexicon) -> None:
        self.statements: list[Statement] = []
        self._tokens = [*(token for token in tokens(plain, lexicon) if token.means.keys() != {"little"}), _END, _END]
        self._touched = -2  # the place of the last token that was part of the last statement
        self._segments = [Segment()]
        self._front = Statement()  # the next statement, as far as the words in front of it go
        self._calendars: list[str] = []
        self._has_notes = False
        for place, token in enumerate(self._tokens[:-2]):
            self._place, self._segment, self._behind = place, self._segments[-1], self._tokens[place + 1].means
            self._before = self.statements[-1] if self._touched == place - 1 else None  # this token stands behind it
            self._count = self._before if self._before and self._before.is_count else None
            self._read(token)
        self._end_segment("")
        self._is_all = not self._has_notes and not any(one.unread or one.is_named for one in self._segments)
        self._has_unread = bool(self._calendars) or any(segment.unread for segment in self._segments)

    def years(self, text: str | None = None) -> YearRange:
        """The years of the date, or of another text that differs in the digits of its years alone. Raises UnreadError
        where it has a word that is not understood.
        """
        entries = [entry.as_in(text) for entry in self.statements]
        if len(entries) == 1 and entries[0].is_year_alone and not self._has_unread:  # what most texts say
            return YearRange(*entries[0].years())
        kept = settled(entries, is_all=self._is_all)
        unread = [] if kept else [*self._calendars, *(segment.unread for segment in self._segments)]
        for before, entry in zip([None, *kept], kept, strict=False) if self._has_unread else ():
            segment = self._segments[entry.segment]
            unread.append(segment.unread if segment.is_strict or not segment.is_named else None)
            if before and entry.link == "-" and before.kind == entry.kind == "year":
                unread.append(segment.behind_name if entry.number - before.number in _SPAN_OF_LIFE else None)
        for word in filter(None, unread):
            raise UnreadError(word)
        return widest(kept)

    def _next(self, steps: int) -> dict[str, Any]:
        return self._tokens[self._place + steps].means

    def _is_date_next(self) -> bool:
        """Whether a date follows, behind words that may stand in front of it."""
        kinds = (token.means.keys() for token in self._tokens[self._place + 1 :])
        return bool(_DATED & next(kind for kind in kinds if _DATED & kind or not _IN_FRONT & kind))

    def _segments_since_last(self) -> int:
        """How many segments ago the last statement was; many where there is none."""
        return len(self._segments) - 1 - self.statements[-1].segment if self.statements else sys.maxsize

    def _end_segment(self, sign: str) -> None:
        """What belongs to no statement behind it belongs to the one before it."""
        front, segment = self._front, self._segments[-1]
        if front.era is not None:
            if self._segments_since_last() > 1 or self.statements[-1].era is not None:
                raise UnreadError("bc")
            self.statements[-1].era = front.era
        if segment.unit is not None:
            raise UnreadError("century")
        self._front = Statement()
        if sign == ",":
            self._front.link = "," if self._before else None
            self._front.bound = front.bound if segment.has_day and "number" in self._behind else None
            if not self.statements and not {"part", "size", "nth"}.isdisjoint(self._next(-1)):
                self._front.parts = front.parts  # "First quarter, 18th century"
        if self.statements:
            self.statements[-1].parts += front.parts
        is_name = sign == "(" and self._segments_since_last() and not segment.is_named
        self._segments.append(Segment(segment.unread if is_name else None))

    def _read(self, token: DateToken) -> None:
        means = token.means
        if means.keys() == {"no_date"}:
            raise UnreadError(token.text)
        fits = (reader(self, token, means[kind]) is not False for kind, reader in _READERS.items() if kind in means)
        if ("sign" in means or not self._segment.is_copy) and not any(fits):
            noun = next((kind for kind in _KINDS["nouns"] if kind in means), "" if means else "unread")
            if noun != "little":
                self._read_noun(token, noun)

    def _read_sign(self, token: DateToken, sign: str) -> None:
        if sign in _OPENING or sign in _CLOSING:
            self._end_segment(sign)
        elif sign == "-" and self._is_minus():
            self._say(None, era="bc", is_era_in_front=True)
        elif sign in _JOINS:
            self._read_joins(token)
        else:
            raise UnreadError(sign)

    def _is_minus(self) -> bool:
        sign = self._next(-1).get("sign")
        if not self._tokens[self._place + 1].is_close or "digits" not in self._behind or "thousands" in self._behind:
            return False
        if self.statements:
            return sign in _JOINS and self.statements[0].era == "bc" and self.statements[0].is_era_in_front
        if sign == "[" and self._behind["number"] >= 1000:
            raise UnreadError("-")  # [-1768]: up to 1768?
        return sign == "" or (sign in {"[", "("} and self._place == 1)

    def _read_joins(self, token: DateToken, _says: bool = True) -> None:
        sign, behind, is_inside = token.text, self._behind, self._segments_since_last() == 0
        is_end = behind.get("sign", "-") in {"", *_CLOSING, *_OPENING}
        is_open = self._before if is_inside else self._next(-1).get("sign") in _CLOSING and behind.get("sign") == ""
        is_noun_next = {"notes", "names_follow", "periods"} & behind.keys() or (sign == "/" and not behind)
        if sign == "-" and behind.keys() == {"unit"} and self._count:  # "19th-century"
            self._touched = self._place
        elif sign == "-" and is_end and is_open and self.statements:  # "1850-", "(1850)-"
            self._say(self.statements[-1], bound="since")
        elif is_inside and is_noun_next and not (_DATED | _IN_FRONT) & behind.keys():
            self._end_segment(sign)
        elif is_inside:
            self._front.link = _JOINS.get(sign, "and")

    def _read_noun(self, token: DateToken, kind: str) -> None:
        """A word that says no year. A number right before or behind it may be a day, or its own."""
        segment, is_name = self._segment, kind in {"unread", "periods"}
        if kind == "unread" and "eras" in self._next(-1) and "number" in self._behind:
            raise UnreadError(token.text)
        if kind == "periods" and "eras" in token.means and "number" in self._behind and segment.unread:
            raise UnreadError(segment.unread)  # "Zorblax era 1850"
        if self._count and (is_name or not self._count.is_roman):
            self._front, self._touched = self.statements.pop(), -2  # a day, or "XVIIIe" of "XVIIIe dynastie"
            while self._front.is_roman and self._front.link and self.statements[-1].is_roman:
                self._front = self.statements.pop()  # "XXVIe-XXXe"
        segment.is_label = kind == "labels"
        self._has_notes |= kind == "notes"
        if is_name:
            segment.is_named |= kind == "periods" or self._front.bound is not None  # "after Rembrandt"
            self._front.parts, self._front.bound = (), None
        if kind == "unread":
            segment.is_strict |= self._segments_since_last() == 0 and not segment.is_named
            segment.unread = segment.unread or token.text

    def _read_names_follow(self, _token: DateToken, _says: bool) -> None:
        self._segment.is_named |= not self._behind or "periods" in self._behind

    def _read_id_est(self, token: DateToken, _says: bool) -> None:
        if not self.statements:
            raise UnreadError(token.text)

    def _read_copies(self, _token: DateToken, says: bool) -> None:
        self._segment.is_copy = says

    def _say(self, before: Statement | None, **fields: Any) -> None:
        """What a word says of the statement before it, else of the next."""
        for name, value in fields.items():
            setattr(before or self._front, name, value)
        if before:
            self._touched = self._place

    def _read_later(self, token: DateToken, _says: bool) -> None:
        """Nobody knows how much: "printed later"; but "a later print" is of the time that is said."""
        if self._is_date_next():
            raise UnreadError(token.text)
        if self.statements and "notes" in self._next(-1) and self._behind.get("sign", "-") in {"", *_CLOSING}:
            self.statements.append(Statement(token.text, 1, "later", len(self._segments) - 1, bound="later"))

    def _read_behind(self, _token: DateToken, bound: str) -> None:
        is_in_front = self._is_date_next()  # "after 1918 and before 1930"
        if is_in_front or self.statements:
            self._say(None if is_in_front else self.statements[-1], bound=bound)

    def _read_bound(self, token: DateToken, bound: str) -> bool | None:
        behind, is_in_front = self._behind, self._is_date_next()
        if token.means.keys() != {"bound"} and not is_in_front:
            return False
        is_alone = self._next(-1).get("sign") in _OPENING and behind.get("sign") in _CLOSING
        is_behind = not is_in_front and self._before and behind and "notes" not in behind
        if is_behind or (is_alone and self._segments_since_last() == 1):  # "1902 ante", "1866 (post)"
            self._say(self.statements[-1], bound=bound)
        elif not is_in_front and self._front.link:
            raise UnreadError(token.text)
        elif bound != "until" or not self._front.parts or "part" not in behind:  # not "Mitte bis Ende"
            if is_in_front and self._segments_since_last() == 0 and bound in {"until", "before"}:
                self._front.link = self._front.link or "until"
            self._front.bound = bound
        return None

    def _read_part(self, token: DateToken, part: tuple[float, float]) -> None:
        """A part of what follows, or of the century before it: "XV sec., inizio", "19e (début)", in Chinese always."""
        is_behind = self.statements and token.text > "\u2e80" and self._before is not None and not self._before.parts
        front, is_close = self._front, self._tokens[self._place + 1].is_close
        is_apart = self._behind.get("sign") != "-" or not is_close  # not "mid-18th"
        is_unjoined = front.link is None or (front.link == "," and is_apart and "part" not in self._next(2))
        is_last = "sign" in self._behind and is_unjoined and not front.parts
        if is_behind or (is_last and self._segments_since_last() < 2 and not self.statements[-1].parts):
            self._say(self.statements[-1], parts=(part,))
        else:
            front.parts += (part,)

    def _read_size(self, token: DateToken, size: int) -> bool | None:
        """A half, a third, a quarter: the ordinals in front of it say which, or the one behind it."""
        if self._count is None:
            is_in_front = bool(self._behind.get("nth", size + 1) <= size)
            self._segment.size = size if is_in_front else self._segment.size
            return is_in_front
        chosen = [self.statements.pop()]
        while self.statements and (before := self.statements[-1]).is_count and chosen[-1].link:
            if before.is_roman != self._count.is_roman or before.number > size or before.parts:
                break
            chosen.append(self.statements.pop())
        self._front = chosen[-1]
        for entry in chosen:
            self._read_nth_part(token, entry.number, size)
        return None

    def _read_nth_part(self, token: DateToken, number: int, size: int) -> None:
        if number > size:
            raise UnreadError(token.text)
        self._read_part(token, (((number or size) - 1) / size, (number or size) / size))

    def _read_unit(self, token: DateToken, unit: int) -> bool | None:
        is_nth_next = "little" not in token.means and ("nth" in self._behind or self._behind.get("number", 100) < 100)
        if not (self._count or token.means.keys() == {"unit"} or "roman" in self._behind or is_nth_next):
            return False
        self._segment.are_decades = False  # its number is none
        if self._count:
            self._say(self._count, unit=unit)
        else:
            self._segment.unit = unit
        return None

    def _read_era(self, _token: DateToken, era: str) -> None:
        before = self._before if self._before and self._before.era is None else None
        self._say(before, era=era, is_era_in_front=before is None)

    def _read_calendars(self, token: DateToken, _says: bool) -> bool | None:
        """The number before it, or else behind it, is of another calendar; both of "25 Fructidor 6"."""
        before, behind = self._before, self._behind
        if token.means.keys() != {"calendars"} and not (before and before.kind == "year"):
            return False
        if not before and not _DATED & behind.keys():
            raise UnreadError(token.text)
        self._calendars.append(token.text)
        self._front.is_other = not before or behind.get("number", 100) < 100 or "roman" in behind
        if before:
            self._touched = self._place
            for one, other in reversed([*itertools.pairwise([Statement(), *self.statements])]):
                other.is_other = True
                if other.link != "-" and not (other.link == "/" and other.digits < one.digits):
                    break
        return None

    def _read_decades(self, token: DateToken, _says: bool) -> bool | None:
        """In front of its number, or behind it: "anni 1960", "60. léta"."""
        count, before = self._count, self._before
        is_year = before is not None and before.kind == "year"
        is_plural = is_year and "little" not in token.means  # "1930. aastad", but not "1850. godine"
        is_in_words = self._behind.get("nth") in range(20, 100, 10)  # "anni Trenta"
        if not count and not is_plural and not is_in_words and self._behind.get("number", 1) % 10:
            return False
        if before and before.number % 10 == 0 and (is_year or (count and count.digits == 2)):
            before.kind, before.unit = "tens", 10
            self._touched = self._place if count else self._touched
        elif count:
            raise UnreadError(token.text)
        else:
            self._segment.are_decades = True
        return None

    def _read_named(self, token: DateToken, number: int) -> None:
        self._add(token, "count", number, unit=100)

    def _read_range(self, token: DateToken, years: tuple[int, int]) -> None:
        self._add(token, "range", *years)

    def _read_nth(self, token: DateToken, number: int) -> bool | None:
        segment = self._segment
        if "bound" in token.means and not {"size", "unit", "nth"} & self._behind.keys():
            return False
        if segment.size is not None:
            self._read_nth_part(token, number, segment.size)
            segment.size = None
        elif segment.are_decades:  # "lata trzydzieste"
            self._add(token, "tens", number, unit=10)
        else:
            self._add(token, "count", number, is_whole=True)
        return None

    def _read_roman(self, token: DateToken, number: int) -> bool | None:
        is_beside = not {"unit", "size", "era"}.isdisjoint(self._behind) or self._behind.get("sign") in {"-", "/"}
        is_beside |= self._front.link == "-" and self.statements[-1].is_roman  # "d.C. IV-V"
        if len(token.text) == 1 and token.means.keys() != {"roman"} and not is_beside and self._segment.unit is None:
            return False
        self._add_count(token, number, is_roman=True)
        return None

    def _read_number(self, token: DateToken, number: int) -> None:
        means, segment, digits = token.means, self._segment, token.means["digits"]
        is_decade = "s" in means or (segment.are_decades and number % 10 == 0)
        is_ten = is_decade and not ("th" in means and "unit" in self._behind)
        if not is_ten and number < 100 and "date" not in means:
            self._add_count(token, number, digits=digits, is_whole="th" in means)
        elif not segment.is_label:
            width = 10 if number < 100 or number % 100 else 100
            self._add(token, "tens" if is_ten else "year", number, unit=width if is_ten else None, digits=digits)
        segment.is_label &= self._behind.get("sign") == "-"

    def _add_count(self, token: DateToken, number: int, **fields: Any) -> None:
        """An ordinal: of a century, or of what the word beside it says."""
        before = self._next(-1)
        is_own = not before or {"notes", "periods"} & before.keys()
        is_said = {"unit", "era", "size"} & self._behind.keys() or self._segment.unit
        is_range = self._behind.get("sign") == "-" and "number" in self._next(2)
        if not self._segment.is_label and (not is_own or is_said or is_range):
            self._add(token, "count", number, **fields)
        else:
            self._segment.has_day |= "notes" in before

    def _add(self, token: DateToken, kind: str, number: int, unit: int | None = None, **fields: Any) -> None:
        front, last = self._front, self.statements[-1] if self.statements else None
        if kind == "count" and unit is None:
            unit, self._segment.unit = self._segment.unit, None
        front.is_other |= last is not None and last.is_other and front.link == "-" and front.era is None
        fields |= {name: getattr(front, name) for name in _SAID_IN_FRONT}
        entry = Statement(token.text, number, kind, len(self._segments) - 1, unit=unit, year_at=token.year_at, **fields)
        self.statements.append(entry)
        self._touched, self._front = self._place, Statement()


_READERS = {kind: getattr(Reader, f"_read_{kind}") for kind in _KINDS["by_rules"]}
reader_of = functools.lru_cache(maxsize=16384)(Reader)
