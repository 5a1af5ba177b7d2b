"""Texts that name no maker: unknown ones, nations, cultures, centuries, and what people of a nation do."""

import re

from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name
from tasks.core.names.qualifiers import without_phrase_in_front

_PARTS = re.compile(r"[,;:()\[\]/|]")
_LETTER = re.compile(r"[^\W\d_]")
_LABEL = re.compile(r"[^,;()\[\]/|]*:\s*\S")
"""Words with a colon behind them: "Print artist: William Hogarth"."""


def is_nobody(text: str, words: Words) -> bool:
    """Whether a text says that the maker is unknown, or only of which people, place and time.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_nobody(text, shipped_words()) for text in ("French Painter", "Venetian 16th Century", "Berlin Painter")]
    [True, True, False]
    """
    folded = normalize_name(text)
    if not _LETTER.search(folded) or folded in words.behind.table or folded in words["blanks"]:
        return True
    parts = [part for part in _PARTS.split(text) if normalize_name(part)]
    if not words.kinds.fits("may_be_nobody", *parts):  # most names end here
        return False
    is_people = not _LABEL.match(text) and words.kinds.fits("people", *parts)
    if not is_people and not words.kinds.fits("nobody", *parts):
        return False
    phrase = without_phrase_in_front(text, words)
    return phrase is None or not words.is_known(phrase[0])  # "Workshop of El Greco"


def is_aside(head: str, part: str, words: Words) -> bool:
    """Whether a part behind a comma is no part of a name: a nation, a time, who printed it, what else he was called.

    >>> from tasks.core.names.maker_words import shipped_words
    >>> [is_aside("Monet", part, shipped_words()) for part in ("Claude", "French", "1840-1926", "printed by Delâtre")]
    [False, True, True, True]
    """
    return words.names.fits("aside", head, part) or words.kinds.fits("remark", part)
