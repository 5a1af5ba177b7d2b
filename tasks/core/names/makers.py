"""Texts that name more than the maker: who made it after whom, with whom, and what else he was called.

Only what is certain is taken apart: "Agostino Veneziano after Raphael" is by Agostino, but "Room after a design by
Robert Adam" is not by Room. A single unknown word may be a place or a thing, so it is no person for certain.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from schemas.maker_words import QUALIFIERS
from tasks.core.names.commas import turn
from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name
from tasks.core.names.person_names import has_firm_word, is_full_name
from tasks.core.names.qualifiers import has_unclear_bracket, without_phrase_in_front
from tasks.core.names.spoken_order import spoken

_GROUPS = frozenset(QUALIFIERS[2:9])
"""Qualifiers that may go on with a place instead of a person: "School of Fontainebleau"."""
_JOINTS = frozenset({"after", "copy after", "formerly attributed to", "style of", "manner of"})
"""Qualifiers between a maker and whom the maker followed."""
_YEAR = r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)"
_OF_VASE = re.compile(r"\b(\w+) of [A-Z]\w+ \d{2,4}$")
"""A vase-painter named for a vase in a museum, by its number: "Painter of London 1923"."""
_DIGIT = re.compile(r"\d")
_DATES_AMID = re.compile(rf"\s*[(\[][^()\[\]]*{_YEAR}[^()\[\]]*[)\]](?=\s+[^\W\d_]|\s*&)")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_AFTER_YEAR = r"(?:\d|[^\w()\[\]])*"


class _Patterns(NamedTuple):
    of_year: re.Pattern[str]
    years: re.Pattern[str]
    others: re.Pattern[str]
    joint: re.Pattern[str]
    companions: re.Pattern[str]
    after_by: re.Pattern[str]
    now: re.Pattern[str]
    marked_after_by: re.Pattern[str]
    byname: re.Pattern[str]
    not_certain: re.Pattern[str]
    firm: re.Pattern[str]
    master: re.Pattern[str]


@lru_cache(maxsize=8)
def _patterns(words: Words) -> _Patterns:
    of = {name: words.joints(name) for name in ("ands", "ors", "others", "by", "now", "called", "unknown")}
    after = words.phrases_in_front({"after", "copy after"})
    joint, formerly = words.phrases_in_front(_JOINTS), words.phrases_in_front({"formerly attributed to"})
    attributed, school = words.phrases_in_front({"attributed to"}), words.phrases_in_front({"school of"})
    starts, ends, crafts = (
        words.alternatives("master_words"),
        words.alternatives("master_ends"),
        words.alternatives("crafts"),
    )
    schools = words.alternatives("schools")

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    return _Patterns(
        of_year=compiled(rf"(?:^|,)?([^,]*?\b(?:{words.alternatives('of_years')})) {_YEAR}(?:\s?[-–/]\s?\d{{2,4}})?"),
        years=compiled(rf"(.*?[^\W\d_].*?)[\s,]+(?:{words.alternatives('life')})?\.?\s*{_YEAR}{_AFTER_YEAR}"),
        others=compiled(
            rf"(.*\w.*?),?\s+(?:(?:{of['ands']})\s+(?:{of['others']}|(?:an? )?(?:{of['unknown']})(?: (?:{crafts}))?)"
            rf"|{words.alternatives('et_al')})"
        ),
        joint=compiled(rf"(.*?\S)[\s,]+((?:an? )?(?:{joint})|{of['ands']})\s+(\S.*)"),
        companions=compiled(rf"\s(?:{of['ands']})\s"),
        after_by=compiled(rf"(?:{after})\s+(\S.*?)\s+(?:{of['by']})\s+(\S.*)"),
        now=compiled(
            rf"(?:(?:{formerly})\s.*?\S[\s,]*[,(\[]\s*(?:{of['now']})\s+|.*?\S[\s,]*[,(\[]\s*(?:{of['now']})\s+"
            rf"(?=(?:{attributed})\s))(?P<maker>\S.*?)[)\]]?"
        ),
        marked_after_by=compiled(rf"\S.*?[\s,]*[(\[]\s*(?:{after})\s*[)\]][\s,]*(?:{of['by']})\s+(?P<maker>\S.*)"),
        byname=re.compile(rf"(.*\S)\s+(?:{of['called']})\s+\S.*"),
        not_certain=re.compile(
            rf".*\S (?:{joint}|{of['by']}|{of['ands']}|{of['ors']}|{of['called']}) \S.*"
            rf"|(?i:(?:{formerly}|(?:the )?(?:{school})) \S.*|\S.*[,(] ?(?:(?:{schools}|{school})\)?|(?:{formerly}).*))"
        ),
        firm=compiled(rf".*(?:&|\b(?:{of['ands']}) (?:{words.alternatives('firm_and')})\b).*"),
        master=re.compile(rf"(?:[Tt]he )?(?:(?:{starts}) .+|\S.* (?:{ends}))"),
    )


def without_dates_amid(text: str) -> str:
    """The text without dates in brackets that stand before other words: "Hill (1802-1870) and Adamson".

    >>> without_dates_amid("Hill (1802-1870) and Adamson"), without_dates_amid("Hill (1802-1870)")
    ('Hill and Adamson', 'Hill (1802-1870)')
    """
    return _DATES_AMID.sub("", text) if "(" in text or "[" in text else text


def without_years(text: str, words: Words) -> str:
    """The text without years at its end: "Claude Monet b. 1840"."""
    if not _DIGIT.search(text):
        return text
    vase = _OF_VASE.search(text)
    if vase and normalize_name(vase[1]) in words["master_ends"]:
        return text
    match = _patterns(words).years.fullmatch(_patterns(words).of_year.sub(lambda year: _masked(year, words), text))
    return text[: match.end(1)] if match else text


def _masked(of_year: re.Match[str], words: Words) -> str:
    """Letters in place of a year that is part of a name: "Master of 1499", but not "Rembrandt, circle of 1640"."""
    is_behind_name = of_year[0].startswith(",") and normalize_name(of_year[1]) in words.behind.table
    return of_year[0] if is_behind_name else "x" * len(of_year[0])


def without_others(text: str, words: Words) -> str:
    """The text without "and others" and the like at its end. Of a list with commas only if it is a person's name.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [without_others(f"{text} and others", shipped_words()) for text in ("Wang Hui", "Turner, Girtin")]
    ['Wang Hui', 'Turner, Girtin and others']
    """
    may_end = words.may_have_joint(text) and words.may_end_with_others(text)
    match = _patterns(words).others.fullmatch(text) if may_end else None
    return match[1] if match and ("," not in match[1] or is_person(match[1], words)) else text


def maker_of(text: str, words: Words) -> str | None:
    """The part of a text that is its maker, before "after", "and" or "called" and another name; None if not certain.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> maker_of("Agostino Veneziano after Raphael", shipped_words())
    'Agostino Veneziano'
    >>> maker_of("after Titian by Agostino Veneziano", shipped_words())
    'Agostino Veneziano'
    >>> maker_of("Southworth and Hawes", shipped_words())
    """
    if not words.may_have_joint(text):
        return None
    patterns = _patterns(words)
    if (after := patterns.after_by.fullmatch(text)) and all(is_person(name, words) for name in after.groups()):
        return after[2]
    if (byname := patterns.byname.fullmatch(text)) and _has_byname(byname[1], words):
        return byname[1]
    return _before_joint(text, words)


def maker_now(text: str, words: Words) -> str | None:
    """Who made it, where a text says whose it was thought to be, or whom he followed, in front; None if not certain.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> maker_now("Formerly attributed to Titian, now Giorgione", shipped_words())
    'Giorgione'
    """
    for form in (_patterns(words).now, _patterns(words).marked_after_by) if words.may_have_joint(text) else ():
        if match := form.fullmatch(text):
            return match["maker"] if is_person(match["maker"], words) else None
    return None


def is_unclear(text: str, words: Words) -> bool:
    """Whether a text says that a work is not by whom it names, and can't be taken apart."""
    if has_unclear_bracket(text, words) or not words.may_have_joint(text):
        return has_unclear_bracket(text, words)
    return any(form.fullmatch(text) for form in (_patterns(words).now, _patterns(words).marked_after_by))


