"""What two parts with a comma between them are: "Last, First", which is turned, or another thing, which is left."""

import re
from collections.abc import Callable
from typing import Literal

from tasks.core.names.known_artists import ALIASES
from tasks.core.names.matching import normalize_name
from tasks.core.names.name_words import MASTERS, PARTICLES, PLACES, POST_NOMINALS
from tasks.core.names.person_names import (
    has_firm_word,
    has_particle,
    is_given,
    is_single_surname,
    without_generation,
)

Order = Literal["last, first", "first last", "unknown"]
"""Of two parts: the second is spoken first; both are spoken as they stand, without the comma; nobody can know."""

_AND = re.compile(r"&| (?:and|und|et|e|y|en|with) ", re.IGNORECASE)
_FIRM_AND = re.compile(
    r"(?:.+ )?(?:&|and|und|et) (?:sons?|daughters?|brothers?|bros\.?|co\.?|company|cie\.?|fils|fr[eè]res|s[oö]hne?)",
    re.IGNORECASE,
)
_KNOWN = frozenset(normalize_name(name) for pair in ALIASES.items() for name in pair)
_KNOWN_OR_MASTER = _KNOWN | MASTERS
_MASTER = re.compile(r"(?:Master|Painter|Maestro|Meister|Maître)\b.*")


def order_of(head: str, other: str) -> Order:
    """How a first part and what follows it are spoken. The first rule that knows decides.

    >>> order_of("Gogh", "Vincent van"), order_of("Leonardo", "da Vinci"), order_of("Imperial Armory", "Tula")
    ('last, first', 'first last', 'unknown')
    """
    return next((order for rule in _RULES if (order := rule(head, other)) is not None), "unknown")


def has_and(text: str) -> bool:
    """Whether a text names two, or a firm."""
    return _AND.search(text) is not None


def _order_by_and(head: str, other: str) -> Order | None:
    """Two names in one part are a firm, or two people."""
    if has_and(f" {other} "):
        return "unknown"
    if _FIRM_AND.fullmatch(head):
        return "last, first" if is_given(other) else "unknown"
    return "unknown" if "&" in head or re.search(r" (?:and|und|et) ", head) else None


def _order_by_master(_: str, other: str) -> Order | None:
    """Masters without a name: "Riccardiana Lactantius, Master of the"."""
    return "last, first" if _MASTER.fullmatch(other) else None


def _order_by_byname(head: str, other: str) -> Order | None:
    """What follows is no given name, but goes on: "Leonardo, da Vinci"."""
    first, *more = other.split()
    if not more or not first.islower() or normalize_name(first) not in PARTICLES:
        return None
    return "unknown" if is_given(more[-1]) and not is_given(head) else "first last"


def _order_by_firm_or_place(head: str, other: str) -> Order | None:
    """Firms, institutions and places are no people."""
    is_place = normalize_name(other) in PLACES
    if has_firm_word(head) or has_firm_word(other):
        return "last, first" if is_given(other) and not is_place else "unknown"
    if is_place:
        return "last, first" if is_given(other) and is_single_surname(head) else "unknown"
    return "unknown" if head[:1].isupper() and other[:1].islower() and not is_given(other) else None


def _order_by_known_name(head: str, other: str) -> Order | None:
    """A known name is a surname only where what follows fits it; else two people: "Titian, Paolo Veronese"."""
    names = {normalize_name(head), normalize_name(without_generation(head))}
    if names.isdisjoint(_KNOWN_OR_MASTER) or normalize_name(f"{other} {head}") in _KNOWN or other in POST_NOMINALS:
        return None
    given = without_generation(other)
    first, last = given.split()[0], normalize_name(given.split()[-1])
    if normalize_name(given) in _KNOWN_OR_MASTER:
        return "unknown"  # "Raphael, Michelangelo"
    if is_given(given) or last in PARTICLES or " or " in given:
        return None
    is_family = names.isdisjoint(_KNOWN)  # "Boucher, William Esperance": no list of given names is complete
    return None if is_family and is_given(first, is_whole=True) and last not in _KNOWN_OR_MASTER else "unknown"


def _order_by_surname(head: str, other: str) -> Order:
    """Whether the first part is a surname, or a whole name in the order in which it is spoken."""
    if is_single_surname(head):
        return "unknown" if other in POST_NOMINALS else "last, first"  # "Smith, RA"
    begins_given = is_given(head.split()[0])
    if is_given(other):
        is_surname = not begins_given or has_particle(head) or is_given(head, is_whole=True)
        return "last, first" if is_surname or len(other.split()) == 1 else "unknown"  # "Jean Arp, Max Ernst"
    if begins_given:
        return "unknown"
    is_one_word = len(normalize_name(other).split()) == 1 or ("-" in other and " " not in other)
    return "last, first" if is_one_word else "unknown"


_RULES: tuple[Callable[[str, str], Order | None], ...] = (
    _order_by_and,
    _order_by_master,
    _order_by_byname,
    _order_by_firm_or_place,
    _order_by_known_name,
    _order_by_surname,
)
