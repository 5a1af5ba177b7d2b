"""How the Parquet files of a release are written: the same settings for every table.

docs/decisions/019 says why each is as it is.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_IMAGE_BYTES = "image.bytes"
_ROWS_PER_GROUP = 100_000


def write_parquet(target: Path, groups: Iterable[pa.Table], schema: pa.Schema) -> int:
    """A table of a release, one row group for each table given that has rows; its rows.

    Image bytes, which no codec shrinks, stand as they are.
    """
    codecs = {leaf: "none" if leaf == _IMAGE_BYTES else "zstd" for leaf in _leaves(schema)}
    rows = 0
    with pq.ParquetWriter(
        target, schema, compression=codecs, use_dictionary=[leaf for leaf in codecs if leaf != _IMAGE_BYTES]
    ) as writer:
        for group in groups:
            if group.num_rows:
                writer.write_table(group, row_group_size=group.num_rows)
                rows += group.num_rows
    return rows


def groups_of(table: pa.Table, schema: pa.Schema) -> Iterator[pa.Table]:
    """A table without image bytes in row groups, one at a time in memory of its own."""
    for start in range(0, table.num_rows, _ROWS_PER_GROUP):
        yield table.slice(start, _ROWS_PER_GROUP).combine_chunks().cast(schema)


def _leaves(schema: pa.Schema) -> list[str]:
    """Column paths as Parquet names them."""
    parquet = pq.ParquetFile(pa.BufferReader(_empty_file(schema))).schema
    return [parquet.column(place).path for place in range(len(parquet))]


def _empty_file(schema: pa.Schema) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    return sink.getvalue()
