"""Which names are one: names as they are compared, and tables of aliases made ready for many look-ups."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from schemas.artists import Artists
from tasks.core.names.known_artists import ALIASES

_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "'": None, "’": None, "`": None}
)
_NO_WORD = re.compile(r"[\W_]+")


class Aliases(Mapping[str, str]):
    """Aliases made ready once, for many names: chains are followed to their end, and of a circle the first name is
    taken.

    Two of them are one only if they are the same object, which is what makes them quick to look results up by.
    """

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._aliases = dict(aliases)
        self._names = _resolve_all(self._aliases)

    def __getitem__(self, alias: str) -> str:
        return self._aliases[alias]

    def __iter__(self) -> Iterator[str]:
        return iter(self._aliases)

    def __len__(self) -> int:
        return len(self._aliases)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def name(self, text: str) -> str | None:
        """The name that a text stands for; "" where it stands for nobody, None where it is no alias."""
        return self._names.get(normalize_name(text))


def merge_aliases(artists: Artists) -> Aliases:
    """A recipe's aliases before the shipped ones: what it says of a name, and how it spells it, is what counts."""
    own = artists.aliases
    taken = {normalize_name(text) for pair in own.items() for text in pair}
    spelled = {normalize_name(name): name for name in own.values()}
    shipped = {alias: name for alias, name in ALIASES.items() if normalize_name(alias) not in taken}
    return Aliases({**{alias: spelled.get(normalize_name(name), name) for alias, name in shipped.items()}, **own})


@lru_cache(maxsize=65536)
def normalize_name(text: str) -> str:
    """A name as it is compared: small letters and digits without accents, one blank between words.

    >>> normalize_name("  Andō  HIROSHIGE-I. "), normalize_name("Georgia O'Keeffe"), normalize_name("?!")
    ('ando hiroshige i', 'georgia okeeffe', '')
    """
    folded = text.casefold().translate(_LETTERS)
    if not folded.isascii():
        apart = unicodedata.normalize("NFKD", folded)
        folded = "".join(sign for sign in apart if not unicodedata.combining(sign)).casefold().translate(_LETTERS)
    return _NO_WORD.sub(" ", folded).strip()


def _resolve_all(aliases: Mapping[str, str]) -> dict[str, str]:
    """What every alias and every name, as compared, stands for in the end."""
    steps: dict[str, str] = {}
    for alias in sorted(aliases):
        steps.setdefault(normalize_name(alias), aliases[alias])
    steps.pop("", None)
    spelled = {"": ""}
    for name in sorted(steps.values()):
        spelled.setdefault(normalize_name(name), name)
    ends = {start: resolve_alias(start, steps, normalize_name) for start in {*steps, *spelled} if start}
    return {start: spelled[end] for start, end in ends.items()}


def resolve_alias(start: str, steps: Mapping[str, str], as_compared: Callable[[str], str]) -> str:
    """Where the steps from a name, as compared, lead in the end; of a circle the first of its names."""
    seen = [start]
    while seen[-1] in steps:
        after = as_compared(steps[seen[-1]])
        if after in seen:
            return min(seen[seen.index(after) :])
        seen.append(after)
    return seen[-1]
