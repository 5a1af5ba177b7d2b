"""The words and numbers of a date in a museum's words, each with what it may mean, by the lists of schemas/words."""

import functools
import itertools
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from schemas.word_lists import DateWords, word_lists

_OWN = "own"  # the language of a museum's own words

Meaning = tuple[str, Any]
Meanings = Mapping[Meaning, AbstractSet[str]]
"""What a word may mean, and in which languages."""
Pieces = Sequence[re.Match[str]]


@dataclass(frozen=True, eq=False, slots=True)
class Lexicon:
    """All lists, for looking up."""

    meanings: Mapping[str, Meanings]  # by the words of a phrase; none for how one begins; "-th" stands behind a number
    pieces: re.Pattern[str]  # numbers, words and signs
    explained: frozenset[str]  # words with which a museum's own lists say why a date is none


@dataclass(slots=True)
class DateToken:
    """A word, a number or a sign."""

    text: str
    means: dict[str, Any]  # values by kind; empty: a word that no list has
    is_close: bool  # nothing stands between it and the one before
    year_at: int  # where in the text its digits of a year begin


_PATTERNS = word_lists("date_patterns")
_UNSPACED = _PATTERNS["pieces"]["parts"]["UNSPACED"]
"""Signs of Chinese, Japanese and Korean, which are written without blanks."""
_SIGNS = {ord(sign): plain for plain, signs in _PATTERNS["spellings"]["signs"].items() for sign in signs}
_REWRITTEN = [(sign, re.compile(form), plain) for sign, form, plain in _PATTERNS["spellings"]["rewritten"]]
_CYRILLIC_ROMAN, _LATIN = re.compile(r"(?<!\w)[IVXХІ]+(?!\w)"), str.maketrans("ХІ", "XI")
_OTHER_DIGITS = re.compile(r"(?![0-9])\d|[〇零一二三四五六七八九]{4}")
_IN_FRONT_OF_SUFFIX = re.compile(r"(?:[-':]|\.(?=[ao](?![^\W\d_])))?")  # 2.ª
_ROMANS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile(r"(?=[ivx])(x{0,3}(?:ix|iv|v?i{0,4}))([^ivx]*)", re.IGNORECASE | re.ASCII)
_QUIET, _WITHIN_PHRASE = (frozenset(_PATTERNS["kinds"][what]) for what in ("quiet", "within_phrases"))
_WORDS = frozenset({"word", "unspaced"})


def plain_text(text: str) -> str:
    """The text with one form of each dash, quote and digit, and without brackets within numbers."""
    if not text.isascii() and not (text := text.translate(_SIGNS)).isascii():
        text = _CYRILLIC_ROMAN.sub(lambda number: number[0].translate(_LATIN), text)
        text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
        text = _OTHER_DIGITS.sub(lambda found: "".join(f"{unicodedata.numeric(digit):.0f}" for digit in found[0]), text)
    for sign, pattern, plain in _REWRITTEN:
        if sign in text:
            text = pattern.sub(plain, text)
    return text


def without_accents(word: str) -> str:
    """The word without accents: "début" is "debut"."""
    if word.isascii():
        return word
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


@functools.lru_cache(maxsize=8)
def lexicon_with(own: str | None) -> Lexicon:
    """The lists of schemas/words/dates and a museum's own, which win; `own` is the JSON of a DateWords."""
    shipped = {name: DateWords.model_validate(lists) for name, lists in word_lists("dates").items()}
    return lexicon_of(shipped if own is None else {**shipped, _OWN: DateWords.model_validate_json(own)})