def _before_joint(text: str, words: Words) -> str | None:
    """The person before "after", "formerly" or, if people follow, "and"; None if not certain."""
    match = _patterns(words).joint.fullmatch(text)
    if match is None:
        return None
    before, joint, after = match.groups()
    is_written_so = joint.islower() or joint == "&" or text.isupper()  # else it is somebody's name: "Alexander Nach"
    if not is_written_so or normalize_name(after) in words.behind.table or not is_person(before, words):
        return None
    is_companion = _patterns(words).companions.fullmatch(f" {joint} ")
    return before if not is_companion or _are_people(after, words) else None


def _are_people(text: str, words: Words) -> bool:
    return all(is_person(name, words) for name in _patterns(words).companions.split(text))


def _has_byname(text: str, words: Words) -> bool:
    """Whether what stands before "called" is a name: capitals and particles, of two words at least."""
    parts = text.replace(",", " ").split()
    is_name = len(parts) > 1 and all(part[0].isupper() or normalize_name(part) in words["particles"] for part in parts)
    return is_person(text, words) or (is_name and normalize_name(parts[0]) not in words["articles"])


def is_person(text: str, words: Words) -> bool:
    """Whether a text is one person's name for certain, in either order, with dates, brackets and qualifiers or without.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_person(name, shipped_words()) for name in ("Robbia, Andrea della (1435-1525)", "Master of Flémalle")]
    [True, True]
    >>> [is_person(name, shipped_words()) for name in ("", "Fontainebleau", "Wedgwood", "Imperial Armory, Tula")]
    [False, False, False, False]
    """
    if words.is_known(text):
        return True
    for shorter in (_BRACKETS.sub("", text), without_years(text, words)):
        if shorter != text:
            return is_person(shorter, words)
    if (stripped := without_phrase_in_front(text, words)) is not None:
        return is_person(stripped[0], words)
    if (turned := turn(text, words)) is not None:
        return turned.is_certain and "," not in turned.name and is_person(turned.name, words)
    if text.partition(" ")[0].isupper() and (in_order := spoken(text, words)) != text:
        return is_person(in_order, words)
    if has_firm_word(text, words) or (words.may_have_joint(text) and _patterns(words).companions.search(text)):
        return False
    is_eastern = text.count(" ") == 1 and normalize_name(text.partition(" ")[0]) in words["families_first"]
    return _is_master(text, words) or is_full_name(text, words) or is_eastern or _is_son_of(text, words)


