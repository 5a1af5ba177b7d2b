"""Works of a JSON file, one at a time, with no more of it in memory than its longest work."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tasks.core.nesting import is_nested_deeper
from tasks.core.scrape.paths import TWICE, Path, path_of_steps

UNREADABLE = "\0unreadable"  # the one field of a work that could not be read: what is wrong with it
MAX_WORK_CHARACTERS = 16_000_000
MAX_WORK_LEVELS = 64  # lists and objects within each other

_TOO_DEEP = f"nested deeper than {MAX_WORK_LEVELS} levels"
_TOO_LONG = f"longer than {MAX_WORK_CHARACTERS:,} characters"
_LONG_NUMBER = "unreadable: a number in it is too long"
_CHUNK = 1 << 20
_LONGEST_WORD = 16
"""Of JSON's own words, and of \\uXXXX: an error that close to the end of what was read may be gone with more of it."""
_MOST_PASSED = 1 << 13
"""Characters before a broken line that may stay in the window: the decoder counts the lines of all of them."""
_BLANKS = re.compile(r"[ \t\n\r]*")
_OUTSIDE, _INSIDE = re.compile(r'["\[\]{}]'), re.compile(r'["\\]')
_PLAIN, _ANY = re.compile(r"[^\s,\[\]{}]*"), re.compile(r".", re.DOTALL)
_SHOWN = 160


class BrokenJson(ValueError):
    """What can't be read any further; the message says why, to stand behind "got"."""


class _LongNumber(BrokenJson):
    """A number of more digits than Python reads."""


def works_of_json(read: Callable[[int], str], steps: Path | None = None) -> Iterator[dict[str, Any]]:
    """The works of a file. read: gives so many further characters, fewer only at the end. steps: to the list of works.

    A work that is no object, too long or too deep becomes one with UNREADABLE alone; so does the rest of a broken file.
    A field that one object names twice has TWICE for its value. Raises BrokenJson where steps lead to no list.
    """
    reader = _Reader(read)
    if steps:
        _enter(reader, steps)
    reader.skip_blanks()
    if reader.peek() != "[":
        if steps:
            raise BrokenJson(f"no list there: {reader.shown()}")
        yield from _values_in_a_row(reader)
        return
    reader.take("[")
    number = 0
    try:
        while not reader.takes("]"):
            if number:
                reader.take(",")
            number += 1
            yield _numbered(reader.work(), number)
    except BrokenJson as problem:
        yield {UNREADABLE: f"broken behind work {number}, so the rest is lost: {problem}"}
        return
    _leave(reader, steps or ())
    if reader.peek():
        yield {UNREADABLE: f"something stands behind the list of works, so it is lost: {reader.shown()}"}


def mapping_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, with TWICE for a field that it names twice."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    counts = Counter(name for name, _ in pairs)
    return {name: value if counts[name] == 1 else TWICE for name, value in found.items()}


def checked_work(value: Any, text: str, start: int, end: int) -> dict[str, Any]:
    """The work, if it is an object of few enough levels; else one that says what is wrong. text[start:end] is it."""
    if not isinstance(value, dict):
        return {UNREADABLE: f"no JSON object: {text[start : min(end, start + _SHOWN)]}"}
    brackets = text.count("{", start, end) + text.count("[", start, end)
    is_too_deep = brackets > MAX_WORK_LEVELS and is_nested_deeper(value, MAX_WORK_LEVELS)
    return {UNREADABLE: _TOO_DEEP} if is_too_deep else value


def _values_in_a_row(reader: "_Reader") -> Iterator[dict[str, Any]]:
    """A single work, or one behind the other, as in JSON lines: a broken line is one row, and the next one is read."""
    number = 0
    while reader.peek():
        number += 1
        try:
            yield _numbered(reader.work(), number)
        except BrokenJson:
            beginning, last = reader.take_line()
            is_line = number > 1 or last == "}"
            lost = "" if is_line else "the rest of a broken file, which begins with "
            yield {UNREADABLE: f"no JSON object: {lost}{beginning.rstrip()}"}
            if not is_line:
                return
    if not number:
        yield {UNREADABLE: "no JSON object: the file is empty"}


def _numbered(work: dict[str, Any], number: int) -> dict[str, Any]:
    """So that each work that can't be read is a drop of its own."""
    return {UNREADABLE: f"work {number} is {work[UNREADABLE]}"} if UNREADABLE in work else work


def _enter(reader: "_Reader", steps: Path) -> None:
    """Go to the value of the last name."""
    for step in steps:
        if not isinstance(step, str):
            raise BrokenJson(f"{path_of_steps((step,))} in the path to them, which may have only names")
        reader.take("{")
        for place in itertools.count():
            if reader.takes("}"):
                raise BrokenJson(f"no {step!r} on the way to them")
            if place:
                reader.take(",")
            name = reader.value()
            reader.take(":")
            if name == step:
                break
            reader.skip_value()


