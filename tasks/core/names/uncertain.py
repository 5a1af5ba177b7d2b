"""Names that stay as their sources wrote them, since it is not certain who is meant: counted for a note."""

from collections.abc import Mapping
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import listed
from tasks.core.names.commas import turn
from tasks.core.names.maker_words import shipped_words
from tasks.core.names.makers import is_uncertain_maker, is_unclear

_MOST_LISTED = 10


@lru_cache(maxsize=65536)
def is_uncertain(name: str) -> bool:
    """Whether it is not certain what a name's commas mean, or whom of several it names."""
    words = shipped_words()
    if is_unclear(name, words):
        return True
    turned = turn(name, words)
    return is_uncertain_maker(name, words) if turned is None else not turned.is_certain


def count_uncertain_names(artists: pa.ChunkedArray, aliases: Mapping[str, str]) -> list[tuple[str, int]]:
    """The names that are left as their sources wrote them, with their numbers of records; the most frequent first.

    What a recipe or the shipped table names so, is meant so.
    """
    meant = {*aliases.values()}
    counts = {row["values"]: row["counts"] for row in pc.value_counts(artists).to_pylist()}
    left = [(name, count) for name, count in counts.items() if name and name not in meant and is_uncertain(name)]
    return sorted(left, key=lambda entry: (-entry[1], entry[0]))


def uncertain_names_note(left: list[tuple[str, int]]) -> tuple[str, ...]:
    """One sentence that lists at most ten of them; empty if there are none.

    >>> uncertain_names_note([("Imperial Armory, Tula", 12)])[0][:87]
    "1 artist's name can't be read with certainty, and stays as its source wrote it: 'Imperi"
    """
    if not left:
        return ()
    many = (
        "1 artist's name can't be read with certainty, and stays as its source wrote it"
        if len(left) == 1
        else f"{len(left)} artists' names can't be read with certainty, and stay as their sources wrote them"
    )
    named = listed([f"'{name}' ({count})" for name, count in left], _MOST_LISTED)
    return (f"{many}: {named}; artists.aliases in the recipe gives them other names",)
