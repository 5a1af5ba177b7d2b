"""Columns of CSV in the types that are asked for, also where pandas has written whole numbers as 2.0."""

import io
import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from schemas.errors import BadInput
from schemas.phrases import quoted


def read_csv(name: str, data: bytes, columns: pa.Schema) -> pa.Table:
    """A table with these columns in these types; all others are text, since what looks like a number may be a name.

    Raises BadInput for what is no whole number in a column of whole numbers, and what pyarrow raises.
    """
    header = pyarrow.csv.open_csv(io.BytesIO(data)).schema.names
    types = {column: pa.string() for column in header}
    types |= {field.name: field.type for field in columns if field.name in types and pa.types.is_primitive(field.type)}
    try:
        table = _read_csv(data, types)
    except pa.ArrowInvalid:
        table = _csv_with_whole_floats(name, data, types)
    for place, column in enumerate(table.column_names):
        if column in columns.names and pa.types.is_string(columns.field(column).type):
            table = table.set_column(place, column, without_fraction(table.column(place)))
    return table


def _read_csv(data: bytes, types: dict[str, pa.DataType]) -> pa.Table:
    options = pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=True, null_values=[""])
    return pyarrow.csv.read_csv(io.BytesIO(data), convert_options=options)


def _csv_with_whole_floats(name: str, data: bytes, types: dict[str, pa.DataType]) -> pa.Table:
    """As `_read_csv`, for files in which whole numbers stand as 2.0: pandas writes a column with a gap so."""
    integers = {column: kind for column, kind in types.items() if pa.types.is_integer(kind)}
    table = _read_csv(data, {**types, **dict.fromkeys(integers, pa.string())})
    for column, kind in integers.items():
        place = table.column_names.index(column)
        table = table.set_column(place, column, _whole_numbers(name, column, table[column], kind))
    return table


def _whole_numbers(name: str, column: str, texts: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Texts such as 2, 2.0 and 2e3 as whole numbers, digit by digit where they have no exponent: none is rounded.

    Raises BadInput for the first text that is no whole number, or does not fit into this type.
    """
    plain = pc.replace_substring_regex(pc.utf8_trim_whitespace(texts), r"^([+-]?\d+)\.0*$", r"\1")
    plain = pc.replace_substring_regex(plain, r"^\+(\d)", r"\1")
    values = {text: _whole_number(text) for text in pc.unique(plain).to_pylist() if text is not None}
    least, most = (-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1)
    odd = [text for text, value in values.items() if value is None or not least <= value <= most]
    if odd:
        raise BadInput(
            f"{name}: expected whole numbers from {least:,} to {most:,} in the column {quoted(column)}, got "
            f"{quoted(odd[0])}"
        )
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