def lexicon_of(languages: Mapping[str, DateWords]) -> Lexicon:
    """Lists by language, for looking up."""
    entries = [(language, *entry) for language, lists in languages.items() for entry in _entries(lists)]
    exact = {phrase for _, phrase, _ in entries}
    meanings: dict[str, dict[Meaning, set[str]]] = {}
    for language, phrase, meaning in entries:
        for form in {phrase, *({without_accents(phrase)} - exact)}:
            for begin in itertools.accumulate(form.split(), "{} {}".format):
                meanings.setdefault(begin, {})
            meanings[form].setdefault(meaning, set()).add(language)
    own = [(phrase, kind) for language, phrase, (kind, _) in entries if language == _OWN]
    explained = frozenset(phrase.split()[0] for phrase, kind in own if kind in {"no_date", "calendars"})
    return Lexicon(meanings, _pieces_with(meanings), explained)


def _entries(lists: DateWords) -> Iterator[tuple[str, Meaning]]:
    for name, says in word_lists("lists")["dates"].items():
        words, kind, value = getattr(lists, name), says.get("kind", name), says.get("value", True)
        single = tuple(value) if isinstance(value, list) else value
        mark = "-" if kind == "suffix" else ""
        for value, phrases in words.items() if isinstance(words, Mapping) else [(single, words)]:
            for phrase in phrases:
                plain = unicodedata.normalize("NFKC", phrase).lower()
                yield mark + " ".join(re.findall(r"[^\W\d_]+|°", plain)), (kind, value)


def _pieces_with(meanings: Mapping[str, Meanings]) -> re.Pattern[str]:
    """The pattern of pieces. The name of a dynasty only counts where it stands alone: 明, but not in 明治."""
    words = {
        phrase.split()[0].removeprefix("-")
        for phrase, means in meanings.items()
        if len(phrase) > 1 or {kind for kind, _ in means} != {"periods"}
    }
    unspaced = [word for word in sorted(words, key=len, reverse=True) if re.match(_UNSPACED, word)]
    pattern = _PATTERNS["pieces"]["pieces"]
    for name, part in {**_PATTERNS["pieces"]["parts"], "RUNS": f"(?:{'|'.join(unspaced) or '(?!)'})"}.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern, re.VERBOSE)


def tokens(text: str, lexicon: Lexicon) -> list[DateToken]:
    """The tokens of a plain text, without signs that say nothing, each with what it means in the text's language."""
    pieces = [*lexicon.pieces.finditer(text)]
    found: list[tuple[DateToken, Meanings]] = []
    place = 0
    while place < len(pieces):
        size, means, meanings = _read(pieces, place, lexicon)
        if means.get("sign") not in _QUIET:
            piece, end = pieces[place], pieces[place - 1].end() if place else 0
            token = DateToken(piece[0], means, piece.start() == end, piece.start(piece.lastgroup or 0))
            found.append((token, meanings))
        place += size
    _choose(found)
    return [token for token, _ in found]


def _read(pieces: Pieces, place: int, lexicon: Lexicon) -> tuple[int, dict[str, Any], Meanings]:
    """How many pieces the token at a place takes, what it means, and what it may mean."""
    kind = str(pieces[place].lastgroup)
    if kind in _WORDS:
        return _read_word(pieces, place, lexicon)
    text = pieces[place][kind]
    if kind != "number":
        return 1, {"sign": text} if kind == "sign" else _read_alone(kind, re.sub(r"\W|_", "", text)), {}
    number = int(text) if len(text) < 8 else 0
    size, suffix = _suffix(pieces, place, lexicon)
    suffix &= {name for name, is_fit in (("s", number and number % 10 == 0), ("th", number < 100)) if is_fit}
    return 1 + size * bool(suffix), {"number": number, "digits": len(text)} | dict.fromkeys(suffix, True), {}


def _read_alone(kind: str, bare: str) -> dict[str, Any]:
    """What a number of another form means; bare: without signs."""
    if kind == "decimal":
        return {}
    if kind == "mask":
        digits = bare.rstrip("xXu")
        return {"range": (int(digits.ljust(4, "0")), 10 ** (4 - len(digits)))}  # the first year, and how many
    if kind == "thousands":
        return {"number": int(bare), "digits": 7, "thousands": True}
    year = int(bare) if bare.isdigit() else number_of_roman(bare.lower()) if len(bare) > 2 else 0
    return {"number": year, "digits": 4, "date": True} if year >= 1100 or bare.isdigit() else {}


