"""Patterns over kinds of words: what the rules about names are written in, in schemas/words/patterns.

A text is coded as a run of signs for each word, one sign for each kind that it is of, and ";" behind them; in front of
the words stands the text as a whole, with ":" behind it. So a regular expression says what a text is made of.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from schemas.maker_words import MakerWords
from schemas.words import word_lists

_PATTERNS: Mapping[str, Any] = word_lists("patterns")["makers"]
TEXTS: Mapping[str, str] = word_lists("patterns")["texts"]
"""Patterns over a text itself."""
_KIND = re.compile(r"(?<!\?P)<([a-z_=!&|]*)(:?)>")
_OF_WHOLE = re.compile(r"(?<!\?P)<[^:>]+:>")
_NAMED = re.compile(r"\{([a-z_]+)\}")
KINDS = (
    *("small", "times", "sides", "ordinals", "dynasties", "places", "master_words", "crafts", "schools", "groups"),
    *("centuries", "nations", "cultures", "several", "unknown"),
)
"""Lists of words that are no part of a name; a word in several is of the last kind."""
_SHAPES = (
    *("initial", "lower", "upper", "small", "capital", "one", "single", "sign", "dotted", "long", "longer", "phrase"),
    *("amp", "digit", "latin", "brief", "y", "patronymic", "cyrillic", "and", "or", "aside", "anothers"),
    *("given", "forename", "firm", "particle", "known", "known_before", "unsigned", "national"),
)
"""Kinds that take more than to be in one list: `Words` says what they are."""
_KINDS = [*MakerWords.model_fields, *(f"={kind}" for kind in (*KINDS, "number", "name")), *_SHAPES]
SIGNS: Mapping[str, str] = {kind: chr(0xE000 + place) for place, kind in enumerate(_KINDS)}


class Patterns:
    """The patterns, over texts that are split in one way. signs_of: the signs of a word or text."""

    def __init__(self, split: Callable[[str], Sequence[str]], signs_of: Callable[[str], str]) -> None:
        self._split = split
        self._signs_of = signs_of
        self._code = lru_cache(maxsize=65536)(self._code_of)

    def fits(self, name: str, *texts: str) -> bool:
        """Whether a pattern, or one of several of that name, fits the texts, which are as if commas were between."""
        return any(pattern.fullmatch(code) for _, pattern, code in self._rows(name, texts))

    def value(self, name: str, *texts: str) -> str:
        """What stands beside the first pattern of a table that fits; "" where none does."""
        return next((value for value, pattern, code in self._rows(name, texts) if pattern.fullmatch(code)), "")

    def groups(self, name: str, *texts: str) -> dict[str, str]:
        """The words of each group of the first pattern that fits; empty where none does, or it has no groups."""
        found = (pattern.fullmatch(code) for _, pattern, code in self._rows(name, texts))
        if (match := next(filter(None, found), None)) is None:
            return {}
        code, words = match.string, [word for text in texts for word in self._split(text)]
        return {
            group: " ".join(words[code.count(";", 0, start) : code.count(";", 0, end)])
            for group, (start, end) in ((group, match.span(group)) for group in match.groupdict())
        }

    def _rows(self, name: str, texts: Sequence[str]) -> Iterator[tuple[str, re.Pattern[str], str]]:
        asks, rows = _compiled(name)
        code = ",".join([f"{self._signs_of(text) if asks else ''}:{self._code(text)}" for text in texts])
        return ((value, pattern, code) for value, pattern in rows)

    def _code_of(self, text: str) -> str:
        return "".join([f"{self._signs_of(word)};" for word in self._split(text)])


@cache
def _compiled(name: str) -> tuple[bool, Sequence[tuple[str, re.Pattern[str]]]]:
    """Whether patterns of a name ask for kinds of a whole text, and the patterns, each with the value beside it, if it
    has one.
    """
    entry = _PATTERNS.get(name) or _PATTERNS["names"][name]
    rows = [("", row) if isinstance(row, str) else row for row in ([entry] if isinstance(entry, str) else entry)]
    expanded = [(value, _expanded(pattern)) for value, pattern in rows]
    compiled = [(value, re.compile(_KIND.sub(_of_kind, pattern))) for value, pattern in expanded]
    return any(_OF_WHOLE.search(pattern) for _, pattern in expanded), compiled


def _expanded(pattern: str) -> str:
    return _NAMED.sub(lambda match: _expanded(_PATTERNS["names"][match[1]]), pattern)


def _of_kind(asked: re.Match[str]) -> str:
    """A pattern for the signs of one word, or text."""
    terms = [term for term in asked[1].split("&") if term]
    ahead = [
        f"(?{'!' if term[0] == '!' else '='}[^;:,]*[{''.join(SIGNS[kind.lstrip('!')] for kind in term.split('|'))}])"
        for term in terms
    ]
    return f"(?:{''.join(ahead)}[^;:,]*{asked[2] or ';'})"
