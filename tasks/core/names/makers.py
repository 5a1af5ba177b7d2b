"""Texts that name more than the maker: who made it after whom, with whom, and what else he was called.

Only what is certain is taken apart: "Agostino Veneziano after Raphael" is by Agostino, but "Room after a design by
Robert Adam" is not by Room. A single unknown word may be a place or a thing, so it is no person for certain.
"""

import re
from collections.abc import Callable

from tasks.core.names.commas import turn
from tasks.core.names.matching import normalize_name
from tasks.core.names.name_words import GIVEN_NAMES, MASTERS, PARTICLES, PLACES, SCHOOL_PLACES
from tasks.core.names.person_names import has_firm_word, is_full_name
from tasks.core.names.qualifiers import (
    QUALIFIER_OF_TRAILING,
    QUALIFIERS_OF_GROUPS,
    has_unclear_bracket,
    without_phrase_in_front,
)

_PLACES = PLACES | SCHOOL_PLACES
IsKnown = Callable[[str], bool]
"""Whether a text is a name or an alias in the tables of artists."""

_YEAR = r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)"
_DATES_AMID = re.compile(rf"\s*[(\[][^()\[\]]*{_YEAR}[^()\[\]]*[)\]](?=\s+[^\W\d_]|\s*&)")
_YEARS = re.compile(rf"[\s,]+(?:b|d|c|ca|fl|born|died|active)?\.?\s*{_YEAR}(?:\d|[^\w()\[\]])*")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_MASTER = re.compile(r"(?:[Tt]he )?(?:(?:Master|Meister|Maestro|Maître|Monogrammist) .+|\S.* (?:Master|Painter))")
_OTHERS = re.compile(
    r"(.*\w.*?),?\s+(?:"
    r"(?:and|und|et|with|&)\s+(?:(?:several |many |various )?others|(?:an)?other(?: (?:artists?|hands?|painters?))?"
    r"|(?:an? )?(?:unknown|unidentified|anonymous)(?: (?:artists?|painters?|masters?|hands?|collaborators?))?)"
    r"|et al\.?|u\.\s?a\.)",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"(.*?\S)[\s,]+((?:a )?copy after|copied (?:after|from)|after|nach|d['’]après|and|und|et|with|avec|&"
    r"|(?:formerly|previously|once) attributed to|formerly)\s+(\S.*)",
    re.IGNORECASE,
)
_COMPANIONS = re.compile(r"\s(?:and|und|et|with|avec|&)\s", re.IGNORECASE)
_AFTER_BY = re.compile(r"(?:after|nach|d['’]après|copy after)\s+(\S.*?)\s+by\s+(\S.*)", re.IGNORECASE)
_NOW = re.compile(
    r"(?:(?P<before>(?:formerly|previously|once|ehemals)\s.*?\S)[\s,]*[,(\[]\s*now\s+|"
    r"(?P<other>.*?\S)[\s,]*[,(\[]\s*now\s+(?=(?:attributed|ascribed|given) to\s))(?P<maker>\S.*?)[)\]]?",
    re.IGNORECASE,
)
_MARKED_AFTER_BY = re.compile(
    r"(?P<before>\S.*?)[\s,]*[(\[]\s*(?:copy )?(?:after|nach|d['’]après)\s*[)\]][\s,]*by\s+(?P<maker>\S.*)",
    re.IGNORECASE,
)
_BYNAME = re.compile(
    r"(.*\S)\s+(?:called|dite?|dett[oa]|genannt|gen\.|alias|a\.?k\.?a\.?|(?:formerly |also |better )?known as)\s+\S.*"
)
_NOT_CERTAIN = re.compile(
    r".*\S (?:after|nach|d['’]après|by|and|und|et|or|with|formerly|called|dett[oa]) \S.*"
    r"|(?:[Ff]ormerly|(?:[Tt]he )?[Ss]chool of) \S.*"
    r"|\S.*[,(] ?(?:(?:[Ss]chool(?: of)?|[Ss]chule(?: von)?|[ÉéEe]cole(?: de)?"
    r"|[Ss]cuola(?: di)?|[Ee]scuela(?: de)?)\)?|[Ff]ormerly.*)",
)
_FIRM = re.compile(r".*(?:&|\b(?:and|und|et) (?:sons?|co|company|cie|brothers|fils|fr[eè]res)\b).*", re.IGNORECASE)


def without_dates_amid(text: str) -> str:
    """The text without dates in brackets that stand before other words: "Hill (1802-1870) and Adamson".

    >>> without_dates_amid("Hill (1802-1870) and Adamson"), without_dates_amid("Hill (1802-1870)")
    ('Hill and Adamson', 'Hill (1802-1870)')
    """
    return _DATES_AMID.sub("", text)


def without_others(text: str, is_known: IsKnown) -> str:
    """The text without "and others" and the like at its end. Of a list with commas only if it is a person's name.

    >>> without_others("Wang Hui and others", lambda name: False)
    'Wang Hui'
    >>> without_others("Turner, Girtin and others", lambda name: False)
    'Turner, Girtin and others'
    """
    match = _OTHERS.fullmatch(text)
    return match[1] if match and ("," not in match[1] or is_person(match[1], is_known)) else text


