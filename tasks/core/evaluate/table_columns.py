"""Columns of tables that people bring to be scored: as arrays, or one sentence about the first row that is wrong.

Which columns there are, and that they are of their types, is seen to where tables are read.
"""

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
    """Raises BadInput unless the table has these columns, which others may lack. name: the table's, for messages."""
    for column in columns:
        if column not in table.column_names:
            have = listed([quoted_name(other) for other in table.column_names], _MOST_NAMES)
            raise BadInput(f"{name}: expected one column {column}, got columns {have}")


def refuse_empty(name: str, table: pa.Table, what: str) -> None:
    """Raises BadInput for a table without rows. what: what its rows are, such as "sketches"."""
    if not table.num_rows:
        raise BadInput(f"{name}: expected a table of {what}, got one without rows")


def text_column(name: str, table: pa.Table, column: str, *, null: bool = False) -> list[str | None]:
    """(N,) texts, none of them empty. null: whether there may be nulls. Raises BadInput for the first that is wrong."""
    texts: list[str | None] = table[column].to_pylist()
    for row, text in enumerate(texts):
        if text == "" or (text is None and not null):
            raise BadInput(f"{name}[{row}]: expected a text in {column}, got {quoted_cell(text)}")
    return texts


def names_column(name: str, table: pa.Table, column: str) -> list[str]:
    """`text_column` without nulls."""
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

    Raises BadInput for the first row that is wrong: a number outside the limits or not finite, a null that may not be,
    or, with whole_numbers, a fraction.
    """
    values = whole(table[column])
    numbers = np.asarray(values.to_numpy(zero_copy_only=False), np.float64)
    is_right = (numbers >= least) & (numbers <= most)
    if whole_numbers:
        is_right &= numbers == np.round(numbers)
    is_right[np.asarray(values.is_null())] = null
    for row in np.flatnonzero(~is_right)[:1].tolist():
        limits = f"{'a whole number' if whole_numbers else 'a number'} from {least:g} to {most:g}"
        raise BadInput(f"{name}[{row}]: expected {limits} in {column}, got {quoted_cell(values[row].as_py())}")
    return numbers


def list_column(name: str, table: pa.Table, column: str) -> list[list[float] | None]:
    """(N,) lists of finite numbers, or None for null. Raises BadInput as `number_column`."""
    lists: list[list[float] | None] = table[column].to_pylist()
    for row, numbers in enumerate(lists):
        for number in numbers or ():
            if number is None or not np.isfinite(number):
                raise BadInput(f"{name}[{row}]: expected finite numbers in {column}, got {quoted_cell(number, 'null')}")
    return lists


def refuse_repeats(name: str, rows: Sequence[object], what: str) -> None:
    """Raises BadInput where two rows are equal. what: what each row is to be, such as "each sketch once"."""
    place: dict[object, int] = {}
    for row, value in enumerate(rows):
        if place.setdefault(value, row) != row:
            shown = quoted(list(value) if isinstance(value, tuple) else value)
            raise BadInput(f"{name}[{row}]: expected {what}, got {shown} again, as in row {place[value]}")
