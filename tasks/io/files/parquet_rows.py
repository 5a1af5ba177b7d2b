"""Parquet files from outside."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import BadInput
from schemas.phrases import error_line, quoted

_BATCH = 10_000


def leaf_paths(parquet: pq.ParquetFile) -> list[str]:
    """What a file's columns are called in Parquet, in their order: each field of a struct by itself (`image.bytes`)."""
    return [parquet.schema.column(place).path for place in range(len(parquet.schema))]


def rows_of_parquet(name: str, data: bytes) -> Iterator[dict[str, Any]]:
    """The rows as mappings, one after the other.

    Raises BadInput if the bytes are not a Parquet file, or two columns have one name. `name` is for that message.
    """
    try:
        columns = Counter(pq.read_schema(pa.BufferReader(data)).names)
        if not (twice := [column for column, count in columns.items() if count > 1]):
            for batch in pq.read_table(pa.BufferReader(data)).to_batches(_BATCH):
                yield from batch.to_pylist()
            return
    # ValueError: text that is not UTF-8; OverflowError: a time beyond Python's; LookupError: a time zone that is none
    except (pa.ArrowException, OSError, ValueError, OverflowError, LookupError) as problem:
        raise BadInput(f"{name}: expected a Parquet file, got {error_line(problem)}") from problem
    raise BadInput(f"{name}: expected a Parquet file with one column of each name, got {quoted(twice[0])} twice")
