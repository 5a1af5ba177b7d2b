"""The digest of a table as contract 1 defines it, row by row. Releases of contract 1 are still read and purged by it.

Rows sorted by primary key; each row as RFC 8785 JSON of its content columns, one per line, every line ending in a
newline; SHA-256. Bytes stand as the hex of their SHA-256; unsigned 64-bit numbers, which JSON readers would round, as
decimal strings. Contract 2 digests column by column (`digest`; docs/decisions says why, under digest).
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import rfc8785

NOT_CONTENT = frozenset({"retrieved_at"})
"""Columns that say when, not what."""


def table_digest(batches: Iterable[pa.RecordBatch], primary_key: str) -> str:
    """SHA-256 of a table's content, as hex; rows in any order, since a release's files lie by split."""
    rows = [
        (row_key, line)
        for batch in batches
        for row_key, line in zip(batch[primary_key].to_pylist(), lines(batch), strict=True)
    ]
    rows.sort(key=lambda row: row[0])
    return hashlib.sha256(b"".join(line for _, line in rows)).hexdigest()


def lines(batch: pa.RecordBatch) -> Iterator[bytes]:
    """The canonical line of each row."""
    names = [name for name in batch.schema.names if name not in NOT_CONTENT]
    content = batch.select(names)
    big = {name for name in names if content.schema.field(name).type == pa.uint64()}
    for row in content.to_pylist():
        yield rfc8785.dumps({name: _plain(value, is_big=name in big) for name, value in row.items()}) + b"\n"


def _plain(value: Any, *, is_big: bool = False) -> Any:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return str(value) if is_big and value is not None else value
