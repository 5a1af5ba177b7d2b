"""What a language calls eras, centuries, parts of them, bounds and all else that stands in a date."""

import re
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, Field

from schemas.base import Phrase, Phrases, WordLists


def _with_a_letter(word: str) -> str:
    if not re.search(r"[^\W\d_]", word):
        raise ValueError(f"expected a word with a letter, got {word!r}")
    return word


class Says(NamedTuple):
    """What the words of a list say: their kind, and a value. Other lists are of the kind that they are called by."""

    kind: str
    value: Any = None


Words = tuple[Annotated[Phrase, AfterValidator(_with_a_letter)], ...]
"""Numbers and signs are read by rules."""
Ordinal = Annotated[int, Field(ge=1, le=99)]


class DateWords(WordLists):
    """The words of one language. Case, accents, dots, hyphens and blanks within a word of several don't matter."""

    before_christ: Annotated[Words, Says("era", "bc")] = Field((), description="An era before Christ: BC")
    after_christ: Annotated[Words, Says("era", "ad")] = Field((), description="Our era: AD")
    calendars: Words = Field((), description="Another calendar: the number beside it is no year of ours")
    no_date: Words = Field((), description="Beside it no year is the work's: born, years ago. Undated is one of notes")
    century: Annotated[Words, Says("unit", 100)] = Field((), description="A century, before or behind its number")
    millennium: Annotated[Words, Says("unit", 1000)] = Field((), description="A millennium")
    decades: Words = Field((), description="Stands before a decade: années in `années 1850`")
    decade_suffixes: Annotated[Phrases, Says("suffix", "s")] = Field(
        (), description="Makes a decade, or a hundred years, of a number: s in `1850s`"
    )
    ordinal_suffixes: Annotated[Phrases, Says("suffix", "th")] = Field(
        (), description="Makes an ordinal of a number: th in `19th`"
    )
    ordinals: Annotated[dict[Ordinal, Words], Says("nth")] = Field(
        {}, description="Ordinals in words, as far as centuries and quarters go"
    )
    named_centuries: Annotated[dict[Ordinal, Words], Says("named")] = Field(
        {}, description="Centuries that have a name: Ottocento is the 19th"
    )
    last: Annotated[Words, Says("nth", 0)] = Field((), description="The last half, third or quarter")
    tenths: Annotated[Words, Says("size", 10)] = Field(
        (), description="A tenth of a century, behind an ordinal: decade"
    )
    quarters: Annotated[Words, Says("size", 4)] = Field((), description="A quarter, behind an ordinal")
    thirds: Annotated[Words, Says("size", 3)] = Field((), description="A third, behind an ordinal")
    halves: Annotated[Words, Says("size", 2)] = Field((), description="A half, behind an ordinal")
    early: Annotated[Words, Says("part", (0, 1 / 3))] = Field((), description="The first third of a century or decade")
    middle: Annotated[Words, Says("part", (1 / 3, 2 / 3))] = Field((), description="The second third")
    late: Annotated[Words, Says("part", (2 / 3, 1))] = Field((), description="The last third")
    first_half: Annotated[Words, Says("part", (0, 0.5))] = Field((), description="The first half, in one word")
    second_half: Annotated[Words, Says("part", (0.5, 1))] = Field((), description="The second half, in one word")
    before: Annotated[Words, Says("bound", "before")] = Field(
        (), description="The work is older: only the last year is known"
    )
    until: Annotated[Words, Says("bound", "until")] = Field((), description="Up to this year, or by it")
    after: Annotated[Words, Says("bound", "after")] = Field(
        (), description="The work is younger: only the first year is known"
    )
    since: Annotated[Words, Says("bound", "since")] = Field((), description="From this year on")
    or_before: Annotated[Words, Says("behind", "until")] = Field((), description="Stands behind a year: or earlier")
    or_after: Annotated[Words, Says("behind", "since")] = Field((), description="Stands behind a year: or later")
    open_end: Annotated[Words, Says("behind", "since")] = Field((), description="Up to today")
    later: Words = Field((), description="At some later time: `printed later`")
    joins: Words = Field((), description="Joins two years or centuries: to, and, or")
    little: Words = Field((), description="Says nothing about the year: articles, circa, year, probably")
    id_est: Words = Field((), description="A better reading follows")
    names_follow: Words = Field((), description="A name or a place may follow: by, in")
    labels: Words = Field((), description="The number behind it is none of a year: no., vol.")
    copies: Words = Field((), description="What follows is the age of what was copied: in the style of")
    periods: Words = Field((), description="Says that the words beside it are the name of a period: dynasty")
    eras: Words = Field((), description="Of periods those that may count years of their own: era")
    notes: Words = Field((), description="May stand beside a year: months, seasons, what was made, and how")
