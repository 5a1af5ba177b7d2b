"""Words around a name that qualify the attribution: "Workshop of Rubens", "Rembrandt (attributed to)"."""

import re

from tasks.core.names.matching import normalize_name

_LEADING_PHRASES = {
    "formerly attributed to": (
        "formerly attributed to", "formerly ascribed to", "formerly given to", "formerly", "previously attributed to",
        "once attributed to", "ehemals", "ehemals zugeschrieben", "früher zugeschrieben", "anciennement attribué à",
        "già attribuito a", "voorheen toegeschreven aan",
    ),
    "attributed to": (
        "attributed to", "attrib. to", "attr. to", "painting attributed to", "design attributed to",
        "drawing attributed to", "print attributed to", "traditionally attributed to", "attribué à", "ascribed to",
        "attribuito a", "atribuido a", "toegeschreven aan", "zugeschrieben",
    ),
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
        "by", "painted by", "painting by", "drawn by", "drawing by", "drawings by", "design by", "designs by",
        "designed by", "composition by", "compositions by", "cartoon by", "sketch by", "model by", "etching by",
        "engraving by", "woodcut by", "etched by", "engraved by", "signed by", "made by", "print by", "artist",
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
"""What `artist_qualifier` may say."""
QUALIFIERS_OF_GROUPS = frozenset(
    {"workshop of", "studio of", "circle of", "follower of", "manner of", "school of", "style of"}
)
"""Those that may go on with a place instead of a person: "School of Fontainebleau"."""

_QUALIFIER_OF_LEADING = {
    normalize_name(phrase): qualifier
    for qualifier, phrases in _LEADING_PHRASES.items()
    for phrase in phrases
    if phrase != "artist"
}
QUALIFIER_OF_TRAILING = _QUALIFIER_OF_LEADING | {
    phrase: qualifier for qualifier, words in _TRAILING_PHRASES.items() for phrase in words
}
"""The qualifier ("" for none) of each folded phrase that may stand behind a name, in brackets or after a comma."""
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
_ALSO_OF_PLACES = {"formerly", "ehemals"}
"""May also go on with "in the collection of" or "known as"."""


def without_phrase_in_front(text: str) -> tuple[str, str | None] | None:
    """The text without the phrase at its beginning, and the qualifier that it is (None for none); None without one.

    >>> without_phrase_in_front("Workshop of the Amasis Painter"), without_phrase_in_front("Designed by Raphael")
    (('Amasis Painter', 'workshop of'), ('Raphael', None))
    >>> without_phrase_in_front("formerly in the Louvre"), without_phrase_in_front("")
    (None, None)
    """
    match = _IN_FRONT.match(text)
    if match is None:
        return None
    phrase, rest = normalize_name(match[1]), text[match.end() :]
    if phrase in _ALSO_OF_PLACES and rest[0].islower() and not _IN_FRONT.match(rest):
        return None
    return rest, _QUALIFIER_OF_LEADING.get(phrase) or None


def stronger_qualifier(qualifier: str | None, other: str | None) -> str | None:
    """The first of the two, but any other before "possibly"."""
    return (other or qualifier) if qualifier in {None, "possibly"} else qualifier
