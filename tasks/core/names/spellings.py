"""One name in many spellings: what counts as the same in groups, strata, caps and weights; `KEYS` says it by field."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import counted, listed, quoted
from tasks.core.columns import Column, whole

Key = Callable[[str], str]
"""What gives the form in which a text is compared: texts of one form are one name."""

QUOTES = frozenset(
    "\"'`´«»‘’‚‛“”„‟‹›⹂「」『』〝〞〟"  # Unicode's Quotation_Mark, and what is typed for it
    "ʹʺʻʼʽʾʿ′″‵‶Ꞌꞌ՚"  # modifier letters and primes that stand for apostrophes, also in transliterated names
)
_LIKE_BLANKS = frozenset(".·‧・。−⁃")
"""Dots, and what parts words as dashes do; dashes themselves are Unicode's Pd, `_` and its like are Pc."""
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
"""Unicode's Default_Ignorable_Code_Point, as far as it isn't in the category Cf."""
_WITH_ACCENTS = ("LATIN ", "GREEK ")
"""Scripts in which a mark above or below a letter is an accent. In others it makes another letter: か, が; и, й."""
_MOST_LISTED = 5
_MOST_SPELLINGS = 3
"""Of each name that a note lists; the report has all."""


@lru_cache(maxsize=65536)
def name_key(text: str) -> str:
    """The form in which names are compared; the text in NFC where nothing would be left. The key of a key is itself.

    It leaves out case, accents of Latin and Greek letters, width and other forms of compatibility (Unicode's NFKC),
    invisible signs, quotes and apostrophes; dots, hyphens, dashes and blanks of any kind are one blank. Everything else
    counts: letters with a stroke, marks of other scripts, commas, brackets, numbers.

    >>> name_key("J.M.W.  TURNER"), name_key("Toulouse–Lautrec."), name_key("Kiyoshi O’Neill"), name_key("-")
    ('j m w turner', 'toulouse lautrec', 'kiyoshi oneill', '-')
    >>> name_key("Müller") == name_key("Muller"), name_key("ハ") == name_key("バ"), name_key("Høst") == name_key("Host")
    (True, False, False)
    """
    folded = _fold(text)
    # what one sign beyond ASCII stands for may be folded once more
    while folded and not text.isascii() and (again := _fold(folded)) != folded:
        folded = again
    return folded or unicodedata.normalize("NFC", text)


def label_key(text: str) -> str:
    """`name_key` of an attribute's text; the text itself where it has a digit: that may be an identifier.

    >>> label_key("Oil on Canvas"), label_key("12-3A")
    ('oil on canvas', '12-3A')
    """
    return text if any(sign.isdigit() for sign in text) else name_key(text)


def series_key(text: str) -> str:
    r"""That of an artist's name, a line feed, and the name of a series of theirs.

    >>> series_key("Claude MONET\nHaystacks"), series_key("\nHaystacks")
    ('claude monet\nhaystacks', '\nhaystacks')
    """
    artist, _, series = text.partition("\n")
    return f"{name_key(artist)}\n{label_key(series)}"


def weigher_key(text: str) -> str:
    r"""That of whose work a record is; who is unknown is no name, and has a line feed in it.

    >>> weigher_key("Claude MONET"), weigher_key("unknown\nMet")
    ('claude monet', 'unknown\nMet')
    """
    return text if "\n" in text else name_key(text)


KEYS: Mapping[str, Key] = {
    "artist": name_key,
    "style": name_key,
    "styles": name_key,
    "series": series_key,
    "weighs_as": weigher_key,
}
"""Fields that are names. Sources, objects (declared groups), centuries and record ids are none, and compared as they
are; all that else has a point in its column's name is an attribute, such as `by.method`."""


def field_of_column(column: str) -> str:
    """The field that a view's column shows.

    >>> field_of_column("cap.photographer"), field_of_column("style"), field_of_column("weighs_as")
    ('photographer', 'style', 'artist')
    """
    return "artist" if column == "weighs_as" else column.rpartition(".")[2]


def key_of_column(column: str) -> Key:
    """How the texts of a view's column are compared.

    >>> key_of_column("style") is name_key, key_of_column("cap.photographer") is label_key, key_of_column("object")("A")
    (True, True, 'A')
    """
    return KEYS.get(column.rpartition(".")[2], label_key if "." in column else str)


