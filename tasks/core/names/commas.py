"""Names with commas: "Last, First" is turned, and what follows a name is told from it.

What is meant can't always be known: "Babcock, Appleton and Babcock" is a firm, "Louvre, Paris, France" a place. Such a
text stays as its source wrote it, and `is_certain` says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tasks.core.names.comma_order import has_and, order_of
from tasks.core.names.matching import normalize_name
from tasks.core.names.name_words import FIRM_ENDS, GENERATIONS, PLACES, POST_NOMINALS, RANKS, TITLES
from tasks.core.names.person_names import (
    LONGEST_GENERATION,
    has_firm_word,
    is_firm,
    is_firm_end,
    is_full_name,
    is_given,
    is_honour,
    is_initial,
    is_single_surname,
)


class CommaName(NamedTuple):
    """A name in the order in which it is spoken; unless `is_certain`, as it came."""

    name: str
    qualifiers: tuple[str, ...] = ()
    is_certain: bool = True


@dataclass(slots=True)
class _PartsAfterHead:
    """What stands between the commas after the first part, by kind."""

    qualifiers: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Given names, or what is not known."""
    generations: list[str] = field(default_factory=list)
    """The Elder, Jr."""
    tails: list[str] = field(default_factory=list)
    """What stays behind a comma: Lord of Clootwyck, Ltd."""
    all_of_name: list[str] = field(default_factory=list)
    """All but what is no part of a name, in the order in which it came."""

    def add(self, part: str) -> None:
        """Put a part of the name where it belongs."""
        folded = normalize_name(part).removeprefix("and ").removeprefix("or ")
        if folded in GENERATIONS:
            self.generations.append(part)
        elif folded in TITLES:
            self.titles.append(part)
        elif folded in FIRM_ENDS or _RANK.fullmatch(part):
            self.tails.append(part)
        else:
            self.names.append(part)
        self.all_of_name.append(part)


