"""Reads the words of a date one by one: what each says of the number before or behind it."""

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tasks.core.scrape.date_statements import Statement, UnreadError, YearRange, settled, widest
from tasks.core.scrape.date_words import Lexicon, Token, tokens

_OPENING, _CLOSING = frozenset("([{"), frozenset(",;:)]}|·・•、，。=")
_JOINS = {"-": "-", "/": "/", "&": "and", "+": "and"}
_DATED = frozenset({"number", "range", "roman", "nth", "named", "unit", "decades"})
"""Kinds of words that say a date, or begin one."""
_IN_FRONT = frozenset({"little", "part", "size", "bound", "era", "joins", "calendars", "id_est"})
"""Kinds of words that may stand between a bound and its date."""
_SPAN_OF_LIFE = range(15, 101)
_YEAR = re.compile(r"(?<![\d.,'])(?:1\d|20)\d\d(?!\d|[.,']\d)")


@dataclass(slots=True)
class Segment:
    """What stands between two commas, brackets or so."""

    unread: str | None = None
    """The first word that no list has."""
    is_named: bool = False
    """It names a period, a person or a place: other words in it don't matter."""
    is_strict: bool = False
    """But such a word stands behind a year, and may be an era."""
    behind_name: str | None = None
    """The word that no list has right before its bracket: "Rembrandt (1606-1669)"."""


def years_of_plain(plain: str, lexicon: Lexicon) -> YearRange:
    """The years that a date in plain text may mean. Raises UnreadError where it has a word that is not understood.

    Texts that differ in the digits of their years alone are read once: but for a last zero, no rule asks for these.
    """
    return _reader_of(_YEAR.sub(_masked, plain), lexicon).years(plain)


def _masked(year: re.Match[str]) -> str:
    return "1000" if year[0].endswith("00") else "1110" if year[0].endswith("0") else "1111"


@lru_cache(maxsize=16384)
def _reader_of(plain: str, lexicon: Lexicon) -> "Reader":
    return Reader(tokens(plain, lexicon))


