"""Turns of phrase that messages, notes and reports of all rooms share."""

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from types import NoneType
from typing import Any, Self

LONGEST_QUOTE = 80
LONGEST_PLACE = 300
"""Characters of a value, and of a path or an address, that a message quotes."""

_LONGEST_REASON = 160

_MOST_BITS = 256
"""A longer number is not written out: Python refuses to write one of more than 4,300 digits."""

_BRACKETS: dict[type, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", Mapping: "{}"}


class Word(StrEnum):
    """A word of a closed list, as tables hold it, and one sentence for people: `NAME = "word", "The sentence."`."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """The word itself is its value."""
        word = str.__new__(cls, value)
        word._value_, word.meaning = value, meaning
        return word


def and_more(count: int) -> str:
    """What follows a list that was cut: " and 3 more"; empty where nothing was left out.

    >>> and_more(3), and_more(0), and_more(-2), and_more(1234)
    (' and 3 more', '', '', ' and 1,234 more')
    """
    return f" and {count:,} more" if count > 0 else ""


def listed(texts: Sequence[str], most: int, between: str = ", ") -> str:
    """The first `most` of the texts with commas, and how many more there are; empty in, empty out.

    >>> listed(["a", "b", "c"], 2), listed(["a"], 2)
    ('a, b and 1 more', 'a')
    """
    return between.join(texts[:most]) + and_more(len(texts) - most)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number and its noun, in the singular or the plural.

    >>> counted(1, "record"), counted(2000, "record"), counted(2, "copy", "copies")
    ('1 record', '2,000 records', '2 copies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def quoted(value: Any, most: int = LONGEST_QUOTE) -> str:
    """A value as Python writes it, cut after about `most` characters: for whatever messages quote of people's input.

    The value is cut before it is written out: one whose text would be gigabytes (YAML's aliases can name one list a
    billion times), or that holds itself, costs no more than a short one. One line, whatever the value is.

    >>> quoted("Cubism"), quoted({"person": 1}), quoted([1, None], 2), quoted("Cubism", 3)
    ("'Cubism'", "{'person': 1}", '[1...', "'Cub...'")
    """
    if isinstance(value, str):
        return repr(value if len(value) <= most else f"{value[:most]}...")
    text = ""
    for piece in _pieces(value, most):
        text += piece
        if len(text) > most:
            return f"{text[:most]}..."
    return text


def did_you_mean(name: str, known: Collection[str]) -> str:
    """What follows a word that is none of those known: the nearest of them, or nothing.

    >>> did_you_mean("titel", ["title", "year"]), did_you_mean("colour", ["title"])
    ("; did you mean 'title'?", '')
    """
    near = difflib.get_close_matches(name[:LONGEST_QUOTE], sorted(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def quoted_name(name: object) -> str:
    r"""The name of a field as a person wrote it; quoted where it is long or would not be one line.

    >>> quoted_name("least_side_px"), quoted_name("a\nb"), quoted_name(7)
    ('least_side_px', "'a\\nb'", '7')
    """
    is_plain = isinstance(name, str) and len(name) <= LONGEST_QUOTE and name.isprintable()
    return str(name) if is_plain else quoted(name)


def printable(text: str) -> str:
    r"""The text in one line, with question marks for what a terminal would obey.

    >>> printable("Tâche\x1b[2J\n")
    'Tâche?[2J?'
    """
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "?" for letter in text)


def error_line(problem: BaseException) -> str:
    r"""The first line of an error's own words, cut after 160 characters; its class where it has none.

    The words may quote what a stranger wrote: what a terminal would obey becomes question marks.

    >>> error_line(ValueError("no day\nat all")), error_line(NotImplementedError()), error_line(ValueError("\x1b[2J"))
    ('no day', 'NotImplementedError', '?[2J')
    """
    line = printable(next(iter(str(problem).strip().splitlines()), type(problem).__name__).strip())
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}..."


def _pieces(value: Any, most: int) -> Iterator[str]:
    """The text of a value, piece by piece, none much longer than `most`; each level of nesting begins with one."""
    brackets = next((signs for kind, signs in _BRACKETS.items() if isinstance(value, kind)), None)
    if brackets is None:
        yield _written(value, most)
        return
    yield brackets[0]
    for place, entry in enumerate(value):
        yield ", " if place else ""
        yield from _pieces(entry, most)
        if isinstance(value, Mapping):
            yield ": "
            yield from _pieces(value[entry], most)
    yield brackets[1]


def _written(value: Any, most: int) -> str:
    if isinstance(value, str | bytes):
        return repr(value[: most + 1])
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"a number of {value.bit_length():,} bits"
    if isinstance(value, date):
        return value.isoformat()
    return repr(value) if isinstance(value, int | float | NoneType) else f"<{type(value).__name__}>"
