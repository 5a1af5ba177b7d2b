"""Columns of tables that people bring to be scored: as arrays, or one sentence about the first row that is wrong."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import listed, quoted, quoted_name
from tasks.core.columns import whole

_MOST_NAMES = 20
TOLERANCE = 0.01
"""How far from 1 the probabilities of an image may add up to: those of 16-bit floats do not come nearer."""


def quoted_cell(value: object, nothing: str = "an empty cell") -> str:
    """A value of a table in a message. nothing: what a null is called, which CSV has as an empty cell.

    >>> quoted_cell("cat"), quoted_cell(""), quoted_cell(None)
    ("'cat'", "''", 'an empty cell')
    """
    return nothing if value is None else quoted(value)


def require_columns(name: str, table: pa.Table, columns: Sequence[str]) -> None:
    """Raises BadInput unless the table has these columns, each once. name: the table's, for messages."""
    for column in columns:
        if table.column_names.count(column) != 1:
            have = listed([quoted_name(other) for other in table.column_names], _MOST_NAMES)
            raise BadInput(f"{name}: expected one column {column}, got columns {have or 'none at all'}")


def refuse_empty(name: str, table: pa.Table, what: str) -> None:
    """Raises BadInput for a table without rows. what: what its rows are, such as "sketches"."""
    if not table.num_rows:
        raise BadInput(f"{name}: expected a table of {what}, got one without rows")


def text_array(name: str, table: pa.Table, column: str) -> pa.Array:
    """(N,) strings, or null; whole numbers are taken as they are written.

    Raises BadInput for a column of another type, and unless there is one of that name.
    """
    require_columns(name, table, [column])
    values = _plain(table[column])
    kind = values.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)
    if not (is_text or pa.types.is_integer(kind)):
        raise BadInput(f"{name}: expected texts or whole numbers in {column}, got {kind}")
    return values.cast(pa.string())


def text_column(name: str, table: pa.Table, column: str, *, null: bool = False) -> list[str | None]:
    """(N,) texts as of `text_array`, none of them empty. null: whether there may be nulls.

    Raises BadInput also for the first row that is wrong.
    """
    texts: list[str | None] = text_array(name, table, column).to_pylist()
    for row, text in enumerate(texts):
        if text == "" or (text is None and not null):
            raise BadInput(f"{name}[{row}]: expected a text in {column}, got {quoted_cell(text)}")
    return texts


def names_column(name: str, table: pa.Table, column: str) -> list[str]:
    """(N,) texts as of `text_column`, without nulls."""
    return [str(text) for text in text_column(name, table, column)]


def number_column(
    name: str,
    table: pa.Table,
    column: str,
    least: float,
    most: float,
    *,
    null: bool = False,
    whole_numbers: bool = False,
) -> NDArray[np.float64]:
    """(N,) numbers within limits, which belong to them; NaN for null, where there may be nulls.

    Raises BadInput for a column of another type, and for the first row that is wrong: a number outside the limits or
    not finite, a null that may not be, or, with whole_numbers, a fraction.
    """
    values = _plain(table[column])
    kind = values.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)):
        raise BadInput(f"{name}: expected numbers in {column}, got {kind}")
    is_null = np.asarray(values.is_null())
    numbers = np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)
    is_right = (numbers >= least) & (numbers <= most)
    if whole_numbers:
        is_right &= numbers == np.round(numbers)
    is_right[is_null] = null
    for row in np.flatnonzero(~is_right)[:1].tolist():
        what = "a whole number" if whole_numbers else "a number"
        limits = f"{what} from {least:g} to {most:g}"
        raise BadInput(f"{name}[{row}]: expected {limits} in {column}, got {quoted_cell(values[row].as_py())}")
    return numbers


def list_column(name: str, table: pa.Table, column: str) -> list[list[float] | None]:
    """(N,) lists of finite numbers, or None for null. Raises BadInput as `number_column`."""
    values = _plain(table[column])
    kind = values.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    is_number = is_list and (pa.types.is_integer(kind.value_type) or pa.types.is_floating(kind.value_type))
    if not (is_number or pa.types.is_null(kind) or (is_list and pa.types.is_null(kind.value_type))):
        raise BadInput(f"{name}: expected lists of numbers in {column}, got {kind}")
    lists: list[list[float] | None] = values.to_pylist()
    for row, numbers in enumerate(lists):
        for number in numbers or ():
            if number is None or not np.isfinite(number):
                raise BadInput(f"{name}[{row}]: expected finite numbers in {column}, got {quoted_cell(number, 'null')}")
    return lists


def refuse_repeats(name: str, rows: Sequence[object], what: str) -> None:
    """Raises BadInput where two rows are equal. what: what each row is to be, such as "each sketch once"."""
    place: dict[object, int] = {}
    for row, value in enumerate(rows):
        if value in place:
            shown = quoted(list(value) if isinstance(value, tuple) else value)
            raise BadInput(f"{name}[{row}]: expected {what}, got {shown} again, as in row {place[value]}")
        place[value] = row


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """The column in one piece, with its values written out where it is a dictionary."""
    values = whole(column)
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
