"""Patterns over kinds of words: what the rules about names are written in, in schemas/words/patterns.

A text is coded as a run of signs for each word, one sign for each kind that it is of, and ";" behind them; in front of
the words stands the text as a whole, with ":" behind it. So a regular expression says what a text is made of.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from schemas.maker_words import MakerWords
from schemas.words import word_lists

_PATTERNS: Mapping[str, Any] = word_lists("patterns")["makers"]
TEXTS: Mapping[str, str] = word_lists("patterns")["texts"]
"""Patterns over a text itself."""
_KIND = re.compile(r"(?<!\?P)<([a-z_=!&|]*)(:?)>")
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
    """The patterns, over texts that are split in one way. signs_of: the signs of a word or text, but for shapes."""

    def __init__(self, split: Callable[[str], Sequence[str]], signs_of: Callable[[str], str]) -> None:
        self._split = split
        self._signs_of = signs_of
        self._code = lru_cache(maxsize=65536)(self._code_of)

    def fits(self, name: str, *texts: str) -> bool:
        """Whether a pattern, or one of several of that name, fits the texts, which are as if commas were between."""
        return _joined(name).fullmatch(self.code(texts)) is not None

    def value(self, name: str, *texts: str) -> str:
        """What stands beside the first pattern of a table that fits; "" where none does."""
        code = self.code(texts)
        return next((value for value, pattern in _compiled(name) if pattern.fullmatch(code)), "")

    def groups(self, name: str, *texts: str) -> dict[str, str]:
        """The words of each group of the first pattern that fits; empty where none does, or it has no groups."""
        code = self.code(texts)
        match = next((match for _, pattern in _compiled(name) if (match := pattern.fullmatch(code))), None)
        if match is None:
            return {}
        words = [word for text in texts for word in self._split(text)]
        return {
            group: " ".join(words[code.count(";", 0, start) : code.count(";", 0, end)])
            for group, (start, end) in ((group, match.span(group)) for group in match.groupdict())
        }

    def code(self, texts: Sequence[str]) -> str:
        """The signs of texts, and of each of their words."""
        return self._code(texts[0]) if len(texts) == 1 else ",".join(map(self._code, texts))

    def _code_of(self, text: str) -> str:
        return f"{self._signs_of(text)}:{''.join(f'{self._signs_of(word)};' for word in self._split(text))}"


@cache
def _compiled(name: str) -> Sequence[tuple[str, re.Pattern[str]]]:
    """The patterns of a name, each with the value beside it, if it has one."""
    entry = _PATTERNS.get(name) or _PATTERNS["names"][name]
    rows = [entry] if isinstance(entry, str) else entry
    return [
        (value, re.compile(_expanded(pattern)))
        for value, pattern in (("", row) if isinstance(row, str) else row for row in rows)
    ]


@cache
def _joined(name: str) -> re.Pattern[str]:
    return re.compile("|".join(pattern.pattern for _, pattern in _compiled(name)))


def _expanded(pattern: str) -> str:
    whole = _NAMED.sub(lambda match: _expanded(_PATTERNS["names"][match[1]]), pattern)
    return _KIND.sub(lambda match: _of_kind(match[1], match[2] or ";"), whole)


def _of_kind(kinds: str, end: str) -> str:
    """A pattern for the signs of one word, or text."""
    terms = [term for term in kinds.split("&") if term]
    ahead = [
        f"(?{'!' if term[0] == '!' else '='}[^;:,]*[{''.join(SIGNS[kind.lstrip('!')] for kind in term.split('|'))}])"
        for term in terms
    ]
    return f"(?:{''.join(ahead)}[^;:,]*{end})"
