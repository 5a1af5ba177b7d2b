"""Parquet files from outside: all rows as mappings, or some columns within limits."""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.errors import BadInput
from schemas.phrases import counted, error_line, quoted

_BATCH = 10_000

_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
MAX_ROWS, _BATCH_ROWS = 50_000_000, 2**16
MAX_DECODED_BYTES = 2**32
"""Of the columns that are read: a few bytes may stand for any number of equal values."""


def leaf_paths(parquet: pq.ParquetFile) -> list[str]:
    """What a file's columns are called in Parquet, in their order: each field of a struct by itself (`image.bytes`)."""
    return [parquet.schema.column(place).path for place in range(len(parquet.schema))]


def rows_of_parquet(name: str, data: bytes) -> Iterator[dict[str, Any]]:
    """The rows as mappings. Raises BadInput for what is no Parquet file, or has two columns of one name."""
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


def read_columns(data: bytes, wanted: Collection[str]) -> tuple[pa.Table, list[str]]:
    """The wanted columns, batch by batch: texts as numbers of a dictionary, written out once it is known how long all
    are. Raises ValueError beyond MAX_ROWS and MAX_DECODED_BYTES.
    """
    metadata = pq.read_metadata(pa.BufferReader(data))
    if metadata.num_rows > MAX_ROWS:
        raise ValueError(f"{counted(metadata.num_rows, 'row')}, more than {MAX_ROWS:,}")
    schema = metadata.schema.to_arrow_schema()
    kept = [column for column in dict.fromkeys(schema.names) if column in wanted]
    if len({*schema.names}) < len(schema.names) or not kept:
        return pa.table({}), schema.names
    # one physical column for each, or several for a nested one
    paths = [metadata.schema.column(leaf).path for leaf in range(metadata.num_columns)]
    starts = tuple(f"{column}." for column in kept)
    leaves = [leaf for leaf, path in enumerate(paths) if f"{path}.".startswith(starts)]
    dictionaries = [paths[leaf] for leaf in leaves]
    file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=dictionaries, page_checksum_verification=True)
    next(file.iter_batches(1, columns=kept), None)  # raises for encrypted columns, whose size must not be asked for
    _refuse_large(sum(_fixed_bytes(metadata, leaf) for leaf in leaves))
    batches, total = [file.schema_arrow.empty_table().select(kept)], 0
    for batch in file.iter_batches(_BATCH_ROWS, columns=kept):
        batch.validate(full=True)  # a file may call texts UTF-8 that are none
        columns = {column: batch[column] for column in kept}
        total += sum(_decoded_bytes(column) for column in columns.values())
        _refuse_large(total)
        batches.append(pa.table(columns))
    kinds = {field.name: field.type for field in batches[0].schema}
    plain = {name: kind.value_type if pa.types.is_dictionary(kind) else kind for name, kind in kinds.items()}
    return pa.concat_tables([batch.cast(pa.schema(plain)) for batch in batches]), schema.names


def _fixed_bytes(metadata: pq.FileMetaData, leaf: int) -> int:
    """Bytes of a column, of texts without the texts. Raises ValueError for lists of texts, which have no dictionary."""
    column = metadata.schema.column(leaf)
    if column.physical_type == "BYTE_ARRAY" and column.max_repetition_level:
        raise ValueError(f"lists of texts in the column {quoted(column.path)}")
    width: int = max(column.length, 8)
    values: int = sum(metadata.row_group(group).column(leaf).num_values for group in range(metadata.num_row_groups))
    return width * values


def _decoded_bytes(column: pa.Array) -> int:
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    if not any(is_text(column.type.value_type) for is_text in _TEXTS):
        return 8 * len(column)
    lengths = pc.binary_length(column.dictionary).cast(pa.int64())
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0) + 8 * len(column)


def _refuse_large(total: int) -> None:
    if total > MAX_DECODED_BYTES:
        raise ValueError(f"columns of more than {MAX_DECODED_BYTES:,} bytes once they are decoded")
