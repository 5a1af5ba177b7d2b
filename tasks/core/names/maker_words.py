"""The words about makers as rules look them up: folded as names are, lists of phrases as tables, and patterns.

Patterns over kinds of words, in schemas/words/patterns, are what the rules about names are written in. A text is coded
as a run of signs for each word, one sign for each kind that it is of, and ";" behind them; in front of the words stands
the text as a whole, with ":" behind it. So a regular expression says what a text is made of.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from schemas.names import Artists
from schemas.word_lists import MakerWords, word_lists
from tasks.core.names.matching import Aliases, merge_aliases, normalize_name

_PATTERNS, _TEXTS = (word_lists("patterns")[name] for name in ("makers", "texts"))
_WRITTEN, _FOLDED = (
    {kind: re.compile(shape, re.DOTALL) for kind, shape in word_lists("patterns")["shapes"][of].items()}
    for of in ("written", "folded")
)
_NO_NAMES: Sequence[str] = _PATTERNS["no_names"]
_OTHERS = (
    *("initial", "lower", "upper", "small", "capital", "single", "and", "or", "aside", "anothers"),
    *("given", "forename", "firm", "particle", "known", "known_before", "unsigned", "national"),
)
"""Kinds that take more than to be in one list or of one shape: `Words` says what they are."""
_ONE_EACH = [f"={kind}" for kind in (*_NO_NAMES, "number", "name")]
_KINDS = [*MakerWords.model_fields, *_ONE_EACH, *_WRITTEN, *_FOLDED, *_OTHERS]
_SIGNS = {kind: chr(0xE000 + place) for place, kind in enumerate(_KINDS)}
_TOKEN = re.compile(r"[^\W_]+(?:['’ʼ`][^\W_]+)*['’]?")
_LISTS = re.compile(r"\{(=?)([a-z_| ]+)(!?)\}")
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]?|[^\W\d_]")
_SHORT_NAME = re.compile(r"[^\W\d_]{2,3}\.")
_KIND = re.compile(r"(?<!\?P)<([a-z_=!&|]*)(:?)>")
_NAMED = re.compile(r"\{([a-z_]+)\}")


class NameToken(NamedTuple):
    """A word of a text: folded, and where it stands."""

    folded: str
    start: int
    end: int


class Phrases:
    """Folded phrases, and what each stands for."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self.table = {folded: value for phrase, value in table.items() if (folded := normalize_name(phrase))}
        self._at_side = {side: frozenset(phrase.split()[side] for phrase in self.table) for side in (0, -1)}
        self._longest = max((phrase.count(" ") + 1 for phrase in self.table), default=0)

    def longest(self, words: Sequence[str], side: int = 0) -> tuple[int, str]:
        """How many of the words are the longest phrase at their beginning, or end (-1), and it; (0, "") without one."""
        if words and words[side] in self._at_side[side]:
            for length in range(min(len(words), self._longest), 0, -1):
                if (phrase := " ".join(words[-length:] if side else words[:length])) in self.table:
                    return length, phrase
        return 0, ""

    def split(self, words: Sequence[str]) -> list[str]:
        """The words, but those of a phrase as one."""
        folded = [*map(normalize_name, words)]
        if self._at_side[0].isdisjoint(folded):
            return [*words]
        parts, at = list[str](), 0
        while at < len(words):
            length = self.longest(folded[at : at + self._longest])[0] or 1
            parts.append(" ".join(words[at : at + length]))
            at += length
        return parts


class Fit(NamedTuple):
    """How a pattern fits."""

    value: str  # what stands beside it
    groups: Mapping[str, str]  # the words of each of its groups


class Patterns:
    """The patterns, over texts that are split in one way. signs_of: the signs of a word or text."""

    def __init__(self, split: Callable[[str], Sequence[str]], signs_of: Callable[[str], str]) -> None:
        self._split, self._signs_of = split, signs_of
        self._code = lru_cache(maxsize=65536)(lambda text: "".join([f"{signs_of(word)};" for word in split(text)]))

    def fit(self, name: str, *texts: str) -> Fit | None:
        """How the first pattern of a name that fits the texts does; they are as if commas were between."""
        asks, rows = _compiled(name)
        code = ",".join([f"{self._signs_of(text) if asks else ''}:{self._code(text)}" for text in texts])
        for value, pattern in rows:
            if (match := pattern.fullmatch(code)) is not None:
                return Fit(value, self._groups(match, texts) if pattern.groupindex else {})
        return None

    def _groups(self, match: re.Match[str], texts: Sequence[str]) -> dict[str, str]:
        words = [word for text in texts for word in self._split(text)]
        spans = {group: (match.string.count(";", 0, at) for at in match.span(group)) for group in match.re.groupindex}
        return {group: " ".join(words[start:end]) for group, (start, end) in spans.items()}


