"""Names without a comma whose family name stands first: "POUSSIN Nicolas", "Massarenti Leonardo"."""

import re

from tasks.core.names.comma_order import split_and
from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name
from tasks.core.names.person_names import is_given, is_initial, is_single_surname, split_generation

_PART = re.compile(r"[^\s\-–'’]+")
_PATRONYMIC = re.compile("[А-ЯЁІЇЄҐ][а-яёіїєґ'’]+(?:ич|вна|чна)")
_CYRILLIC_INITIALS = re.compile(r"(?:[А-ЯЁІЇЄҐ]\.){1,2}")
_SHORTEST_CERTAIN = 4
_LONGEST = 8
"""Words of a name."""


def spoken(text: str, words: Words) -> str:
    """The name in the order in which it is spoken; the text itself where that is not certain, or so already.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [spoken(text, shipped_words()) for text in ("LA TOUR Georges de", "TENIERS David II", "Massarenti Leonardo")]
    ['Georges de La Tour', 'David Teniers II', 'Leonardo Massarenti']
    """
    parts = text.split()
    if not 1 < len(parts) <= _LONGEST or "," in text or not _may_be_turned(parts, words):
        return text
    capitals = _capitals(parts)
    if 0 < capitals < len(parts):
        return _by_capitals(parts[:capitals], parts[capitals:], words) or text
    if text.isupper() and normalize_name(parts[-1]) in words["particles"]:
        return _in_capitals(parts, words) or text
    return _by_particle(parts, words) or _by_patronymic(parts, words) or _by_given_names(parts, words) or text


def first_in_capitals(text: str, words: Words) -> str:
    """The first of several people with their family names in capitals: "AUDRAN Benoît, LE BRUN Charles"."""
    several = [part.split() for part in text.split(",")]
    is_each = len(several) > 1 and all(0 < _capitals(parts) < len(parts) for parts in several)
    return text.partition(",")[0] if is_each and all(_may_be_turned(parts, words) for parts in several) else text


def _may_be_turned(parts: list[str], words: Words) -> bool:
    """Whether no word is one of firms, or of masters and other makers without a name."""
    folded = [normalize_name(part) for part in parts]
    if folded[0] in words["titles"] or folded[0] in words["cultures"] or not {"&", "+"}.isdisjoint(parts):
        return False
    others = ("firm_words", "master_words", "master_ends", "crafts", "schools")
    return all(words[name].isdisjoint(folded) for name in others) and len(split_and(" ".join(parts), words)) == 1


def _capitals(parts: list[str]) -> int:
    """How many words in front are in capitals and no initials, if initials or other words follow."""
    count = 0
    while count < len(parts) and parts[count].isupper() and not (is_initial(parts[count]) and parts[count] != "Y"):
        count += 1
    return count if parts[count - 1] != "Y" else 0


def _by_capitals(family: list[str], given: list[str], words: Words) -> str | None:
    if not all(part[0].isupper() or normalize_name(part) in words["particles"] for part in given):
        return None
    name = " ".join(_recased(part, words) for part in family)
    if not is_given(given[0], words, is_whole=True) and normalize_name(family[0]) in words["families_first"]:
        return f"{name} {' '.join(given)}"
    has_digit = any(sign.isdigit() for part in given for sign in part)
    if not is_given(given[0], words) and (len(max(family, key=len)) < _SHORTEST_CERTAIN or has_digit):
        return None
    first, generation = split_generation(" ".join(given), words)
    return " ".join([first, name, *([generation] if generation else [])])


def _in_capitals(parts: list[str], words: Words) -> str | None:
    """All in capitals, with a particle of the family name at the end: "LA TOUR MAURICE QUENTIN DE"."""
    at = next((at for at in range(1, len(parts)) if is_given(" ".join(parts[at:-1]), words, is_whole=True)), None)
    if at is None:
        return None
    return " ".join(_recased(part, words) for part in [*parts[at:], *parts[:at]])


def _by_particle(parts: list[str], words: Words) -> str | None:
    """A family name whose particles stand behind all: "Dyck Anthonis van"."""
    at = len(parts)
    while at and parts[at - 1].islower() and normalize_name(parts[at - 1]) in words["particles"]:
        at -= 1
    is_turned = 1 < at < len(parts) and all(part[0].isupper() for part in parts[:at])
    return " ".join([*parts[1:], parts[0]]).replace("' ", "'") if is_turned else None


def _by_patronymic(parts: list[str], words: Words) -> str | None:
    """A Russian or Ukrainian family name in front of given name and patronymic, or of their initials."""
    family, *given = parts
    is_whole = len(given) == 2 and [bool(_PATRONYMIC.fullmatch(part)) for part in given] == [False, True]
    is_short = len(given) < 3 and all(_CYRILLIC_INITIALS.fullmatch(part) for part in given)
    is_family = len(family) > 2 and family[0].isupper() and not is_given(family, words)
    return " ".join([*given, family]) if is_family and (is_whole or is_short) else None


def _by_given_names(parts: list[str], words: Words) -> str | None:
    """One family name in front of given names alone, which are no family names themselves."""
    whole, last = split_generation(" ".join(parts), words)
    parts = whole.split()
    least = 2 if normalize_name(parts[0]) in words["particles"] else 1  # "Della Bella Stefano"
    at = next((at for at in range(least, len(parts)) if is_given(" ".join(parts[at:]), words, is_whole=True)), None)
    is_word = parts[0][0].islower() and normalize_name(parts[0]) not in words["particles"]  # "gan Gwen John"
    if at is None or is_initial(parts[at]) or is_word or not parts[0][0].isalpha():
        return None
    family, generation = split_generation(" ".join(parts[:at]), words)
    generation = generation or last
    folded = normalize_name(family).split()
    is_certain = bool(generation) or any(normalize_name(part) not in words["also_family_names"] for part in parts[at:])
    others = ("families_first", "given_names", "titles", "places")
    is_other = any(not words[name].isdisjoint(folded) for name in others)
    is_family = len(family) > 2 and is_single_surname(family, words) and not is_other
    if not is_certain or not is_family or is_initial(family):
        return None
    return " ".join([*parts[at:], family, *([generation] if generation else [])])


def _recased(word: str, words: Words) -> str:
    """A word in capitals as a name is written; particles are small, but for articles: "van", "Le"."""
    folded = normalize_name(word)
    if word == "Y" or (folded in words["particles"] and not folded.startswith("l")):  # "RIBERA Y CIRERA"
        return word.lower()
    return _PART.sub(lambda part: part[0].capitalize(), word)
