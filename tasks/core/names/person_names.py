"""The order in which a person's name is spoken: "Last, First" is turned, and what follows a name is told from it.

By lists that are not complete: what they don't know is left as its source wrote it, and what commas mean can't always
be known: "Babcock, Appleton and Babcock" is a firm, "Louvre, Paris, France" a place.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from tasks.core.names.maker_words import Words, is_initial
from tasks.core.names.matching import normalize_name

_PART = re.compile(r"[^\s\-–'’]+")
_Parts = Mapping[str, list[str]]
"""What stands behind the first comma: titles; names, given ones or what is not known; generations (the Elder, Jr.; of
Derby); tails, which stay behind a comma (Lord of Clootwyck, Ltd.)."""


def split_generation(text: str, words: Words) -> tuple[str, str]:
    """The text without a generation at its end, unless it is nothing else, and the generation; "V." is an initial.

    >>> [split_generation(text, Words.shipped()) for text in ("Hans the Elder", "Jr.", "John V.")]
    [('Hans', 'the Elder'), ('Jr.', ''), ('John V.', '')]
    """
    fit = words.names.fit("generation", text)
    return (fit.groups["name"], fit.groups["generation"]) if fit else (text, "")


def spoken(text: str, words: Words) -> str:
    """A name without a comma as it is spoken, and without honours; the text itself where that is not certain.

    >>> [spoken(text, Words.shipped()) for text in ("LA TOUR Georges de", "TENIERS David II", "Massarenti Leonardo")]
    ['Georges de La Tour', 'David Teniers II', 'Leonardo Massarenti']
    """
    fit = None if "," in text else words.names.fit("spoken", text)
    if not fit or not fit.groups:
        return text
    parts = defaultdict(str, fit.groups)
    given, generation = split_generation(parts["given"], words)
    front, family = (_small(parts[name], words) for name in ("front", "family"))
    given = _small(given, words) if text.isupper() else given
    return " ".join(filter(None, [front, given, family, parts["generation"] or generation])).replace("' ", "'")


def _small(name: str, words: Words) -> str:
    """A name as it is written; words in capitals but for articles are small where they are particles: "van", "Le"."""
    return " ".join(_small_word(word, words) for word in name.split()) if name.isupper() else name


def _small_word(word: str, words: Words) -> str:
    folded = normalize_name(word)
    if "." in word and is_initial(word):
        return word
    if word == "Y" or (folded in words["particles"] and not folded.startswith("l")):  # "RIBERA Y CIRERA"
        return word.lower()
    return _PART.sub(lambda part: part[0].capitalize(), word)


def is_aside(head: str, part: str, words: Words) -> bool:
    """Whether a part behind a comma is no part of a name: a nation, a time, who printed it, what else he was called.

    >>> [is_aside("Monet", part, Words.shipped()) for part in ("Claude", "French", "1840-1926", "printed by Delâtre")]
    [False, True, True, True]
    """
    return bool(words.names.fit("aside", head, part) or words.kinds.fit("remark", part))


class CommaName(NamedTuple):
    """A name in the order in which it is spoken; unless `is_certain`, as it came."""

    name: str
    is_certain: bool = True


def turn(text: str, words: Words) -> CommaName | None:
    """The name of a text with commas; None if it has none.

    >>> turn("Burne-Jones, Sir Edward Coley, Bt", Words.shipped()).name
    'Sir Edward Coley Burne-Jones'
    >>> turn("Joseph Mallord William Turner, Thomas Girtin", Words.shipped()).name
    'Joseph Mallord William Turner'
    >>> turn("Imperial Armory, Tula", Words.shipped())
    CommaName(name='Imperial Armory, Tula', is_certain=False)
    """
    if "," not in text:
        return None
    if pair := words.names.fit("pair", *text.split(",")):
        return CommaName(f"{pair.groups['head']}, {pair.groups['given']}")
    head, *rest = [part.strip() for part in text.split(",") if normalize_name(part)] or [""]
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for at, part in enumerate(rest):
        others = rest[:at] + rest[at + 1 :]
        if not is_aside(head, part, words) and not words.names.fit("left_out", head, part, *others):
            kind = words.names.fit("after_head", head, part)
            parts[kind.value if kind else ""].append(part)
            parts["all"].append(part)
    is_of_people = bool(rest) and words.kinds.fit("of_people", head) and not words.is_of("forename", rest[0])
    name = None if is_of_people else _peer(head, parts, words) or _turned(head, parts, words)  # "Egypt, New Kingdom"
    if name is None:
        is_firm = not is_of_people and ("&" in text or words.is_of("firm_ends", text.rpartition(",")[2].strip()))
        return CommaName(", ".join([head, *parts["all"]]), is_certain=is_firm)
    return CommaName(", ".join([name, *parts["tails"]]))


def order_of(head: str, other: str, words: Words) -> str:
    """How a first part and what follows it are spoken: "Last, First", or as they stand; "unknown" if nobody can know.

    >>> order_of("Gogh", "Vincent van", Words.shipped()), order_of("Leonardo", "da Vinci", Words.shipped())
    ('last, first', 'first last')
    """
    fit = words.names.fit("order", head, other)
    order = fit.value if fit else "unknown"
    return "last, first" if order == "unknown" and words.aliases.name(f"{other} {head}") else order


def _peer(head: str, parts: _Parts, words: Words) -> str | None:
    """The name where a rank waits for its place: "Caylus, Anne Claude Philippe, comte de"; None where none does."""
    others = [*parts["names"], *parts["titles"], *parts["generations"]]
    if len(parts["tails"]) != 1 or others != parts["names"][:1] or not words.names.fit("open", parts["tails"][0]):
        return None
    return ", ".join([*others, f"{parts['tails'].pop()} {head}"])


def _turned(head: str, parts: _Parts, words: Words) -> str | None:
    """The name without its tails; None if it is not certain what the commas mean."""
    others, titles, generations = parts["names"], parts["titles"], parts["generations"]
    if words.names.fit("at_place", head, *others):  # "Smith, John, London"
        others = others[:1]
    firms = [tail for tail in parts["tails"] if words.is_of("firm_ends", tail)]
    if others and firms and firms[0] == parts["tails"][0] and not words.names.fit("surname", head):
        return None
    if not others or words.names.fit("several", head, *others):
        start = f"{normalize_name(head)} "
        is_named = not others and any(start.startswith(f"{normalize_name(title)} ") for title in titles)
        return " ".join([*([] if is_named else titles), head, *generations])
    if len(others) > 1:
        return None
    two = words.names.fit("two", head, others[0])
    groups = two.groups if two else {"given": others[0]}
    order = order_of(head, groups["given"], words)
    if order == "last, first":
        parts["tails"][:] = [tail for tail in parts["tails"] if tail not in firms]
        first, generation = split_generation(groups["given"], words)
        ordered = [*titles, first, head, generation, *generations, groups.get("firm"), *firms]
        return " ".join(filter(None, ordered))
    return f"{head} {groups['given']}" if order == "first last" else None
