"""Several artists of one work with their roles: who of them is the artist."""

import re
from collections.abc import Sequence
from functools import lru_cache

from tasks.core.names.matching import normalize_name
from tasks.core.names.qualifiers import QUALIFIER_OF_TRAILING

NO_MAKERS = frozenset(
    {
        "publisher", "publishers", "publishing house", "print publisher", "co publisher", "published by", "distributor",
        "printer", "printers", "printed by", "print workshop", "editor", "series editor", "author", "writer", "poet",
        "translator", "text by", "client", "architects client", "patron", "commissioner", "commissioned by", "sponsor",
        "donor", "owner", "former owner", "previous owner", "collector", "dealer", "seller", "retailer", "agent",
        "sitter", "subject", "depicted", "portrayed", "model", "dedicatee", "addressee", "recipient", "inscriber",
        "founder", "foundry", "caster", "cast by", "framer", "frame maker", "mounter", "restorer", "conservator",
        "verleger", "drucker", "herausgeber", "auftraggeber", "éditeur", "imprimeur", "commanditaire", "editore",
        "stampatore", "committente", "uitgever", "drukker", "opdrachtgever", "impresor", "comitente", "udgiver",
        "trykker",
    }
)  # fmt: skip
"""Roles of people who did not make the work, as `normalize_name` writes them. A role that nobody knows is a maker's."""
_NOT_BY_THEM = {"after", "copy after", "formerly attributed to"}
"""Qualifiers of people after whom, but not by whom a work is."""
_BETWEEN = re.compile(r"[,;/|&+]|\band\b|\bund\b|\bet\b")
_NO_MAKERS = frozenset(normalize_name(role) for role in NO_MAKERS)


def choose_artist(names: Sequence[str], roles: Sequence[str]) -> tuple[str | None, str | None]:
    """The artist among those who are named, and the qualifier that is their role: "after", "attributed to".

    roles: as many as names, "" where nothing is said. The first with a maker's role is the artist; without one the
    first after whom the work is; else nobody: a publisher alone is no artist.

    >>> choose_artist(["Kahnweiler", "Juan Gris"], ["publisher", "artist"])
    ('Juan Gris', None)
    >>> choose_artist(["Raphael"], ["after"]), choose_artist(["Raphael", "Raimondi"], ["after", "engraver"])
    (('Raphael', 'after'), ('Raimondi', None))
    """
    second = None
    for name, role in zip(names, roles, strict=True):
        qualifier = QUALIFIER_OF_TRAILING.get(normalize_name(role).removeprefix("artist ")) or None
        if qualifier in _NOT_BY_THEM:
            second = second or (name, qualifier)
        elif qualifier or is_maker(role):
            return name, qualifier
    return second or (None, None)


@lru_cache(maxsize=4096)
def is_maker(role: str) -> bool:
    """Whether a role, or one of several ("designer and publisher"), is that of a maker; without a role it is.

    >>> [is_maker(role) for role in ("", "Etcher", "Publisher", "publisher; printer", "designer and publisher")]
    [True, True, False, False, True]
    """
    parts = [normalize_name(part) for part in _BETWEEN.split(role.lower())]
    return not role.strip() or any(part and part not in _NO_MAKERS for part in parts)
