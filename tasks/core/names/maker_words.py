"""The words about makers as rules look them up: folded as names are, and lists of phrases as tables."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from schemas.artists import Artists
from schemas.maker_words import MakerWords
from schemas.words import word_lists
from tasks.core.names.matching import Aliases, merge_aliases, normalize_name
from tasks.core.names.patterns import KINDS, SIGNS, TEXTS, Patterns

_TOKEN = re.compile(r"[^\W_]+(?:['’ʼ`][^\W_]+)*['’]?")
_NUMBER = re.compile(r"\d+[a-z]{0,3}|[ivxl]+(?:e|eme|es|er|th)?|\d+(?:世紀|세기)?")
_LISTS = re.compile(r"\{(=?)([a-z_| ]+)(!?)\}")
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]?|[^\W\d_]")
_SHORT_NAME = re.compile(r"[^\W\d_]{2,3}\.")
_BRIEF = re.compile(r"(?:[A-Z]\.?){1,2}")
_PATRONYMIC = re.compile("[А-ЯЁІЇЄҐ][а-яёіїєґ'’]+(?:ич|вна|чна)")
_CYRILLIC = re.compile(r"(?:[А-ЯЁІЇЄҐ]\.){1,2}")
_LATIN, _DIGIT, _DASH, _D = (re.compile(pattern) for pattern in ("[a-z]", r"\d", "[-–]", r"\bd['’]"))


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
        lengths = range(min(len(words), self._longest), 0, -1) if words and words[0] in self._firsts else ()
        return next((length for length in lengths if " ".join(words[:length]) in self.table), 0)

    def end(self, words: Sequence[str]) -> int:
        """How many of the words are the longest phrase at their end; 0 where none is."""
        lengths = range(min(len(words), self._longest), 0, -1) if words and words[-1] in self._lasts else ()
        return next((length for length in lengths if " ".join(words[-length:]) in self.table), 0)

    def split(self, words: Sequence[str], folded: Sequence[str]) -> list[str]:
        """The words, but those of a phrase as one. folded: each of them."""
        if self._firsts.isdisjoint(folded):
            return [*words]
        parts, at = list[str](), 0
        while at < len(words):
            length = self.begin(folded[at : at + self._longest]) or 1
            parts.append(" ".join(words[at : at + length]))
            at += length
        return parts


class Words:
    """What the shipped lists and a museum's own say about makers' words, and a recipe's aliases about artists.

    A word of both means what the museum's own lists say.
    """

    def __init__(self, shipped: MakerWords, aliases: Aliases, own: MakerWords | None = None) -> None:
        self.aliases = aliases
        both = [shipped, own or MakerWords()]
        fields = {name: [getattr(words, name) for words in both] for name in MakerWords.model_fields}
        tables = {name: _by_phrase(parts) for name, parts in fields.items() if isinstance(parts[0], Mapping)}
        self._raw = {
            name: [word for part in parts for word in part] for name, parts in fields.items() if name not in tables
        }
        self._folded = {name: frozenset(map(normalize_name, several)) for name, several in self._raw.items()}
        self.honours = frozenset(self._raw["honours"])
        self.in_front, self.bare, self.of_owner = (Phrases(tables[name]) for name in ("in_front", "bare", "of_owner"))
        self.behind = Phrases(tables["in_front"] | tables["behind"])
        self.behind_bare = Phrases(tables["behind"] | tables["bare"] | tables["of_owner"])
        self.glued_in_front, self.glued_behind = tables["glued_in_front"], tables["glued_behind"]
        self._in_front = tables["in_front"]
        self._asides = Phrases({phrase: name for name in ("anothers_work", "asides") for phrase in self[name]})
        kinds = Phrases({phrase: kind for words in both for kind in KINDS for phrase in getattr(words, kind)})
        two = Phrases({phrase: "" for phrase in self["generations"] if phrase.count(" ") == 1})
        self._signs: defaultdict[str, str] = defaultdict(str, {k: SIGNS[f"={kind}"] for k, kind in kinds.table.items()})
        for name in self._folded:
            for word in self[name] if name != "honours" else ():
                self._signs[word] += SIGNS[name]
        self._signs.default_factory = None
        signs_of = lru_cache(maxsize=65536)(self._signs_of)
        self.signs_of = signs_of
        self._forenames = self.union("given_names", "particles", "titles")
        self.roles = self.union("crafts", "no_makers")
        self._ands = self["ands"] - self["particles"]
        self._endings = tuple(self["nation_endings"])
        self._kinds = kinds.table
        self._unknown = tuple(word for word in self["unknown"] if len(word) > 1 and word[0] >= "\u2e80")
        self.names = Patterns(lambda text: two.split(words := text.split(), [*map(normalize_name, words)]), signs_of)
        self.kinds = Patterns(
            lambda text: kinds.split(words := _plain_words(text), [*map(normalize_name, words)]), signs_of
        )
        self.may_have_joint = lru_cache(maxsize=4096)(self._may_have_joint)
        self.text_pattern = cache(self._text_pattern)
        between = self.union("ands", "ors", "by", "called", "others", "et_al", "now") | {*self.in_front.table}
        self._joints = frozenset(phrase.split()[0] for phrase in between if phrase)
        others = self.union("others", "et_al", "unknown", "crafts")
        self._ends_of_others = frozenset(phrase.split()[-1] for phrase in others if phrase)

    def __getitem__(self, name: str) -> frozenset[str]:
        """The folded words of a list of MakerWords."""
        return self._folded[name]

    def union(self, *names: str) -> frozenset[str]:
        """The folded words of several lists."""
        return frozenset().union(*(self[name] for name in names))

    def is_of(self, kind: str, text: str) -> bool:
        """Whether a text as a whole is of a kind: a list's, or another one of `patterns`."""
        return SIGNS[kind] in self.signs_of(text)

    def is_known(self, text: str) -> bool:
        """Whether a text is a name or an alias in the tables of artists."""
        return self.aliases.is_known(text)

    def _signs_of(self, text: str) -> str:
        folded = normalize_name(text)
        words = folded.split()
        shapes = {**_shapes(text, folded, len(words)), **self._kinds_of(text, folded, words)}
        listed = self._signs.get(folded, "")
        number = "" if folded in self._kinds else SIGNS["=number" if _NUMBER.fullmatch(folded) else "=name"]
        return listed + number + "".join(SIGNS[kind] for kind, is_it in shapes.items() if is_it)

    def _kinds_of(self, text: str, folded: str, words: Sequence[str]) -> dict[str, bool]:
        """Kinds that take more than to be in one list."""
        parts = [normalize_name(part).split() for part in text.split() if not is_initial(part)]
        is_word, length = bool(parts or text.strip()), self._asides.begin(words)
        aside = self._asides.table[" ".join(words[:length])] if length else ""
        return {
            "given": is_word and all(self["given_names"].issuperset(part) for part in parts),
            "forename": is_word and all(self._forenames.issuperset(part) for part in parts),
            "firm": not self["firm_words"].isdisjoint(words),
            "particle": not self["particles"].isdisjoint(words) or ("d" in text and _D.search(text) is not None),
            "known": self.aliases.is_known_form(folded),
            "known_before": " " in folded and self.aliases.is_known_form(folded.rpartition(" ")[0]),
            "aside": aside == "asides",
            "anothers": aside == "anothers_work" and length < len(words),
            "and": text == "&" or (folded in self._ands and text.islower()),
            "or": text in self["ors"],
            "unsigned": folded.endswith(self._unknown),
            "national": folded.endswith(self._endings),
            "honours": self.honours.issuperset(text.replace(".", "").split()),
        }

    def _may_have_joint(self, text: str) -> bool:
        """Whether a word in a text may stand between two names; False is certain."""
        return "&" in text or any(token.folded in self._joints for token in tokens(text))

    def may_end_with_others(self, text: str) -> bool:
        """Whether a text may end with "and others", "et al." or "and an unknown painter"; False is certain."""
        said = tokens(text)
        return bool(said) and said[-1].folded in self._ends_of_others

    def _text_pattern(self, name: str) -> re.Pattern[str]:
        """A pattern over a text itself, of schemas/words/patterns, with the lists in it as they are written."""
        return re.compile(_LISTS.sub(self._alternatives, TEXTS[name]))

    def _alternatives(self, lists: re.Match[str]) -> str:
        """A pattern for any word of lists, the longest first: "{ands}", "{ands!}" without parts of names: "Ortega y
        Gasset"; "{=after|copy after}" for phrases in front of a name that are one of these qualifiers.
        """
        names = lists[2].split("|")
        if lists[1]:
            words = {phrase for phrase, qualifier in self._in_front.items() if qualifier in names}
        else:
            words = {word for name in names for word in self._raw[name]}
        if lists[3]:
            words = {word for word in words if normalize_name(word) not in self["particles"]}
        ordered = sorted(words, key=lambda word: (-len(word), word))
        return f"(?:{'|'.join(map(re.escape, ordered)) or '(?!)'})"