_REMARK = re.compile(
    r".*\d.*|(?:fl .+|(?:born|died|active|flourished|circa|called|dit|dite|detto|detta|genannt|alias|known|also"
    r"|formerly|possibly|probably)\b.*)"
    r"|.* (?:school|period|dynasty|century|style)|the|an?|et al|others|u a"
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
_PEERAGE = re.compile(rf"(?:{'|'.join(sorted(RANKS))}) (\S.*)", re.IGNORECASE)
_RANK_OF = re.compile(rf"(?:{'|'.join(sorted(RANKS))}) (?:of|de|du|del|della|di|von|zu|van)", re.IGNORECASE)
_TWO_TURNED = re.compile(r"([^,]+, [^,]+?) (?:and|und|et|&) [^,]+, [^,]+")
_LONGEST_QUALIFIER = 4


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
    if (two := _TWO_TURNED.fullmatch(text)) and is_given(two[1].partition(", ")[2]):
        return CommaName(two[1])
    head, *rest = [part.strip() for part in text.split(",") if normalize_name(part)] or [""]
    parts = _sorted_parts(head, rest, qualifier_of)
    name = _peer(head, parts) or _turned(head, parts)
    if name is None:
        whole = ", ".join([head, *parts.all_of_name])
        return CommaName(whole, tuple(parts.qualifiers), is_certain=is_firm(text))
    tails = [tail for tail in parts.tails if not (is_firm_end(tail) and name.endswith(tail))]
    return CommaName(", ".join([name, *tails]), tuple(parts.qualifiers))


def _sorted_parts(head: str, rest: list[str], qualifier_of: Mapping[str, str]) -> _PartsAfterHead:
    parts = _PartsAfterHead()
    is_behind_full_name = len(head.split()) > 1 or len(rest) > 1
    for part in rest:
        name, qualifiers = _without_qualifier(part, qualifier_of)
        parts.qualifiers.extend(qualifiers)
        folded = normalize_name(name).removeprefix("and ").removeprefix("or ")
        if folded in qualifier_of:
            parts.qualifiers.append(qualifier_of[folded])
        elif _REMARK.fullmatch(folded) or _is_in_other_script(name, head) or _is_about_another(name, head):
            continue
        elif _is_peerage(name, head):
            parts.tails.append(name)
            parts.all_of_name.append(name)
        elif has_firm_word(head) or not is_honour(name, is_behind_full_name=is_behind_full_name):
            parts.add(name)
    return parts


def _without_qualifier(part: str, qualifier_of: Mapping[str, str]) -> tuple[str, list[str]]:
    """A part without the qualifier at its end, which is turned with it: "Hemmel von Andlau, Peter Circle of"."""
    words = part.split()
    if normalize_name(part) in qualifier_of:
        return part, []
    for length in range(_LONGEST_QUALIFIER, 1, -1):
        phrase = normalize_name(" ".join(words[-length:]))
        if len(words) > length and phrase.endswith((" of", " to")) and phrase in qualifier_of:
            return " ".join(words[:-length]), [qualifier_of[phrase]]
    return part, []


def _is_peerage(part: str, head: str) -> bool:
    """Whether a title with a family name stands behind given names: "Frederic, Lord Leighton"."""
    match = _PEERAGE.fullmatch(part)
    return match is not None and is_given(head, is_whole=True) and not is_given(match[1])


def _peer(head: str, parts: _PartsAfterHead) -> str | None:
    """The name where a rank waits for its place: "Caylus, Anne Claude Philippe, comte de"; None where none does."""
    is_whole = len(parts.names) <= 1 and not parts.titles and not parts.generations
    if len(parts.tails) != 1 or not _RANK_OF.fullmatch(parts.tails[0]) or not is_whole:
        return None
    peer = f"{parts.tails.pop()} {head}"
    return f"{parts.names[0]}, {peer}" if parts.names else peer


def _turned(head: str, parts: _PartsAfterHead) -> str | None:
    """The name without its tails; None if it is not certain what the commas mean."""
    others = parts.names
    is_place = [normalize_name(other) in PLACES for other in others]
    if others and is_given(others[0]) and not is_place[0] and all(is_place[1:]) and not has_firm_word(head):
        others = others[:1]  # "Smith, John, London"
    if not others:
        is_named = normalize_name(head).startswith(tuple(f"{normalize_name(title)} " for title in parts.titles))
        return " ".join([*([] if is_named else parts.titles), head, *parts.generations])
    if parts.tails and is_firm_end(parts.tails[0]) and not is_single_surname(head):
        return None
    if all(is_full_name(name) for name in (head, *others)) and not has_and(head):
        return " ".join([*parts.titles, head, *parts.generations])  # several people
    if len(others) > 1:
        return None
    match order_of(head, others[0]):
        case "last, first":
            return _joined(head, others[0], parts)
        case "first last":
            return f"{head} {others[0]}"
        case _:
            return None


def _joined(head: str, other: str, parts: _PartsAfterHead) -> str:
    """The name with what follows in front; what ends it stays at the end: "Wydytz, Hans I" is "Hans Wydytz I"."""
    words, ends = other.split(), []
    while len(words) > 1 and words[-1].replace(".", "") in POST_NOMINALS:
        words.pop()
    for length in range(LONGEST_GENERATION, 0, -1):
        if len(words) > length and _is_generation(words, length):
            words, ends = words[:-length], [" ".join(words[-length:])]
            break
    firm = [tail for tail in parts.tails if is_firm_end(tail)]
    return " ".join([*parts.titles, *words, head, *ends, *parts.generations, *firm])


def _is_generation(words: list[str], length: int) -> bool:
    """Whether the last words are "the Younger", "II" or the like. "V." and the "I" of "J I" are initials."""
    folded = normalize_name(" ".join(words[-length:]))
    has_initial = len(folded) == 1 and (words[-1].endswith(".") or is_initial(words[-2]))
    return folded in GENERATIONS and not has_initial


def _is_about_another(part: str, head: str) -> bool:
    return head[:1].isupper() and _ANOTHERS_WORK.fullmatch(part) is not None


def _is_in_other_script(part: str, head: str) -> bool:
    """Whether a part is the same name in Japanese, as ukiyo-e.org writes it: "Toyohara Kunichika, 豊原国周"."""
    return not re.search("[a-z]", normalize_name(part)) and bool(re.search("[a-z]", normalize_name(head)))
