"""Tables and arrays that other programs have written, for evaluation: Parquet, CSV, JSON and NumPy's `.npy`.

Only what is read says what it is: a `.npy` with Python objects is refused, since to read it would run what is in it.
"""

import io
import json
from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, counted, error_line, listed, quoted
from tasks.io.files import inputs
from tasks.io.files.places import reword_errors
from tasks.io.files.regular import open_file

MAX_BYTES = 2**31
"""Of a table, and of an array that is not on this machine; a local `.npy` is mapped, and may have any size."""

MAX_ROWS = 50_000_000

_SHOWN = 8


def read_table(name: str, url: str, columns: pa.Schema, optional: Collection[str] = ()) -> pa.Table:
    """A table with these columns, in these types; its other columns follow as they are (those of CSV as text).

    url: a path or any fsspec URL that ends in .parquet, .csv (UTF-8, the header first, an empty cell is null) or .json
    (a list of flat objects). optional: columns that may be missing.

    Raises BadInput for what is no such file, for a column that is missing or stands twice, and for values that are not
    of the column's type; `name` is for these messages.
    """
    table = _parse(name, url, inputs.read(name, url, MAX_BYTES), columns)
    names = table.column_names
    if twice := sorted({column for column in names if names.count(column) > 1}):
        raise BadInput(f"{name}: expected one column of each name, got {quoted(twice[0])} twice")
    missing = [field.name for field in columns if field.name not in names and field.name not in optional]
    if missing:
        got = listed([quoted(column) for column in names], _SHOWN) or "none"
        raise BadInput(f"{name}: expected the column {quoted(missing[0])}, got the columns {got}")
    wanted = {field.name: _cast(name, table, field) for field in columns if field.name in names}
    return pa.table({**wanted, **{column: table[column] for column in names if column not in wanted}})


def read_array(name: str, url: str) -> NDArray[Any]:
    """(N, d) numbers of a `.npy` file: a local one is mapped into memory, not read.

    Raises BadInput for what is no such file, for Python objects, text or complex numbers, and for another number of
    dimensions.
    """
    expected = f"{name}: expected an array of numbers (.npy)"
    with reword_errors(expected, url):
        fs, path = url_to_fs(url)
        if isinstance(fs, LocalFileSystem):
            with open_file(path):  # a pipe or a device is refused before NumPy waits for it
                pass
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        else:
            array = np.load(io.BytesIO(inputs.read(name, url, MAX_BYTES)), allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise BadInput(f"{expected}, got several arrays in {quoted(url, LONGEST_PLACE)}")
    if array.dtype.kind not in "fiu":
        raise BadInput(f"{expected}, got values of the type {quoted(str(array.dtype))}")
    if array.ndim != 2:
        raise BadInput(f"{expected} with a row for each item, got {counted(array.ndim, 'dimension')}")
    return array


def read_vectors(name: str, url: str) -> NDArray[Any]:
    """(N, d) numbers of a `.npy` file, or of the column `vector` of a table. Raises BadInput as these do."""
    if url.lower().endswith(".npy"):
        return read_array(name, url)
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


def _parse(name: str, url: str, data: bytes, columns: pa.Schema) -> pa.Table:
    kind = url.rpartition(".")[2].lower()
    try:
        if kind == "parquet":
            return _parse_parquet(data)
        if kind == "csv":
            return _parse_csv(data, columns)
        if kind == "json":
            return _parse_json(data, columns)
    # ValueError: text that is not UTF-8, JSON that is none; OverflowError: a time beyond Python's; LookupError: a time
    # zone that is none
    except (pa.ArrowException, OSError, ValueError, OverflowError, LookupError, RecursionError) as problem:
        words = {"parquet": "a Parquet file", "csv": "CSV", "json": "a JSON list of flat objects"}
        raise BadInput(f"{name}: expected {words[kind]}, got {error_line(problem)}") from problem
    raise BadInput(f"{name}: expected a file that ends in .parquet, .csv or .json, got {quoted(url, LONGEST_PLACE)}")


def _parse_parquet(data: bytes) -> pa.Table:
    file = pq.ParquetFile(pa.BufferReader(data))
    if file.metadata.num_rows > MAX_ROWS:  # a few bytes may stand for any number of equal rows
        raise ValueError(f"{counted(file.metadata.num_rows, 'row')}, more than {MAX_ROWS:,}")
    return file.read()


def _parse_csv(data: bytes, columns: pa.Schema) -> pa.Table:
    """All columns but the wanted ones are text: what looks like a number may be a name."""
    header = pyarrow.csv.open_csv(io.BytesIO(data)).schema.names
    types = {column: pa.string() for column in header}
    types |= {field.name: field.type for field in columns if field.name in types and pa.types.is_primitive(field.type)}
    options = pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=True, null_values=[""])
    table = pyarrow.csv.read_csv(io.BytesIO(data), convert_options=options)
    for place, column in enumerate(table.column_names):
        if column in columns.names and pa.types.is_string(columns.field(column).type):
            table = table.set_column(place, column, _without_fraction(table.column(place)))
    return table


def _parse_json(data: bytes, columns: pa.Schema) -> pa.Table:
    rows = json.loads(data, parse_constant=_refuse)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("something else")
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: [row.get(name) for row in rows] for name in names}) if rows else columns.empty_table()


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant}, which JSON does not have")


def _cast(name: str, table: pa.Table, field: pa.Field) -> pa.ChunkedArray:
    column = table[field.name]
    if pa.types.is_string(field.type) and pa.types.is_integer(column.type):
        return column.cast(pa.string())  # ids are text here, and numbers elsewhere
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_null(column.type)
    wants_number = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
    try:
        if wants_number and not is_number:
            raise ValueError(f"values of the type {column.type}")
        if pa.types.is_string(field.type) and pa.types.is_floating(column.type):
            return _without_fraction(column)
        return column.cast(field.type)
    except (pa.ArrowException, ValueError) as problem:
        raise BadInput(
            f"{name}: expected the column {quoted(field.name)} of the type {field.type}, got {error_line(problem)}"
        ) from problem


def _without_fraction(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column whose values all are whole numbers, as floats or as texts such as 10.0: these without the ".0".

    So pandas writes whole numbers among which one is missing. Other values stay as they are, floats as text.
    """
    if pa.types.is_floating(column.type):
        try:
            return column.cast(pa.int64()).cast(pa.string())
        except pa.ArrowException:
            return column.cast(pa.string())
    is_whole = pc.match_substring_regex(column, r"^-?\d+\.0$")
    if column.null_count == len(column) or not pc.all(is_whole).as_py():
        return column
    return pc.utf8_slice_codeunits(column, 0, -2)
