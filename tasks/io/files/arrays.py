"""Tables of other programs, for evaluation: Parquet, CSV and JSON; and vectors, also as NumPy's arrays."""

import json
from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, counted, error_line, listed, quoted
from tasks.io.files import inputs
from tasks.io.files.csv_columns import read_csv, without_fraction
from tasks.io.files.numpy_arrays import read_array

MAX_BYTES = 2**31
"""Of a table."""

MAX_ROWS = 50_000_000
MAX_DECODED_BYTES = 2**32
"""Of the columns of a Parquet file that are read: a few bytes may stand for any number of equal values."""

_BATCH_ROWS = 2**16

_SHOWN = 8
_TABLES = ("parquet", "csv", "tsv", "json")


def read_table(
    name: str, url: str, columns: pa.Schema, optional: Collection[str] = (), others: Collection[str] = ()
) -> pa.Table:
    """A table with these columns, in these types; the others that are asked for follow as they are (those of CSV as
    text). No other column is read.

    url: a path or any fsspec URL that ends in .parquet, .csv or .tsv (UTF-8, the header first, an empty cell is null),
    or .json (a list of flat objects). optional: columns that may be missing. others: more columns, which may not.

    Raises BadInput for what is no such file, for a column that is missing or stands twice, and for values that are not
    of the column's type; `name` is for these messages.
    """
    table, names = _parse(name, url, inputs.read(name, url, MAX_BYTES), columns, others)
    if twice := sorted({column for column in names if names.count(column) > 1}):
        raise BadInput(f"{name}: expected one column of each name, got {quoted(twice[0])} twice")
    required = dict.fromkeys([*(field.name for field in columns if field.name not in optional), *others])
    missing = [column for column in required if column not in names]
    if missing:
        got = listed([quoted(column) for column in names], _SHOWN) or "none"
        wanted = f"column{'' if len(missing) == 1 else 's'} {listed([quoted(column) for column in missing], _SHOWN)}"
        raise BadInput(f"{name}: expected the {wanted}, got the columns {got}")
    cast = {field.name: _cast(name, table, field) for field in columns if field.name in names}
    return pa.table({**cast, **{column: table[column] for column in others if column not in cast}})


def read_vectors(name: str, url: str) -> NDArray[Any]:
    """(N, d) numbers of a `.npy` or `.npz` file, or of the column `vector` of a table. Raises BadInput as these do."""
    kind = url.rpartition(".")[2].lower()
    if kind in {"npy", "npz"}:
        return read_array(name, url)
    if kind not in _TABLES:
        raise BadInput(
            f"{name}: expected vectors in a file that ends in .npy (numpy.save writes it), .npz, .parquet, .csv or "
            f".json, got {quoted(url, LONGEST_PLACE)}"
        )
    return vectors_of(name, read_table(name, url, pa.schema([("vector", pa.list_(pa.float64()))])), "vector")


def vectors_of(name: str, table: pa.Table, column: str) -> NDArray[Any]:
    """(N, d) numbers of a column of lists. Raises BadInput where they are not all of one length, or not there."""
    lists = table[column].combine_chunks()
    if lists.null_count or pc.list_flatten(lists).null_count:
        raise BadInput(f"{name}: expected a list of numbers in each row of {quoted(column)}, got a null")
    lengths = pc.unique(pc.list_value_length(lists)).to_pylist()
    if len(lengths) > 1:
        first, second = sorted(lengths)[:2]
        raise BadInput(f"{name}: expected lists of one length in {quoted(column)}, got {first} and {second} numbers")
    return np.asarray(pc.list_flatten(lists)).reshape(table.num_rows, *(lengths or [0]))


def _parse(name: str, url: str, data: bytes, columns: pa.Schema, others: Collection[str]) -> tuple[pa.Table, list[str]]:
    """A table that has those of the columns and the others that the file has, and the names of all that it has."""
    kind = url.rpartition(".")[2].lower()
    try:
        if kind == "parquet":
            return _parse_parquet(data, {*columns.names, *others})
        if kind in {"csv", "tsv"}:
            table = read_csv(name, data, columns)
            return table, table.column_names
        if kind == "json":
            return _parse_json(data, columns, others)
    # ValueError: text that is not UTF-8, JSON that is none; OverflowError: a time beyond Python's; LookupError: a time
    # zone that is none
    except (pa.ArrowException, OSError, ValueError, OverflowError, LookupError, RecursionError) as problem:
        words = {"parquet": "a Parquet file", "csv": "CSV", "tsv": "CSV", "json": "a JSON list of flat objects"}
        raise BadInput(f"{name}: expected {words[kind]}, got {error_line(problem)}") from problem
    raise BadInput(
        f"{name}: expected a file that ends in .parquet, .csv, .tsv or .json, got {quoted(url, LONGEST_PLACE)}"
    )


