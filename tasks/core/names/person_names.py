"""A person's name, or a part of one: its given names, its generation, the order in which it is spoken.

By lists that are not complete: what they don't know is left as its source wrote it.
"""

import re

from tasks.core.names.maker_words import Words, is_initial
from tasks.core.names.matching import normalize_name

_PART = re.compile(r"[^\s\-–'’]+")


def is_given(text: str, words: Words, *, is_whole: bool = False) -> bool:
    """Whether a text consists of given names, initials, titles and particles; if is_whole, of given names and initials.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_given(text, shipped_words()) for text in ("Sir Edward", "Edward van", "")]
    [True, True, False]
    >>> is_given("Edward van", shipped_words(), is_whole=True)
    False
    """
    return words.is_of("given" if is_whole else "forename", text)


def is_full_name(text: str, words: Words) -> bool:
    """Whether it is a name in the order in which it is spoken: a given name first, and a surname last.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_full_name(text, shipped_words()) for text in ("Sir Peter Paul Rubens", "Peter Paul", "Rubens", "")]
    [True, False, False, False]
    """
    return words.names.fits("full_name", text)


def split_generation(text: str, words: Words) -> tuple[str, str]:
    """The text without a generation at its end, unless it is nothing else, and the generation.

    "V." and the "I" of "J I" are initials.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [split_generation(text, shipped_words()) for text in ("Hans the Elder", "Jr.", "John V.")]
    [('Hans', 'the Elder'), ('Jr.', ''), ('John V.', '')]
    """
    groups = words.names.groups("generation", text)
    return groups.get("name", text), groups.get("generation", "")


def without_honours(text: str, words: Words) -> str:
    """The text without the honours at its end: "Henry Moore OM"."""
    return words.names.groups("behind_honours", text).get("name", text)


def spoken(text: str, words: Words) -> str:
    """The name without a comma in the order in which it is spoken; the text itself where that is not certain.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [spoken(text, shipped_words()) for text in ("LA TOUR Georges de", "TENIERS David II", "Massarenti Leonardo")]
    ['Georges de La Tour', 'David Teniers II', 'Leonardo Massarenti']
    """
    if "," in text or not words.names.fits("turnable", text):
        return text
    parts = words.names.groups("spoken", text)
    if not parts:
        return text
    given, generation = split_generation(parts["given"], words)
    front, family = (_small(parts.get(name) or "", words) for name in ("front", "family"))
    given = _small(given, words) if text.isupper() else given
    ordered = [front, given, family, parts.get("generation") or generation]
    return " ".join(filter(None, ordered)).replace("' ", "'")


def first_in_capitals(text: str, words: Words) -> str:
    """The first of several people with their family names in capitals: "AUDRAN Benoît, LE BRUN Charles"."""
    return text.partition(",")[0] if words.names.fits("several_in_capitals", *text.split(",")) else text


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