def is_initial(word: str) -> bool:
    """Whether a word is initials: "H.", "J.-B.", "Ph.", "H"."""
    if word[-1:] != "." and len(word) > 1 and "." not in word:
        return False
    return (word.isupper() and _INITIALS.fullmatch(word) is not None) or _SHORT_NAME.fullmatch(word) is not None


def _shapes(text: str, folded: str, count: int) -> dict[str, bool]:
    """Kinds by how a word is written. count: how many words it is, folded."""
    return {
        "initial": is_initial(text),
        "lower": text.islower(),
        "upper": text.isupper(),
        "small": text[:1].islower(),
        "capital": text[:1].isupper(),
        "one": len(folded) == 1,
        "single": count == 1 or count == 1 + len(_DASH.findall(text)),
        "sign": not folded,
        "dotted": text.endswith("."),
        "long": len(text.replace(".", "")) > 2,
        "longer": len(text) > 3,
        "phrase": " " in text,
        "amp": "&" in text,
        "digit": _DIGIT.search(text) is not None,
        "latin": _LATIN.search(folded) is not None,
        "brief": len(text) < 5 and _BRIEF.fullmatch(text) is not None,
        "y": text == "Y",
        "patronymic": not text.isascii() and _PATRONYMIC.fullmatch(text) is not None,
        "cyrillic": not text.isascii() and _CYRILLIC.fullmatch(text) is not None,
    }


def _plain_words(text: str) -> list[str]:
    """The words of a text as they are written, where each is one word when it is folded; else as they are folded."""
    words = text.split()
    folded = [normalize_name(word) for word in words]
    return words if all(folded) and not any(" " in word for word in folded) else " ".join(folded).split()


def _by_phrase(tables: Iterable[Mapping[str, Iterable[str]]]) -> dict[str, str]:
    """The qualifier of each phrase; what a later table says counts."""
    return {phrase: qualifier for table in tables for qualifier, phrases in table.items() for phrase in phrases}


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
