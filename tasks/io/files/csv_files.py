"""CSV from outside, by two readers: columns in the types that are asked for, a million rows of numbers as pandas, R and
spreadsheets write them, whose cells pyarrow types; and rows of cells that people write, with the line of each, whose
line ends and quotations Python's strict rules decide.
"""

import csv
import functools
import hashlib
import io
import json
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted
from tasks.io.files import inputs

_NOTHING = pa.array(["NA", "NaN", "nan"])
"""How R and NumPy write a number that is missing; as a text each of them may be a name."""

_LARGEST = 1.7976931348623157e308
"""Of a float of 64 bits: larger whole numbers have no place in a list, nor has infinity."""

_SHOWN_BYTES = 20

# csv has one limit for the whole process: the same as for tables of records
csv.field_size_limit(1_000_000)

MAX_BYTES = 64 << 20
MAX_ROWS = 1_000_000
"""More than people write: a longer file is probably the wrong one."""


def read_csv(name: str, data: bytes, columns: pa.Schema) -> pa.Table:
    """A table with these columns in these types; all others are text, since what looks like a number may be a name.

    Between cells stand commas, or, in a header without a comma, semicolons or tabs; then numbers may have a decimal
    comma. Lists of numbers are JSON, [1, 2.5]. NA and NaN are no number, as an empty cell is none. Raises BadInput for
    any other number, list or encoding, and what pyarrow raises.
    """
    try:
        table = _read_primitive(name, data, columns)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        _refuse_other_encodings(name, data)
        raise
    for place, column in enumerate(table.column_names):
        kind, values = columns.field(column).type if column in columns.names else None, table.column(place)
        if kind == pa.string():
            values = without_fraction(values)
        elif kind is not None and pa.types.is_floating(kind):
            values = pc.if_else(pc.is_nan(values), None, values)
        elif kind is not None and not pa.types.is_primitive(kind):
            values = _lists(name, column, values, kind)
        table = table.set_column(place, column, values)
    return table


def _read_primitive(name: str, data: bytes, columns: pa.Schema) -> pa.Table:
    """All columns, lists as text."""
    # else a line end in quotes ends a row where a block of the file ends
    parse = pyarrow.csv.ParseOptions(delimiter=_delimiter(data), newlines_in_values=True)
    header = pyarrow.csv.open_csv(io.BytesIO(data), parse_options=parse).schema.names
    types = {column: pa.string() for column in header}
    types |= {field.name: field.type for field in columns if field.name in types and pa.types.is_primitive(field.type)}
    try:
        return _read_csv(data, types, parse)
    except pa.ArrowInvalid:
        return _csv_with_odd_numbers(name, data, types, parse)


def _delimiter(data: bytes) -> str:
    """What stands between the cells of the header, outside of quotes.

    >>> _delimiter(b"a;b"), _delimiter(b"a,b;c"), _delimiter(b"a")
    (';', ',', ',')
    """
    header = re.sub(rb'"[^"]*"', b"", data.split(b"\n", 1)[0])
    return next((mark for mark in (",", ";", "\t") if mark.encode() in header), ",")


def _read_csv(data: bytes, types: Mapping[str, pa.DataType], parse: pyarrow.csv.ParseOptions) -> pa.Table:
    options = pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=True, null_values=[""])
    return pyarrow.csv.read_csv(io.BytesIO(data), parse_options=parse, convert_options=options)


def _csv_with_odd_numbers(
    name: str, data: bytes, types: Mapping[str, pa.DataType], parse: pyarrow.csv.ParseOptions
) -> pa.Table:
    """As `_read_csv`, for whole numbers such as 2.0 (pandas, beside a gap), for NA, and for decimal commas."""
    numbers = {column: kind for column, kind in types.items() if not pa.types.is_string(kind)}
    table = _read_csv(data, {**types, **dict.fromkeys(numbers, pa.string())}, parse)
    for column, kind in numbers.items():
        texts = pc.utf8_trim_whitespace(table[column])
        texts = pc.if_else(pc.is_in(texts, _NOTHING), None, texts)
        if parse.delimiter != ",":
            texts = _with_points(name, column, texts)
        read = _whole_numbers if pa.types.is_integer(kind) else _numbers
        table = table.set_column(table.column_names.index(column), column, read(name, column, texts, kind))
    return table


