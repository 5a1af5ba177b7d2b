"""Columns that the program reads in a museum's words, and where these words stand: the same words may be read anew."""

from collections.abc import Callable, Collection

import numpy as np
import pyarrow.compute as pc

from tasks.core.columns import Column
from tasks.core.diff.columns import Bools, differ

WORDS_OF = {
    **dict.fromkeys(("artist", "artists", "artist_qualifier"), "artist_text"),
    **dict.fromkeys(("year", "year_first", "year_last"), "date_text"),
}


def is_read_anew(
    name: str,
    before: Collection[str],
    after: Collection[str],
    older: Callable[[str], Column],
    newer: Callable[[str], Column],
) -> Bools | bool:
    """(N,) whether the words in which a column is read are the same on both sides; False where that is not known.

    before, after: the columns of either side; older, newer: give (N,) of one of them. The older side may be of a time
    before the words of artists were kept: then a name that is these words now has been left as it was.
    """
    words = WORDS_OF.get(name)
    is_of_artist = name in {"artist", "artists"}
    if words is None or words not in after or (words not in before and not is_of_artist):
        return False
    was, now = older(words if words in before else "artist"), newer(words)
    if is_of_artist:
        was = pc.coalesce(was, older("artist"))
    is_same: Bools = ~differ(was, now) & np.asarray(now.is_valid())
    if name == "artists":  # words are kept of one of them; where there are more or fewer, the source says so
        is_same &= ~differ(*(pc.list_value_length(side(name)) for side in (older, newer)))
    return is_same