class Reader:
    """Reads tokens one by one: gathers the words in front of a statement, and statements."""

    def __init__(self, found: Iterable[Token]) -> None:
        self.statements: list[Statement] = []
        self._tokens = [token for token in found if token.means.keys() != {"little"}]
        self._touched = -1
        """The place of the last token that was part of the last statement."""
        self._segments: list[Segment] = []
        self._calendars: list[str] = []
        self._has_notes = False
        self._begin_segment(Segment())
        self._place = 0
        for token in self._tokens:
            self._read(token)
            self._place += 1
        self._end_segment("")

    def years(self, text: str | None = None) -> YearRange:
        """The years that the date may mean. Raises UnreadError where it has a word that is not understood.

        text: another one than that of the tokens, which differs in the digits of its years alone.
        """
        statements = [entry.as_in(text) for entry in self.statements]
        is_all = not self._has_notes and not any(segment.unread or segment.is_named for segment in self._segments)
        kept = settled(statements, is_all=is_all)
        for entry in kept:
            segment = self._segments[entry.segment]
            if segment.unread and (segment.is_strict or not segment.is_named):
                raise UnreadError(segment.unread)
        unread = [*self._calendars, *(segment.unread for segment in self._segments if segment.unread)]
        if unread and not kept:
            raise UnreadError(unread[0])
        for before, entry in itertools.pairwise(kept):
            name = self._segments[entry.segment].behind_name
            if name and entry.link == "-" and before.kind == entry.kind == "year":
                if entry.number - before.number in _SPAN_OF_LIFE:
                    raise UnreadError(name)
        return widest(kept)

    # what stands beside a token

    def _next(self, steps: int = 1) -> dict[str, Any]:
        """What the token behind this one means."""
        place = self._place + steps
        return self._tokens[place].means if 0 <= place < len(self._tokens) else {"sign": ""}

    def _is_close(self) -> bool:
        """Whether nothing stands between this token and the next."""
        return self._place + 1 < len(self._tokens) and self._tokens[self._place + 1].is_close

    def _before(self) -> Statement | None:
        """The statement that the token before this one was part of."""
        return self.statements[-1] if self._touched == self._place - 1 >= 0 else None

    def _count(self) -> Statement | None:
        """The ordinal right before this token whose unit is not said."""
        before = self._before()
        return before if before and before.is_count else None

    def _has_round_year(self) -> bool:
        before = self._before()
        return before is not None and before.kind == "year" and before.number % 10 == 0

    def _is_date_next(self) -> bool:
        """Whether a date follows, behind words that may stand in front of it."""
        kinds = (token.means.keys() for token in self._tokens[self._place + 1 :])
        return next((bool(_DATED & kind) for kind in kinds if _DATED & kind or not _IN_FRONT & kind), False)

    def _in_segment(self) -> bool:
        return bool(self.statements) and self.statements[-1].segment == len(self._segments) - 1

    # segments

    def _begin_segment(self, segment: Segment) -> None:
        self._segments.append(segment)
        self._front = Statement()
        """The next statement, as far as the words in front of it go."""
        self._unit: int | None = None
        self._size: int | None = None
        self._is_label = self._is_copy = self._are_decades = self._has_day = False

    def _end_segment(self, sign: str) -> None:
        """What belongs to no statement behind it belongs to the one before it."""
        front, segment, is_comma = self._front, self._segments[-1], sign == ","
        if front.era is not None or self._unit is not None:
            raise UnreadError("century" if front.era is None else "bc")
        if self.statements:
            self.statements[-1].parts += front.parts
        bound = front.bound if is_comma and self._has_day and "number" in self._next() else None
        is_split = is_comma and not self.statements and not {"part", "size", "nth"}.isdisjoint(self._next(-1))
        is_name = sign == "(" and not self._in_segment() and not segment.is_named
        link = "," if is_comma and self._before() else None
        self._begin_segment(Segment(behind_name=segment.unread if is_name else None))
        # "after July 4, 1776", "First quarter, 18th century"
        self._front = Statement(bound=bound, parts=front.parts if is_split else (), link=link)

    # signs and words

    def _read(self, token: Token) -> None:
        means = token.means
        if means.keys() == {"no_date"}:
            raise UnreadError(token.text)
        if "sign" in means:
            self._read_sign(token)
        elif not self._is_copy and not any(read(self, token) for kind, read in _READERS.items() if kind in means):
            self._read_word(token, is_known=bool(means))

    def _read_sign(self, token: Token) -> None:
        sign = token.text
        if sign in _OPENING or sign in _CLOSING:
            self._end_segment(sign)
        elif sign == "-" and self._is_minus():
            self._front.era, self._front.is_era_in_front = "bc", True
        elif sign in _JOINS:
            self._read_joins(token)
        else:
            raise UnreadError(sign)

    def _is_minus(self) -> bool:
        sign, behind = self._next(-1).get("sign"), self._next()
        if not self._is_close() or "number" not in behind or "thousands" in behind:
            return False
        if self.statements:
            return sign in _JOINS and self.statements[0].era == "bc" and self.statements[0].is_era_in_front
        if sign == "[" and behind["number"] >= 1000:
            raise UnreadError("-")  # [-1768]: up to 1768?
        return sign == "" or (sign in {"[", "("} and self._place == 1)

    def _read_joins(self, token: Token) -> bool:
        sign, behind = token.text if token.text in _JOINS else "and", self._next()
        is_end = behind.get("sign", "-") in {"", *_CLOSING, *_OPENING}
        is_word_behind = bool({"notes", "names_follow", "periods"} & behind.keys()) or (sign == "/" and not behind)
        if sign == "-" and behind.keys() == {"unit"} and self._count():  # "19th-century"
            self._touched = self._place
        elif sign == "-" and is_end and (self._before() if self._in_segment() else self._is_after_bracket()):
            self._bind_last("since")
        elif self._in_segment() and is_word_behind and not (_DATED | _IN_FRONT) & behind.keys():
            self._end_segment(sign)
        elif self._in_segment():
            self._front.link = _JOINS.get(sign, "and")
        return True

    def _is_after_bracket(self) -> bool:
        """Whether only a bracket or so stands between the last statement and this token, the last one: "(1850)-"."""
        return bool(self.statements) and self._next().get("sign") == "" and self._next(-1).get("sign") in _CLOSING

    def _read_word(self, token: Token, *, is_known: bool = True) -> bool:
        """A word that says no year: a noun or a name. A number right before or behind it may be a day, or its own."""
        count, segment = self._count(), self._segments[-1]
        if count and not (count.is_roman and is_known):
            self._drop_count()
        self._is_label = False
        if is_known:
            return True
        if "eras" in self._next(-1) and "number" in self._next():
            raise UnreadError(token.text)
        segment.is_named |= self._front.bound is not None  # "after Rembrandt"
        segment.is_strict |= self._in_segment() and not segment.is_named
        segment.unread = segment.unread or token.text
        self._front.parts, self._front.bound = (), None
        return True

    def _drop_count(self) -> None:
        """The ordinal right before is none of a century: a day, or "XVIIIe" of "XVIIIe dynastie"."""
        count = self.statements.pop()
        while count.is_roman and count.link and self.statements and self.statements[-1].is_roman:  # "XXVIe-XXXe"
            count = self.statements.pop()
        self._take_front_of(count)
        self._touched = -1

    def _take_front_of(self, entry: Statement) -> None:
        self._front = Statement(
            parts=entry.parts,
            bound=entry.bound,
            era=entry.era,
            is_era_in_front=entry.is_era_in_front,
            link=entry.link,
        )

    def _bind_last(self, bound: str) -> bool:
        self.statements[-1].bound = bound
        self._touched = self._place
        return True

    def _read_notes(self, token: Token) -> bool:
        self._has_notes = True
        return self._read_word(token)

    def _read_labels(self, token: Token) -> bool:
        self._read_word(token)
        self._is_label = True
        return True

    def _read_periods(self, token: Token) -> bool:
        segment = self._segments[-1]
        if "eras" in token.means and "number" in self._next() and segment.unread:  # "Zorblax era 1850"
            raise UnreadError(segment.unread)
        if self._count():
            self._drop_count()
        segment.is_named = True
        self._read_word(token)
        self._front.parts, self._front.bound = (), None
        return True

    def _read_names_follow(self, token: Token) -> bool:
        self._segments[-1].is_named |= not self._next() or "periods" in self._next()
        return True

    def _read_copies(self, token: Token) -> bool:
        self._is_copy = True
        return True

    def _read_id_est(self, token: Token) -> bool:
        if not self.statements:
            raise UnreadError(token.text)
        return True

    def _read_little(self, token: Token) -> bool:
        return True

    # bounds, parts, eras and calendars

    def _read_later(self, token: Token) -> bool:
        """Nobody knows how much: "printed later"; but "a later print" is of the time that is said."""
        if self._is_date_next():
            raise UnreadError(token.text)
        if self.statements and "notes" in self._next(-1) and self._next().get("sign", "-") in {"", *_CLOSING}:
            self.statements.append(Statement(token.text, 1, "later", len(self._segments) - 1, bound="later"))
        return True

    def _read_behind(self, token: Token) -> bool:
        if self._is_date_next():  # "after 1918 and before 1930"
            self._front.bound = token.means["behind"]
        elif self.statements:
            self._bind_last(token.means["behind"])
        return True

    def _read_bound(self, token: Token) -> bool:
        bound, behind, is_date_next = token.means["bound"], self._next(), self._is_date_next()
        if token.means.keys() != {"bound"} and not is_date_next:
            return False
        is_alone = self._next(-1).get("sign") in _OPENING and behind.get("sign") in _CLOSING
        if is_alone and self.statements and self.statements[-1].segment == len(self._segments) - 2:  # "1866 (post)"
            self.statements[-1].bound = bound
        elif bound == "until" and self._front.parts and "part" in behind:  # "Mitte bis Ende"
            pass
        elif not is_date_next and self._before() and behind and "notes" not in behind:  # "1902 ante"
            self._bind_last(bound)
        elif not is_date_next and self._front.link:
            raise UnreadError(token.text)
        else:
            if is_date_next and self._in_segment() and self._front.link is None and bound in {"until", "before"}:
                self._front.link = "until"
            self._front.bound = bound
        return True

    def _read_part(self, token: Token) -> bool:
        before = self._before()
        if token.text > "\u2e80" and before and not before.parts:  # Chinese: always behind
            before.parts = (token.means["part"],)
            self._touched = self._place
        else:
            self._add_part(token.means["part"])
        return True

    def _read_size(self, token: Token) -> bool:
        """A half, a third, a quarter: the ordinals in front of it say which, or the one behind it."""
        size, last = token.means["size"], self._count()
        if last is None:
            is_in_front = self._next().get("nth", size + 1) <= size
            self._size = size if is_in_front else self._size
            return is_in_front
        chosen = [self.statements.pop()]
        while self.statements and (before := self.statements[-1]).is_count:
            if not chosen[-1].link or before.is_roman != last.is_roman or before.number > size or before.parts:
                break
            chosen.append(self.statements.pop())
        self._take_front_of(chosen[-1])
        for entry in chosen:
            self._add_nth_part(entry.number, size)
        return True

    def _add_nth_part(self, number: int, size: int) -> None:
        if number > size:
            raise UnreadError(str(number))
        self._add_part((((number or size) - 1) / size, (number or size) / size))

    def _add_part(self, part: tuple[float, float]) -> None:
        """A part of what follows, or of the century before it: "XV sec., inizio", "19e (début)"."""
        behind, link = self._next(), self._front.link
        is_end = "sign" in behind or "join" in behind
        is_apart = behind.get("sign") != "-" or not self._is_close()  # not "mid-18th"
        is_behind = link is None or (link == "," and is_apart and "part" not in self._next(2))
        last = self.statements[-1] if self.statements else None
        is_of_last = last and not last.parts and last.segment >= len(self._segments) - 2
        if last and is_of_last and is_end and is_behind and not self._front.parts and "join" not in self._next(-1):
            last.parts = (part,)
            self._touched = self._place
        else:
            self._front.parts += (part,)

    def _read_unit(self, token: Token) -> bool:
        count, behind = self._count(), self._next()
        is_behind = "number" in behind and behind["number"] < 100 or "nth" in behind
        is_in_front = "roman" in behind or ("little" not in token.means and is_behind)
        if not count and not is_in_front and token.means.keys() != {"unit"}:
            return False
        self._are_decades = False  # its number is none
        if count:
            count.unit = token.means["unit"]
            self._touched = self._place
        else:
            self._unit = token.means["unit"]
        return True

    def _read_era(self, token: Token) -> bool:
        """A word for "that is" may be another language's "before Christ"."""
        before, era = self._before(), token.means["era"]
        if "id_est" in token.means:
            return False
        if before and before.era is None:
            before.era = era
            self._touched = self._place
        else:
            self._front.era, self._front.is_era_in_front = era, True
        return True

    def _read_calendars(self, token: Token) -> bool:
        """The number before it, or else behind it, is of another calendar; both of "25 Fructidor 6"."""
        before, behind = self._before(), self._next()
        if token.means.keys() != {"calendars"} and not (before and before.kind == "year"):
            return False
        self._calendars.append(token.text)
        if before:
            self._make_foreign()
            self._touched = self._place
            self._front.is_foreign = behind.get("number", 100) < 100 or "roman" in behind
        elif _DATED & behind.keys():
            self._front.is_foreign = True
        elif self.statements and self._next(-1).get("sign") in _OPENING:
            self._make_foreign()
        else:
            raise UnreadError(token.text)
        return True

    def _make_foreign(self) -> None:
        for before, entry in reversed([*itertools.pairwise([Statement(), *self.statements])]):
            entry.is_foreign = True
            if entry.link != "-" and not (entry.link == "/" and entry.digits < before.digits):
                return

    # numbers

    def _read_decades(self, token: Token) -> bool:
        """In front of its number, or behind it: "anni 1960", "60. léta"."""
        behind, count, is_plural = self._next(), self._count(), "little" not in token.means
        is_in_words = behind.get("nth") in range(20, 100, 10)  # "anni Trenta"
        before = self._before()
        is_year = before is not None and before.kind == "year"
        # "1930. aastad", but not "1850. godine"
        if not count and not (is_year and is_plural) and not is_in_words and behind.get("number", 1) % 10:
            return False
        if self._has_round_year() and before:
            before.kind, before.unit = "tens", 10
        elif not count:
            self._are_decades = True
        elif count.digits == 2 and count.number % 10 == 0:
            count.kind, count.unit = "tens", 10
            self._touched = self._place
        else:
            raise UnreadError(token.text)
        return True

    def _read_named(self, token: Token) -> bool:
        return self._add(token, "count", token.means["named"], unit=100)

    def _read_range(self, token: Token) -> bool:
        first, last = token.means["range"]
        return self._add(token, "range", first, unit=last - first + 1)

    def _read_nth(self, token: Token) -> bool:
        number = token.means["nth"]
        if "bound" in token.means and not {"size", "unit", "nth"} & self._next().keys():
            return False
        if self._size is not None:
            self._add_nth_part(number, self._size)
            self._size = None
        elif self._are_decades:  # "lata trzydzieste"
            self._add(token, "tens", number, unit=10)
        else:
            self._add(token, "count", number, is_whole=True)
        return True

    def _read_roman(self, token: Token) -> bool:
        is_beside = {"unit", "size", "era"} & self._next().keys() or self._next().get("sign") in {"-", "/"}
        if len(token.text) == 1 and token.means.keys() != {"roman"} and not is_beside and self._unit is None:
            return False
        return self._add_count(token, token.means["roman"], is_roman=True)

    def _read_number(self, token: Token) -> bool:
        means, behind = token.means, self._next()
        number, digits = means["number"], means["digits"]
        is_decade = "s" in means or (self._are_decades and number % 10 == 0)
        if is_decade and not ("th" in means and "unit" in behind):
            if not self._is_label:
                self._add(token, "tens", number, digits=digits, unit=10 if number < 100 or number % 100 else 100)
        elif number < 100 and "date" not in means:
            self._add_count(token, number, digits=digits, is_whole="th" in means)
        elif not self._is_label:
            self._add(token, "year", number, digits=digits)
        self._is_label = self._is_label and behind.get("sign") == "-"
        return True

    def _add_count(self, token: Token, number: int, **fields: Any) -> bool:
        """An ordinal: of a century, or of what the word beside it says."""
        before, behind = self._next(-1), self._next()
        is_own = not before or {"notes", "periods"} & before.keys()
        is_said = {"unit", "era", "size"} & behind.keys() or self._unit
        is_range = behind.get("sign") == "-" and "number" in self._next(2)
        if not self._is_label and (not is_own or is_said or is_range):
            self._add(token, "count", number, **fields)
        elif "notes" in before:
            self._has_day = True
        return True

    def _add(self, token: Token, kind: str, number: int, unit: int | None = None, **fields: Any) -> bool:
        front, last = self._front, self.statements[-1] if self.statements else None
        if kind == "count" and unit is None:
            unit, self._unit = self._unit, None
        front.is_foreign |= last is not None and last.is_foreign and front.link == "-" and front.era is None
        place = {"segment": len(self._segments) - 1, "year_at": token.year_at, "link": front.link if last else None}
        self.statements.append(replace(front, text=token.text, kind=kind, number=number, unit=unit, **place, **fields))
        self._touched, self._front = self._place, Statement()
        return True


_READERS: dict[str, Callable[[Reader, Token], bool]] = {
    kind: getattr(Reader, f"_read_{kind}")
    for kind in (
        *("behind", "size", "unit", "roman", "number", "range", "named", "nth", "part", "era", "calendars", "bound"),
        *("labels", "copies", "decades", "later", "id_est", "names_follow", "joins", "periods", "notes", "little"),
    )
}
"""What a word that may mean several things is taken for: the first that fits."""
