"""Several artists of one work with their roles: who of them is the artist."""

from collections.abc import Sequence
from functools import lru_cache

from tasks.core.names.maker_words import Words
from tasks.core.names.matching import normalize_name

_NOT_BY_THEM = {"after", "copy after", "formerly attributed to"}
"""Qualifiers of people after whom, but not by whom a work is."""


def choose_artist(names: Sequence[str], roles: Sequence[str], own: str | None = None) -> tuple[str | None, str | None]:
    """The artist among those who are named, and the qualifier that is their role: "after", "attributed to".

    roles: as many as names, "" where nothing is said. The first with a maker's role is the artist; without one the
    first after whom the work is; else nobody: a publisher alone is no artist. own: as of `words_of`.

    >>> choose_artist(["Kahnweiler", "Juan Gris"], ["publisher", "artist"])
    ('Juan Gris', None)
    >>> choose_artist(["Raphael"], ["after"]), choose_artist(["Raphael", "Raimondi"], ["after", "engraver"])
    (('Raphael', 'after'), ('Raimondi', None))
    """
    second = None
    for name, role in zip(names, roles, strict=True):
        qualifier = Words.shipped(own).behind.table.get(normalize_name(role).removeprefix("artist ")) or None
        if qualifier in _NOT_BY_THEM:
            second = second or (name, qualifier)
        elif qualifier or is_maker(role, own):
            return name, qualifier
    return second or (None, None)


@lru_cache(maxsize=4096)
def is_maker(role: str, own: str | None = None) -> bool:
    """Whether a role, or one of several ("designer and publisher"), is that of a maker; without a role it is.

    >>> [is_maker(role) for role in ("", "Etcher", "Publisher", "publisher; printer", "designer and publisher")]
    [True, True, False, False, True]
    """
    words = Words.shipped(own)
    parts = {normalize_name(part) for part in words.pattern("roles_of_one").split(role.lower())}
    return not role.strip() or bool(parts - words["no_makers"] - {""})