@cache
def _compiled(name: str) -> tuple[bool, Sequence[tuple[str, re.Pattern[str]]]]:
    """Whether patterns ask for kinds of a whole text, and the patterns, each with the value beside it, if any."""
    entry = _PATTERNS.get(name) or _PATTERNS["names"][name]
    rows = [("", row) if isinstance(row, str) else row for row in ([entry] if isinstance(entry, str) else entry)]
    expanded = [(value, _expanded(pattern)) for value, pattern in rows]
    asks = any(kind[1] and kind[2] for _, pattern in expanded for kind in _KIND.finditer(pattern))
    return asks, [(value, re.compile(_KIND.sub(_of_kind, pattern))) for value, pattern in expanded]


def _expanded(pattern: str) -> str:
    return _NAMED.sub(lambda match: _expanded(_PATTERNS["names"][match[1]]), pattern)


def _of_kind(asked: re.Match[str]) -> str:
    """A pattern for the signs of one word, or text."""
    ahead = [
        f"(?{'!' if term[0] == '!' else '='}[^;:,]*[{''.join(_SIGNS[kind.lstrip('!')] for kind in term.split('|'))}])"
        for term in filter(None, asked[1].split("&"))
    ]
    return f"(?:{''.join(ahead)}[^;:,]*{asked[2] or ';'})"