def _parse_parquet(data: bytes, wanted: Collection[str]) -> tuple[pa.Table, list[str]]:
    """The wanted columns, batch by batch: texts as numbers of a dictionary, so that none is written out before it is
    known how long all are. Raises ValueError beyond MAX_ROWS and MAX_DECODED_BYTES.
    """
    metadata = pq.read_metadata(pa.BufferReader(data))
    if metadata.num_rows > MAX_ROWS:
        raise ValueError(f"{counted(metadata.num_rows, 'row')}, more than {MAX_ROWS:,}")
    schema = metadata.schema.to_arrow_schema()
    kept = [column for column in dict.fromkeys(schema.names) if column in wanted]
    if len({*schema.names}) < len(schema.names) or not kept:
        return pa.table({}), schema.names
    leaves = _leaves(metadata, kept)
    file = pq.ParquetFile(
        pa.BufferReader(data),
        read_dictionary=[metadata.schema.column(leaf).path for leaf in leaves],
        page_checksum_verification=True,
    )
    next(file.iter_batches(1, columns=kept), None)  # raises for encrypted columns, whose size must not be asked for
    _refuse_large(sum(_fixed_bytes(metadata, leaf) for leaf in leaves))
    batches, total = [file.schema_arrow.empty_table().select(kept)], 0
    for batch in file.iter_batches(_BATCH_ROWS, columns=kept):
        batch.validate(full=True)  # a file may call texts UTF-8 that are none
        columns = {column: batch[column] for column in kept}
        total += sum(_decoded_bytes(column) for column in columns.values())
        _refuse_large(total)
        batches.append(pa.table(columns))
    return pa.concat_tables([_decoded(batch) for batch in batches]), schema.names


def _leaves(metadata: pq.FileMetaData, kept: Collection[str]) -> list[int]:
    """The physical columns that make up these columns: one, or several of a nested one."""
    leaves = range(metadata.num_columns)
    return [leaf for leaf in leaves if _root(metadata.schema.column(leaf).path, kept) is not None]


def _root(path: str, kept: Collection[str]) -> str | None:
    return next((column for column in kept if path == column or path.startswith(f"{column}.")), None)


def _fixed_bytes(metadata: pq.FileMetaData, leaf: int) -> int:
    """The bytes of a physical column's values, those of texts without the texts themselves.

    Raises ValueError for lists of texts, which no protocol reads: they can't be numbered by a dictionary.
    """
    column = metadata.schema.column(leaf)
    if column.physical_type == "BYTE_ARRAY" and column.max_repetition_level:
        raise ValueError(f"lists of texts in the column {quoted(column.path)}")
    width: int = max(column.length, 8)
    values: int = sum(metadata.row_group(group).column(leaf).num_values for group in range(metadata.num_row_groups))
    return width * values


def _decoded_bytes(column: pa.Array) -> int:
    """How many bytes the values take once they are written out."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).cast(pa.int64()) if _is_text(column.type.value_type) else None
    texts = 0 if lengths is None else pc.sum(lengths.take(column.indices)).as_py() or 0
    return int(texts) + 8 * len(column)


def _is_text(kind: pa.DataType) -> bool:
    return any(
        is_kind(kind)
        for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    )


def _decoded(batch: pa.Table) -> pa.Table:
    """The same with values in place of a dictionary's numbers."""
    plain = [
        pa.field(field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
        for field in batch.schema
    ]
    return batch.cast(pa.schema(plain))


def _refuse_large(total: int) -> None:
    if total > MAX_DECODED_BYTES:
        raise ValueError(f"columns of more than {MAX_DECODED_BYTES:,} bytes once they are decoded")


def _parse_json(data: bytes, columns: pa.Schema, others: Collection[str]) -> tuple[pa.Table, list[str]]:
    rows = json.loads(data, parse_constant=_refuse, object_pairs_hook=_object)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("something else")
    if not rows:
        return columns.empty_table(), columns.names
    names = dict.fromkeys(name for row in rows for name in row)
    wanted = [name for name in names if name in columns.names or name in others]
    return pa.table({name: [row.get(name) for row in rows] for name in wanted}), [*names]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError for a name that stands twice, of which json would keep the last."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{quoted(twice)} twice in one of them")
    return values


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant}, which JSON does not have")


def _cast(name: str, table: pa.Table, field: pa.Field) -> pa.ChunkedArray:
    column = table[field.name]
    if pa.types.is_string(field.type) and pa.types.is_integer(column.type):
        return column.cast(pa.string())  # ids are text here, and numbers elsewhere
    try:
        if _is_number(_value_type(field.type)) and not _may_be_numbers(_value_type(column.type)):
            raise ValueError(f"values of the type {column.type}")
        if pa.types.is_string(field.type) and pa.types.is_floating(column.type):
            return without_fraction(column)
        return column.cast(field.type)
    except (pa.ArrowException, ValueError) as problem:
        raise BadInput(
            f"{name}: expected the column {quoted(field.name)} of the type {field.type}, got {error_line(problem)}"
        ) from problem


def _value_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values of lists; of no list, the type itself."""
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return kind.value_type if is_list else kind


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _may_be_numbers(kind: pa.DataType) -> bool:
    """Whether values of this type are numbers, or all null."""
    return _is_number(kind) or bool(pa.types.is_null(kind))
