"""The words about makers as rules look them up: folded as names are, and lists of phrases as tables."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from schemas.artists import Artists
from schemas.maker_words import MakerWords
from schemas.words import word_lists
from tasks.core.names.matching import Aliases, merge_aliases, normalize_name

_KINDS = (
    *("small", "times", "sides", "ordinals", "dynasties", "places", "master_words", "crafts", "schools", "groups"),
    *("centuries", "nations", "cultures", "several", "unknown"),
)
"""Lists of words that are no part of a name; a word in several is of the last kind."""
_TOKEN = re.compile(r"[^\W_]+(?:['’ʼ`][^\W_]+)*['’]?")
_NUMBER = re.compile(r"\d+[a-z]{0,3}|[ivxl]+(?:e|eme|es|er|th)?|\d+(?:世紀|세기)?")


class Token(NamedTuple):
    """A word of a text: folded, and where it stands."""

    folded: str
    start: int
    end: int


class Phrases:
    """Folded phrases, and what each stands for."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self.table = {folded: value for phrase, value in table.items() if (folded := normalize_name(phrase))}
        self._firsts = frozenset(phrase.split()[0] for phrase in self.table)
        self._lasts = frozenset(phrase.split()[-1] for phrase in self.table)
        self._longest = max((phrase.count(" ") + 1 for phrase in self.table), default=0)

    def begin(self, words: Sequence[str]) -> int:
        """How many of the words are the longest phrase at their beginning; 0 where none is."""
        if not words or words[0] not in self._firsts:
            return 0
        longest = min(len(words), self._longest)
        return next((length for length in range(longest, 0, -1) if " ".join(words[:length]) in self.table), 0)

    def end(self, words: Sequence[str]) -> int:
        """How many of the words are the longest phrase at their end; 0 where none is."""
        if not words or words[-1] not in self._lasts:
            return 0
        longest = min(len(words), self._longest)
        return next((length for length in range(longest, 0, -1) if " ".join(words[-length:]) in self.table), 0)


