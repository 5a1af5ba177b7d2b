"""Names with commas: "Last, First" is turned, and what follows a name is told from it.

What is meant can't always be known: "Babcock, Appleton and Babcock" is a firm, "Louvre, Paris, France" a place. Such a
text stays as its source wrote it, and `is_certain` says so.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from tasks.core.names.comma_order import order_of, split_and
from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name
from tasks.core.names.nobody import is_aside
from tasks.core.names.person_names import (
    has_firm_word,
    is_firm,
    is_full_name,
    is_given,
    is_honour,
    is_single_surname,
    split_generation,
)

_OF_PEOPLES = frozenset({"nations", "cultures", "places"})


class CommaName(NamedTuple):
    """A name in the order in which it is spoken; unless `is_certain`, as it came."""

    name: str
    is_certain: bool = True


@dataclass(slots=True)
class _PartsAfterHead:
    """What stands between the commas after the first part, by kind."""

    titles: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Given names, or what is not known."""
    generations: list[str] = field(default_factory=list)
    """The Elder, Jr.; of Derby."""
    tails: list[str] = field(default_factory=list)
    """What stays behind a comma: Lord of Clootwyck, Ltd."""
    all_of_name: list[str] = field(default_factory=list)
    """All but what is no part of a name, in the order in which it came."""

    def add(self, part: str, head: str, words: Words) -> None:
        """Put a part of the name where it belongs."""
        folded = _folded(part, words)
        is_generation = folded in words["generations"] and not (part[0].isupper() and len(folded) == len("d a"))
        if is_generation or _is_of_place(part, head, words):
            self.generations.append(part)
        elif folded in words["titles"]:
            self.titles.append(part)
        elif folded in words["firm_ends"] or _is_rank(part, words) or _is_peerage(part, head, words):
            self.tails.append(part)
        else:
            self.names.append(part)
        self.all_of_name.append(part)


def turn(text: str, words: Words) -> CommaName | None:
    """The name of a text with commas; None if it has none.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> turn("Burne-Jones, Sir Edward Coley, Bt", shipped_words()).name
    'Sir Edward Coley Burne-Jones'
    >>> turn("Joseph Mallord William Turner, Thomas Girtin", shipped_words()).name
    'Joseph Mallord William Turner'
    >>> turn("Imperial Armory, Tula", shipped_words())
    CommaName(name='Imperial Armory, Tula', is_certain=False)
    """
    if "," not in text:
        return None
    two = split_and(text, words) if text.count(",") == 2 else []
    if len(two) == 2 and all(", " in one.strip(", ") for one in two) and is_given(two[0].partition(", ")[2], words):
        return CommaName(two[0])
    head, *rest = [part.strip() for part in text.split(",") if normalize_name(part)] or [""]
    parts = _sorted_parts(head, rest, words)
    kinds = words.kinds_of(tuple(normalize_name(head).split()))
    if {*kinds} <= _OF_PEOPLES and rest and not is_given(rest[0], words):  # "Egypt, New Kingdom"
        return CommaName(", ".join([head, *parts.all_of_name]), is_certain=False)
    name = _peer(head, parts, words) or _turned(head, parts, words)
    if name is None:
        return CommaName(", ".join([head, *parts.all_of_name]), is_certain=is_firm(text, words))
    is_end = [normalize_name(tail) in words["firm_ends"] for tail in parts.tails]
    tails = [tail for tail, is_it in zip(parts.tails, is_end, strict=True) if not (is_it and name.endswith(tail))]
    return CommaName(", ".join([name, *tails]))


def _sorted_parts(head: str, rest: list[str], words: Words) -> _PartsAfterHead:
    parts = _PartsAfterHead()
    is_behind_full_name = len(head.split()) > 1 or len(rest) > 1
    for part in rest:
        is_honoured = is_honour(part, words, is_behind_full_name=is_behind_full_name) and not has_firm_word(head, words)
        if not is_honoured and not is_no_name(head, part, words) and not _is_in_other_script(part, head):
            parts.add(part, head, words)
    return parts


def _folded(part: str, words: Words) -> str:
    first, _, rest = normalize_name(part).partition(" ")
    return rest if rest and first in words["ands"] | words["ors"] else normalize_name(part)


def is_no_name(head: str, part: str, words: Words) -> bool:
    """Whether a part behind a comma is an aside; "9th Earl of" has a digit, and is none."""
    return is_aside(head, part, words) and not _is_rank(part, words)


def _is_rank(part: str, words: Words) -> bool:
    """Whether a title goes on with "of": "Lord of Clootwyck", "comte de", "4th Earl of"."""
    folded = normalize_name(part).split()
    while folded and (folded[0] in words["ordinals"] or folded[0][0].isdigit() or folded[0] in words["articles"]):
        folded = folded[1:]
    return len(folded) > 1 and folded[0].removesuffix("s") in words["ranks"] and folded[1] in words["particles"]