def _suffix(pieces: Pieces, place: int, lexicon: Lexicon) -> tuple[int, AbstractSet[str]]:
    """How many pieces the suffix of a number takes, and what it makes of it."""
    begin = _IN_FRONT_OF_SUFFIX.match(pieces[place].string, pieces[place].end())
    for size, piece in enumerate(pieces[place + 1 : place + 3], 1):
        if begin and piece.start() == begin.end() and (means := lexicon.meanings.get("-" + piece[0].lower())):
            return size, {value for _, value in means}
    return 0, frozenset()


def _read_word(pieces: Pieces, place: int, lexicon: Lexicon) -> tuple[int, dict[str, Any], Meanings]:
    size, meanings = _phrase(pieces, place, lexicon)
    roman = _ROMAN.fullmatch(pieces[place][0])
    if roman and size < 2 and (not roman[2] or f"-{roman[2].lower()}" in lexicon.meanings):
        is_word = len(roman[1]) == 1 or bool(meanings and roman[2])  # "vid." is no sixth
        beside = (*pieces[max(place - 2, 0) : place], *pieces[place + 1 : place + 3])
        centuries = (("unit", 100) in lexicon.meanings.get(piece[0].lower(), {}) for piece in beside)
        if roman[1].isupper() or (not is_word and any(centuries)):
            size = 1 if roman[2] else 1 + _suffix(pieces, place, lexicon)[0]
            return size, {"roman": number_of_roman(roman[1].lower())}, meanings
    return max(size, 1), {}, meanings


def _phrase(pieces: Pieces, place: int, lexicon: Lexicon) -> tuple[int, Meanings]:
    """The longest phrase of the lists that begins here: how many pieces it takes, and what it means.

    Dots, hyphens and apostrophes may stand within it; letters that are words of their own are none without a dot.
    """
    longest: tuple[int, Meanings] = 0, {}
    phrase, has_dot = "", False
    for size, piece in enumerate(pieces[place:], 1):
        if piece[0] in _WITHIN_PHRASE:
            has_dot |= piece[0] == "."
            continue
        if piece.lastgroup not in _WORDS:
            break
        phrase = f"{phrase} {piece[0].lower()}".lstrip()
        meanings = lexicon.meanings.get(phrase) or lexicon.meanings.get(without_accents(phrase))
        if meanings is None:
            break
        is_dot_needed = 1 < phrase.count(" ") * 2 + 1 == len(phrase) and lexicon.meanings.get(phrase[0])
        if meanings and (has_dot or not is_dot_needed):
            longest = size, meanings
    return longest


def _choose(found: Sequence[tuple[DateToken, Meanings]]) -> None:
    """Give each token one meaning of each kind: where languages disagree, that of most words that are certain; a
    museum's own come before all.
    """
    votes = Counter({_OWN: sys.maxsize})
    for token, meanings in [entry for entry in found if len(entry[1]) == 1]:
        token.means.update(meanings.keys())
        votes.update(*meanings.values())
    for token, meanings in [entry for entry in found if len(entry[1]) > 1]:
        best = max(votes[language] for languages in meanings.values() for language in languages)
        for (kind, value), languages in sorted(meanings.items(), key=lambda entry: len(entry[1])):
            if any(votes[language] == best for language in languages):
                token.means[kind] = value


def number_of_roman(text: str) -> int:
    """The number of Roman digits in lower case.

    >>> [number_of_roman(text) for text in ("xix", "iv", "mdcccl", "mdliiii")]
    [19, 4, 1850, 1554]
    """
    values = [_ROMANS[letter] for letter in text]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))
