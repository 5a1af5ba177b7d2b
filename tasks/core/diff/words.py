"""Columns that the program reads in a museum's words, and where these words stand: the same words may be read anew."""

from collections.abc import Callable, Collection

import numpy as np

from tasks.core.columns import Column
from tasks.core.diff.columns import Bools, differ

WORDS_OF = {
    **dict.fromkeys(("artist", "artist_qualifier"), "artist_text"),
    **dict.fromkeys(("year", "year_first", "year_last"), "date_text"),
}


def is_read_anew(
    name: str, before: Collection[str], after: Collection[str], sides: Callable[[str], tuple[Column, Column]]
) -> Bools | bool:
    """(N,) whether the words in which a column is read are the same on both sides; False where that is not known.

    before, after: the columns of either side. sides: gives (N,) of a column of both. The older side may be of a time
    before the words of artists were kept: then a name that is these words now has been left as it was.
    """
    words = WORDS_OF.get(name)
    if words is None or words not in after or (words not in before and name != "artist"):
        return False
    was, now = sides(words) if words in before else (sides(name)[0], sides(words)[1])
    is_same: Bools = ~differ(was, now) & np.asarray(now.is_valid())
    return is_same