def maker_of(text: str, is_known: IsKnown) -> str | None:
    """The part of a text that is its maker, before "after", "and" or "called" and another name; None if not certain.

    >>> maker_of("Agostino Veneziano after Raphael", lambda name: False)
    'Agostino Veneziano'
    >>> maker_of("after Titian by Agostino Veneziano", lambda name: name == "Titian")
    'Agostino Veneziano'
    >>> maker_of("Southworth and Hawes", lambda name: False)
    """
    if (after := _AFTER_BY.fullmatch(text)) and all(is_person(name, is_known) for name in after.groups()):
        return after[2]
    if (byname := _BYNAME.fullmatch(text)) and _has_byname(byname[1], is_known):
        return byname[1]
    return _before_joint(text, is_known)


def maker_now(text: str, is_known: IsKnown) -> str | None:
    """Who made it, where a text says whose it was thought to be, or whom he followed, in front; None if not certain.

    >>> maker_now("Formerly attributed to Titian, now Giorgione", lambda name: False)
    'Giorgione'
    """
    for form in (_NOW, _MARKED_AFTER_BY):
        if match := form.fullmatch(text):
            return match["maker"] if is_person(match["maker"], is_known) else None
    return None


def is_unclear(text: str) -> bool:
    """Whether a text says that a work is not by whom it names, and can't be taken apart."""
    return has_unclear_bracket(text) or any(form.fullmatch(text) for form in (_NOW, _MARKED_AFTER_BY))


def _before_joint(text: str, is_known: IsKnown) -> str | None:
    """The person before "after", "formerly" or, if people follow, "and"; None if not certain."""
    match = _JOINT.fullmatch(text)
    if match is None:
        return None
    before, joint, after = match.groups()
    is_written_so = joint.islower() or joint == "&" or text.isupper()  # else it is somebody's name: "Alexander Nach"
    if not is_written_so or normalize_name(after) in QUALIFIER_OF_TRAILING or not is_person(before, is_known):
        return None
    return before if not _COMPANIONS.fullmatch(f" {joint} ") or _are_people(after, is_known) else None


def _are_people(text: str, is_known: IsKnown) -> bool:
    return all(is_person(name, is_known) for name in _COMPANIONS.split(text))


def _has_byname(text: str, is_known: IsKnown) -> bool:
    """Whether what stands before "called" is a name: capitals and particles, of two words at least."""
    words = text.replace(",", " ").split()
    is_name = len(words) > 1 and all(word[0].isupper() or normalize_name(word) in PARTICLES for word in words)
    return is_person(text, is_known) or (is_name and normalize_name(words[0]) not in {"the", "a", "an"})


def is_person(text: str, is_known: IsKnown) -> bool:
    """Whether a text is one person's name for certain, in either order, with dates, brackets and qualifiers or without.

    >>> def is_known(name): return False
    >>> [is_person(name, is_known) for name in ("Robbia, Andrea della (1435-1525)", "Giotto", "Master of Flémalle")]
    [True, True, True]
    >>> [is_person(name, is_known) for name in ("", "Fontainebleau", "Wedgwood", "Imperial Armory, Tula")]
    [False, False, False, False]
    """
    if is_known(text):
        return True
    for shorter in (_BRACKETS.sub("", text), _YEARS.sub("", text)):
        if shorter != text:
            return is_person(shorter, is_known)
    if (stripped := without_phrase_in_front(text)) is not None:
        return is_person(stripped[0], is_known)
    if (turned := turn(text, QUALIFIER_OF_TRAILING)) is not None:
        return turned.is_certain and "," not in turned.name and is_person(turned.name, is_known)
    if has_firm_word(text) or _COMPANIONS.search(text):
        return False
    return _is_master(text) or is_full_name(text) or _is_son_of(text)


def _is_master(text: str) -> bool:
    return normalize_name(text).removeprefix("il ").removeprefix("lo ") in MASTERS or bool(_MASTER.fullmatch(text))


def _is_son_of(text: str) -> bool:
    """Given names with a particle between: "Bartolomeo di Giovanni"."""
    first, *more = normalize_name(text).split() or [""]
    has_particle_between = bool(set(more[:-1]) & PARTICLES) and more[-1] not in PARTICLES
    return has_particle_between and (first in GIVEN_NAMES or first in MASTERS)


def is_place(text: str) -> bool:
    """Whether it is a town or a country that may have a school: "Fontainebleau"."""
    return normalize_name(text) in _PLACES


def is_group(name: str, qualifier: str | None, is_known: IsKnown) -> bool:
    """Whether a qualifier goes on with no person: "school of" with what is none for certain, others with a place.

    >>> is_group("Fontainebleau", "school of", lambda name: False), is_group("Giotto", "school of", lambda name: False)
    (True, False)
    >>> is_group("Limoges", "workshop of", lambda name: False), is_group("Moroni", "workshop of", lambda name: False)
    (True, False)
    """
    if qualifier == "school of":
        return not is_person(name, is_known)
    return qualifier in QUALIFIERS_OF_GROUPS and is_place(name)


def is_uncertain_maker(name: str) -> bool:
    """Whether a name that was left may hold several, or a school that may be a person's.

    >>> [is_uncertain_maker(name) for name in ("Room after Robert Adam", "School of Zug", "School of Paris", "A & B")]
    [True, True, False, False]
    """
    place = re.sub(r"(?:the )?school of ", "", name, flags=re.IGNORECASE)
    return bool(_NOT_CERTAIN.fullmatch(name)) and not _FIRM.fullmatch(name) and not (place != name and is_place(place))
