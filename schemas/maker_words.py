"""Words by which makers' names are read: what `schemas/words/makers` has for each language, and what a recipe adds."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

from pydantic import Field

from schemas.base import Phrases, WordLists

Qualifier = Literal[
    "formerly attributed to",
    "attributed to",
    "workshop of",
    "studio of",
    "circle of",
    "follower of",
    "manner of",
    "school of",
    "style of",
    "copy after",
    "after",
    "possibly",
]
QUALIFIERS: tuple[Qualifier, ...] = get_args(Qualifier)
"""What `artist_qualifier` may say."""
ByQualifier = dict[Qualifier | Literal[""], Phrases]
"""Phrases by what they say; "": nothing of how sure the artist is, as `painted by`."""


class MakerWords(WordLists):
    """Lists of words about makers. Case, accents and punctuation don't matter, but for honours."""

    unknown: Phrases = Field((), description="Say that nobody is known: unknown, anonymous, 佚名")
    blanks: Phrases = Field((), description="Whole texts that say nothing: nan, n/a")
    several: Phrases = Field((), description="Say that there are many: various")
    crafts: Phrases = Field((), description="What makers are: painter, photographer")
    no_makers: Phrases = Field((), description="What people are who did not make the work: publisher")
    groups: Phrases = Field((), description="End the name of a people: Nasca artist, Yao people")
    peoples: Phrases = Field((), description="Begin the name of a people: Population kota")
    schools: Phrases = Field((), description="School, and what else a nation may have instead of a maker")
    cultures: Phrases = Field((), description="Nations and cultures that alone are no maker: Chinese, Tibetan")
    nations: Phrases = Field((), description="Other words for nations, which may be names: French ones in French")
    nation_endings: Phrases = Field((), description="How a word for a nation ends, before a century: ese, ian")
    sides: Phrases = Field((), description="Beside a nation, and no nation alone: northern, colonial")
    centuries: Phrases = Field((), description="Century, beside its number")
    times: Phrases = Field((), description="Beside a century: early, half")
    ordinals: Phrases = Field((), description="First, second: in front of a rank or a century")
    small: Phrases = Field((), description="Between other words: of, from, the")
    life: Phrases = Field((), description="In front of years of a life: born, active, circa")
    places: Phrases = Field((), description="Towns, regions and countries")
    masters: Phrases = Field((), description="Single names that are certain to be an artist's, and no place's")
    master_words: Phrases = Field((), description="Begin a name given to an unknown artist: Master, Monogrammist")
    master_ends: Phrases = Field((), description="End such a name: Painter")
    given_names: Phrases = Field((), description="Given names")
    also_family_names: Phrases = Field((), description="Given names and crafts that are often family names: Martin")
    families_first: Phrases = Field((), description="Family names that are spoken first: Utagawa, Kim")
    particles: Phrases = Field((), description="Parts of family names: van, della, ibn")
    titles: Phrases = Field((), description="Titles in front of names: Sir, Fra")
    ranks: Phrases = Field((), description="Titles that go on with 'of' and a place: Earl, comte")
    generations: Phrases = Field((), description="End a name: the Elder, Jr., II")
    honours: Phrases = Field((), description="Memberships and orders behind a name, as they are written: RA, OBE")
    firm_words: Phrases = Field((), description="In the names of firms and institutions: Museum, Manufaktur")
    firm_ends: Phrases = Field((), description="End a firm's name: Ltd., and Sons")
    firm_and: Phrases = Field((), description="Behind 'and' in a firm's name: Sons, Company")
    dynasties: Phrases = Field((), description="Dynasties and periods in front of a name: 明")
    articles: Phrases = Field((), description="Left out behind a qualifier: the, a")
    articles_of_names: Phrases = Field((), description="In front of single names: il")
    ands: Phrases = Field((), description="Between two names: and, with")
    ors: Phrases = Field((), description="Between two names: or")
    his: Phrases = Field((), description="Between two names: his, her")
    called: Phrases = Field((), description="In front of another name of the same artist: called, dit")
    of_years: Phrases = Field((), description="Between a name and a year that is part of it: Master of 1499")
    others: Phrases = Field((), description="Others, without a name")
    et_al: Phrases = Field((), description="Others, with the word for 'and' in it: et al., u. a.")
    by: Phrases = Field((), description='Between two names: by. In front of one it goes into in_front, under ""')
    asides: Phrases = Field((), description="After a comma, begin what is no part of a name: possibly, known")
    now: Phrases = Field((), description="In front of who is thought to be the maker now")
    anothers_work: Phrases = Field((), description="After a comma, in front of another one's name: printed by")
    unclear_words: Phrases = Field((), description="In brackets, they qualify a name, and nobody knows how: replica")
    also_of_places: Phrases = Field((), description="Qualifiers that go on with places, too: formerly in")
    labels: Phrases = Field((), description="In front of a colon and a name: Artist:")
    in_front: ByQualifier = Field({}, description="Phrases in front of a name, by the qualifier that they are")
    behind: ByQualifier = Field({}, description="Phrases behind a name, in brackets or after a comma")
    bare: ByQualifier = Field({}, description="Words that stand in front of a person's whole name without 'of'")
    of_owner: ByQualifier = Field({}, description="Words that stand behind a name without a comma: műhelye")
    glued_in_front: ByQualifier = Field({}, description="Signs in front of a name, without a blank: 伝")
    glued_behind: ByQualifier = Field({}, description="Signs behind a name, without a blank: 筆")

    def with_more(self, other: "MakerWords") -> "MakerWords":
        """These and those of another one."""
        lists: dict[str, Any] = {
            name: _joined(getattr(self, name), getattr(other, name)) for name in type(self).model_fields
        }
        return self.model_copy(update=lists)


def _joined(one: Iterable[str] | Mapping[str, Phrases], other: Iterable[str] | Mapping[str, Phrases]) -> object:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return {key: (*one.get(key, ()), *other.get(key, ())) for key in dict.fromkeys([*one, *other])}
    return (*one, *other)
