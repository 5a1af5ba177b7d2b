"""Whether words are a person's name, a part of one, or a firm's.

By lists that are not complete: what they don't know is left as its source wrote it.
"""

import re

from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name

_INITIALS = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]?|[^\W\d_]")
_SHORT_NAME = re.compile(r"[^\W\d_]{2,3}\.")
_SHORTEST_CERTAIN_HONOUR = 3
_IN_NAMES = re.compile(r"[-–'’`]")


def is_given(text: str, words: Words, *, is_whole: bool = False) -> bool:
    """Whether a text consists of given names, initials, titles and particles; if is_whole, of given names and initials.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_given(text, shipped_words()) for text in ("Sir Edward", "Edward van", "")]
    [True, True, False]
    >>> is_given("Edward van", shipped_words(), is_whole=True)
    False
    """
    lists = ("given_names",) if is_whole else ("given_names", "particles", "titles")
    parts = text.split()
    return bool(parts) and all(
        is_initial(part) or all(any(word in words[name] for name in lists) for word in normalize_name(part).split())
        for part in parts
    )


def is_initial(word: str) -> bool:
    """Whether a word is initials: "H.", "J.-B.", "Ph.", "H"."""
    return (word.isupper() and _INITIALS.fullmatch(word) is not None) or _SHORT_NAME.fullmatch(word) is not None


def is_single_surname(text: str, words: Words) -> bool:
    """Whether it is one surname: one word, with particles before it or within it, and a generation behind.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_single_surname(text, shipped_words()) for text in ("van der Stockt", "Cranach the Elder", "Henry Moore")]
    [True, True, False]
    """
    parts = normalize_name(_IN_NAMES.sub("", text)).split()
    length = words.generations.end(parts)
    first, *more = parts[:-length] if 0 < length < len(parts) else parts or [""]
    particles = words["particles"]
    return not more or first in particles or (first not in words["given_names"] and not particles.isdisjoint(more))


def split_generation(text: str, words: Words) -> tuple[str, str]:
    """The text without a generation at its end, unless it is nothing else, and the generation.

    "V." and the "I" of "J I" are initials.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [split_generation(text, shipped_words()) for text in ("Hans the Elder", "Jr.", "John V.")]
    [('Hans', 'the Elder'), ('Jr.', ''), ('John V.', '')]
    """
    parts = text.split()
    for length in (2, 1):
        folded = normalize_name(" ".join(parts[-length:]))
        if len(parts) <= length or folded not in words["generations"]:
            continue
        if len(folded) > 1 or not (parts[-1].endswith(".") or is_initial(parts[-2])):
            return " ".join(parts[:-length]), " ".join(parts[-length:])
    return text, ""


def is_full_name(text: str, words: Words) -> bool:
    """Whether it is a name in the order in which it is spoken: a given name first, and a surname last.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_full_name(text, shipped_words()) for text in ("Sir Peter Paul Rubens", "Peter Paul", "Rubens", "")]
    [True, False, False, False]
    """
    parts = text.split()
    while parts and normalize_name(parts[0]) in words["titles"]:
        parts = parts[1:]
    if len(parts) < 2 or not is_given(parts[0], words, is_whole=True) or is_initial(parts[-1]):
        return False
    last = normalize_name(parts[-1])
    if normalize_name(" ".join(parts[-2:])) in words["generations"]:
        return True
    is_family_name = last not in words["given_names"] or (last in words["also_family_names"] and len(parts) > 2)
    return last not in words["particles"] and is_family_name


def has_particle(text: str, words: Words) -> bool:
    """Whether it has a "van", a "della" or a "d'" in it."""
    return not words["particles"].isdisjoint(normalize_name(text).split()) or re.search(r"\bd['’]", text) is not None


def is_honour(part: str, words: Words, *, is_behind_full_name: bool) -> bool:
    """Whether a part is honours alone; two capitals behind one word may be initials: "Smith, RA"."""
    return all(
        word in words.honours and (is_behind_full_name or len(word) >= _SHORTEST_CERTAIN_HONOUR or not word.isupper())
        for word in part.replace(".", "").split()
    )


def without_honours(text: str, words: Words) -> str:
    """The text without the honours at its end: "Henry Moore OM"."""
    parts = text.split()
    while len(parts) > 2 and parts[-1].replace(".", "") in words.honours and not text.isupper():
        parts.pop()
    return " ".join(parts) if len(parts) < len(text.split()) else text


def has_firm_word(text: str, words: Words) -> bool:
    """Whether a word in it is one of firms and institutions: "Workshop", "Museum"."""
    return not words["firm_words"].isdisjoint(normalize_name(text).split())


def is_firm(text: str, words: Words) -> bool:
    """Whether a text is a firm's name for certain, commas and all: "Smith, Jones & Co."."""
    return "&" in text or normalize_name(text.rpartition(",")[2]) in words["firm_ends"]
