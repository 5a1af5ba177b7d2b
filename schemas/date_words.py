"""What a language calls eras, centuries, parts of them, bounds and all else that stands in a date."""

from pydantic import Field

from schemas.word_lists import Phrases, WordLists


class DateWords(WordLists):
    """The words of one language. Case, accents, dots, hyphens and blanks within a word of several don't matter."""

    before_christ: Phrases = Field((), description="An era before Christ: BC")
    after_christ: Phrases = Field((), description="Our era: AD")
    calendars: Phrases = Field((), description="Another calendar: the number beside it is no year of ours")
    no_date: Phrases = Field((), description="Where it stands, no year is that of the work: born, years ago, cm")
    century: Phrases = Field((), description="A century, before or behind its number")
    millennium: Phrases = Field((), description="A millennium")
    decades: Phrases = Field((), description="Stands before a decade: années in `années 1850`")
    decade_suffixes: Phrases = Field((), description="Makes a decade, or a hundred years, of a number: s in `1850s`")
    ordinal_suffixes: Phrases = Field((), description="Makes an ordinal of a number: th in `19th`")
    ordinals: dict[int, Phrases] = Field({}, description="Ordinals in words, as far as centuries and quarters go")
    named_centuries: dict[int, Phrases] = Field({}, description="Centuries that have a name: Ottocento is the 19th")
    last: Phrases = Field((), description="The last half, third or quarter")
    tenths: Phrases = Field((), description="A tenth of a century, behind an ordinal: decade")
    quarters: Phrases = Field((), description="A quarter, behind an ordinal")
    thirds: Phrases = Field((), description="A third, behind an ordinal")
    halves: Phrases = Field((), description="A half, behind an ordinal")
    early: Phrases = Field((), description="The first third of a century or decade")
    middle: Phrases = Field((), description="The second third")
    late: Phrases = Field((), description="The last third")
    first_half: Phrases = Field((), description="The first half, in one word")
    second_half: Phrases = Field((), description="The second half, in one word")
    before: Phrases = Field((), description="The work is older: only the last year is known")
    until: Phrases = Field((), description="Up to this year, or by it")
    after: Phrases = Field((), description="The work is younger: only the first year is known")
    since: Phrases = Field((), description="From this year on")
    or_before: Phrases = Field((), description="Stands behind a year: or earlier")
    or_after: Phrases = Field((), description="Stands behind a year: or later")
    open_end: Phrases = Field((), description="Up to today")
    later: Phrases = Field((), description="At some later time: `printed later`")
    joins: Phrases = Field((), description="Joins two years or centuries: to, and, or")
    little: Phrases = Field((), description="Says nothing about the year: articles, circa, year, probably")
    id_est: Phrases = Field((), description="A better reading follows")
    names_follow: Phrases = Field((), description="A name or a place may follow: by, in")
    labels: Phrases = Field((), description="The number behind it is none of a year: no., vol.")
    copies: Phrases = Field((), description="What follows is the age of what was copied: in the style of")
    periods: Phrases = Field((), description="Says that the words beside it are the name of a period: dynasty")
    eras: Phrases = Field((), description="Of periods those that may count years of their own: era")
    notes: Phrases = Field((), description="May stand beside a year: months, seasons, what was made, and how")
