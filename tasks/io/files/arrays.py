"""Tables of other programs, for evaluation: Parquet, CSV and JSON; and arrays of numbers, also as NumPy saves them:
none of Python objects, since to read them would run what is in them.
"""

import io
import json
import zipfile
from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, counted, error_line, listed, quoted
from schemas.stand_ins import LOOK_BYTES
from tasks.io.files import inputs
from tasks.io.files.csv_files import read_csv, without_fraction
from tasks.io.files.parquet_files import read_columns

MAX_BYTES = 2**31
"""Of a table, a remote array, and one in a `.npz`; a local `.npy` is mapped, and may have any size."""

_SHOWN = 8
_WORDS = {"parquet": "a Parquet file", "csv": "CSV", "tsv": "CSV", "json": "a JSON list of flat objects"}
"""The endings of tables, and what each of them is."""
_ENDING = ".npy"
_STATISTICS = {"mu", "sigma"}
"""What pytorch-fid and clean-fid keep of a reference: its mean and covariance, not its features."""


def read_table(
    name: str, url: str, columns: pa.Schema, optional: Collection[str] = (), others: Collection[str] = ()
) -> pa.Table:
    """A table with these columns, in these types, then the others asked for, as they are (of CSV as text).

    url: a path or any fsspec URL that ends in .parquet, .csv or .tsv (UTF-8, the header first, an empty cell is null),
    or .json (a list of flat objects). optional: columns that may be missing. Raises BadInput for what is no such file,
    for a column that is missing or stands twice, and for values that are not of its type.
    """
    table, names = _parse(name, url, inputs.read(name, url, MAX_BYTES), columns, others)
    if twice := sorted({column for column in names if names.count(column) > 1}):
        raise BadInput(f"{name}: expected one column of each name, got {quoted(twice[0])} twice")
    required = dict.fromkeys([*(field.name for field in columns if field.name not in optional), *others])
    if missing := [column for column in required if column not in names]:
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
    if kind not in _WORDS:
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
            return read_columns(data, {*columns.names, *others})
        if kind in {"csv", "tsv"}:
            table = read_csv(name, data, columns)
            return table, table.column_names
        if kind == "json":
            return _parse_json(data, columns, others)
    # ValueError: text that is not UTF-8, JSON that is none; OverflowError: a time beyond Python's; LookupError: a time
    # zone that is none
    except (pa.ArrowException, OSError, ValueError, OverflowError, LookupError, RecursionError) as problem:
        raise BadInput(f"{name}: expected {_WORDS[kind]}, got {error_line(problem)}") from problem
    got = quoted(url, LONGEST_PLACE)
    raise BadInput(f"{name}: expected a file that ends in .parquet, .csv, .tsv or .json, got {got}")


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
    names = [name for name, _ in pairs]
    if len({*names}) < len(names):
        raise ValueError(f"{quoted(next(name for name in names if names.count(name) > 1))} twice in one of them")
    return dict(pairs)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant}, which JSON does not have")


def _cast(name: str, table: pa.Table, field: pa.Field) -> pa.ChunkedArray:
    column = table[field.name]
    if pa.types.is_string(field.type) and pa.types.is_integer(column.type):
        return column.cast(pa.string())  # ids are text here, and numbers elsewhere
    try:
        given = _value_type(column.type)
        if _is_number(_value_type(field.type)) and not (_is_number(given) or pa.types.is_null(given)):
            raise ValueError(f"values of the type {column.type}")
        if pa.types.is_string(field.type) and pa.types.is_floating(column.type):
            return without_fraction(column)
        return column.cast(field.type)
    except (pa.ArrowException, ValueError) as problem:
        expected = f"{name}: expected the column {quoted(field.name)} of the type {field.type}"
        raise BadInput(f"{expected}, got {error_line(problem)}") from problem


def _value_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values of lists; of no list, the type itself."""
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return kind.value_type if is_list else kind


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def read_array(name: str, url: str) -> NDArray[Any]:
    """(N, d) numbers of a `.npy` file, a local one mapped into memory, not read; or of the one array of a `.npz`; axes
    of length 1 behind them, (N, d, 1, 1), are left out. Raises BadInput for no such file, Python objects, text, complex
    numbers, and other dimensions.
    """
    is_archive = url.lower().endswith(".npz")
    expected = f"{name}: expected an array of numbers ({'.npz' if is_archive else _ENDING})"
    # numpy warns where a header promises more than 2^63 bytes, and then refuses it
    with inputs.reword_errors(expected, url), np.errstate(over="ignore"):
        array = _member(expected, inputs.read(name, url, MAX_BYTES), url) if is_archive else _array(name, url)
    if not isinstance(array, np.ndarray):
        raise BadInput(f"{expected}, got several arrays in {quoted(url, LONGEST_PLACE)}")
    if array.dtype.kind not in "fiu":
        raise BadInput(f"{expected}, got values of the type {quoted(str(array.dtype))}")
    if array.ndim > 2 and set(array.shape[2:]) == {1}:
        array = array.reshape(array.shape[:2])
    if array.ndim != 2:
        got = f"{counted(array.ndim, 'dimension')}: shape {array.shape}"
        raise BadInput(f"{expected} with a row for each item, got {got}")
    return array


def _array(name: str, url: str) -> Any:
    fs, path = url_to_fs(url)
    if not isinstance(fs, LocalFileSystem):
        return np.load(io.BytesIO(inputs.read(name, url, MAX_BYTES)), allow_pickle=False)
    with inputs.open_file(path) as file:  # a pipe or a device is refused before NumPy waits for it
        inputs.check_itself(name, url, file.read(LOOK_BYTES))
    return np.load(path, mmap_mode="r", allow_pickle=False)


def _member(expected: str, data: bytes, url: str) -> Any:
    """The one array of an archive. Raises BadInput for none, for several, and for one that is too large."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        names = [member.filename.removesuffix(_ENDING) for member in members]
        if set(names) >= _STATISTICS:
            got = f"a mean and a covariance in {quoted(url, LONGEST_PLACE)}: save the features themselves"
            raise BadInput(f"{expected}, got {got}")
        if len(members) != 1:
            got = listed([quoted(one) for one in names], _SHOWN) or "none"
            raise BadInput(f"{expected}, got the arrays {got} in {quoted(url, LONGEST_PLACE)}: save one alone, as .npy")
        if members[0].file_size > MAX_BYTES:
            raise BadInput(f"{expected} of at most {MAX_BYTES} bytes, got {members[0].file_size}: save it as .npy")
        return np.load(io.BytesIO(archive.read(members[0])), allow_pickle=False)
