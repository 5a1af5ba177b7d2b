"""Names with commas: "Last, First" is turned, and what follows a name is told from it.

What is meant can't always be known: "Babcock, Appleton and Babcock" is a firm, "Louvre, Paris, France" a place. Such a
text stays as its source wrote it, and `is_certain` says so.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from schemas.phrases import listed
from tasks.core.names.matching import normalize_name
from tasks.core.names.name_words import (
    FIRM_ENDS,
    FIRM_WORDS,
    GENERATIONS,
    GIVEN_NAMES,
    PARTICLES,
    PLACES,
    POST_NOMINALS,
    RANKS,
    TITLES,
)


class CommaName(NamedTuple):
    """A name in the order in which it is spoken; unless `is_certain`, as it came."""

    name: str
    qualifiers: tuple[str, ...] = ()
    is_certain: bool = True


class _Parts(NamedTuple):
    """What stands between the commas after the first part, by kind."""

    qualifiers: list[str]
    titles: list[str]
    others: list[str]  # given names, or what is not known
    ends: list[str]  # the Elder, Jr.
    tails: list[str]  # behind a comma for good: Lord of Clootwyck, Ltd.
    kept: list[str]  # all but what is no part of a name, in the order in which it came


_REMARK = re.compile(
    r".*\d.*|(?:fl .+|(?:born|died|active|flourished|circa|called|dit|dite|genannt|known|also|possibly|probably)\b.*)"
    r"|.* (?:school|period|dynasty|century|style)|the|an?|et al|and others|u a"
    r"|(?:painter|artist|architect|designer|engraver|etcher|lithographer|illustrator|printmaker|sculptor|draftsman"
    r"|draughtsman|publisher|printer|photographer|goldsmith|silversmith|calligrapher|potter|weaver)"
    r"|(?:american|argentine|argentinian|armenian|australian|austrian|belgian|bohemian|brazilian|british|bulgarian"
    r"|byzantine|canadian|catalan|chilean|chinese|colombian|croatian|cuban|czech|danish|dutch|egyptian|english|estonian"
    r"|european|finnish|flemish|florentine|franco flemish|french|genoese|georgian|german|greek|hungarian|icelandic"
    r"|indian|iranian|irish|israeli|italian|japanese|korean|latvian|lithuanian|mexican|netherlandish|north italian"
    r"|norwegian|persian|peruvian|polish|portuguese|roman|romanian|russian|scottish|serbian|sienese|slovak|slovenian"
    r"|south netherlandish|spanish|swedish|swiss|turkish|ukrainian|venetian|welsh)"
)
_ANOTHERS_WORK = re.compile(
    r"(?:after|nach|d['’]après|with|mit|avec|assisted by|completed by|copied by|designed by|engraved by|etched by"
    r"|executed by|finished by|in collaboration with|lithographed by|made by|printed by|published by)\s+\S.*"
)
_RANK = re.compile(rf"(?:{'|'.join(sorted(RANKS))})s?\s+(?:of|de|du|del|della|di|d['’]|von|zu|van)\b.*", re.IGNORECASE)
_AND = re.compile(r"&| (?:and|und|et|e|y|en|with) ", re.IGNORECASE)
_FIRM_AND = re.compile(
    r"(?:.+ )?(?:&|and|und|et) (?:sons?|daughters?|brothers?|bros\.?|co\.?|company|cie\.?|fils|fr[eè]res|s[oö]hne?)",
    re.IGNORECASE,
)
_TWO_TURNED = re.compile(r"([^,]+, [^,]+?) (?:and|und|et|&) [^,]+, [^,]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]?|[^\W\d_]")
_SHORT_NAME = re.compile(r"[^\W\d_]{2,3}\.")
_MOST_LISTED = 10
_LONGEST_END, _LONGEST_QUALIFIER = 2, 4
_SHORTEST_CERTAIN_HONOUR = 3


def turn(text: str, qualifier_of: Mapping[str, str]) -> CommaName | None:
    """The name of a text with commas; None if it has none.

    qualifier_of: the qualifier ("" for none) of each folded phrase that is one.

    >>> turn("Burne-Jones, Sir Edward Coley, Bt", {}).name, turn("Henry Moore, OM, CH", {}).name
    ('Sir Edward Coley Burne-Jones', 'Henry Moore')
    >>> turn("Joseph Mallord William Turner, Thomas Girtin", {}).name
    'Joseph Mallord William Turner'
    >>> turn("Imperial Armory, Tula", {})
    CommaName(name='Imperial Armory, Tula', qualifiers=(), is_certain=False)
    """
    if "," not in text:
        return None
    if (two := _TWO_TURNED.fullmatch(text)) and _is_given(two[1].partition(", ")[2]):
        return CommaName(two[1])
    head, *rest = [part.strip() for part in text.split(",") if normalize_name(part)] or [""]
    parts = _sorted_parts(head, rest, qualifier_of)
    name = _turned(head, parts)
    if name is None:
        return CommaName(", ".join([head, *parts.kept]), tuple(parts.qualifiers), is_certain=_is_firm(text))
    tails = [tail for tail in parts.tails if not (_is_firm_end(tail) and name.endswith(tail))]
    return CommaName(", ".join([name, *tails]), tuple(parts.qualifiers))


def without_honours(text: str) -> str | None:
    """The text without the honours at its end: "Henry Moore OM"; None if it has none."""
    words = text.split()
    while len(words) > 2 and words[-1].replace(".", "") in POST_NOMINALS and not text.isupper():
        words.pop()
    return " ".join(words) if len(words) < len(text.split()) else None


def _sorted_parts(head: str, rest: list[str], qualifier_of: Mapping[str, str]) -> _Parts:
    parts = _Parts([], [], [], [], [], [])
    is_several = len(head.split()) > 1 or len(rest) > 1
    for part in rest:
        part, qualifier = _without_qualifier(part, qualifier_of)
        parts.qualifiers.extend(qualifier)
        folded = normalize_name(part).removeprefix("and ").removeprefix("or ")
        if folded in qualifier_of:
            parts.qualifiers.append(qualifier_of[folded])
        elif not (_REMARK.fullmatch(folded) or _is_in_other_script(part, head) or _is_about_another(part, head)):
            if _is_honour(part, is_several) and not _has_firm_word(head):
                continue
            kind = _kind(part, folded, parts)
            kind.append(part)
            parts.kept.append(part)
    return parts


def _without_qualifier(part: str, qualifier_of: Mapping[str, str]) -> tuple[str, list[str]]:
    """A part without the qualifier at its end, which is turned with it: "Hemmel von Andlau, Peter Circle of"."""
    words = part.split()
    for length in range(_LONGEST_QUALIFIER, 1, -1):
        phrase = normalize_name(" ".join(words[-length:]))
        if len(words) > length and phrase.endswith((" of", " to")) and phrase in qualifier_of:
            return " ".join(words[:-length]), [qualifier_of[phrase]]
    return part, []


def _kind(part: str, folded: str, parts: _Parts) -> list[str]:
    if folded in GENERATIONS:
        return parts.ends
    if folded in TITLES:
        return parts.titles
    if folded in FIRM_ENDS or _RANK.fullmatch(part):
        return parts.tails
    return parts.others


def _turned(head: str, parts: _Parts) -> str | None:
    """The name without its tails; None if it is not certain what the commas mean."""
    others = parts.others
    is_place = [normalize_name(other) in PLACES for other in others]
    if others and _is_given(others[0]) and not is_place[0] and all(is_place[1:]) and not _has_firm_word(head):
        others = others[:1]  # "Smith, John, London"
    if not others:
        is_named = normalize_name(head).startswith(tuple(f"{normalize_name(title)} " for title in parts.titles))
        return " ".join([*([] if is_named else parts.titles), head, *parts.ends])
    if parts.tails and _is_firm_end(parts.tails[0]) and not _is_single(head):
        return None
    if all(_is_full_name(name) for name in (head, *others)) and not _AND.search(head):
        return " ".join([*parts.titles, head, *parts.ends])  # several people
    if len(others) > 1:
        return None
    for rule in _RULES:
        verdict = rule(head, others[0])
        if verdict is not None:
            return _joined(head, others[0], parts) if verdict is _TURN else verdict or None
    return None


_TURN, _LEAVE = "\0turn", ""
Rule = Callable[[str, str], str | None]
"""Says of a first part and of what follows: _TURN, _LEAVE, the name itself, or None if it does not know."""


def _by_and(head: str, other: str) -> str | None:
    """Two names in one part are a firm, or two people."""
    if _AND.search(f" {other} "):
        return _LEAVE
    if _FIRM_AND.fullmatch(head):
        return _TURN if _is_given(other) else _LEAVE
    return _LEAVE if "&" in head or re.search(r" (?:and|und|et) ", head) else None


def _by_master(_: str, other: str) -> str | None:
    """Masters without a name: "Riccardiana Lactantius, Master of the"."""
    return _TURN if re.fullmatch(r"(?:Master|Painter|Maestro|Meister|Maître)\b.*", other) else None


def _by_byname(head: str, other: str) -> str | None:
    """What follows is no given name, but goes on: "Leonardo, da Vinci"."""
    first, *more = other.split()
    if not more or not first.islower() or normalize_name(first) not in PARTICLES:
        return None
    return _LEAVE if _is_given(more[-1]) and not _is_given(head) else f"{head} {other}"


def _by_words(head: str, other: str) -> str | None:
    """Firms, institutions and places are no people."""
    is_place = normalize_name(other) in PLACES
    if _has_firm_word(head) or _has_firm_word(other):
        return _TURN if _is_given(other) and not is_place else _LEAVE
    if is_place:
        return _TURN if _is_given(other) and _is_single(head) else _LEAVE
    return _LEAVE if head[:1].isupper() and other[:1].islower() and not _is_given(other) else None


def _by_order(head: str, other: str) -> str | None:
    """Whether the first part is a surname, or a whole name in the order in which it is spoken."""
    if _is_single(head):
        return _LEAVE if other in POST_NOMINALS else _TURN  # "Smith, RA"
    begins_given = _is_given(head.split()[0])
    if _is_given(other):
        is_surname = not begins_given or _has_particle(head) or _is_given(head, True)
        return _TURN if is_surname or len(other.split()) == 1 else _LEAVE  # "Jean Arp, Max Ernst"
    if begins_given:
        return _LEAVE
    return _TURN if len(normalize_name(other).split()) == 1 or ("-" in other and " " not in other) else _LEAVE


_RULES: tuple[Rule, ...] = (_by_and, _by_master, _by_byname, _by_words, _by_order)


def _joined(head: str, other: str, parts: _Parts) -> str:
    """The name with what follows in front; what ends it stays at the end: "Wydytz, Hans I" is "Hans Wydytz I"."""
    words, ends = other.split(), []
    while len(words) > 1 and words[-1].replace(".", "") in POST_NOMINALS:
        words.pop()
    for length in range(_LONGEST_END, 0, -1):
        if len(words) > length and _is_generation(words, length):
            words, ends = words[:-length], [" ".join(words[-length:])]
            break
    firm = [tail for tail in parts.tails if _is_firm_end(tail)]
    return " ".join([*parts.titles, *words, head, *ends, *parts.ends, *firm])


def _is_generation(words: list[str], length: int) -> bool:
    """Whether the last words are "the Younger", "II" or the like. "V." and the "I" of "J I" are initials."""
    folded = normalize_name(" ".join(words[-length:]))
    is_initial = len(folded) == 1 and (words[-1].endswith(".") or _is_initial(words[-2]))
    return folded in GENERATIONS and not is_initial


def _is_given(text: str, is_whole: bool = False) -> bool:
    """Whether a part consists of given names, initials, titles and particles."""
    words = text.split()
    return bool(words) and all(
        _is_initial(word)
        or set(normalize_name(word).split()) <= (GIVEN_NAMES if is_whole else GIVEN_NAMES | PARTICLES | TITLES)
        for word in words
    )


def _has_firm_word(text: str) -> bool:
    return bool(set(normalize_name(text).split()) & FIRM_WORDS)


def _is_initial(word: str) -> bool:
    """Whether a word is initials: "H.", "J.-B.", "Ph.", "H"."""
    return (word.isupper() and _INITIALS.fullmatch(word) is not None) or _SHORT_NAME.fullmatch(word) is not None


def _is_single(head: str) -> bool:
    """Whether it is one surname: one word, with particles before it or within it, and a generation behind."""
    words = normalize_name(re.sub(r"[-–'’`]", "", head)).split()
    for length in range(_LONGEST_END, 0, -1):
        if len(words) > length and " ".join(words[-length:]) in GENERATIONS:
            words = words[:-length]
    first, *more = words or [""]
    return not more or first in PARTICLES or (first not in GIVEN_NAMES and any(word in PARTICLES for word in more))


def _has_particle(head: str) -> bool:
    return bool(set(normalize_name(head).split()) & PARTICLES) or re.search(r"\bd['’]", head) is not None


def _is_full_name(text: str) -> bool:
    """Whether it is a name in the order in which it is spoken: a given name first, and a surname last."""
    words = text.split()
    while words and normalize_name(words[0]) in TITLES:
        words = words[1:]
    if len(words) < 2 or not _is_given(words[0], True) or _is_initial(words[-1]):
        return False
    last = normalize_name(words[-1])
    return (last not in PARTICLES and last not in GIVEN_NAMES) or normalize_name(" ".join(words[-2:])) in GENERATIONS


def _is_honour(part: str, is_several: bool) -> bool:
    """Whether a part is honours alone; two capitals behind one word may be initials: "Smith, RA"."""
    words = part.replace(".", "").split()
    return all(
        word in POST_NOMINALS and (is_several or len(word) >= _SHORTEST_CERTAIN_HONOUR or not word.isupper())
        for word in words
    )


def _is_about_another(part: str, head: str) -> bool:
    return head[:1].isupper() and _ANOTHERS_WORK.fullmatch(part) is not None


def _is_in_other_script(part: str, head: str) -> bool:
    """Whether a part is the same name in Japanese, as ukiyo-e.org writes it: "Toyohara Kunichika, 豊原国周"."""
    return not re.search("[a-z]", normalize_name(part)) and bool(re.search("[a-z]", normalize_name(head)))


def _is_firm_end(tail: str) -> bool:
    return normalize_name(tail) in FIRM_ENDS


def _is_firm(text: str) -> bool:
    """Whether a text is a firm's name for certain, commas and all: "Smith, Jones & Co."."""
    return "&" in text or normalize_name(text.rpartition(",")[2]) in FIRM_ENDS