def _is_master(text: str, words: Words) -> bool:
    article, _, rest = normalize_name(text).partition(" ")
    folded = rest if article in words["articles_of_names"] else normalize_name(text)
    return folded in words["masters"] or _patterns(words).master.fullmatch(text) is not None


def _is_son_of(text: str, words: Words) -> bool:
    """Given names with a particle between: "Bartolomeo di Giovanni"."""
    first, *more = normalize_name(text).split() or [""]
    particles = words["particles"]
    has_particle_between = not particles.isdisjoint(more[:-1]) and more[-1] not in particles
    return has_particle_between and (first in words["given_names"] or first in words["masters"])


def is_place(text: str, words: Words) -> bool:
    """Whether it is a town or a country that may have a school: "Fontainebleau"."""
    return normalize_name(text) in words["places"]


def is_group(name: str, qualifier: str | None, words: Words) -> bool:
    """Whether a qualifier goes on with no person: "school of" with what is none for certain, others with a place."""
    if qualifier == "school of":
        return not is_person(name, words)
    return qualifier in _GROUPS and is_place(name, words)


def is_uncertain_maker(name: str, words: Words) -> bool:
    """Whether a name that was left may hold several, or a school that may be a person's: "Room after Robert Adam"."""
    patterns = _patterns(words)
    place = without_phrase_in_front(name, words)
    is_of_place = place is not None and place[1] == "school of" and is_place(place[0], words)
    return bool(patterns.not_certain.fullmatch(name)) and not patterns.firm.fullmatch(name) and not is_of_place