def keys(column: Column, key: Callable[[str], str | None]) -> pa.Array:
    """(N,) the keys of texts, or of lists of texts; null stays null. Each text is folded once, however often it stands.

    >>> keys(pa.array(["Cubism", "CUBISM", None]), name_key).to_pylist()
    ['cubism', 'cubism', None]
    """
    one = whole(column)
    if key is str:
        return one
    if not pa.types.is_list(one.type):
        encoded = one.dictionary_encode()
        return pa.array([key(text) for text in encoded.dictionary.to_pylist()], pa.string()).take(encoded.indices)
    ends = np.append(0, np.cumsum(pc.fill_null(pc.list_value_length(one), 0)))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), keys(pc.list_flatten(one), key), mask=pc.is_null(one))


class SpelledName(NamedTuple):
    """One name of a field. spellings: each with the records that have it, the most frequent first, ties by text."""

    field: str
    spellings: list[tuple[str, int]]

    @property
    def text(self) -> str:
        """The spelling under which the name is shown."""
        return self.spellings[0][0]

    @property
    def counts(self) -> list[str]:
        """Each spelling with how many records have it: "'Henri Martin' (12)"; a series behind its artist."""
        return [f"{quoted(text.replace(chr(10), ': '))} ({count:,})" for text, count in self.spellings]


def names_of(column: Column, field: str, key: Key) -> dict[str, SpelledName]:
    """The names in a column of texts or lists of texts, by key, sorted, whatever the order of rows; nulls are none."""
    one = whole(column)
    texts = pc.list_flatten(one) if pa.types.is_list(one.type) else one
    spelled: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for text, count in zip(*(part.to_pylist() for part in pc.value_counts(texts.drop_null()).flatten()), strict=True):
        spelled[key(text)].append((text, count))
    by_count = {form: sorted(said, key=lambda one: (-one[1], one[0])) for form, said in spelled.items()}
    return {form: SpelledName(field, said) for form, said in sorted(by_count.items())}


def joined_names(view: pa.Table, columns: Sequence[str]) -> list[SpelledName]:
    """Names that stand in several spellings in these columns of a view, column by column; a field once."""
    found: dict[tuple[str, ...], SpelledName] = {}
    for column in columns:
        if (key := key_of_column(column)) is str:
            continue
        for name in names_of(view[column], field_of_column(column), key).values():
            if len(name.spellings) > 1:
                found.setdefault((name.field, *(text for text, _ in name.spellings)), name)
    return list(found.values())


def joined_note(label: str, names: Sequence[SpelledName]) -> Iterator[str]:
    """A sentence on names in several spellings, those with most records first; none where there are none."""
    if names:
        order = sorted(names, key=lambda name: (-sum(count for _, count in name.spellings), name))
        texts = listed([f"{name.field} {listed(name.counts, _MOST_SPELLINGS)}" for name in order], _MOST_LISTED, "; ")
        ways = "is spelled in several ways and counts" if len(names) == 1 else "are spelled in several ways and count"
        yield f"{label}: {counted(len(names), 'name')} {ways} as one: {texts}"


def _fold(text: str) -> str:
    if text.isascii():
        return " ".join(text.casefold().translate(_ASCII).split())
    # quotes first: NFKD makes a blank and an accent of ´
    plain = "".join(map(_plain_sign, unicodedata.normalize("NFC", text))).casefold()
    apart = unicodedata.normalize("NFKD", plain).casefold()
    return " ".join(unicodedata.normalize("NFC", "".join(_without_accents(apart))).split())


@lru_cache(maxsize=4096)
def _plain_sign(sign: str) -> str:
    """What stands for a sign: nothing, a blank, or itself."""
    category = unicodedata.category(sign)
    if sign.isspace() or category in {"Pd", "Pc"} or sign in _LIKE_BLANKS:
        return " "
    if category in {"Cf", "Cc"} or sign in QUOTES or sign in _INVISIBLE:
        return ""
    return "i" if sign == "ı" else sign  # its capital is that of i


_ASCII = {code: _plain_sign(chr(code)) for code in range(128)}


def _without_accents(apart: str) -> Iterator[str]:
    """The signs of a text in NFKD, but for marks behind letters of scripts in which they are accents."""
    letter = " "
    for sign in apart:
        if sign.isascii() or not unicodedata.category(sign).startswith("M"):
            letter = sign
        elif unicodedata.name(letter, "").startswith(_WITH_ACCENTS):
            continue
        yield sign
