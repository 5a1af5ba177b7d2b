"""The words and numbers of a date in a museum's words, each with what it may mean, by the lists of schemas.words."""

import functools
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from schemas.date_words import DateWords
from schemas.words import word_lists

_PART = {
    "early": (0, 1 / 3),
    "middle": (1 / 3, 2 / 3),
    "late": (2 / 3, 1),
    "first_half": (0, 0.5),
    "second_half": (0.5, 1),
}
_MEANS: Mapping[str, tuple[str, Any]] = {
    **{"before_christ": ("era", "bc"), "after_christ": ("era", "ad"), "century": ("unit", 100)},
    **{
        "millennium": ("unit", 1000),
        "last": ("nth", 0),
        "or_before": ("behind", "until"),
        "or_after": ("behind", "since"),
    },
    **{"tenths": ("size", 10), "quarters": ("size", 4), "thirds": ("size", 3), "halves": ("size", 2)},
    **{name: ("part", share) for name, share in _PART.items()},
    **{name: ("bound", name) for name in ("before", "until", "after", "since")},
    "open_end": ("behind", "since"),
}
"""What a list of words says: its kind, and a value. Another list is of the kind that it is called by."""
_OWN = "own"
"""The language of a museum's own words."""
_SUFFIXES = {"decade_suffixes": "s", "ordinal_suffixes": "th"}
_NUMBERED = {"ordinals": "nth", "named_centuries": "named"}

Meaning = tuple[str, Any]
Meanings = Mapping[Meaning, frozenset[str]]
"""What a word may mean, and in which languages."""


class Lexicon(NamedTuple):
    """All lists, for looking up."""

    phrases: Mapping[str, tuple[tuple[tuple[str, ...], Meanings], ...]]
    """By the first word: the words behind it, the most first, and what they mean."""
    suffixes: Mapping[str, frozenset[str]]
    """What stands right behind a number: s makes a decade of it, th an ordinal."""
    letters: frozenset[str]
    """Letters that are words of their own: "a" and "c" are BC only with a dot."""
    runs: frozenset[str]
    """Words that are written without blanks: Chinese, Japanese, Korean."""
    longest_run: int
    """Characters of the longest of them."""
    quiet: frozenset[str]
    """Words that say nothing in front of a year, in no language."""
    eras: Mapping[str, str]
    """Words that are an era's at the end of a date, in every language."""
    explained: frozenset[str]
    """Words with which a museum's own lists say why a date is none."""


@dataclass(slots=True)
class Token:
    """A word, a number or a sign."""

    text: str
    means: dict[str, Any]
    is_close: bool = False
    """Nothing stands between it and the one before."""


