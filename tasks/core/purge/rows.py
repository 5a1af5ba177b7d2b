"""Which rows of a table are about purged records or files, and the table without them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.core.columns import Column, bools
from tasks.core.tables import with_columns

COLUMNS_OF_PURGED_ROWS = frozenset(
    {
        *("record_id", "source", "reason", "detail", "kept", "stage", "kept_record_id", "last_split", "image_id"),
        *("sha256", "group_id", "split", "date", "rights_uri", "rights_basis", "is_work", "scope"),
    }
)
"""Columns that a row about a purged record may fill: they show only that it was there, and went."""


def is_one_of(column: Column, texts: Collection[str]) -> Any:
    """(N,) whether each text of a column is one of these; null is none."""
    return pc.is_in(column, value_set=pa.array(sorted(texts), pa.string()))


def reveals(table: pa.Table, record_ids: Collection[str]) -> pa.Array:
    """(N,) whether each row shows more of one of the records than that it was there, and went.

    A row is about a record by its record_id, or, where it has none, by a or b, the ends of a pair: a pair always shows
    more. Without any of these columns no row is about a record.
    """
    if "record_id" not in table.column_names:
        mask = np.zeros(table.num_rows, np.bool_)
        for end in {"a", "b"} & {*table.column_names}:
            if not pa.types.is_nested(table.schema.field(end).type):
                mask |= bools(is_one_of(table[end].cast(pa.string()), record_ids))
        return pa.array(mask)
    mask = bools(is_one_of(table["record_id"].cast(pa.string()), record_ids))
    others = [name for name in table.column_names if name not in COLUMNS_OF_PURGED_ROWS]
    rows = np.flatnonzero(mask)
    values = table.select(others).take(pa.array(rows)).to_pylist()
    mask[rows] = [any(_is_filled(value) for value in row.values()) for row in values] if others else False
    return pa.array(mask)


def _is_filled(value: Any) -> bool:
    return value is not None and value is not False and value != [] and value != ""


def mentions(table: pa.Table, record_ids: Collection[str], texts: Collection[str]) -> bool:
    """Whether a row reveals one of the records, or one of the texts is a value of any column of text."""
    if pc.any(reveals(table, record_ids)).as_py():
        return True
    wanted = pa.array(sorted(texts), pa.string())
    columns = (
        column.cast(pa.string())
        for column in map(_flat, table.columns)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    )
    return any(pc.any(pc.is_in(column, value_set=wanted)).as_py() for column in columns)


def stands_in(ledger: pa.Table, record_ids: Collection[str]) -> bool:
    """Whether a row of a LEDGER is about one of the records, or names one as the copy that was kept.

    >>> ledger = pa.table({"record_id": ["s:1", "s:2"], "kept_record_id": [None, "s:3"]})
    >>> [stands_in(ledger, {name}) for name in ("s:2", "s:3", "s:4")]
    [True, True, False]
    """
    columns = (ledger[name].cast(pa.string()) for name in ("record_id", "kept_record_id"))
    return any(pc.any(is_one_of(column, record_ids)).as_py() for column in columns)


def _flat(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.list_flatten(column) if pa.types.is_list(column.type) else column


def lone_texts(tables: Iterable[pa.Table], record_ids: Collection[str], name: str) -> set[str]:
    """Texts in a column, or in its lists, that no other record has in any of the tables; of anything else none."""
    mine, others = set[str](), set[str]()
    for table in tables:
        is_mine = is_one_of(table["record_id"], record_ids)
        for found, mask in ((mine, is_mine), (others, pc.invert(is_mine))):
            texts = _flat(table[name].filter(mask))
            if pa.types.is_string(texts.type):
                found |= {*pc.unique(texts.drop_null()).to_pylist()}
    return mine - others


def hashes_of(table: pa.Table, files: pa.Array, column: str) -> NDArray[np.uint64]:
    """(N,) hashes in a column, of numbers or lists of numbers, in the rows of these files (by sha256)."""
    values = table.filter(pc.is_in(table["sha256"], value_set=files))[column].drop_null()
    return np.asarray(_flat(values).to_numpy().astype(np.uint64))


def has_hash(table: pa.Table, columns: Sequence[str], hashes: NDArray[np.uint64]) -> bool:
    """Whether one of the hashes is in one of the columns. hashes: (N,). A null is no hash."""
    return any(bool(np.isin(table[name].drop_null().to_numpy(), hashes).any()) for name in columns)


def has_files(table: pa.Table, columns: Sequence[str], files: pa.Array) -> bool:
    """Whether one of the columns names one of the files (SHA-256)."""
    return any(pc.any(pc.is_in(table[name], value_set=files)).as_py() for name in columns)


def without_files(table: pa.Table, columns: Sequence[str], files: pa.Array) -> pa.Table:
    """The rows in which none of the columns names one of the files (SHA-256)."""
    for name in columns:
        table = table.filter(pc.invert(pc.is_in(table[name], value_set=files)))
    return table


def without_rows(table: pa.Table, places: Collection[int]) -> pa.Table:
    """The table without the rows at these places."""
    left = sorted({*range(table.num_rows)} - {*places})
    return table.take(pa.array(left, pa.int64()))


def without_records(table: pa.Table, record_ids: Collection[str], addresses: Collection[str]) -> pa.Table:
    """A release's rows without those that reveal one of the records.

    In `source_urls` of other records, which list the pages of all copies, the addresses are left out, but for a
    record's own page.
    """
    left = table.filter(pc.invert(reveals(table, record_ids)))
    if "source_urls" not in left.column_names:
        return left
    own_pages = left["source_url"].to_pylist() if "source_url" in left.column_names else [None] * left.num_rows
    kept = [
        urls and [url for url in urls if url not in addresses or url == own]
        for urls, own in zip(left["source_urls"].to_pylist(), own_pages, strict=True)
    ]
    return with_columns(left, {"source_urls": pa.array(kept, left.schema.field("source_urls").type)})


def with_new_paths(table: pa.Table, moved: Mapping[str, str | None]) -> pa.Table:
    """A table whose column `path` names tables, with the new path of each that has moved. None: it has not moved."""
    paths = [moved.get(path) or path for path in table["path"].to_pylist()]
    return with_columns(table, {"path": pa.array(paths, pa.string())})
