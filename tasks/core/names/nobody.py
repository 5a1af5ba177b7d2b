"""Texts that name no maker: unknown ones, nations, cultures, centuries, and what people of a nation do."""

import re

from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name
from tasks.core.names.person_names import is_full_name
from tasks.core.names.qualifiers import without_phrase_in_front

_PARTS = re.compile(r"[,;:()\[\]/|]")
_LETTER = re.compile(r"[^\W\d_]")
_LABEL = re.compile(r"[^,;()\[\]/|]*:\s*\S")
"""Words with a colon behind them: "Print artist: William Hogarth"."""
_SURE = frozenset({"unknown", "centuries"})
_NATIONS = frozenset({"nations", "cultures"})
_NATIONS_OR_PLACES = {("nations",), ("cultures",), ("places",)}
_GIVEN_AND_FAMILY = {("nations", "times"), ("nations", "ordinals")}
"""Of a given name that is also a nation: "Frans Post", "Frans Fine"."""
_PEOPLE = frozenset({"crafts", "groups", "several"})


def is_nobody(text: str, words: Words) -> bool:
    """Whether a text says that the maker is unknown, or only of which people, place and time.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_nobody(text, shipped_words()) for text in ("French Painter", "Venetian 16th Century", "Berlin Painter")]
    [True, True, False]
    """
    folded = normalize_name(text)
    if not _LETTER.search(folded) or folded in words.behind.table or folded in words["blanks"]:
        return True
    parts = [part for piece in _PARTS.split(text) if (part := tuple(normalize_name(piece).split()))]
    whole = tuple(word for part in parts for word in part)
    if (
        _is_unknown(parts, words)
        or (not _LABEL.match(text) and _is_people(parts[0], words))
        or _is_of_kinds(parts[0], words, is_all="" not in words.kinds_of(whole))
        or _is_dated_school(parts[0], whole, words)
        or _is_nation_and_century(whole, words)
    ):
        phrase = without_phrase_in_front(text, words)
        return phrase is None or not words.is_known(phrase[0])  # "Workshop of El Greco"
    return False


def is_aside(head: str, part: str, words: Words) -> bool:
    """Whether a part behind a comma is no part of a name: a nation, a time, who printed it, what else he was called.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_aside("Monet", part, shipped_words()) for part in ("Claude", "French", "1840-1926", "printed by Delâtre")]
    [False, True, True, True]
    """
    folded = normalize_name(part).split()
    is_about_another = head[:1].isupper() and 0 < words.anothers_work.begin(folded) < len(folded)
    is_about_it = words.asides.begin(folded) > 0 or " ".join(folded) in words["articles"]
    return is_about_another or is_about_it or any(sign.isdigit() for sign in part) or _is_remark(part, words)


def _is_remark(part: str, words: Words) -> bool:
    """Whether it tells of a nation or a time, and names nobody: "Flemish", "16th century"."""
    folded = tuple(normalize_name(part).split())
    kinds = words.kinds_of(folded)
    if len(kinds) == 1 and (folded[0] in words["given_names"] or (kinds == ("nations",) and not part[:1].islower())):
        return False  # "Opałka, Roman", "Agostino, Veneziano"
    return "" not in kinds and bool({*kinds} & (_NATIONS | _SURE)) and not (kinds[0] == "small" and len(kinds) < 3)


def _is_unknown(parts: list[tuple[str, ...]], words: Words) -> bool:
    """Whether the first part begins or ends with a word for unknown, or the last one is one."""
    head, last = parts[0], parts[-1]
    if len(head) > 1 and head[0] in words["articles"]:
        head = head[1:]
    if words.unknown.begin(head) or (length := words.unknown.end(head)):
        return words.unknown.begin(head) > 0 or not is_full_name(" ".join(head[:-length]), words)
    if not head[0].isascii() and any(word.endswith(words.signs_of_unknown) for part in parts for word in part):
        return True
    return words.unknown.end(last) == len(last) and not is_full_name(" ".join(head), words)


def _is_people(head: tuple[str, ...], words: Words) -> bool:
    """Whether it is a culture's name with "artist" or "people" behind it, or the like; also "artist(s)"."""
    if len(head) < 2 or {*head} & words["firm_words"]:
        return False
    before = head[:-1]
    return head[0] in words["peoples"] or (
        head[-1] in words["groups"]
        and not is_full_name(" ".join(before), words)
        and not words.is_known(" ".join(before))
    )


def _is_of_kinds(head: tuple[str, ...], words: Words, *, is_all: bool) -> bool:
    """Whether all words are of nations, times, crafts and the like, and these can't be a person's name.

    is_all: all words of the text are such, too. Else only what can't be a name's other half counts: "French School".
    """
    kinds = words.kinds_of(head)
    if "" in kinds or (head[0] in words["given_names"] and kinds[1:] in _NATIONS_OR_PLACES):
        return False
    if kinds in _GIVEN_AND_FAMILY and head[0] in words["given_names"]:
        return False
    has_nation, has_people = not _NATIONS.isdisjoint(kinds), not _PEOPLE.isdisjoint(kinds)
    if not _SURE.isdisjoint(kinds) or not is_all:
        return not _SURE.isdisjoint(kinds) or (has_nation and (has_people or "schools" in kinds))
    if len(head) == 1:
        return kinds[0] == "cultures" or (has_people and head[0] not in words["also_family_names"])
    if head[0] in words["particles"] - words["articles"]:
        return False
    return has_nation or (has_people and {*kinds} <= _PEOPLE | {"small"} and "small" not in {kinds[0], kinds[-1]})


def _is_dated_school(head: tuple[str, ...], whole: tuple[str, ...], words: Words) -> bool:
    """Whether a century follows what is of a place, but no master: "School of Siena, 14th century"."""
    kinds, first = words.kinds_of(whole), words.kinds_of(head)
    return "" not in kinds and "centuries" in kinds and {"crafts", "master_words"}.isdisjoint(first)


def _is_nation_and_century(whole: tuple[str, ...], words: Words) -> bool:
    """Whether a word that ends like one for a nation stands before a century: "Umbrian 15th Century"."""
    kinds = words.kinds_of(whole)
    is_nation = whole[0].endswith(tuple(words["nation_endings"])) and whole[0] not in words["given_names"]
    return is_nation and len(whole) > 2 and "" not in kinds[1:] and kinds[:1] == ("",) and "centuries" in kinds
