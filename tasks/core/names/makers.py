"""Texts that name more than the maker: who made it after whom, with whom, and what else he was called.

Only what is certain is taken apart: "Agostino Veneziano after Raphael" is by Agostino, but "Room after a design by
Robert Adam" is not by Room. A single unknown word may be a place or a thing, so it is no person for certain.
"""

from functools import lru_cache

from schemas.word_lists import QUALIFIERS
from tasks.core.names.maker_words import Words, tokens
from tasks.core.names.matching import normalize_name
from tasks.core.names.person_names import spoken, turn
from tasks.core.names.qualifiers import qualifier_of_bracket, without_phrase_in_front

_GROUPS = frozenset(QUALIFIERS[2:9])
"""Qualifiers that may go on with a place instead of a person: "School of Fontainebleau"."""


def without_years(text: str, words: Words) -> str | None:
    """The text without years at its end: "Claude Monet b. 1840"; None where none are."""
    if not words.pattern("digit").search(text):
        return None
    masked = words.pattern("of_year").sub(  # "Master of 1499", but not "Rembrandt, circle of 1640"
        lambda year: year[0] if normalize_name(year[1] or "") in words.behind.table else "x" * len(year[0]), text
    )
    match = words.pattern("years").fullmatch(masked)
    return text[: match.end(1)] if match else None


def without_others(text: str, words: Words) -> str:
    """The text without "and others" and the like at its end. Of a list with commas only if it is a person's name.

    >>> [without_others(f"{text} and others", Words.shipped()) for text in ("Wang Hui", "Turner, Girtin")]
    ['Wang Hui', 'Turner, Girtin and others']
    """
    match = words.joined("others", text)
    return match[1] if match and ("," not in match[1] or is_person(match[1], words)) else text


def maker_of(text: str, words: Words) -> str | None:
    """The part of a text that is its maker, before "after", "and" or "called" and another name; None if not certain.

    >>> maker_of("Agostino Veneziano after Raphael", Words.shipped())
    'Agostino Veneziano'
    >>> maker_of("after Titian by Agostino Veneziano", Words.shipped())
    'Agostino Veneziano'
    >>> maker_of("Southworth and Hawes", Words.shipped())
    """
    after, byname = (words.joined(name, text) for name in ("after_by", "byname"))
    if after and all(is_person(name, words) for name in after.groups()):
        return after[2]
    if byname and (is_person(byname[1], words) or words.names.fit("byname", byname[1].replace(",", " "))):
        return byname[1]
    match = words.joined("joint", text)
    if match is None:
        return None
    before, joint, behind = match.groups()
    is_written_so = joint.islower() or joint == "&" or text.isupper()  # else it is somebody's name: "Alexander Nach"
    if not is_written_so or normalize_name(behind) in words.behind.table or not is_person(before, words):
        return None
    companions = words.pattern("companions")
    others = companions.split(behind) if companions.fullmatch(f" {joint} ") else []
    return before if all(is_person(name, words) for name in others) else None


def maker_now(text: str, words: Words) -> str | None:
    """Who made it, where a text says whose it was thought to be, or whom he followed, in front; None where it doesn't;
    the text itself where it is not by whom it names, and not certain by whom.

    >>> maker_now("Formerly attributed to Titian, now Giorgione", Words.shipped())
    'Giorgione'
    """
    for form in ("now", "marked_after_by"):
        if match := words.joined(form, text):
            return match["maker"] if is_person(match["maker"], words) else text
    unclear = words.pattern("unclear_bracket").findall(text)  # "Rembrandt (later copy)"
    return text if any(not qualifier_of_bracket(phrase, words) for phrase in unclear) else None


def is_person(text: str, words: Words) -> bool:
    """Whether a text is one person's name for certain, in either order, with dates, brackets and qualifiers or without.

    >>> [is_person(name, Words.shipped()) for name in ("Robbia, Andrea della (1435-1525)", "Master of Flémalle")]
    [True, True]
    >>> [is_person(name, Words.shipped()) for name in ("", "Fontainebleau", "Wedgwood", "Imperial Armory, Tula")]
    [False, False, False, False]
    """
    if words.aliases.name(text):
        return True
    for shorter in (words.pattern("bracket_and_blanks").sub("", text), without_years(text, words)):
        if shorter not in {None, text}:
            return is_person(shorter, words)
    if (stripped := without_phrase_in_front(text, words)) is not None:
        return is_person(stripped[0], words)
    if (turned := turn(text, words)) is not None:
        return turned.is_certain and "," not in turned.name and is_person(turned.name, words)
    if text.partition(" ")[0].isupper() and (in_order := spoken(text, words)) != text:
        return is_person(in_order, words)
    if words.is_of("firm", text) or words.joined("with_companions", text):
        return False
    is_whole = words.names.fit("whole_name", text) or words.names.fit("son_of", normalize_name(text))
    return bool(is_whole or words.pattern("master").fullmatch(text))


def is_group(name: str, qualifier: str | None, words: Words) -> bool:
    """Whether a qualifier goes on with no person: "school of" with what is none for certain, others with a place."""
    if qualifier == "school of":
        return not is_person(name, words)
    return qualifier in _GROUPS and words.is_of("places", name)


def without_bare_word(text: str, words: Words) -> tuple[str, str] | None:
    """The name of a person with a qualifier beside it that has no "of": "Umkreis Lucas Cranach", "Rembrandts skole"."""
    said = tokens(text) if "," not in text and "(" not in text else ()
    folded = [token.folded for token in said]
    length, phrase = words.bare.longest(folded)
    if 0 < length < len(said) and is_person(name := text[said[length].start :], words):
        return name, words.bare.table[phrase]
    length, phrase = words.behind_bare.longest(folded, -1)
    if not 0 < length < len(said):
        return None
    name, qualifier = text[: said[-length - 1].end], words.behind_bare.table[phrase]
    if phrase in words["of_owner"]:
        return (name, qualifier) if name[0].isupper() else None
    owner = words.pattern("genitive").sub("", name)
    is_owner = owner != name and not words.aliases.name(name) and (words.aliases.name(owner) or is_person(owner, words))
    is_bare = phrase in words.bare.table or " " in phrase
    return (owner, qualifier) if is_owner else (name, qualifier) if is_bare and is_person(name, words) else None


@lru_cache(maxsize=65536)
def is_uncertain(name: str, own: str | None = None) -> bool:
    """Whether it is not certain what a name's commas mean, or whom of several it names; own: as of `words_of`."""
    words = Words.shipped(own)
    if maker_now(name, words) is not None:
        return True
    if (turned := turn(name, words)) is not None:
        return not turned.is_certain
    place = without_phrase_in_front(name, words)
    if place is not None and place[1] == "school of" and words.is_of("places", place[0]):
        return False
    return bool(words.pattern("not_certain").fullmatch(name)) and not words.pattern("firm").fullmatch(name)