class Words:
    """What the shipped lists and a museum's own say about makers' words, and a recipe's aliases about artists.

    A word of both means what the museum's own lists say.
    """

    def __init__(self, shipped: MakerWords, aliases: Aliases, own: MakerWords | None = None) -> None:
        own = own or MakerWords()
        both = shipped.with_more(own)
        lists = {name: getattr(both, name) for name in MakerWords.model_fields}
        self._raw = {name: several for name, several in lists.items() if not isinstance(several, Mapping)}
        self._folded = {name: frozenset(map(normalize_name, several)) for name, several in self._raw.items()}
        by_qualifier = {
            name: {
                phrase: str(qualifier)
                for words in (shipped, own)
                for qualifier, phrases in getattr(words, name).items()
                for phrase in phrases
            }
            for name, table in lists.items()
            if isinstance(table, Mapping)
        }
        self.in_front = Phrases(by_qualifier["in_front"])
        self.behind = Phrases({**by_qualifier["in_front"], **by_qualifier["behind"]})
        self.bare = Phrases(by_qualifier["bare"])
        self.behind_bare = Phrases({**by_qualifier["behind"], **by_qualifier["bare"], **by_qualifier["of_owner"]})
        self.of_owner = Phrases(by_qualifier["of_owner"])
        self.glued_in_front, self.glued_behind = by_qualifier["glued_in_front"], by_qualifier["glued_behind"]
        kinds = {phrase: kind for words in (shipped, own) for kind in _KINDS for phrase in getattr(words, kind)}
        self.kinds = Phrases(kinds)
        self.unknown, self.called = Phrases(_same(self["unknown"])), Phrases(_same(self["called"]))
        self.signs_of_unknown = tuple(word for word in self["unknown"] if len(word) > 1 and word[0] >= "\u2e80")
        self.asides, self.anothers_work = Phrases(_same(self["asides"])), Phrases(_same(self["anothers_work"]))
        self.roles = Phrases(_same(self["crafts"] | self["no_makers"]))
        self.generations = Phrases(_same(self["generations"]))
        self._in_front = by_qualifier["in_front"]
        between = {word for name in ("ands", "ors", "by", "called", "others", "et_al", "now") for word in self[name]}
        self._joints = frozenset(phrase.split()[0] for phrase in (between | {*self.in_front.table}) if phrase)
        others = (phrase for name in ("others", "et_al", "unknown", "crafts") for phrase in self[name] if phrase)
        self._ends_of_others = frozenset(phrase.split()[-1] for phrase in others)
        self.aliases = aliases
        self.honours = frozenset(both.honours)

    def __getitem__(self, name: str) -> frozenset[str]:
        """The folded words of a list of MakerWords."""
        return self._folded[name]

    def alternatives(self, *names: str) -> str:
        """A pattern for any word of these lists as they are written, the longest first."""
        return _alternatives(word for name in names for word in self._raw[name])

    def phrases_in_front(self, qualifiers: Collection[str]) -> str:
        """A pattern for any phrase in front of a name that is one of these qualifiers."""
        return _alternatives(phrase for phrase, name in self._in_front.items() if name in qualifiers)

    def joints(self, *names: str) -> str:
        """As alternatives, without words that are parts of names, too: "Ludwig von Hofmann", "Ortega y Gasset"."""
        words = {word for name in names for word in self._raw[name]}
        return _alternatives(word for word in words if normalize_name(word) not in self["particles"])

    @lru_cache(maxsize=4096)  # noqa: B019  # there are few, and they are kept anyway
    def may_have_joint(self, text: str) -> bool:
        """Whether a word in a text may stand between two names; False is certain."""
        return "&" in text or any(token.folded in self._joints for token in tokens(text))

    def may_end_with_others(self, text: str) -> bool:
        """Whether a text may end with "and others", "et al." or "and an unknown painter"; False is certain."""
        said = tokens(text)
        return bool(said) and said[-1].folded in self._ends_of_others

    def is_known(self, text: str) -> bool:
        """Whether a text is a name or an alias in the tables of artists."""
        return self.aliases.is_known(text)

    @lru_cache(maxsize=4096)  # noqa: B019  # there are few, and they are kept anyway
    def kinds_of(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The kind of each word or phrase: a list's name, "number", or "" for what may be a name.

        A number is one with letters at its end ("16th", "XVIe") too.
        """
        kinds, at = [], 0
        while at < len(words):
            length = self.kinds.begin(words[at:])
            if length:
                kinds.append(self.kinds.table[" ".join(words[at : at + length])])
            else:
                kinds.append("number" if _NUMBER.fullmatch(words[at]) else "")
            at += length or 1
        return tuple(kinds)


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted({*words}, key=lambda word: (-len(word), word))) or "(?!)"


def _same(words: Iterable[str]) -> dict[str, str]:
    return dict.fromkeys(words, "")


@cache
def shipped_maker_words() -> MakerWords:
    """The lists of all languages in one."""
    every = MakerWords()
    for lists in word_lists("makers").values():
        every = every.with_more(MakerWords.model_validate(lists))
    return every


@lru_cache(maxsize=8)
def words_of(aliases: Aliases, own: str | None = None) -> Words:
    """The shipped words and a museum's own, which win; `own` is the JSON of a MakerWords."""
    return Words(shipped_maker_words(), aliases, None if own is None else MakerWords.model_validate_json(own))


@cache
def shipped_words(own: str | None = None) -> Words:
    """The shipped words, with the shipped table of artists; own: as of `words_of`."""
    return words_of(merge_aliases(Artists()), own)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text.

    >>> [token.folded for token in tokens("Copie d'après J.-L. David")]
    ['copie', 'dapres', 'j', 'l', 'david']
    """
    return tuple(Token(normalize_name(match[0]), *match.span()) for match in _TOKEN.finditer(text))