_DAY, _MONTH = r"(?:0?[1-9]|[12]\d|3[01]|\?\?|[xX]{2}|uu)", r"(?:I{1,3}|IV|VI{0,3}|IX|XI{0,2})"
_GAP = r"[\s.]*"
_ROMAN_YEAR = "".join(
    [
        rf"M(?:{_GAP}M)?",
        *(
            rf"(?:{_GAP}{one}{_GAP}{ten}|{_GAP}{one}{_GAP}{five}|(?:{_GAP}{five})?(?:{_GAP}{one}){{0,4}})"
            for one, five, ten in ("CDM", "XLC", "IVX")
        ),
    ]
)
_RUN = "々〇ぁ-ゟァ-ヺー-ヿ㐀-鿿가-힣豈-﫿"
_PIECE = re.compile(
    rf"""
      (?=\d)(?:
        (?<![\d.,])(?P<iso>\d{{4}})(?:(?P<sep>[-./]){_DAY}(?P=sep){_DAY}|\ \d\d\ \d\d)
          (?:[tT ]\d\d?:\d\d[\d:.]*\s?(?:[zZ]|UTC|GMT|[+-]\d\d:?\d\d)?)?(?!\d)
      | (?<!\d)(?P<compact>(?:1\d|20)\d\d)(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?!\d)
      | (?<![\d.,])(?:\d{{1,2}}(?:-\d{{1,2}})?\.\s?(?:\d{{1,2}}|{_MONTH})\.\s?
          |\d{{1,2}}(?P<slash>[-/])\d{{1,2}}(?P=slash))(?P<dmy>(?:1\d|20)\d\d)(?![\d.]\d)(?!\d)
      | (?<![\w.,])(?:0?[1-9]|1[0-2])\??[./-](?P<my>(?:1\d|20)\d\d)(?!\d|[-/.]\d)
      | (?<!\d)(?P<ym>\d{{4}})/{_MONTH}(?!\w)
      | (?<![\d.,])(?P<thousands>\d{{1,3}}(?:,\d{{3}}|\.\d{{3}}|'\d{{3}}|\ \d{{3}})+)(?![.,]?\d)
      | (?<![\d.,])(?P<decimal>(?!(?:\d{{4}},)+\d{{4}}(?!\d))\d+(?:[.,]\d+)+[a-z]*)
      | (?<!\d)(?P<mask>(?:1\d|20)(?:--|__|\.\.|\?\?|[xX]{{2}}|uu|-(?=\?))
          |(?:1\d\d|20\d)(?:[-_](?!\w|\s*(?:\d|[A-Z]))|\.\.?(?=\])|\?|[xXu](?!\w)))
      | (?P<number>\d+))
    | (?<!\w)(?=M(?:{_GAP}[MDCLXVI]){{2}})(?P<roman_year>{_ROMAN_YEAR})(?!\w)
    | (?<!\w)(?=[IVX]){_MONTH}[./](?P<month_year>(?:1\d|20)\d\d)(?!\d|[-/.]\d)
    | (?P<run>[{_RUN}]+)
    | (?P<word>[^\W\d_]+)
    | (?P<sign>[^\s\w]|_)
    """,
    re.VERBOSE,
)
_REWRITTEN = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"[(\[]\s*\?+\s*[)\]]", " "),
        (r"(?<=\d)[\[\]](?=-?\??\d)|(?<=-)\[(?=\d)", ""),  # 164[2], 1893[-95], 1906-[27]
        (r"^[\s(\[]*(?:\?+|\.\.)\s*[-/]\s*(?=\d{3})", " until "),
        (r"/\s*\.\.\s*$", "-"),
        # an era that is said once for both sides: "1. Jh. v. - 1. Jh. n. Chr.", "50 av. - 50 ap. J.-C."
        (r"(?<!\w)v\.(?=\s*(?:-|/|bis\b)[^-/]*\bn\.\s?Chr)", "v. Chr."),
        (r"(?<!\w)av\.(?=\s*(?:-|/|à\b)[^-/]*\bapr?\.\s?J)", "av. J.-C."),
    )
)
_DAYS = re.compile(r"(?<=[^\W\d_][. ])(\d\d?)-\d\d?(?=, \d{4}(?!\d))")
_ITALIAN_CENTURY = re.compile(r"(?<!\w)'([2-9])00(?!\w)")
_HEBREW_PREFIX = re.compile(r"(?<=[א-ת])[-־](?=\d)")
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−~〜～־", "-"),
        **dict.fromkeys("’‘ʼ´`′ʹ", "'"),
        **{"״": '"', "〈": "(", "〉": ")"},
        **{"\u200b": " ", "\u00ad": ""},
    }
)
_PRIMES = dict.fromkeys(map(ord, "\u0384\u00b4\u0374"), "'")
_CYRILLIC_ROMAN = re.compile(r"(?<!\w)[IVXХІ]+(?!\w)")
_LATIN = str.maketrans("ХІ", "XI")
_CENTURY_IN_SHORT = re.compile(r"(?<=\d)(st|nd|rd|th)C(?![a-z])")
_CENTURY_IN_FRONT = re.compile(r"(?<!\w)C(?!14)(1\d|2[01])(?!\w)")  # C14 dates bones
_HAN_DIGITS = {digit: str(value) for value, digit in enumerate("〇一二三四五六七八九")} | {"零": "0"}
_ROMANS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile(r"(x{0,3}(?:ix|iv|v?i{0,4}))([^ivx]*)", re.IGNORECASE)
_QUIET = frozenset(".'\"?!<>*~≈±^_\\©")
"""Signs that say nothing; a dot and an apostrophe may also stand within an abbreviation."""


