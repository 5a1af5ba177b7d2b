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
        "attribuito a", "atribuido a", "toegeschreven aan", "zugeschrieben", "attr.", "attrib.",
    ),
    "workshop of": ("workshop of", "atelier of", "atelier de", "werkstatt von", "werkstatt des", "assistant of",
        "assistant to", "bottega di", "taller de", "werkplaats van"),
    "studio of": ("studio of",),
    "circle of": ("circle of", "umkreis von", "umkreis des", "entourage de", "cerchia di", "círculo de",
        "omgeving van"),
    "follower of": ("follower of", "followers of", "nachfolger von", "nachfolger des", "pupil of", "student of",
        "suiveur de", "seguace di", "seguidor de", "navolger van"),
    "manner of": ("manner of", "in the manner of", "imitator of"),
    "school of": ("school of", "schule von", "schule des", "école de", "scuola di", "escuela de"),
    "style of": ("style of", "in the style of"),
    "copy after": ("copy after", "copy of", "copy by", "copied after", "copied from", "kopie nach", "copie d'après",
        "copie d’après", "copie de", "copia da", "copia di", "copia de", "kopie naar"),
    "after": ("after", "nach", "d'après", "d’après"),
    "possibly": ("possibly", "possibly by", "probably", "probably by", "perhaps", "perhaps by"),
    "": (
        "by", "painted by", "painting by", "drawn by", "drawing by", "drawings by", "design by", "designs by",
        "designed by", "composition by", "compositions by", "cartoon by", "sketch by", "model by", "etching by",
        "engraving by", "woodcut by", "etched by", "engraved by", "signed by", "made by", "print by", "artist",
    ),
}  # fmt: skip
_TRAILING_PHRASES = {
    "attributed to": ("attributed", "attribué", "attribuée", "attribuito", "atribuido", "toegeschreven"),
    "workshop of": ("workshop", "assistant", "assistants", "werkstatt", "atelier", "bottega", "taller", "werkplaats"),
    "studio of": ("studio",),
    "circle of": ("circle", "umkreis", "entourage", "cerchia", "círculo", "omgeving"),
    "follower of": ("follower", "followers", "nachfolger", "suiveur", "suiveurs", "seguace", "seguidor", "navolger"),
    "manner of": ("imitator", "imitation", "forgery", "fake", "forger", "fälschung", "fälscher", "nachahmer"),
    "school of": ("school", "schule", "école", "scuola", "escuela"),
    "copy after": ("copy", "copies", "copyist", "kopie", "kopist", "copie", "copia"),
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
    normalize_name(phrase): qualifier for qualifier, words in _TRAILING_PHRASES.items() for phrase in words
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
_AND = re.compile(r"(?:and|or|und|oder|et|ou|e|o|y|of|en)(?: (?:his|her|seine|son|sa))? ")
_BETWEEN = re.compile(r" (?:and|or|und|oder|et|ou|e|o|y|of|en) ")
_OF_ATTRIBUTION = re.compile(
    r"(?:\w+ ){0,2}(?:\w*(?:kopien?|werkstatt|replik)|copy|copies|copie|copia|replicas?|forger(?:y|ies)|fakes?"
    r"|falschung|imitations?|attribution|attributed|zuschreibung|followers?|nachfolger|navolger|suiveurs?|seguaci|seguace"
    r"|seguidor|workshops?|atelier|bottega)(?: (?:of|to|after|by|de|a|dapres|von|nach))?"
)
_BRACKET = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
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


def qualifier_of_bracket(phrase: str) -> str | None:
    """The qualifier that a bracket's words are, the first of several; None if they are none.

    >>> [qualifier_of_bracket(phrase) for phrase in ("Werkstatt", "and workshop", "Dutch", "")]
    ['workshop of', 'workshop of', None, None]
    """
    folded = normalize_name(phrase)
    leading = _AND.match(folded)
    shorter = folded[leading.end() :] if leading else folded
    for words in (folded, shorter):
        if words in QUALIFIER_OF_TRAILING:
            return QUALIFIER_OF_TRAILING[words] or None
    several = _BETWEEN.split(shorter)
    return QUALIFIER_OF_TRAILING[several[0]] or None if set(several) <= QUALIFIER_OF_TRAILING.keys() else None


def has_unclear_bracket(text: str) -> bool:
    """Whether words in brackets qualify the attribution, and it is not certain how.

    >>> [has_unclear_bracket(f"Rembrandt ({words})") for words in ("later copy", "copy", "pupil of Lastman", "")]
    [True, False, False, False]
    """
    phrases = _BRACKET.findall(text)
    return any(_OF_ATTRIBUTION.fullmatch(normalize_name(p)) and not qualifier_of_bracket(p) for p in phrases)


def stronger_qualifier(qualifier: str | None, other: str | None) -> str | None:
    """The first of the two, but any other before "possibly"."""
    return (other or qualifier) if qualifier in {None, "possibly"} else qualifier
