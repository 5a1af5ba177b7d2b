"""The words of dates: what `dates` reads in a text, in English, German, French, Italian, Spanish and Dutch."""

import re
from collections.abc import Iterable

NEVER_A_YEAR = re.compile(r"\b(?:years? (?:ago|old)|million|b\.?p\.?)(?!\w)")
PART_OF_WORD = {
    "early": (0, 1), "beginning": (0, 1), "anfang": (0, 1), "anfangs": (0, 1), "frühes": (0, 1), "frühe": (0, 1),
    "début": (0, 1), "debut": (0, 1), "inizio": (0, 1), "inizi": (0, 1), "principios": (0, 1), "begin": (0, 1),
    "mid": (1, 2), "middle": (1, 2), "mitte": (1, 2), "milieu": (1, 2), "metà": (1, 2), "mediados": (1, 2),
    "midden": (1, 2), "late": (2, 3), "end": (2, 3), "ende": (2, 3), "spätes": (2, 3), "späte": (2, 3), "fin": (2, 3),
    "fine": (2, 3), "finales": (2, 3), "eind": (2, 3),
}  # fmt: skip
"""Thirds: from, to."""
NUMBER_OF_WORD = {
    word: number
    for number, words in enumerate(
        (
            "first 1st 1. 1er 1e première premier erste erstes prima primo primera",
            "second 2nd 2. 2e seconde deuxième zweite zweites seconda secondo segunda",
            "third 3rd 3. 3e troisième dritte drittes terza terzo tercer",
            "fourth 4th 4. 4e quatrième vierte viertes quarta quarto",
            "last final dernier dernière letzte letztes ultima ultimo última",
        ),
        1,
    )
    for word in words.split()
}
SIZE_OF_WORD = {
    **dict.fromkeys(("half", "hälfte", "moitié", "moitie", "metà", "mitad", "helft"), 2),
    **dict.fromkeys(("third", "drittel", "tiers"), 3),
    **dict.fromkeys(("quarter", "viertel", "quart", "quarto", "kwart"), 4),
}
ORDINALS = {
    word: number
    for number, word in enumerate(
        (
            *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
            *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
            *("eighteenth", "nineteenth", "twentieth", "twenty-first"),
        ),
        1,
    )
}
_CENTURY = r"century|centuries|cent\.?|jahrhunderts?|jhdt\.?|jhd\.?|jhs?\.?|siècles?|siecles?|siglos?|secol[oi]|eeuw"
_MILLENNIUM = r"millennium|millennia|jahrtausends?|millénaire"
BEFORE, UNTIL, AFTER, SINCE = "before", "until", "after", "since"
BOUND_OF_WORD = {
    **dict.fromkeys(("before", "prior to", "ante", "vor", "avant", "prima", "antes", "voor"), BEFORE),
    **dict.fromkeys(("until", "till", "up to", "by", "not after", "no later than", "bis", "spätestens"), UNTIL),
    **dict.fromkeys(("after", "post", "nach", "après", "apres", "dopo", "después", "na"), AFTER),
    **dict.fromkeys(("since", "from", "not before", "seit", "ab", "depuis", "dal", "desde", "vanaf"), SINCE),
}  # fmt: skip


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