class Words:
    """Words about makers, those of a museum's own lists before the shipped ones, and a recipe's aliases of artists."""

    def __init__(self, shipped: Sequence[MakerWords], aliases: Aliases, own: MakerWords | None = None) -> None:
        self.aliases = aliases
        tiers = [shipped, [own or MakerWords()]]
        self._raw: defaultdict[str, list[str]] = defaultdict(list)
        self.tables: defaultdict[str, dict[str, str]] = defaultdict(dict)  # of lists by qualifier, that of each phrase
        for name, entries in (field for tier in tiers for words in tier for field in words):
            by_qualifier = entries if isinstance(entries, dict) else {}
            self.tables[name] |= {phrase: qualifier for qualifier, of_it in by_qualifier.items() for phrase in of_it}
            self._raw[name] += self.tables[name] if by_qualifier else entries
        self._folded = {name: frozenset(map(normalize_name, several)) for name, several in self._raw.items()}
        self._lists_of: defaultdict[str, list[str]] = defaultdict(list)
        for name, word in ((name, word) for name, words in self._folded.items() for word in words):
            self._lists_of[word].append(name)
        in_front, behind, bare, of_owner = (self.tables[name] for name in ("in_front", "behind", "bare", "of_owner"))
        self.in_front, self.behind, self.bare = Phrases(in_front), Phrases(in_front | behind), Phrases(bare)
        self.behind_bare = Phrases(behind | bare | of_owner)
        self._asides = Phrases({phrase: name for name in ("anothers_work", "asides") for phrase in self[name]})
        self._kinds = Phrases(
            {phrase: kind for tier in tiers for kind in _NO_NAMES for words in tier for phrase in getattr(words, kind)}
        )
        two = Phrases({phrase: "" for phrase in self["generations"] if phrase.count(" ") == 1})
        self.roles = self.union("crafts", "no_makers")
        meaning = self.union(*self._raw.keys() - {"given_names", "also_family_names"})
        self._meaning = frozenset(word for phrase in meaning for word in phrase.split())
        self._forenames = self.union("given_names", "particles", "titles")
        self._honours, self._endings = frozenset(self._raw["honours"]), tuple(self["nation_endings"])
        self._unknown = tuple(word for word in self["unknown"] if len(word) > 1 and word[0] >= "\u2e80")
        between = self.union("ands", "ors", "by", "called", "others", "et_al", "now", "in_front")
        self._joints = frozenset(phrase.split()[0] for phrase in between if phrase)
        self.signs_of = lru_cache(maxsize=65536)(self._signs_of)
        self.names = Patterns(lambda text: two.split(text.split()), self.signs_of)
        self.kinds = Patterns(lambda text: self._kinds.split(_plain_words(text)), self.signs_of)
        self.pattern = cache(lambda name: re.compile(_LISTS.sub(self._alternatives, _TEXTS[name])))
        """A pattern over a text itself, of schemas/words/patterns, with the lists in it as they are written."""

    @staticmethod
    @cache
    def shipped(own: str | None = None) -> "Words":
        """The shipped words, with the shipped table of artists; own: as of `words_of`."""
        return words_of(merge_aliases(Artists()), own)

    def __getitem__(self, name: str) -> frozenset[str]:
        """The folded words of a list of MakerWords."""
        return self._folded[name]

    def union(self, *names: str) -> frozenset[str]:
        """The folded words of several lists."""
        return frozenset().union(*(self[name] for name in names))

    def is_of(self, kind: str, text: str) -> bool:
        """Whether a text as a whole is of a kind: a list's, or another one of patterns."""
        return _SIGNS[kind] in self.signs_of(text)

    def is_plain(self, text: str) -> bool:
        """Whether no rule finds anything in a text: capital and small letters alone, no word that a list has but for
        names, and no given name at the end: "Claude Monet".
        """
        words = text.lower().split(" ") if self.pattern("plain").fullmatch(text) else []
        return bool(words) and self._meaning.isdisjoint(words) and words[-1] not in self["given_names"]

    def _signs_of(self, text: str) -> str:
        folded = normalize_name(text)
        kinds = [kind for kind, is_it in self._kinds_of(text, folded).items() if is_it]
        alone = self._kinds.table.get(folded) or ("number" if "number" in kinds else "name")
        return "".join([_SIGNS[kind] for kind in (*kinds, f"={alone}")])

    def _kinds_of(self, text: str, folded: str) -> dict[str, bool]:
        """Kinds by the lists that a word is in, by how it is written, and those that take more."""
        words, lists = folded.split(), self._folded
        parts = [normalize_name(part).split() for part in text.split() if not is_initial(part)]
        is_word, (length, phrase) = bool(parts or text.strip()), self._asides.longest(words)
        aside = self._asides.table.get(phrase)
        return {
            **dict.fromkeys(self._lists_of.get(folded, ()), True),
            **{kind: shape.search(text) is not None for kind, shape in _WRITTEN.items()},
            **{kind: shape.search(folded) is not None for kind, shape in _FOLDED.items()},
            "initial": is_initial(text),
            "lower": text.islower(),
            "upper": text.isupper(),
            "small": text[:1].islower(),
            "capital": text[:1].isupper(),
            "single": len(words) in {1, 1 + text.count("-") + text.count("–")},
            "given": is_word and all(map(lists["given_names"].issuperset, parts)),
            "forename": is_word and all(map(self._forenames.issuperset, parts)),
            "firm": not lists["firm_words"].isdisjoint(words),
            "particle": not lists["particles"].isdisjoint(words),
            "known": bool(self.aliases.name(text)),
            "known_before": " " in folded and bool(self.aliases.name(folded.rpartition(" ")[0])),
            "aside": aside == "asides",
            "anothers": aside == "anothers_work" and length < len(words),
            "and": text == "&" or (text.islower() and folded in lists["ands"] and folded not in lists["particles"]),
            "or": text in lists["ors"],
            "unsigned": folded.endswith(self._unknown),
            "national": folded.endswith(self._endings),
            "honours": self._honours.issuperset(text.replace(".", "").split()),
        }

    def joined(self, name: str, text: str) -> re.Match[str] | None:
        """How a pattern that asks for a word between two names fits a text; quick where no such word is in it."""
        has_joint = "&" in text or not self._joints.isdisjoint(normalize_name(text).split())
        return self.pattern(name).fullmatch(text) if has_joint else None

    def _alternatives(self, lists: re.Match[str]) -> str:
        """A pattern for any word of lists, the longest first: "{ands}", "{ands!}" without parts of names: "Ortega y
        Gasset"; "{=after|copy after}" for phrases in front of a name that are one of these qualifiers.
        """
        names = lists[2].split("|")
        if lists[1]:
            words = {phrase for phrase, qualifier in self.tables["in_front"].items() if qualifier in names}
        else:
            words = {word for name in names for word in self._raw[name]}
        if lists[3]:
            words = {word for word in words if normalize_name(word) not in self["particles"]}
        ordered = sorted(words, key=lambda word: (-len(word), word))
        return f"(?:{'|'.join(map(re.escape, ordered)) or '(?!)'})"


def is_initial(word: str) -> bool:
    """Whether a word is initials: "H.", "J.-B.", "Ph.", "H"."""
    return (word.isupper() and _INITIALS.fullmatch(word) is not None) or _SHORT_NAME.fullmatch(word) is not None


def _plain_words(text: str) -> list[str]:
    """The words of a text as they are written, where each is one word when it is folded; else as they are folded."""
    words = text.split()
    folded = [normalize_name(word) for word in words]
    return words if all(folded) and not any(" " in word for word in folded) else " ".join(folded).split()


@lru_cache(maxsize=8)
def words_of(aliases: Aliases, own: str | None = None) -> Words:
    """The shipped words and a museum's own, which win; `own` is the JSON of a MakerWords."""
    shipped = [MakerWords.model_validate(lists) for lists in word_lists("makers").values()]
    return Words(shipped, aliases, None if own is None else MakerWords.model_validate_json(own))


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[NameToken, ...]:
    """The words of a text.

    >>> [token.folded for token in tokens("Copie d'après J.-L. David")]
    ['copie', 'dapres', 'j', 'l', 'david']
    """
    return tuple(NameToken(normalize_name(match[0]), *match.span()) for match in _TOKEN.finditer(text))