def plain_text(text: str) -> str:
    """The text with one form of each dash, quote and digit, and without brackets within numbers."""
    if not text.isascii() and not (text := text.translate(_PLAIN)).isascii():
        text = _CYRILLIC_ROMAN.sub(lambda number: number[0].translate(_LATIN), text.translate(_PRIMES))
        text = unicodedata.normalize("NFKC", text).translate(_PLAIN)
        text = "".join(str(unicodedata.digit(sign)) if sign > "\x7f" and sign.isdecimal() else sign for sign in text)
        text = re.sub("[〇零一二三四五六七八九]{4}", lambda year: "".join(map(_HAN_DIGITS.__getitem__, year[0])), text)
        text = _HEBREW_PREFIX.sub(" ", text).replace("から", "-")  # from ... to
    if "C" in text:
        text = _CENTURY_IN_SHORT.sub(r"\1 C", text)  # 19thC
        text = _CENTURY_IN_FRONT.sub(r"\1th C", text)  # C19
    if "00" in text and "'" in text:
        text = _ITALIAN_CENTURY.sub(lambda century: f"secolo {int(century[1]) + 11}", text)
    if "-" in text and "," in text:
        text = _DAYS.sub(r"\1", text)  # April 22-24, 1865
    if "[" in text or "(" in text or "?" in text or ".." in text or "v. " in text:
        for pattern, words in _REWRITTEN:
            text = pattern.sub(words, text)
    return text


def without_accents(word: str) -> str:
    """The word without accents: "début" is "debut"."""
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


@functools.lru_cache(maxsize=8)
def lexicon_with(own: str | None) -> Lexicon:
    """The lists of schemas/words/dates and a museum's own, which win; `own` is the JSON of a DateWords."""
    shipped = {name: DateWords.model_validate(lists) for name, lists in word_lists("dates").items()}
    return lexicon_of(shipped if own is None else {**shipped, _OWN: DateWords.model_validate_json(own)})


def lexicon_of(languages: Mapping[str, DateWords]) -> Lexicon:
    """Lists by language, for looking up."""
    phrases: dict[str, dict[tuple[str, ...], dict[Meaning, frozenset[str]]]] = {}
    entries = [
        (language, _words(word), meaning) for language, lists in languages.items() for word, meaning in _entries(lists)
    ]
    exact = {(*words,) for _, words, _ in entries}
    for language, words, meaning in entries:
        for first, *behind in {(*words,), *({(*map(without_accents, words),)} - exact)}:
            means = phrases.setdefault(first, {}).setdefault((*behind,), {})
            means[meaning] = means.get(meaning, frozenset()) | {language}
    suffixes: dict[str, frozenset[str]] = {}
    for lists in languages.values():
        for name, kind in _SUFFIXES.items():
            for word in map(str.lower, getattr(lists, name)):
                for form in {word, without_accents(word)}:
                    suffixes[form] = suffixes.get(form, frozenset()) | {kind}
    by_length = {first: tuple(sorted(of.items(), key=lambda entry: -len(entry[0]))) for first, of in phrases.items()}
    runs = frozenset(
        word for word in (*by_length, *suffixes) if re.match(f"[{_RUN}]", word) and not _is_dynasty(word, phrases)
    )
    longest = max(map(len, runs), default=1)
    letters = frozenset(word for word, of in phrases.items() if len(word) == 1 and () in of)
    quiet = [
        first
        for first, of in phrases.items()
        if ("little", True) in of.get((), {}) and {kind for kind, _ in of[()]} <= {"little", "unit", "notes"}
    ]
    eras = {
        first: value
        for first, of in phrases.items()
        for kind, value in of.get((), ())
        if kind == "era" and len(first) > 1 and {kind for kind, _ in of[()]} <= {"era", "little", "joins"}
    }
    return Lexicon(
        MappingProxyType(by_length),
        MappingProxyType(suffixes),
        letters,
        runs,
        longest,
        frozenset(["", *quiet]),
        MappingProxyType(eras),
        _explained(languages.get(_OWN, DateWords())),
    )


def _explained(own: DateWords) -> frozenset[str]:
    return frozenset(_words(word)[0] for word in (*own.no_date, *own.calendars))


def _is_dynasty(word: str, phrases: Mapping[str, Mapping[tuple[str, ...], Mapping[Meaning, frozenset[str]]]]) -> bool:
    """Whether a sign is the name of a dynasty, which only counts where it stands alone: 明, but not in 明治."""
    return len(word) == 1 and {kind for kind, _ in phrases.get(word, {}).get((), {})} == {"periods"}


def _entries(lists: DateWords) -> Iterator[tuple[str, Meaning]]:
    for name in DateWords.model_fields:
        value = getattr(lists, name)
        if name in _NUMBERED:
            yield from ((word, (_NUMBERED[name], number)) for number, words in value.items() for word in words)
        elif name not in _SUFFIXES:
            yield from ((word, _MEANS.get(name, (name, True))) for word in value)


