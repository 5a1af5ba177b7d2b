"""Names with commas: "Last, First" is turned, and what follows a name is told from it.

What is meant can't always be known: "Babcock, Appleton and Babcock" is a firm, "Louvre, Paris, France" a place. Such a
text stays as its source wrote it, and `is_certain` says so.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name
from tasks.core.names.nobody import is_aside
from tasks.core.names.person_names import is_given, split_generation

_Parts = Mapping[str, list[str]]
"""What stands behind the first comma: titles; names, given ones or what is not known; generations (the Elder, Jr.; of
Derby); tails, which stay behind a comma (Lord of Clootwyck, Ltd.)."""


class CommaName(NamedTuple):
    """A name in the order in which it is spoken; unless `is_certain`, as it came."""

    name: str
    is_certain: bool = True


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
    if pair := words.names.groups("pair", *text.split(",")):
        return CommaName(f"{pair['head']}, {pair['given']}")
    head, *rest = [part.strip() for part in text.split(",") if normalize_name(part)] or [""]
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for at, part in enumerate(rest):
        if not is_aside(head, part, words) and not words.names.fits(
            "left_out", head, part, *rest[:at], *rest[at + 1 :]
        ):
            parts[words.names.value("after_head", head, part)].append(part)
            parts["all"].append(part)
    is_of_people = bool(rest) and words.kinds.fits("of_people", head) and not is_given(rest[0], words)
    name = None if is_of_people else _peer(head, parts, words) or _turned(head, parts, words)  # "Egypt, New Kingdom"
    if name is None:
        is_firm = not is_of_people and ("&" in text or words.is_of("firm_ends", text.rpartition(",")[2].strip()))
        return CommaName(", ".join([head, *parts["all"]]), is_certain=is_firm)
    return CommaName(", ".join([name, *parts["tails"]]))


def order_of(head: str, other: str, words: Words) -> str:
    """How a first part and what follows it are spoken: "Last, First", or as they stand; "unknown" if nobody can know.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> order_of("Gogh", "Vincent van", shipped_words()), order_of("Leonardo", "da Vinci", shipped_words())
    ('last, first', 'first last')
    """
    order = words.names.value("order", head, other)
    return "last, first" if order == "unknown" and words.is_known(f"{other} {head}") else order


def _peer(head: str, parts: _Parts, words: Words) -> str | None:
    """The name where a rank waits for its place: "Caylus, Anne Claude Philippe, comte de"; None where none does."""
    others = [*parts["names"], *parts["titles"], *parts["generations"]]
    if len(parts["tails"]) != 1 or others != parts["names"][:1] or not words.names.fits("open", parts["tails"][0]):
        return None
    return ", ".join([*others, f"{parts['tails'].pop()} {head}"])


def _turned(head: str, parts: _Parts, words: Words) -> str | None:
    """The name without its tails; None if it is not certain what the commas mean."""
    others, titles, generations = parts["names"], parts["titles"], parts["generations"]
    if words.names.fits("at_place", head, *others):  # "Smith, John, London"
        others = others[:1]
    firms = [tail for tail in parts["tails"] if words.is_of("firm_ends", tail)]
    if others and firms and firms[0] == parts["tails"][0] and not words.names.fits("surname", head):
        return None
    if not others or words.names.fits("several", head, *others):
        is_named = not others and any(
            normalize_name(f"{head} ").startswith(f"{normalize_name(title)} ") for title in titles
        )
        return " ".join([*([] if is_named else titles), head, *generations])
    if len(others) > 1:
        return None
    two = words.names.groups("two", head, others[0])
    other = two.get("given", others[0])
    match order_of(head, other, words):
        case "last, first":
            parts["tails"][:] = [tail for tail in parts["tails"] if tail not in firms]
            first, generation = split_generation(other, words)
            ordered = [*titles, first, head, generation, *generations, two.get("firm"), *firms]
            return " ".join(filter(None, ordered))
        case "first last":
            return f"{head} {other}"
    return None
