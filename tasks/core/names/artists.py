"""Attributions: one name for an artist across sources, and a qualifier that says how certain it is.

"After Rembrandt" is not an artist's name, nor is "Workshop of Peter Paul Rubens (Flemish, 1577-1640)": the words in
front become the qualifier, and only the artist's name is left.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.names.commas import turn, without_honours
from tasks.core.names.matching import Aliases, normalize_name
from tasks.core.names.name_words import GENERATIONS

_LONGEST = 300
_LEADING_PHRASES = {
    "attributed to": ("attributed to", "attrib. to", "attr. to", "painting attributed to", "attribué à", "ascribed to"),
    "workshop of": ("workshop of", "atelier of", "atelier de", "werkstatt von", "werkstatt des", "assistant of",
        "assistant to"),
    "studio of": ("studio of",),
    "circle of": ("circle of", "umkreis von", "umkreis des", "entourage de"),
    "follower of": ("follower of", "followers of", "nachfolger von", "nachfolger des", "pupil of", "student of"),
    "manner of": ("manner of", "in the manner of", "imitator of"),
    "school of": ("school of", "schule von", "schule des"),
    "style of": ("style of", "in the style of"),
    "copy after": ("copy after", "copy of", "copy by", "copied after", "copied from", "kopie nach"),
    "after": ("after", "nach", "d'après", "d’après"),
    "possibly": ("possibly", "possibly by", "probably", "probably by", "perhaps", "perhaps by"),
    "": (
        "by", "painted by", "painting by", "drawn by", "designed by", "etched by", "engraved by", "signed by",
        "made by",
        "print by", "artist",
    ),
}  # fmt: skip
_TRAILING_PHRASES = {
    "attributed to": ("attributed", "zugeschrieben"),
    "workshop of": ("workshop", "assistant", "assistants", "werkstatt"),
    "studio of": ("studio",),
    "circle of": ("circle",),
    "follower of": ("follower", "followers"),
    "school of": ("school",),
    "copy after": ("copy",),
}
QUALIFIERS = tuple(qualifier for qualifier in _LEADING_PHRASES if qualifier)
_UNKNOWN = re.compile(
    r"(?:an? |the )?(?:unknown|anon|anonym\w*|anonim[oa]|unidentified|unbekannt\w*|inconnue?|onbekende?|sconosciut[oa]"
    r"|desconocid[oa]|unattributed|not (?:known|identified|recorded))(?: .*)?"
    r"|.* (?:unknown|anonymous|unidentified|unbekannt|not recorded)"
    r"|(?:.* )?artists?(?: s)?|(?:various|multiple)(?: .*)?"
    r"|none|null|nan|n a|不詳|作者不詳|筆者不詳"
)
_SEPARATORS = re.compile(r"[|;\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_YEARS = re.compile(
    r"(.*?[^\W\d_].*?)[\s,]+(?:b|d|c|ca|fl|born|died|active)?\.?\s*(?:1\d{3}|20\d{2})(?!\d)(?:\d|[^\w()\[\]])*"
)
_BEFORE_COMMA = re.compile(r"\s*\([^()]*\)(?=\s*,)")
_AND_HIS = re.compile(
    r"(.*\S)\s+(?:and|or|und|&)\s+(?:his |her )?(workshop|studio|assistants?|circle|followers?|school)", re.IGNORECASE
)
_DOUBT = re.compile(r"[(\[]\s*\?+\s*[)\]]|^[\s?]*\?|(?<![\d–—-])\?[\s?]*$")
"""A "?" behind a year doubts the year, not the artist."""
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Attribution:
    """An artist's name, None if unknown.

    qualifier: one of QUALIFIERS if the source qualifies the attribution.
    """

    name: str | None
    qualifier: str | None = None


def parse_attribution(text: str | None, aliases: Mapping[str, str]) -> Attribution:
    """The attribution in a source's words for an artist. Never raises; the name of a name is itself.

    Of several artists (joined by "|", ";" or lines) the first is the artist. Life dates, nationalities and other names
    in brackets or after commas are left out; "Last, First" becomes "First Last"; an alias to "" is unknown. Accents,
    case and punctuation don't matter for the look-up of aliases, and stay in the name. `merge_aliases` gives aliases
    that are quicker than other mappings.

    >>> parse_attribution("Rubens, Peter Paul (Flemish, 1577-1640), workshop of", {})
    Attribution(name='Peter Paul Rubens', qualifier='workshop of')
    >>> parse_attribution("After Hokusai|Unknown", {"Hokusai": "Katsushika Hokusai"})
    Attribution(name='Katsushika Hokusai', qualifier='after')
    >>> parse_attribution("Unknown, French, 15th century", {})
    Attribution(name=None, qualifier=None)
    """
    if text is None:
        return Attribution(None)
    known = aliases if isinstance(aliases, Aliases) else _cached_aliases(frozenset(aliases.items()))
    return _parse_attribution(text, known)


def with_artist_names(records: pa.Table, aliases: Mapping[str, str]) -> pa.Table:
    """RECORDS with each artist under one name, and the qualifier beside it.

    A qualifier that a record already has, carried over from a release, stays if the record has an artist.
    """
    texts = pc.unique(records["artist"].drop_null())
    attributions = [parse_attribution(text, aliases) for text in texts.to_pylist()]
    place = pc.index_in(records["artist"], value_set=texts)
    names, parsed = (
        pc.take(pa.array(values, pa.string()), place)
        for values in ([each.name for each in attributions], [each.qualifier for each in attributions])
    )
    qualifiers = pc.if_else(pc.is_valid(names), pc.coalesce(parsed, records["artist_qualifier"]), _NONE)
    for name, column in (("artist", names), ("artist_qualifier", qualifiers)):
        at = records.schema.get_field_index(name)
        records = records.set_column(at, records.schema.field(at), column)
    return records


_NONE = pa.scalar(None, pa.string())


@lru_cache(maxsize=8)
def _cached_aliases(aliases: frozenset[tuple[str, str]]) -> Aliases:
    return Aliases(dict(aliases))


@lru_cache(maxsize=65536)
def _parse_attribution(text: str, aliases: Aliases) -> Attribution:
    qualifier: str | None = None
    while True:  # each step leaves less, so this ends
        if aliases.is_name(text):  # a recipe's spelling stays as it is, also with a "?" in it
            return Attribution(text, qualifier)
        text, qualifier = _without_doubt(text, qualifier)  # before the look-up, which ignores the "?"
        if (name := aliases.name(text)) is not None:
            return Attribution(name, qualifier) if name else Attribution(None)
        if (shorter := _first_of_several(_plain(text))) == text:
            if _is_unknown(text):
                return Attribution(None)
            shorter, stripped = _strip_once(text)
            qualifier = _stronger_qualifier(qualifier, stripped)
        if shorter == text:
            return Attribution(text, qualifier)
        text = shorter


def _is_unknown(text: str) -> bool:
    folded = normalize_name(text)
    return not _LETTER.search(folded) or folded in _QUALIFIER_OF_TRAILING or _UNKNOWN.fullmatch(folded) is not None


def _stronger_qualifier(qualifier: str | None, other: str | None) -> str | None:
    """The first of the two, but any other before "possibly"."""
    return (other or qualifier) if qualifier in {None, "possibly"} else qualifier


_QUALIFIER_OF_LEADING = {
    normalize_name(phrase): qualifier
    for qualifier, phrases in _LEADING_PHRASES.items()
    for phrase in phrases
    if phrase != "artist"
}
_QUALIFIER_OF_TRAILING = _QUALIFIER_OF_LEADING | {
    phrase: qualifier for qualifier, words in _TRAILING_PHRASES.items() for phrase in words
}
_IN_FRONT = re.compile(
    r"(?:an? |the )?("
    + "|".join(
        re.escape(phrase)
        for phrase in sorted(sum(_LEADING_PHRASES.values(), ()), key=len, reverse=True)
        if phrase != "artist"
    )
    + r"|artist(?=:))(?::\s*|\s+)(?:the |an? )?(?=\S)",
    re.IGNORECASE,
)


def _strip_once(text: str) -> tuple[str, str | None]:
    """The text without the first thing that is not part of the name, and the qualifier that it was.

    The text itself if there is no such thing.
    """
    for less in _STEPS:
        stripped = less(text)
        if stripped is not None and stripped[0] != text:
            return stripped
    return text, None


def _plain(text: str) -> str:
    cut = text[:_LONGEST]
    while "&" in cut and (phrase := html.unescape(cut)) != cut:  # some sources escape twice
        cut = phrase
    return unicodedata.normalize("NFC", cut)[:_LONGEST]


def _first_of_several(text: str) -> str:
    named = next((part for part in _SEPARATORS.split(text) if normalize_name(part)), "")
    return " ".join(named.split()).lstrip(",:;.-–—* ").rstrip(",:;-–—* ")


def _without_doubt(text: str, qualifier: str | None) -> tuple[str, str | None]:
    if "?" not in text:
        return text, qualifier
    less = _DOUBT.sub(" ", text).strip()
    return (less, _stronger_qualifier(qualifier, "possibly")) if less != text else (text, qualifier)


def _without_brackets(text: str) -> tuple[str, str | None] | None:
    if _BEFORE_COMMA.search(text):
        return _BEFORE_COMMA.sub("", text), None
    at = max(text.rfind("("), text.rfind("["))
    is_at_end = text.endswith((")", "]")) or not set(text[at:]) & set(")]")
    if at < 0 or not is_at_end:
        return None
    before, phrase = text[:at].rstrip(), text[at + 1 :].strip("()[] ")
    folded = normalize_name(phrase)
    if before == text[:at] and folded == "s":  # "artist(s)"
        return None
    if not before:
        return phrase, None
    if folded in GENERATIONS:
        return f"{before} {phrase}", None
    return before, _QUALIFIER_OF_TRAILING.get(folded) or None


def _without_workshop(text: str) -> tuple[str, str | None] | None:
    match = _AND_HIS.fullmatch(text)
    return (match[1], _QUALIFIER_OF_TRAILING.get(normalize_name(match[2]))) if match else None


def _without_years(text: str) -> tuple[str, str | None] | None:
    match = _YEARS.fullmatch(text)
    return (match[1], None) if match else None


def _without_phrase(text: str) -> tuple[str, str | None] | None:
    match = _IN_FRONT.match(text)
    return (text[match.end() :], _QUALIFIER_OF_LEADING.get(normalize_name(match[1])) or None) if match else None


def _without_commas(text: str) -> tuple[str, str | None] | None:
    turned = turn(text, _QUALIFIER_OF_TRAILING)
    if turned is None:
        return None
    qualifier: str | None = None
    for other in turned.qualifiers:
        qualifier = _stronger_qualifier(qualifier, other or None)
    return turned.name, qualifier


def _without_honours(text: str) -> tuple[str, str | None] | None:
    shorter = without_honours(text) if "," not in text else None
    return None if shorter is None else (shorter, None)


_STEPS: tuple[Callable[[str], tuple[str, str | None] | None], ...] = (
    _without_brackets,
    _without_workshop,
    _without_years,
    _without_phrase,
    _without_commas,
    _without_honours,
)