@lru_cache(maxsize=65536)
def is_uncertain(name: str) -> bool:
    """Whether a name has commas of which it is not certain what they mean."""
    turned = turn(name, {})
    return turned is not None and not turned.is_certain


def count_uncertain_names(artists: Iterable[str | None], aliases: Mapping[str, str]) -> list[tuple[str, int]]:
    """The names that are left as their sources wrote them, with their numbers of records; the most frequent first.

    What a recipe or the shipped table names so, is meant so.
    """
    meant = {*aliases.values()}
    counts = Counter(name for name in artists if name and name not in meant and is_uncertain(name))
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def uncertain_names_note(left: list[tuple[str, int]]) -> tuple[str, ...]:
    """One sentence that lists at most ten of them; empty if there are none.

    >>> uncertain_names_note([("Imperial Armory, Tula", 12)])[0][:95]
    "1 artist's name has commas of which it is not certain what they mean, and stays as its source w"
    """
    if not left:
        return ()
    many = (
        "1 artist's name has commas of which it is not certain what they mean, and stays as its source wrote it"
        if len(left) == 1
        else f"{len(left)} artists' names have commas of which it is not certain what they mean, and stay as their "
        "sources wrote them"
    )
    named = listed([f"'{name}' ({count})" for name, count in left], _MOST_LISTED)
    return (f"{many}: {named}; artists.aliases in the recipe gives them other names",)