TOKEN = re.compile(
    rf"""
      (?<!\d)(?P<year>\d{{3,4}})\s?[-/]\s?(?P<short>\d{{1,2}})(?P<short_decade>'?s)?(?!\d|st|nd|rd|th|\w)
    | (?<!\d)(?P<decade>\d{{1,3}}0)\s?(?:'?s|er)(?!\w) | (?:années|anni|años|jaren)\s(?P<decade_after>\d{{3}}0)(?!\d)
    | (?<!\w)(?P<nth>{_any_of(NUMBER_OF_WORD)})\s(?P<size>{_any_of(SIZE_OF_WORD)})(?!\w)
    | (?<!\w)(?P<part>{_any_of(PART_OF_WORD)})(?!\w)
    | (?<!\w)(?P<onward>(?:or|and)\s(?:later|after)|onwards?|present)(?!\w)
    | (?<!\w)(?P<or_before>(?:or|and)\s(?:earlier|before))(?!\w)
    | (?<!\w)(?P<bound>{_any_of(BOUND_OF_WORD)})(?!\w)
    | (?<!\w)(?:(?P<ordinal>\d{{1,2}})(?:st|nd|rd|th|ème|eme|er|e|è|\.)|(?P<word>{_any_of(ORDINALS)})
        |(?P<roman>[ivx]+)(?:ème|eme|er|e|è|°|º)?)
        (?!\w)[\s-]?(?:(?P<century>(?:{_CENTURY})(?!\w))|(?P<millennium>(?:{_MILLENNIUM})(?!\w)))?
    | (?<!\w)(?:siglos?|sec\.?|secol[oi]|saec\.?)\s(?P<roman_after>[ivx]+)(?!\w)
    | (?<!\w)(?P<bc>bc)(?!\w) | (?<!\w)(?P<ad>ad)(?!\w)
    | (?<!\d)(?P<number>\d{{1,7}})(?!\d)
    """,
    re.VERBOSE,
)
JOINT = re.compile(r"(?:[\s/&-]|\b(?:to|through|and|or|bis|und|oder|à|et|ou|al|e|o|y|en|tot)\b)*")
"""What may stand between two statements that share an era or a unit: "5th-4th century BC"."""
REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"[‐‑‒–—―−]", "-"),
        (r"[’ʼ´`]", "'"),
        (r"[()\[\]?]", " "),
        (r"\b(?:b\.\s?c\.(?:\s?e\.)?|bce\b|a\.\s?c\.|v(?:or|\.)?\s?chr(?:istus|\b\.?)|v\.?\s?u\.?\s?z\b\.?"
         r"|av\.?\s?j\.?-?\s?c\b\.?)", " bc "),
        (r"\b(?:a\.\s?d\.|c\.\s?e\.|ce\b|n\.?\s?chr\b\.?|ap\.?\s?j\.?-?\s?c\b\.?|d\.\s?c\.)", " ad "),
        (r"(?<![\d,])(\d{1,3}),(\d{3})(?=[^\d]*(?:\d{1,3},\d{3})?\s*bc)", r"\1\2"),
        (r"\ba\.?\s?h\.?\s?\d+(?:-\d+)?(?:\s?/|(?!\d))", " "),  # the hijri year before the common one
        (r"\b(\d{4})([-/.])(?:0?[1-9]|1[0-2])\2(?:[0-2]?\d|3[01])\b", r" \1 "),
        (r"\b(?:[0-2]?\d|3[01])([-/.])(?:[0-2]?\d|3[01])\1(\d{4})\b", r" \2 "),
        (r"\b(\d{1,2}(?:st|nd|rd|th))[\s-]?c(?:en)?\b\.?", r"\1 century"),
        (r"\b([ivx]+(?:e|è|ème))\s?s\.", r"\1 siècle"),
        (r"\b(?:c|ca|cca|circa|about|around|approx|approximately|probably|possibly|perhaps|likely|um|gegen|etwa|wohl"
         r"|vers|env|environ|verso|hacia|omstreeks|the|of|in|im|der|des|dem|du|de|le|la|del|dello|della|den|l|d"
         r"|dated|year|years)\b(?:\.|')?", " "),
        (r"\s+", " "),
    )
)  # fmt: skip


def number_of_roman(text: str) -> int:
    """The number up to 21, as centuries go; 0 for what is none.

    >>> [number_of_roman(text) for text in ("xix", "iv", "xxi", "iiii", "xxx")]
    [19, 4, 21, 0, 0]
    """
    return ROMANS.index(text) if text in ROMANS else 0


_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
ROMANS = [tens + ones for tens in ("", "x", "xx") for ones in _ONES][:22]
