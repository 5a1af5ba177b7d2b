"""Reads the words of a date one by one: what each says of the number before or behind it."""

import sys
from collections.abc import Callable, Iterable
from typing import Any

from tasks.core.scrape.date_statements import Statement, UnreadError, YearRange, settled, spans, widest
from tasks.core.scrape.date_words import Token

_OPENING, _CLOSING = frozenset("([{"), frozenset(",;:)]}|·・•、，。")
_JOINS = {"-": "-", "/": "/", "&": "and", "+": "and"}
_DATED = frozenset({"number", "range", "roman", "nth", "named", "unit", "decades"})
"""Kinds of words that say a date, or begin one."""
_IN_FRONT = frozenset({"little", "part", "size", "bound", "era", "joins", "calendars", "id_est"})
"""Kinds of words that may stand between a bound and its date."""
_SPAN_OF_LIFE = range(15, 101)


class Reader:
    """Reads tokens one by one: gathers the words in front of a statement, and statements."""

    def __init__(self, found: Iterable[Token]) -> None:
        self.statements: list[Statement] = []
        self._tokens = [token for token in found if [*token.means] != ["little"]]
        self._touched = -1
        """The place of the last token that was part of the last statement."""
        self._segment = 0
        self._unread: dict[int, str] = {}
        self._named: set[int] = set()
        """Segments that name a period, a person or a place: other words in them don't matter."""
        self._strict: set[int] = set()
        """Segments with such a word behind a year, which may be an era."""
        self._calendars: list[str] = []
        self._of_nobody: set[int] = set()
        """Segments right behind words that no list has: "Rembrandt (1606-1669)"."""
        self._has_notes = False
        self._blank()
        self._place = 0
        for token in self._tokens:
            self._read(token)
            self._place += 1
        self._end_segment("")

    def years(self) -> YearRange:
        """The years that the date may mean. Raises UnreadError where it has a word that is not understood."""
        is_all = not self._unread and not self._named and not self._has_notes
        kept = settled(self.statements, is_all=is_all)
        for segment in sorted({entry.segment for entry in kept} - (self._named - self._strict)):
            if segment in self._unread:
                raise UnreadError(self._unread[segment])
        if not kept and (unread := [*self._calendars, *self._unread.values()]):
            raise UnreadError(unread[0])
        for segment, span in spans(kept):
            if segment in self._of_nobody and span in _SPAN_OF_LIFE:
                raise UnreadError(self._unread[segment - 1])
        return widest(kept)

    def _blank(self) -> None:
        self._parts: list[tuple[float, float]] = []
        self._bound: str | None = None
        self._era: str | None = None
        self._unit: int | None = None
        self._size: int | None = None
        self._link: str | None = None
        self._is_label = self._is_calendar = self._is_copy = self._are_decades = self._has_day = False

    # what stands beside a token

    def next(self, steps: int = 1) -> dict[str, Any]:
        """What the token behind this one means."""
        place = self._place + steps
        return self._tokens[place].means if 0 <= place < len(self._tokens) else {"sign": ""}

    def _is_fresh(self) -> bool:
        """Whether the token before this one was part of the last statement."""
        return self._touched == self._place - 1 >= 0

    def is_count(self) -> bool:
        """Whether the token before this one was an ordinal whose unit is not said."""
        return self._is_fresh() and self.statements[-1].kind == "count" and self.statements[-1].unit is None

    def is_year(self) -> bool:
        """Whether the token before this one was a year."""
        return self._is_fresh() and self.statements[-1].kind == "year"

    def is_date_next(self) -> bool:
        """Whether a date follows, behind words that may stand in front of it."""
        for token in self._tokens[self._place + 1 :]:
            if _DATED & token.means.keys():
                return True
            if not _IN_FRONT & token.means.keys():
                return False
        return False

    # tokens

    def _read(self, token: Token) -> None:
        means = token.means
        if means.keys() == {"no_date"}:
            raise UnreadError(token.text)
        if "sign" in means:
            self._read_sign(token)
        elif not self._is_copy:
            meant = [_READERS[kind] for kind in means if kind in _READERS]
            for _, is_meant, read in sorted(meant) if len(meant) > 1 else meant:
                if is_meant(self, token):
                    read(self, token)
                    return
            self._read_word(token, is_known=bool(means))

    def _read_word(self, token: Token, *, is_known: bool) -> None:
        """A word that says no year: a noun or a name. A number right before or behind it may be a day, or its own."""
        if self.is_count() and not (self.statements[-1].is_roman and is_known):
            self._drop_count()
        self._is_label = False
        if not is_known:
            if "eras" in self.next(-1) and "number" in self.next():
                raise UnreadError(token.text)
            if self._bound is not None:  # "after Rembrandt"
                self._named.add(self._segment)
            self._parts, self._bound = [], None
            self._unread.setdefault(self._segment, token.text)
            if self._in_segment() and self._segment not in self._named:
                self._strict.add(self._segment)

    def _drop_count(self) -> None:
        """The ordinal right before is none of a century: a day, or "XVIIIe" of "XVIIIe dynastie"."""
        count = self.statements.pop()
        while count.is_roman and count.link and self.statements and self.statements[-1].is_roman:  # "XXVIe-XXXe"
            count = self.statements.pop()
        self._parts, self._bound, self._era, self._link = count.parts, count.bound, count.era, count.link
        self._touched = -1

    def _read_notes(self, token: Token) -> None:
        self._has_notes = True
        self._read_word(token, is_known=True)

    def _read_periods(self, token: Token) -> None:
        if "eras" in token.means and "number" in self.next() and self._segment in self._unread:  # "Zorblax era 1850"
            raise UnreadError(self._unread[self._segment])
        if self.is_count():
            self._drop_count()
        self._named.add(self._segment)
        self._read_word(token, is_known=True)
        self._parts, self._bound = [], None

    def _read_names_follow(self, token: Token) -> None:
        if not self.next() or "periods" in self.next():
            self._named.add(self._segment)

    def _read_sign(self, token: Token) -> None:
        sign = token.text
        if sign in _OPENING or sign in _CLOSING:
            self._end_segment(sign)
        elif sign == "-" and self._is_minus():
            self._era = "bc"
        elif sign in _JOINS:
            self._read_joins(token)
        elif sign == "=":
            self._end_segment(sign)
        else:
            raise UnreadError(sign)

    def _is_minus(self) -> bool:
        behind = self._tokens[self._place + 1] if self._place + 1 < len(self._tokens) else None
        if behind is None or not behind.is_close or "number" not in behind.means or "thousands" in behind.means:
            return False
        sign = self.next(-1).get("sign")
        if not self.statements:
            if sign == "[" and behind.means["number"] >= 1000:
                raise UnreadError("-")  # [-1768]: up to 1768?
            return sign == "" or (sign in {"[", "("} and self._place == 1)
        return sign in _JOINS and self.statements[0].era == "bc" and self.statements[0].is_era_in_front

    def _read_joins(self, token: Token) -> None:
        sign = token.text if token.text in _JOINS else "and"
        behind = self.next()
        if sign == "-" and behind.keys() == {"unit"} and self.is_count():  # "19th-century"
            self._touched = self._place
            return
        if not self._in_segment():
            if sign == "-" and behind.get("sign") == "" and self.next(-1).get("sign") in _CLOSING and self.statements:
                self.statements[-1].bound = "since"
            return
        if sign == "-" and self._is_fresh() and behind.get("sign", "-") in {"", *_CLOSING, *_OPENING}:
            self.statements[-1].bound = "since"
            self._touched = self._place
        elif ((sign == "/" and not behind) or {"notes", "names_follow", "periods"} & behind.keys()) and not (
            _DATED | _IN_FRONT
        ) & behind.keys():
            self._end_segment(sign)
        else:
            self._link = _JOINS.get(sign, "and")

    def is_unit_in_front(self) -> bool:
        """Whether a century waits for its number."""
        return self._unit is not None

    def _read_little(self, token: Token) -> None:
        """Nothing."""

    def _in_segment(self) -> bool:
        return bool(self.statements) and self.statements[-1].segment == self._segment

    def _read_id_est(self, token: Token) -> None:
        if not self.statements:
            raise UnreadError(token.text)

    def _read_labels(self, token: Token) -> None:
        self._read_word(token, is_known=True)
        self._is_label = True

    def _read_copies(self, token: Token) -> None:
        self._is_copy = True

    def _read_later(self, token: Token) -> None:
        """Nobody knows how much: "printed later"; but "a later print" is of the time that is said."""
        if self.is_date_next():
            raise UnreadError(token.text)
        if self.statements and "notes" in self.next(-1) and self.next().get("sign", "-") in {"", *_CLOSING}:
            self.statements.append(Statement(token.text, 1, "later", self._segment, bound="later"))

    def _read_behind(self, token: Token) -> None:
        if self.is_date_next():  # "after 1918 and before 1930"
            self._bound = token.means["behind"]
        elif self.statements:
            self.statements[-1].bound = token.means["behind"]
            self._touched = self._place

    def _read_bound(self, token: Token) -> None:
        is_alone = self.next(-1).get("sign") in _OPENING and self.next().get("sign") in _CLOSING
        if is_alone and self.statements and self.statements[-1].segment == self._segment - 1:  # "1866 (post)"
            self.statements[-1].bound = token.means["bound"]
        elif token.means["bound"] == "until" and self._parts and "part" in self.next():
            return  # "Mitte bis Ende"
        elif self.is_date_next():
            if self._in_segment() and self._link is None and token.means["bound"] in {"until", "before"}:
                self._link = "until"
            self._bound = token.means["bound"]
        elif self._is_fresh() and self.next() and "notes" not in self.next():  # "1902 ante"
            self.statements[-1].bound = token.means["bound"]
            self._touched = self._place
        elif self._link:
            raise UnreadError(token.text)
        else:
            self._bound = token.means["bound"]

    def _read_part(self, token: Token) -> None:
        if token.text > "\u2e80" and self._is_fresh() and not self.statements[-1].parts:  # Chinese: always behind
            self.statements[-1].parts.append(token.means["part"])
            self._touched = self._place
        else:
            self._add_part(token.means["part"])

    def _read_size(self, token: Token) -> None:
        """A half, a third, a quarter: the ordinals in front of it say which, or the one behind it."""
        if not self.is_count():
            self._size = token.means["size"]
            return
        size, last = token.means["size"], self.statements[-1]
        chosen: list[Statement] = []
        while self.statements and self.statements[-1].kind == "count" and self.statements[-1].unit is None:
            before = self.statements[-1]
            if chosen and (
                chosen[-1].link is None or before.is_roman != last.is_roman or before.number > size or before.parts
            ):
                break
            chosen.append(self.statements.pop())
        first = chosen[-1]
        self._parts, self._bound, self._era, self._link = first.parts, first.bound, first.era, first.link
        if any(entry.number > size for entry in chosen):
            raise UnreadError(token.text)
        for entry in chosen:
            number = entry.number or size
            self._add_part(((number - 1) / size, number / size))

    def _add_part(self, part: tuple[float, float]) -> None:
        """A part of what follows, or of the century before it: "XV sec., inizio", "19e (début)"."""
        behind, before = self.next(), self.next(-1)
        is_end = "sign" in behind or "join" in behind
        is_apart = behind.get("sign") != "-" or not self._tokens[self._place + 1].is_close  # not "mid-18th"
        is_behind = self._link is None or (self._link == "," and is_apart and "part" not in self.next(2))
        if is_end and is_behind and not self._parts and self.statements and self._is_part_of_last(before):
            self.statements[-1].parts.append(part)
            self._touched = self._place
        else:
            self._parts.append(part)

    def _is_part_of_last(self, before: dict[str, Any]) -> bool:
        last = self.statements[-1]
        return not last.parts and last.segment >= self._segment - 1 and "join" not in before

    def _read_unit(self, token: Token) -> None:
        unit = token.means["unit"]
        self._are_decades = False  # its number is none
        if self.is_count():
            self.statements[-1].unit = unit
            self._touched = self._place
        else:
            self._unit = unit

    def _read_era(self, token: Token) -> None:
        if self._is_fresh() and self.statements[-1].era is None:
            self.statements[-1].era = token.means["era"]
            self._touched = self._place
        else:
            self._era = token.means["era"]

    def _read_calendars(self, token: Token) -> None:
        """The number before it, or else behind it, is of another calendar; both of "25 Fructidor 6"."""
        self._calendars.append(token.text)
        if self._is_fresh():
            self._make_foreign()
            self._touched = self._place
            self._is_calendar = self.next().get("number", 100) < 100 or "roman" in self.next()
        elif _DATED & self.next().keys():
            self._is_calendar = True
        elif self.statements and self.next(-1).get("sign") in _OPENING:
            self._make_foreign()
        else:
            raise UnreadError(token.text)

    def _make_foreign(self) -> None:
        for place in range(len(self.statements) - 1, -1, -1):
            entry = self.statements[place]
            entry.is_foreign = True
            before = self.statements[place - 1] if place else None
            if before is None or (entry.link != "-" and not (entry.link == "/" and entry.digits < before.digits)):
                return

    def _read_decades(self, token: Token) -> None:
        """In front of its number, or behind it: "anni 1960", "60. léta"."""
        if self.is_year() and self.statements[-1].number % 10 == 0:
            self.statements[-1].kind, self.statements[-1].unit = "tens", 10
        elif not self.is_count():
            self._are_decades = True
        elif self.statements[-1].digits == 2 and self.statements[-1].number % 10 == 0:
            self.statements[-1].kind, self.statements[-1].unit = "tens", 10
            self._touched = self._place
        else:
            raise UnreadError(token.text)

    def _read_named(self, token: Token) -> None:
        self._add(Statement(token.text, token.means["named"], "count", self._segment, unit=100))

    def _read_range(self, token: Token) -> None:
        first, last = token.means["range"]
        self._add(Statement(token.text, first, "range", self._segment, digits=4, last=last))

    def _read_nth(self, token: Token) -> None:
        number = token.means["nth"]
        if self._size is not None:
            size, self._size = self._size, None
            self._add_part((((number or size) - 1) / size, (number or size) / size))
        elif self._are_decades:  # "lata trzydzieste"
            self._add(Statement(token.text, number, "tens", self._segment, unit=10))
        else:
            self._add(Statement(token.text, number, "count", self._segment, is_whole=True))

    def _read_roman(self, token: Token) -> None:
        self._add_count(Statement(token.text, token.means["roman"], "count", self._segment, is_roman=True))

    def _read_number(self, token: Token) -> None:
        means = token.means
        number, digits = means["number"], means["digits"]
        entry = Statement(token.text, number, "year", self._segment, digits=digits)
        is_decade = "s" in means or (self._are_decades and number % 10 == 0)
        if is_decade and not ("th" in means and "unit" in self.next()):
            entry.kind, entry.unit = "tens", 100 if number >= 100 and number % 100 == 0 else 10
        elif number < 100 and "date" not in means:
            entry.kind, entry.is_whole = "count", "th" in means
        if "thousands" in means or "date" in means:
            entry.is_whole = True
        if entry.kind == "count":
            self._add_count(entry)
        elif not self._is_label:
            self._add(entry)
        self._is_label = self._is_label and self.next().get("sign") == "-"

    def _add_count(self, entry: Statement) -> None:
        """An ordinal: of a century, or of what the word beside it says."""
        before, behind = self.next(-1), self.next()
        is_own = not before or {"notes", "periods"} & before.keys()
        is_said = {"unit", "era", "size"} & behind.keys() or self._unit
        is_range = behind.get("sign") == "-" and "number" in self.next(2)
        if not self._is_label and (not is_own or is_said or is_range):
            self._add(entry)
        elif "notes" in before:
            self._has_day = True

    def _add(self, entry: Statement) -> None:
        entry.link = self._link if self.statements else None
        entry.is_foreign = self._is_calendar or (
            entry.link == "-" and self.statements[-1].is_foreign and self._era is None
        )
        entry.parts, entry.bound, entry.era = self._parts, self._bound, self._era
        entry.is_era_in_front = self._era is not None
        if entry.kind == "count" and self._unit is not None and entry.unit is None:
            entry.unit, self._unit = self._unit, None
        self.statements.append(entry)
        self._touched = self._place
        self._parts, self._bound, self._era, self._link = [], None, None, None
        self._is_calendar = False

    def _end_segment(self, sign: str) -> None:
        """What belongs to no statement behind it belongs to the one before it."""
        last = self.statements[-1] if self.statements else None
        if self._parts and last is not None:
            last.parts += self._parts
        if self._era is not None:
            if last is None or last.era is not None or last.segment < self._segment - 1:
                raise UnreadError("bc")
            last.era = self._era
        if self._unit is not None:
            raise UnreadError("century")
        is_nobody = self._segment in self._unread and not self._in_segment() and self._segment not in self._named
        is_fresh = self._is_fresh()
        bound = self._bound if sign == "," and self._has_day and "number" in self.next() else None
        is_split = sign == "," and last is None and not {"part", "size", "nth"}.isdisjoint(self.next(-1))
        parts = self._parts if is_split else []
        self._blank()
        self._bound, self._parts = bound, parts  # "after July 4, 1776", "First quarter, 18th century"
        if sign == "," and is_fresh:
            self._link = ","
        self._segment += 1
        if is_nobody and sign == "(":
            self._of_nobody.add(self._segment)


