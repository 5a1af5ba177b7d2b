"""What was not understood in the words of museums: listed, the commonest first, so that a person can add a word."""

from collections.abc import Callable, Iterable

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import listed, quoted
from schemas.tables import UNREAD
from tasks.core.own_words import NO_WORDS, OwnWords, rows_by_words

FieldReader = Callable[[str, str | None], str | None]
"""What of a text is not understood, by its museum's own words; None where all of it is."""

_SENTENCES = {
    "artist": (
        "1 artist's name can't be read with certainty, and stays as its source wrote it",
        "{} artists' names can't be read with certainty, and stay as their sources wrote them",
        "; artists.aliases in the recipe gives them other names, words.makers of a source other words",
    ),
    "date": (
        "1 expression in dates is not understood, and its works have no years",
        "{} expressions in dates are not understood, and their works have no years",
        "; words.dates of a source in the recipe adds words",
    ),
    "style": (
        "1 style is not in the table of styles and keeps the name of its source",
        "{} styles are not in the table of styles and keep the names of their sources",
        "",
    ),
}
"""Of each field that has a note here what it says of one expression and of several, and what helps."""
_MOST_LISTED = 10


def unread(records: pa.Table, field: str, column: str, read: FieldReader, own: OwnWords = NO_WORDS) -> pa.Table:
    """UNREAD of one field, unsorted. records: record_id, source and the column, with null where nothing is said.

    read: is asked once for each text and the own words of its source.
    """
    everything = records.select(["record_id", "source", column]).filter(pc.is_valid(records[column]))
    parts = [UNREAD.empty_table()]
    for own_words, rows in rows_by_words(everything["source"], own):
        said = everything.take(rows)
        texts = pc.unique(said[column])
        words = pa.array([read(text, own_words) for text in texts.to_pylist()], pa.string())
        said = said.append_column("words", words.take(pc.index_in(said[column], value_set=texts)))
        said = said.filter(pc.is_valid(said["words"]))
        found = said.group_by(["source", "words"]).aggregate([("record_id", "min"), ("record_id", "count")])
        text = said[column].take(pc.index_in(found["record_id_min"], value_set=said["record_id"].combine_chunks()))
        columns = [pa.repeat(field, found.num_rows), found["source"], found["words"], text]
        parts.append(pa.table([*columns, found["record_id_count"], found["record_id_min"]], schema=UNREAD))
    return pa.concat_tables(parts)


def commonest_first(tables: Iterable[pa.Table]) -> pa.Table:
    """UNREAD of all fields, in the order in which it is published."""
    order = [("records", "descending"), ("field", "ascending"), ("source", "ascending"), ("words", "ascending")]
    return pa.concat_tables([UNREAD.empty_table(), *tables]).sort_by(order)


def notes(table: pa.Table) -> tuple[str, ...]:
    """A sentence for each field of which something was not understood, with the commonest words."""
    found = []
    for field, (one, many, help_text) in _SENTENCES.items():
        by_words = table.filter(pc.equal(table["field"], field)).group_by("words").aggregate([("records", "sum")])
        rows = by_words.sort_by([("records_sum", "descending"), ("words", "ascending")]).to_pylist()
        named = listed([f"{quoted(row['words'])} ({row['records_sum']:,})" for row in rows], _MOST_LISTED)
        if rows:
            found.append(f"{one if len(rows) == 1 else many.format(len(rows))}: {named}{help_text}")
    return tuple(found)
