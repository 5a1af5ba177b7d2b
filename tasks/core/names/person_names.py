"""Whether words are a person's name, a part of one, or a firm's.

By the lists of name_words.py, which are not complete.
"""

import re

from tasks.core.names.matching import normalize_name
from tasks.core.names.name_words import (
    FIRM_ENDS,
    FIRM_WORDS,
    GENERATIONS,
    GIVEN_NAMES,
    PARTICLES,
    POST_NOMINALS,
    TITLES,
)

_INITIALS = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]?|[^\W\d_]")
_SHORT_NAME = re.compile(r"[^\W\d_]{2,3}\.")
LONGEST_GENERATION = 2
"""Words of a generation at most: "the Elder"."""
_SHORTEST_CERTAIN_HONOUR = 3


def is_given(text: str, *, is_whole: bool = False) -> bool:
    """Whether a text consists of given names, initials, titles and particles; if is_whole, of given names and initials.

    >>> is_given("Sir Edward"), is_given("Edward van"), is_given("Edward van", is_whole=True), is_given("")
    (True, True, False, False)
    """
    words = text.split()
    return bool(words) and all(
        is_initial(word)
        or set(normalize_name(word).split()) <= (GIVEN_NAMES if is_whole else GIVEN_NAMES | PARTICLES | TITLES)
        for word in words
    )


def is_initial(word: str) -> bool:
    """Whether a word is initials: "H.", "J.-B.", "Ph.", "H"."""
    return (word.isupper() and _INITIALS.fullmatch(word) is not None) or _SHORT_NAME.fullmatch(word) is not None


def is_single_surname(text: str) -> bool:
    """Whether it is one surname: one word, with particles before it or within it, and a generation behind.

    >>> is_single_surname("van der Stockt"), is_single_surname("Cranach the Elder"), is_single_surname("Henry Moore")
    (True, True, False)
    """
    words = normalize_name(re.sub(r"[-–'’`]", "", text)).split()
    for length in range(LONGEST_GENERATION, 0, -1):
        if len(words) > length and " ".join(words[-length:]) in GENERATIONS:
            words = words[:-length]
    first, *more = words or [""]
    return not more or first in PARTICLES or (first not in GIVEN_NAMES and any(word in PARTICLES for word in more))


def without_generation(text: str) -> str:
    """The text without a generation at its end, unless it is nothing else.

    >>> without_generation("Hans the Elder"), without_generation("Toyokuni III"), without_generation("Jr.")
    ('Hans', 'Toyokuni', 'Jr.')
    """
    words = text.split()
    for length in range(LONGEST_GENERATION, 0, -1):
        if len(words) > length and normalize_name(" ".join(words[-length:])) in GENERATIONS:
            return " ".join(words[:-length])
    return text


def is_full_name(text: str) -> bool:
    """Whether it is a name in the order in which it is spoken: a given name first, and a surname last.

    >>> is_full_name("Sir Peter Paul Rubens"), is_full_name("Peter Paul"), is_full_name("Rubens"), is_full_name("")
    (True, False, False, False)
    """
    words = text.split()
    while words and normalize_name(words[0]) in TITLES:
        words = words[1:]
    if len(words) < 2 or not is_given(words[0], is_whole=True) or is_initial(words[-1]):
        return False
    last = normalize_name(words[-1])
    return (last not in PARTICLES and last not in GIVEN_NAMES) or normalize_name(" ".join(words[-2:])) in GENERATIONS


def has_particle(text: str) -> bool:
    """Whether it has a "van", a "della" or a "d'" in it."""
    return bool(set(normalize_name(text).split()) & PARTICLES) or re.search(r"\bd['’]", text) is not None


def is_honour(part: str, *, is_behind_full_name: bool) -> bool:
    """Whether a part is honours alone; two capitals behind one word may be initials: "Smith, RA"."""
    words = part.replace(".", "").split()
    return all(
        word in POST_NOMINALS and (is_behind_full_name or len(word) >= _SHORTEST_CERTAIN_HONOUR or not word.isupper())
        for word in words
    )


def without_honours(text: str) -> str | None:
    """The text without the honours at its end: "Henry Moore OM"; None if it has none."""
    words = text.split()
    while len(words) > 2 and words[-1].replace(".", "") in POST_NOMINALS and not text.isupper():
        words.pop()
    return " ".join(words) if len(words) < len(text.split()) else None


def has_firm_word(text: str) -> bool:
    """Whether a word in it is one of firms and institutions: "Workshop", "Museum"."""
    return bool(set(normalize_name(text).split()) & FIRM_WORDS)


def is_firm_end(text: str) -> bool:
    """Whether it is what a firm's name ends with: "Ltd.", "Inc"."""
    return normalize_name(text) in FIRM_ENDS


def is_firm(text: str) -> bool:
    """Whether a text is a firm's name for certain, commas and all: "Smith, Jones & Co."."""
    return "&" in text or is_firm_end(text.rpartition(",")[2])