def _leave(reader: "_Reader", steps: Path) -> None:
    """Go to the end of the objects that `_enter` has entered. Raises BrokenJson for a name that one has twice."""
    for step in reversed(steps):
        while reader.takes(","):
            if reader.value() == step:
                raise BrokenJson(f"{step!r} twice on the way to them")
            reader.take(":")
            reader.skip_value()
        reader.take("}")


class _Reader:
    """A window on the text, which moves on."""

    def __init__(self, read: Callable[[int], str]) -> None:
        self._read, self._text, self._at, self._is_end = read, "", 0, False
        self._decoder = json.JSONDecoder(object_pairs_hook=mapping_of_pairs)

    def peek(self) -> str:
        """The next character that is no blank; "" at the end."""
        self.skip_blanks()
        return self._text[self._at : self._at + 1]

    def shown(self) -> str:
        return repr(self._text[self._at : self._at + 40])

    def takes(self, sign: str) -> bool:
        """Whether the sign comes next, which then is passed."""
        if self.peek() != sign:
            return False
        self._at += 1
        return True

    def take(self, sign: str) -> None:
        """Pass a sign. Raises BrokenJson if another one is there."""
        if not self.takes(sign):
            raise BrokenJson(f"expected {sign!r}, got {self.shown() if self.peek() else 'the end of the file'}")

    def take_line(self) -> tuple[str, str]:
        """Pass the rest of the line: how it begins, and its last character that is no blank."""
        beginning, last = "", ""
        while True:
            end = self._text.find("\n", self._at)
            piece = self._text[self._at : end if end >= 0 else None]
            beginning += piece[: _SHOWN - len(beginning)]
            last = piece.rstrip()[-1:] or last
            if end >= 0 or self._is_end:
                break
            self._at = len(self._text)
            self._fill()
        self._at = end + 1 if end >= 0 else len(self._text)
        if self._at > _MOST_PASSED:
            self._text, self._at = self._text[self._at :], 0
        return beginning, last

    def skip_blanks(self) -> None:
        self._pass(_BLANKS)

    def work(self) -> dict[str, Any]:
        """The next value, as a work. Raises BrokenJson."""
        self.skip_blanks()
        try:
            value, end = self._decoded()
            problem = _TOO_LONG if end - self._at > MAX_WORK_CHARACTERS else None
        except RecursionError:
            problem = _TOO_DEEP
        except _LongNumber:
            problem = _LONG_NUMBER
        if problem is not None:
            self.skip_value()
            return {UNREADABLE: problem}
        work, self._at = checked_work(value, self._text, self._at, end), end
        return work

    def value(self) -> Any:
        """The next value, such as a name. Raises BrokenJson."""
        self.skip_blanks()
        try:
            value, self._at = self._decoded()
        except RecursionError as problem:
            raise BrokenJson(_TOO_DEEP) from problem
        return value

    def skip_value(self) -> None:
        """Pass a value of any length and depth, without an eye to what is in it. Raises BrokenJson at the end."""
        if self.peek() not in {"[", "{", '"'}:
            self._pass(_PLAIN)
            return
        depth, is_inside, sign = 0, False, ""
        while depth or is_inside or not sign:
            sign = self._next_sign(_INSIDE if is_inside else _OUTSIDE)
            if sign == "\\":
                self._next_sign(_ANY)
            elif sign == '"':
                is_inside = not is_inside
            else:
                depth += 1 if sign in "[{" else -1

    def _decoded(self) -> tuple[Any, int]:
        """The next value and where it ends; None and a place too far for what is too long."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as problem:
                is_in_string = problem.msg.startswith("Unterminated string")
                may_be_cut = is_in_string or problem.pos >= len(self._text) - _LONGEST_WORD
                if self._is_end or not may_be_cut:
                    what = problem.msg.removesuffix(" at")
                    raise BrokenJson(f"{what} at {self._text[problem.pos : problem.pos + 40]!r}") from problem
            except ValueError as problem:  # a number of more than 4,300 digits
                raise _LongNumber(str(problem)[:_SHOWN]) from problem
            else:
                # a number may be cut before its point, its exponent or a digit of these
                if end < len(self._text) - _LONGEST_WORD or self._is_end or isinstance(value, dict | list | str):
                    return value, end
            if len(self._text) - self._at > MAX_WORK_CHARACTERS:
                return None, self._at + MAX_WORK_CHARACTERS + 1
            self._fill()

    def _next_sign(self, signs: re.Pattern[str]) -> str:
        while (match := signs.search(self._text, self._at)) is None:
            self._at = len(self._text)
            if self._is_end:
                raise BrokenJson("the end of the file within a value")
            self._fill()
        self._at = match.end()
        return match[0]

    def _pass(self, pattern: re.Pattern[str]) -> None:
        while True:
            match = pattern.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text) or self._is_end:
                return
            self._fill()

    def _fill(self) -> None:
        """Read on: as much again as is left, so that a long work is not begun too often."""
        left = self._text[self._at :]
        more = self._read(max(_CHUNK, len(left)))
        self._is_end = not more
        self._text, self._at = left + more, 0
