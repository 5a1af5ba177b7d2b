"""Normalized names, and tables of aliases that are resolved once for many look-ups."""

import re
import unicodedata
from collections import UserDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from schemas.names import Artists
from schemas.word_lists import word_lists
from tasks.core.names.spellings import name_key

ALIASES: Mapping[str, str] = {
    alias: name for name, several in word_lists("names")["artists"].items() for alias in several
}
"""The shipped names of artists, by other names of theirs."""
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})
_NO_WORD = re.compile(r"[\W_]+")


class Aliases(UserDict[str, str]):
    """Aliases that are resolved once; equal only to themselves, which makes them quick keys for caches of results."""

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __init__(self, aliases: Mapping[str, str]) -> None:
        super().__init__(aliases)
        steps = {normalize_name(alias): aliases[alias] for alias in sorted(aliases, reverse=True)}
        steps.pop("", None)
        self._names = resolve_all(steps, sorted(steps.values()), normalize_name)
        self._spellings = frozenset(self._names.values())

    def is_name(self, text: str) -> bool:
        """Whether a text is, letter by letter, a name that others stand for."""
        return bool(text) and text in self._spellings

    def name(self, text: str) -> str | None:
        """The name that a text stands for; "" for an unknown artist, None if it is no alias."""
        return self._names.get(normalize_name(text))


def merge_aliases(artists: Artists) -> Aliases:
    """A recipe's aliases and the shipped ones. For a name in both, the recipe decides, also about its spelling."""
    own = artists.aliases
    taken = {normalize_name(text) for pair in own.items() for text in pair}
    spelled = {normalize_name(name): name for name in own.values()}
    shipped = {alias: name for alias, name in ALIASES.items() if normalize_name(alias) not in taken}
    return Aliases({**{alias: spelled.get(normalize_name(name), name) for alias, name in shipped.items()}, **own})


@lru_cache(maxsize=65536)
def normalize_name(text: str) -> str:
    """The form in which names are looked up: `name_key`, with plain Latin letters for those with a stroke, and without
    punctuation. A table of aliases is a person's word, so it may be found by more than what makes two texts one name.

    >>> normalize_name("  Andō  HIROSHIGE-I. "), normalize_name("Georgia O'Keeffe"), normalize_name("?!")
    ('ando hiroshige i', 'georgia okeeffe', '')
    """
    key = name_key(text).translate(_LETTERS)
    if key.isascii():
        return _NO_WORD.sub(" ", key).strip()
    # vowels of Devanagari are marks
    signs = (sign if sign.isalnum() or unicodedata.category(sign).startswith("M") else " " for sign in key)
    return " ".join("".join(signs).split())


def resolve_all(steps: Mapping[str, str], names: Sequence[str], normalize: Callable[[str], str]) -> dict[str, str]:
    """The final name of each alias and each name, by normalized form.

    steps: names by their normalized aliases. names: how names are spelled; of several that are one the first.
    """
    spelled = {**{normalize(name): name for name in reversed(names)}, "": ""}
    return {start: spelled[resolve_alias(start, steps, normalize)] for start in {*steps, *spelled} - {""}}


def resolve_alias(start: str, steps: Mapping[str, str], normalize: Callable[[str], str]) -> str:
    """The end of the chain of aliases that starts at a normalized name; of a circle the first of its names."""
    chain = [start]
    while chain[-1] in steps:
        after = normalize(steps[chain[-1]])
        if after in chain:
            return min(chain[chain.index(after) :])
        chain.append(after)
    return chain[-1]
