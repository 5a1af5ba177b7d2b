"""Numbers for the words of a release's images, which stay from release to release."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables import LABELS
from tasks.core.columns import Column, whole

COLUMNS = ("style",)
"""Columns of images that have numbers beside them, as `<column>_label`."""


def numbered(known: pa.Table, column: str, words: Column) -> pa.Table:
    """LABELS of a column: those that are known, unchanged, and after them the other words, sorted, from 0 on.

    known: LABELS of the release before, of any columns. A word that nobody uses any more keeps its number, so that
    another one never gets it. Nulls have none. Nothing in, nothing out.

    >>> numbered(LABELS.empty_table(), "style", pa.array(["Ukiyo-e", None, "Cubism"]))["name"].to_pylist()
    ['Cubism', 'Ukiyo-e']
    """
    mine = known.filter(pc.equal(known["column"], column)).sort_by("label")
    new = pc.unique(whole(words)).drop_null()
    new = new.filter(pc.invert(pc.is_in(new, value_set=whole(mine["name"])))).sort()
    first = (pc.max(mine["label"]).as_py() if mine.num_rows else -1) + 1
    more = [pa.repeat(column, len(new)), pa.array(range(first, first + len(new)), pa.int64()), new]
    return pa.concat_tables([mine, pa.table(more, schema=LABELS)]).combine_chunks()


def labels_of(labels: pa.Table, column: str, words: Column) -> pa.Array:
    """(N,) int64, the numbers of a column's words; null where there is no word. labels: LABELS of all these words."""
    mine = labels.filter(pc.equal(labels["column"], column))
    return whole(mine["label"]).take(pc.index_in(whole(words), value_set=whole(mine["name"])))


def names_of(labels: pa.Table, column: str) -> Sequence[str]:
    """The words of a column by their numbers, from 0 on."""
    names: list[str] = labels.filter(pc.equal(labels["column"], column)).sort_by("label")["name"].to_pylist()
    return names