def _with_points(name: str, column: str, texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Points for decimal commas. Raises BadInput where a point is in another number: 1.000 may then be a thousand."""
    with_mark = {mark: texts.filter(pc.match_substring(texts, mark)) for mark in (".", ",")}
    if all(map(len, with_mark.values())):
        got = " and ".join(quoted(found[0].as_py()) for found in with_mark.values())
        raise BadInput(f"{name}: expected one decimal sign in the column {quoted(column)}, got {got}")
    return pc.replace_substring(texts, ",", ".")


def _numbers(name: str, column: str, texts: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    try:
        return texts.cast(kind)
    except pa.ArrowInvalid as problem:
        odd = next((text for text in texts.to_pylist() if text is not None and not _is_number(text, kind)), None)
        raise BadInput(f"{name}: expected numbers in the column {quoted(column)}, got {quoted(odd)}") from problem


def _is_number(text: str, kind: pa.DataType) -> bool:
    try:
        pa.scalar(text).cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _lists(name: str, column: str, texts: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Lists of numbers out of JSON, null for null; Python and pandas write lists so. Raises BadInput for any other."""
    values: list[list[Any] | None] = []
    for text in texts.to_pylist():
        values.append(None if text is None else _numbers_of(text))
        if text is not None and values[-1] is None:
            expected = f"lists such as [1, 2.5] in the column {quoted(column)}"
            raise BadInput(f"{name}: expected {expected}, got {quoted(text)}")
    return pa.chunked_array([pa.array(values, kind)])


def _numbers_of(text: str) -> list[Any] | None:
    """The numbers of a JSON list; None for anything else.

    >>> _numbers_of("[1, 2.5]"), _numbers_of("[1. 2.]"), _numbers_of("[true]"), _numbers_of("[NaN]")
    ([1, 2.5], None, None, None)
    """
    try:
        numbers = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(numbers, list) and all(type(number) in {int, float} for number in numbers)
    return numbers if is_list and all(abs(number) <= _LARGEST for number in numbers) else None


def _refuse_other_encodings(name: str, data: bytes) -> None:
    """Raise BadInput for what is not UTF-8, with the line: spreadsheets may save in the encoding of their system."""
    try:
        data.decode()
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        near = data[max(0, problem.start - _SHOWN_BYTES // 2) : problem.start + _SHOWN_BYTES // 2]
        got = f"other bytes in line {line} ({quoted(repr(near)[2:-1])})"
        raise BadInput(f"{name}: expected CSV in UTF-8, got {got}: save it as UTF-8") from problem


def _whole_numbers(name: str, column: str, texts: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Texts such as 2, 2.0, 2e3 as numbers, rounded only with an exponent. Raises BadInput for the first other text."""
    plain = pc.replace_substring_regex(pc.utf8_trim_whitespace(texts), r"^([+-]?\d+)\.0*$", r"\1")
    plain = pc.replace_substring_regex(plain, r"^\+(\d)", r"\1")
    values = {text: _whole_number(text) for text in pc.unique(plain).to_pylist() if text is not None}
    least, most = (-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1)
    if odd := [text for text, value in values.items() if value is None or not least <= value <= most]:
        expected = f"{name}: expected whole numbers from {least:,} to {most:,} in the column {quoted(column)}"
        raise BadInput(f"{expected}, got {quoted(odd[0])}")
    numbers = [None if text is None else values[text] for text in plain.to_pylist()]
    return pa.chunked_array([pa.array(numbers, kind)])


def _whole_number(text: str) -> int | None:
    """The whole number that a text without spaces says; None for any other, and for one beyond 2^53 with an exponent.

    >>> _whole_number("9007199254740993"), _whole_number("1e3"), _whole_number("2.5")
    (9007199254740993, 1000, None)
    """
    if re.fullmatch(r"-?\d{1,30}", text, re.ASCII):
        return int(text)
    if not re.fullmatch(r"[+-]?\d{1,30}(\.\d{0,30})?([eE][+-]?\d{1,3})?", text, re.ASCII):
        return None
    number = float(text)
    return int(number) if number.is_integer() and abs(number) <= 2**53 else None


def without_fraction(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of floats, or of texts that all are such as 10.0 and 2.5, as texts without the ".0" that pandas writes
    where one number is missing: so a name is the same in CSV and Parquet. Other columns stay; NaN is null.
    """
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
        try:
            return column.cast(pa.int64()).cast(pa.string())
        except pa.ArrowException:
            return column.cast(pa.string())
    is_float = pc.match_substring_regex(column, r"^-?\d+\.\d+$")
    if column.null_count == len(column) or not pc.all(is_float).as_py():
        return column
    return pc.replace_substring_regex(column, r"\.0$", "")


def rows_of_csv(
    name: str, url: str, max_bytes: int = MAX_BYTES, max_rows: int = MAX_ROWS, what: str = "rows"
) -> list[tuple[int, list[str]]]:
    """(number of the line on which it starts, cells) of each row, the header first; lines without text are left out.

    url: a path or any fsspec URL. UTF-8, with or without a byte order mark; line ends of any system. Raises BadInput
    for no such file, no CSV, and beyond the limits; `name` (of the binding) and `what` (its rows) are for that message.
    """
    text, place = _text(name, url, max_bytes), quoted(url, LONGEST_PLACE)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if any(cells):
                rows.append((line, cells))
            line = reader.line_num + 1
            if len(rows) > max_rows + 1:
                raise BadInput(f"binding '{name}': expected at most {max_rows} {what}, got more in {place}")
    except csv.Error as problem:
        raise BadInput(f"binding '{name}': expected CSV, got {place} (line {line}: {problem})") from problem
    return rows


rows_of_verdicts = functools.partial(rows_of_csv, what="verdicts")
"""Those of a recipe's file of verdicts, saved by the report's page or a spreadsheet."""
rows_by_hand = functools.partial(rows_of_csv, max_rows=100_000, what="rows by hand")
"""Those of the file in which people exclude, include, replace and take down. More is no work of people who decide one
by one; a decision on more records is a rule, and rules belong into the recipe."""


def sha256(name: str, url: str) -> str:
    """SHA-256 of the file's text, a part of what a release is made of. Raises as rows_of_csv does."""
    return hashlib.sha256(_text(name, url, MAX_BYTES).encode()).hexdigest()


def _text(name: str, url: str, max_bytes: int) -> str:
    place = quoted(url, LONGEST_PLACE)
    with inputs.reword_errors(f"binding '{name}': expected a file", url), inputs.open_url(url) as file:
        data = inputs.read_at_most(file, max_bytes + 1)
    if len(data) > max_bytes:
        raise BadInput(f"binding '{name}': expected at most {max_bytes} bytes, got more in {place}")
    inputs.check_itself(f"binding '{name}'", url, data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        got = f"{place} (byte {problem.start}: {problem.reason})"
        raise BadInput(f"binding '{name}': expected UTF-8, got {got}") from problem