def _words(phrase: str) -> list[str]:
    return [piece[0] for piece in re.finditer(r"[^\W\d_]+", unicodedata.normalize("NFKC", phrase).lower())]


def tokens(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a plain text, without signs that say nothing, each with what it means in the text's language.

    Empty `means`: a word that no list has.
    """
    pieces = _pieces(text, lexicon)
    found: list[tuple[Token, Meanings | None]] = []
    place = 0
    while place < len(pieces):
        size, entry = _read(pieces, place, lexicon)
        if entry is not None:
            found.append(entry)
        place += size
    return _chosen(found)


class _Piece(NamedTuple):
    kind: str
    text: str
    is_close: bool
    value: str


def _pieces(text: str, lexicon: Lexicon) -> list[_Piece]:
    pieces: list[_Piece] = []
    end = 0
    for match in _PIECE.finditer(text):
        kind = "iso" if match.lastgroup == "sep" else str(match.lastgroup)
        start, is_close = match.start(), match.start() == end
        end = match.end()
        if kind == "run":
            pieces += _cut(match[0], lexicon, is_close)
        else:
            pieces.append(_Piece(kind, text[start:end], is_close, match[kind]))
    return pieces


def _cut(run: str, lexicon: Lexicon, is_close: bool) -> Iterator[_Piece]:
    """The words of a run without blanks, the longest first; what is in no list is one piece up to the next that is."""
    place = unread = 0
    while place < len(run):
        longest = range(min(lexicon.longest_run, len(run) - place), 0, -1)
        size = next((size for size in longest if run[place : place + size] in lexicon.runs), 0)
        if size and unread < place:
            yield _Piece("word", run[unread:place], is_close or unread > 0, "")
        if size:
            yield _Piece("word", run[place : place + size], is_close or place > 0, "")
        place += size or 1
        unread = place if size else unread
    if unread < place:
        yield _Piece("word", run[unread:], is_close or unread > 0, "")


_Entry = tuple[Token, Meanings | None]


def _read(pieces: list[_Piece], place: int, lexicon: Lexicon) -> tuple[int, _Entry | None]:
    """The token at a place, and how many pieces it takes."""
    piece = pieces[place]
    if piece.kind == "word":
        return _read_word(pieces, place, lexicon)
    if piece.kind == "number":
        size, kinds = _suffix(pieces, place + 1, lexicon)
        number = int(piece.text) if len(piece.text) < 8 else 0
        means: dict[str, Any] = {"number": number, "digits": len(piece.text)}
        if number >= 100 or "th" not in kinds:
            kinds = kinds & {"s"} if number and number % 10 == 0 else frozenset()
        else:
            kinds = kinds if number % 10 == 0 else kinds & {"th"}
        size = size if kinds else 0
        return 1 + size, (Token(piece.text, means | dict.fromkeys(kinds, True), piece.is_close), None)
    if piece.kind == "sign":
        return 1, None if piece.text in _QUIET else (Token(piece.text, {"sign": piece.text}, piece.is_close), None)
    return 1, (Token(piece.text, _of_number(piece), piece.is_close), None)


def _of_number(piece: _Piece) -> dict[str, Any]:
    if piece.kind == "mask":
        digits = re.match(r"\d+", piece.text)
        number = int(digits[0]) if digits else 0
        return {"range": (number * 100, number * 100 + 99) if number < 100 else (number * 10, number * 10 + 9)}
    if piece.kind == "thousands":
        return {"number": int(re.sub(r"\D", "", piece.text)), "digits": 7, "thousands": True}
    if piece.kind == "decimal":
        return {}
    if piece.kind == "roman_year":
        letters = re.sub(r"[\s.]", "", piece.text).lower()
        year = number_of_roman(letters)
        return {"number": year, "digits": 4, "date": True} if len(letters) > 2 and year >= 1100 else {}
    return {"number": int(piece.value), "digits": 4, "date": True}


def _suffix(pieces: list[_Piece], place: int, lexicon: Lexicon) -> tuple[int, frozenset[str]]:
    """How many pieces the suffix of a number takes, and what it makes of it."""
    size = 0
    for size in (0, 1):
        if place + size >= len(pieces) or not pieces[place + size].is_close:
            break
        piece = pieces[place + size]
        if (kinds := lexicon.suffixes.get(piece.text.lower())) is not None:
            return size + 1, kinds
        is_dot = piece.text == "." and [one.text for one in pieces[place + 1 : place + 2]] in (["a"], ["o"])  # 2.ª
        if piece.text not in {"-", "'", ":"} and not is_dot:
            break
    return 0, frozenset()


def _read_word(pieces: list[_Piece], place: int, lexicon: Lexicon) -> tuple[int, _Entry | None]:
    piece = pieces[place]
    size, means = _phrase(pieces, place, lexicon)
    token = Token(piece.text, {}, piece.is_close)
    roman = _ROMAN.fullmatch(piece.text)
    if roman and roman[1] and (roman[2].lower() in lexicon.suffixes or not roman[2]) and (size < 2):
        is_word = bool(means and roman[2])  # "vid." is no sixth
        is_upper = roman[1].isupper() or (len(roman[1]) > 1 and not is_word and _is_beside_unit(pieces, place, lexicon))
        if is_upper and (not means or len(piece.text) > 1 or piece.text.isupper()):
            extra = 0 if roman[2] else _suffix(pieces, place + 1, lexicon)[0]
            token.means = {"roman": number_of_roman(roman[1].lower())} | ({"th": True} if roman[2] or extra else {})
            return 1 + extra, (token, means if size == 1 and means else None)
    return max(size, 1), (token, means or {})


def _is_beside_unit(pieces: list[_Piece], place: int, lexicon: Lexicon) -> bool:
    beside = [
        piece for piece in (*pieces[place + 1 : place + 3], *pieces[max(place - 2, 0) : place]) if piece.kind == "word"
    ]
    return any(("unit", 100) in dict(lexicon.phrases.get(piece.text.lower(), ())).get((), {}) for piece in beside)


def _phrase(pieces: list[_Piece], place: int, lexicon: Lexicon) -> tuple[int, Meanings]:
    """The longest phrase of the lists that begins here: how many pieces it takes, and what it means."""
    first = pieces[place].text.lower()
    for word in (first,) if first.isascii() else (first, without_accents(first)):
        for behind, means in lexicon.phrases.get(word, ()):
            size = _matched(pieces, place, behind, is_dot_needed=word in lexicon.letters) if behind else 1
            if size:
                return size, means
    return 0, {}


def _matched(pieces: list[_Piece], place: int, behind: tuple[str, ...], *, is_dot_needed: bool) -> int:
    """How many pieces a phrase takes; 0 where it isn't there. Dots, hyphens and apostrophes may stand within it."""
    at, has_dot = place + 1, False
    for word in behind:
        while at < len(pieces) and pieces[at].text in {".", "-", "'", '"'}:
            has_dot |= pieces[at].text == "."
            at += 1
        if at >= len(pieces) or pieces[at].kind != "word":
            return 0
        text = pieces[at].text.lower()
        if word != text and (text.isascii() or word != without_accents(text)):
            return 0
        at += 1
    return 0 if is_dot_needed and not has_dot and all(len(word) == 1 for word in behind) else at - place


def _chosen(found: Iterable[_Entry]) -> list[Token]:
    """Tokens with one meaning of each kind: where languages disagree, that of the text's language."""
    entries = list(found)
    votes: Counter[str] | None = None
    for token, means in entries:
        if means and len(means) == 1:
            kind, value = next(iter(means))
            token.means[kind] = value
        elif means:
            votes = _votes(entries) if votes is None else votes
            token.means |= dict(_of_language(means, votes))
    return [token for token, _ in entries]


def _votes(entries: Iterable[_Entry]) -> Counter[str]:
    """How many words are certain to be of each language; a museum's own come before all."""
    votes = Counter({_OWN: sys.maxsize})
    for _, means in entries:
        if means and len(means) == 1:
            votes.update(next(iter(means.values())))
    return votes


def _of_language(means: Meanings, votes: Counter[str]) -> Iterable[Meaning]:
    best = max((votes[language] for languages in means.values() for language in languages), default=0)
    kept = [
        (meaning, languages) for meaning, languages in means.items() if any(votes[name] == best for name in languages)
    ]
    return [meaning for meaning, languages in sorted(kept, key=lambda entry: len(entry[1]))]


def number_of_roman(text: str) -> int:
    """The number of Roman digits in lower case.

    >>> [number_of_roman(text) for text in ("xix", "iv", "mdcccl", "mdliiii")]
    [19, 4, 1850, 1554]
    """
    values = [_ROMANS[letter] for letter in text]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))
