"""What two parts with a comma between them are: "Last, First", which is turned, or another thing, which is left."""

from collections.abc import Callable
from typing import Literal

from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name
from tasks.core.names.person_names import has_firm_word, has_particle, is_given, is_single_surname, split_generation

Order = Literal["last, first", "first last", "unknown"]
"""Of two parts: the second is spoken first; both are spoken as they stand, without the comma; nobody can know."""


def order_of(head: str, other: str, words: Words) -> Order:
    """How a first part and what follows it are spoken. The first rule that knows decides.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> order_of("Gogh", "Vincent van", shipped_words()), order_of("Leonardo", "da Vinci", shipped_words())
    ('last, first', 'first last')
    """
    return next((order for rule in _RULES if (order := rule(head, other, words)) is not None), "unknown")


def split_and(text: str, words: Words) -> list[str]:
    """The parts of a text between words for "and"; a firm, or several people, have more than one.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> split_and("Broadwood & Sons", shipped_words()), split_and("José Ortega y Gasset", shipped_words())
    (['Broadwood', 'Sons'], ['José Ortega y Gasset'])
    """
    parts: list[list[str]] = [[]]
    for word in text.split():
        folded = normalize_name(word)
        if word == "&" or (word.islower() and folded in words["ands"] and folded not in words["particles"]):
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(part) for part in parts]


def _order_by_and(head: str, other: str, words: Words) -> Order | None:
    """Two names in one part are a firm, or two people."""
    if len(split_and(other, words)) > 1:
        return "unknown"
    parts = split_and(head, words)
    if len(parts) == 1:
        return "unknown" if "&" in head else None
    is_firm = normalize_name(parts[-1]) in words["firm_and"] | words["firm_ends"]
    return "last, first" if is_firm and is_given(other, words) else "unknown"


def _order_by_master(_: str, other: str, words: Words) -> Order | None:
    """Masters without a name: "Riccardiana Lactantius, Master of the"."""
    first = normalize_name(other.split()[0]) if other.split() else ""
    return "last, first" if first in words["master_words"] | words["master_ends"] else None


def _order_by_byname(head: str, other: str, words: Words) -> Order | None:
    """What follows is no given name, but goes on: "Leonardo, da Vinci"."""
    first, *more = other.split()
    if not more or not first.islower() or normalize_name(first) not in words["particles"]:
        return None
    return "unknown" if is_given(more[-1], words) and not is_given(head, words) else "first last"


def _order_by_firm_or_place(head: str, other: str, words: Words) -> Order | None:
    """Firms, institutions and places are no people."""
    is_place = normalize_name(other) in words["places"]
    if has_firm_word(head, words) or has_firm_word(other, words):
        return "last, first" if is_given(other, words) and not is_place else "unknown"
    if is_place:
        return "last, first" if is_given(other, words) and is_single_surname(head, words) else "unknown"
    return "unknown" if head[:1].isupper() and other[:1].islower() and not is_given(other, words) else None


def _order_by_known_name(head: str, other: str, words: Words) -> Order | None:
    """A known name is a surname only where what follows fits it; else two people: "Titian, Paolo Veronese"."""
    names = {head, split_generation(head, words)[0]}
    is_master = any(normalize_name(name) in words["masters"] for name in names)
    is_known = any(words.is_known(name) for name in names)
    if not (is_master or is_known) or words.is_known(f"{other} {head}") or other in words.honours:
        return None
    given = split_generation(other, words)[0]
    first, last = given.split()[0], normalize_name(given.split()[-1])
    if words.is_known(given) or normalize_name(given) in words["masters"]:
        return "unknown"  # "Raphael, Michelangelo"
    if is_given(given, words) or last in words["particles"] or not words["ors"].isdisjoint(given.split()[1:]):
        return None
    # "Boucher, William Esperance": no list of given names is complete
    is_named = is_given(first, words, is_whole=True) and last not in words["masters"] and not words.is_known(last)
    return None if not is_known and is_named else "unknown"


def _order_by_surname(head: str, other: str, words: Words) -> Order:
    """Whether the first part is a surname, or a whole name in the order in which it is spoken."""
    if is_single_surname(head, words):
        return "unknown" if other in words.honours else "last, first"  # "Smith, RA"
    begins_given = is_given(head.split()[0], words)
    if is_given(other, words):
        is_surname = not begins_given or has_particle(head, words) or is_given(head, words, is_whole=True)
        return "last, first" if is_surname or len(other.split()) == 1 else "unknown"  # "Jean Arp, Max Ernst"
    if begins_given:
        return "unknown"
    is_one_word = len(normalize_name(other).split()) == 1 or ("-" in other and " " not in other)
    return "last, first" if is_one_word else "unknown"


_RULES: tuple[Callable[[str, str, Words], Order | None], ...] = (
    _order_by_and,
    _order_by_master,
    _order_by_byname,
    _order_by_firm_or_place,
    _order_by_known_name,
    _order_by_surname,
)