def _is_peerage(part: str, head: str, words: Words) -> bool:
    """Whether a title with a family name stands behind given names: "Frederic, Lord Leighton"."""
    rank, _, rest = part.partition(" ")
    is_ranked = normalize_name(rank) in words["ranks"] and bool(rest)
    return is_ranked and is_given(head, words, is_whole=True) and not is_given(rest, words)


def _is_of_place(part: str, head: str, words: Words) -> bool:
    """Whether it says whence somebody comes: "of Derby" behind "Wright, Joseph"."""
    first, _, place = part.partition(" ")
    return first.islower() and first in words["particles"] and place[:1].isupper() and not is_given(place, words)


def _peer(head: str, parts: _PartsAfterHead, words: Words) -> str | None:
    """The name where a rank waits for its place: "Caylus, Anne Claude Philippe, comte de"; None where none does."""
    is_whole = len(parts.names) <= 1 and not parts.titles and not parts.generations
    if len(parts.tails) != 1 or normalize_name(parts.tails[0]).split()[-1] not in words["particles"] or not is_whole:
        return None
    peer = f"{parts.tails.pop()} {head}"
    return f"{parts.names[0]}, {peer}" if parts.names else peer


def _turned(head: str, parts: _PartsAfterHead, words: Words) -> str | None:
    """The name without its tails; None if it is not certain what the commas mean."""
    others = parts.names
    is_place = [normalize_name(other) in words["places"] for other in others]
    if (
        others
        and is_given(others[0], words)
        and not is_place[0]
        and all(is_place[1:])
        and not has_firm_word(head, words)
    ):
        others = others[:1]  # "Smith, John, London"
    if not others:
        is_named = normalize_name(head).startswith(tuple(f"{normalize_name(title)} " for title in parts.titles))
        return " ".join([*([] if is_named else parts.titles), head, *parts.generations])
    if any(normalize_name(tail) in words["firm_ends"] for tail in parts.tails[:1]) and not is_single_surname(
        head, words
    ):
        return None
    if _are_several(head, others, words):
        return " ".join([*parts.titles, head, *parts.generations])
    return None if len(others) > 1 else _in_order(head, others[0], parts, words)


def _are_several(head: str, others: list[str], words: Words) -> bool:
    """Whether each part is a whole name, or the first is one that was given to an unknown artist."""
    if len(split_and(head, words)) > 1:
        return False
    if normalize_name(head).split()[0] in words["master_words"]:
        return all(is_full_name(name, words) for name in others)
    given, last = words["given_names"], normalize_name(head).split()[-1]
    is_whole = is_full_name(head, words) or (
        " " in head and is_given(head, words) and last in words["also_family_names"]
    )
    are_whole = is_whole and all(is_full_name(name, words) for name in others)
    return are_whole and all(normalize_name(name).split()[-1] not in given for name in others)


def _in_order(head: str, other: str, parts: _PartsAfterHead, words: Words) -> str | None:
    """Two parts in the order in which they are spoken; None if it is not certain."""
    if (firm := _firm_in_two(head, other, words)) is not None:
        return firm
    if (first := _first_of_two(other, words)) is not None and is_single_surname(head, words):
        other = first
    match order_of(head, other, words):
        case "last, first":
            return _joined(head, other, parts, words)
        case "first last":
            return f"{head} {other}"
        case _:
            return None


def _firm_in_two(head: str, other: str, words: Words) -> str | None:
    """A firm that is called after somebody: "Durgin, William B. & Co."; None where it is none."""
    said = other.split()
    for at in range(1, len(said)):
        end = normalize_name(" ".join(said[at:]))
        is_end = end in words["firm_ends"] or end.split()[:1] == [] or said[at] == "&"
        if is_end and is_given(" ".join(said[:at]), words) and is_single_surname(head, words):
            is_firm_behind = end.split() and end.split()[0] in (words["firm_ends"] | words["firm_and"])
            return " ".join([*said[:at], head, *said[at:]]) if is_firm_behind else None
    return None


def _first_of_two(other: str, words: Words) -> str | None:
    """The given names before "and" and another one's whole name: "Esther and Edith Towner"."""
    first, *more = split_and(other, words)
    return first if more and is_given(first, words) and is_full_name(more[0], words) else None


def _joined(head: str, other: str, parts: _PartsAfterHead, words: Words) -> str:
    """The name with what follows in front; what ends it stays at the end: "Wydytz, Hans I" is "Hans Wydytz I"."""
    given = other.split()
    while len(given) > 1 and given[-1].replace(".", "") in words.honours:
        given.pop()
    first, generation = split_generation(" ".join(given), words)
    firm = [tail for tail in parts.tails if normalize_name(tail) in words["firm_ends"]]
    return " ".join([*parts.titles, first, head, *([generation] if generation else []), *parts.generations, *firm])


def _is_in_other_script(part: str, head: str) -> bool:
    """Whether a part is the same name in Japanese, as ukiyo-e.org writes it: "Toyohara Kunichika, 豊原国周"."""
    return not re.search("[a-z]", normalize_name(part)) and bool(re.search("[a-z]", normalize_name(head)))