def _always(_reader: Reader, _token: Token) -> bool:
    return True


def _is_era(reader: Reader, token: Token) -> bool:
    """A word for "that is" may be another language's "before Christ"."""
    return "id_est" not in token.means


def _is_size(reader: Reader, token: Token) -> bool:
    return reader.is_count() or reader.next().get("nth", sys.maxsize) <= token.means["size"]


def _is_unit(reader: Reader, token: Token) -> bool:
    if reader.is_count() or token.means.keys() == {"unit"}:
        return True
    behind = reader.next()
    return "roman" in behind or ("little" not in token.means and ("nth" in behind or behind.get("number", 100) < 100))


def _is_roman(reader: Reader, token: Token) -> bool:
    beside = {"unit", "size", "era"} & reader.next().keys() or reader.next().get("sign") in {"-", "/"}
    return len(token.text) > 1 or token.means.keys() == {"roman"} or bool(beside) or reader.is_unit_in_front()


def _is_nth(reader: Reader, token: Token) -> bool:
    return "bound" not in token.means or bool({"size", "unit", "nth"} & reader.next().keys())


def _is_bound(reader: Reader, token: Token) -> bool:
    return token.means.keys() == {"bound"} or reader.is_date_next()


def _is_calendar(reader: Reader, token: Token) -> bool:
    return token.means.keys() == {"calendars"} or reader.is_year()


def _is_decade(reader: Reader, token: Token) -> bool:
    is_plural = reader.is_year() and "little" not in token.means  # "1930. aastad", but not "1850. godine"
    behind = reader.next()
    is_in_words = behind.get("nth") in range(20, 100, 10)  # "anni Trenta"
    return reader.is_count() or is_plural or is_in_words or behind.get("number", 1) % 10 == 0


_KINDS: dict[str, Callable[[Reader, Token], bool]] = {
    **{"behind": _always, "size": _is_size, "unit": _is_unit, "roman": _is_roman, "number": _always, "range": _always},
    **{
        "named": _always,
        "nth": _is_nth,
        "part": _always,
        "era": _is_era,
        "calendars": _is_calendar,
        "bound": _is_bound,
    },
    **dict.fromkeys(("labels", "copies"), _always),
    **{"decades": _is_decade, "later": _always, "id_est": _always, "names_follow": _always, "joins": _always},
    **dict.fromkeys(("periods", "notes", "little"), _always),
}
"""What a word that may mean several things is taken for: the first that fits."""
_READERS = {kind: (rank, _KINDS[kind], getattr(Reader, f"_read_{kind}")) for rank, kind in enumerate(_KINDS)}
