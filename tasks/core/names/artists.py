"""Whose a work is: one name for an artist across sources, and how sure a source is of it.

"After Rembrandt" is no artist, nor is "Workshop of Peter Paul Rubens (Flemish, 1577-1640)": the words in front are kept
as a qualifier, and the name is the artist's.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.names.aliases import Aliases, normalize_name

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
_GENERATIONS = frozenset(
    (
        "the elder",
        "the younger",
        "elder",
        "younger",
        "der altere",
        "der jungere",
        "i",
        "ii",
        "iii",
        "iv",
        "v",
        "jr",
        "sr",
    )
)
_REMARK = re.compile(
    r".*\d.*|(?:born|died|active|fl|flourished|b|d|ca|c|circa|called|dit|genannt|known|also|possibly|probably)\b.*"
    r"|.* (?:school|period|dynasty|century|style)"
    r"|(?:painter|artist|designer|engraver|etcher|printmaker|sculptor|draftsman|draughtsman|publisher|photographer)"
    r"|(?:american|austrian|belgian|british|bohemian|byzantine|canadian|catalan|chinese|czech|danish|dutch|english|european"
    r"|finnish|flemish|florentine|franco "
    r"flemish|french|genoese|german|greek|hungarian|indian|iranian|irish|italian|japanese"
    r"|korean|mexican|netherlandish|north "
    r"italian|norwegian|persian|polish|portuguese|roman|romanian|russian|scottish|sienese"
    r"|south netherlandish|spanish|swedish|swiss|turkish|ukrainian|venetian|welsh)"
)
_UNKNOWN = re.compile(
    r"(?:an? |the )?(?:unknown|anon|anonym\w*|anonim[oa]|unidentified|unbekannt\w*|inconnue?|onbekende?|sconosciut[oa]"
    r"|desconocid[oa]|unattributed|not (?:known|identified|recorded))(?: .*)?"
    r"|.* (?:unknown|anonymous|unidentified|unbekannt|not recorded)|(?:.* )?artists?(?: "
    r"s)?|(?:various|multiple)(?: .*)?"
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
_DOUBT = re.compile(r"[(\[]\s*\?+\s*[)\]]|^[\s?]*\?|\?[\s?]*$")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Attribution:
    """An artist's name, None where nobody is known.

    And one of QUALIFIERS where a source doubts it, or says it is not theirs.
    """

    name: str | None
    qualifier: str | None = None


def parse_attribution(text: str | None, aliases: Mapping[str, str]) -> Attribution:
    """Who a source's words for an artist mean; total, and the name of a name is itself.

    Of several artists (joined by "|", ";" or lines) the first is the artist. Life dates, nationalities and other names
    in brackets or after commas are left out; "Last, First" is turned round; an alias to "" is nobody. Accents, case and
    punctuation are compared away where aliases are looked up, and kept in the name otherwise. Aliases that are made
    ready (`merged`) are quicker than other mappings.

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

    A qualifier that a record bears, since it is carried over from a release, stays as long as it has an artist.
    """
    texts = pc.unique(records["artist"].drop_null())
    known = [parse_attribution(text, aliases) for text in texts.to_pylist()]
    place = pc.index_in(records["artist"], value_set=texts)
    names, met = (
        pc.take(pa.array(values, pa.string()), place)
        for values in ([found.name for found in known], [found.qualifier for found in known])
    )
    qualifiers = pc.if_else(pc.is_valid(names), pc.coalesce(met, records["artist_qualifier"]), _NONE)
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
        text, qualifier = _without_doubt(text, qualifier)  # before any look-up, which doesn't see the "?"
        if (name := aliases.name(text)) is not None:
            return Attribution(name, qualifier) if name else Attribution(None)
        if (shorter := _first_of_several(_plain(text))) == text:
            if _is_unknown(text):
                return Attribution(None)
            shorter, met = _strip_once(text)
            qualifier = _stronger_qualifier(qualifier, met)
        if shorter == text:
            return Attribution(text, qualifier)
        text = shorter


def _is_unknown(text: str) -> bool:
    folded = normalize_name(text)
    return not _LETTER.search(folded) or folded in _QUALIFIER_OF_TRAILING or _UNKNOWN.fullmatch(folded) is not None


def _stronger_qualifier(qualifier: str | None, met: str | None) -> str | None:
    """The first that was met, but any other before "possibly"."""
    return (met or qualifier) if qualifier in {None, "possibly"} else qualifier


_QUALIFIER_OF_LEADING = {
    normalize_name(said): qualifier
    for qualifier, phrases in _LEADING_PHRASES.items()
    for said in phrases
    if said != "artist"
}
_QUALIFIER_OF_TRAILING = _QUALIFIER_OF_LEADING | {
    said: qualifier for qualifier, words in _TRAILING_PHRASES.items() for said in words
}
_IN_FRONT = re.compile(
    r"(?:an? |the )?("
    + "|".join(
        re.escape(said)
        for said in sorted(sum(_LEADING_PHRASES.values(), ()), key=len, reverse=True)
        if said != "artist"
    )
    + r"|artist(?=:))(?::\s*|\s+)(?:the |an? )?(?=\S)",
    re.IGNORECASE,
)


def _strip_once(text: str) -> tuple[str, str | None]:
    """The text without the first thing that is no part of a name, and the qualifier that this was.

    Else the text as it is.
    """
    for less in _STEPS:
        found = less(text)
        if found is not None and found[0] != text:
            return found
    return text, None


def _plain(text: str) -> str:
    cut = text[:_LONGEST]
    while "&" in cut and (said := html.unescape(cut)) != cut:  # some sources escape twice
        cut = said
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
    before, said = text[:at].rstrip(), text[at + 1 :].strip("()[] ")
    folded = normalize_name(said)
    if before == text[:at] and folded == "s":  # "artist(s)"
        return None
    if not before:
        return said, None
    if folded in _GENERATIONS:
        return f"{before} {said}", None
    return before, _QUALIFIER_OF_TRAILING.get(folded) or None


def _without_workshop(text: str) -> tuple[str, str | None] | None:
    found = _AND_HIS.fullmatch(text)
    return (found[1], _QUALIFIER_OF_TRAILING.get(normalize_name(found[2]))) if found else None


def _without_years(text: str) -> tuple[str, str | None] | None:
    found = _YEARS.fullmatch(text)
    return (found[1], None) if found else None


def _without_phrase(text: str) -> tuple[str, str | None] | None:
    found = _IN_FRONT.match(text)
    return (text[found.end() :], _QUALIFIER_OF_LEADING.get(normalize_name(found[1])) or None) if found else None


def _without_commas(text: str) -> tuple[str, str | None] | None:
    if "," not in text:
        return None
    head, *rest = [part.strip() for part in text.split(",") if normalize_name(part)]
    qualifier: str | None = None
    others, ends = [], []
    for part in rest:
        folded = normalize_name(part).removeprefix("and ").removeprefix("or ")
        if folded in _QUALIFIER_OF_TRAILING:
            qualifier = _stronger_qualifier(qualifier, _QUALIFIER_OF_TRAILING[folded] or None)
        elif folded in _GENERATIONS:
            ends.append(part)
        elif not _REMARK.fullmatch(folded) and not _is_in_other_script(part, head):
            others.append(part)
    if "&" in text and others:  # a firm, such as "Smith, Jones & Co."
        return ", ".join([head, *others, *ends]), qualifier
    return " ".join([*others[:1], head, *others[1:], *ends]), qualifier


def _is_in_other_script(part: str, head: str) -> bool:
    """Whether it is the same name again in Japanese, as ukiyo-e.org has it: "Toyohara Kunichika, 豊原国周"."""
    return not re.search("[a-z]", normalize_name(part)) and bool(re.search("[a-z]", normalize_name(head)))


_STEPS: tuple[Callable[[str], tuple[str, str | None] | None], ...] = (
    _without_brackets,
    _without_workshop,
    _without_years,
    _without_phrase,
    _without_commas,
)
