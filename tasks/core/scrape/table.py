"""Records from a table: CSV or JSON lines as text, Parquet as rows that have been read already."""

import csv
import functools
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schemas.errors import BadInput
from schemas.phrases import quoted
from schemas.sources import TableSource
from tasks.core.scrape.attributes import Wanted, with_attributes
from tasks.core.scrape.cells import TWICE, nesting_of, remedy
from tasks.core.scrape.paths import first_name, values_at
from tasks.core.scrape.records import record

csv.field_size_limit(1_000_000)

UNREADABLE = "\0unreadable"
"""The one field of a row that could not be read: what is wrong with it."""
_END = "\0end of the table"
"""A last row of our own: if it is no row, it stands within a quotation that never ends."""


def rows_of_csv(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """One mapping a row, by the names in the first. lines: with their ends. No lines, no rows; empty ones are left out.

    Short rows lack their last columns. A row with more cells than there are columns becomes a row without a key, since
    its cells may stand in the wrong columns: its record is a drop. A column that is named twice has TWICE in each cell.
    Raises csv.Error for a quotation that never ends, since it swallows all rows below it.
    """
    header = None
    for line, cells in _csv_rows(lines):
        if header is None:
            header = cells
        elif any(cells[len(header) :]):
            yield {UNREADABLE: f"{len(cells)} cells for {len(header)} columns in line {line}"}
        else:
            yield _mapping(list(itertools.zip_longest(header, cells[: len(header)])))


def _csv_rows(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """(line on which it begins, cells) of each row that is not empty."""
    line = 1
    reader = csv.reader(itertools.chain(lines, ("\n", _END)), strict=False)
    for cells in reader:
        if cells == [_END]:
            return
        if cells and cells[-1].endswith(_END):
            raise csv.Error(f"a quotation that begins in the row of line {line} and never ends")
        if cells:
            yield line, cells
        line = reader.line_num + 1


def rows_of_json_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    r"""One mapping a line, as "\n" ends them: others, such as U+2028, may stand inside a JSON string.

    A line that is no JSON object becomes a row without a key: its record is a drop. A field that one object names twice
    has TWICE for its value.
    """
    return (_json_row(line.removesuffix("\n")) for line in lines if line.strip())


def records(
    source: TableSource, rows: Iterable[Mapping[str, Any]], wanted: Wanted | None = None
) -> Iterator[dict[str, Any]]:
    """Rows of RECORDS by the recipe's column mapping, one after the other. wanted: attributes, by columns or paths.

    Raises BadInput at the end if the table has none of a named column, names it twice, or has lists, objects or bytes
    in it where one value is expected: of the whole column nobody knows which value is meant.
    """
    cells = {field: _Cells(source, field, column) for field, column in source.columns.items()}
    columns, number = set[str](), 0
    for number, row in enumerate(rows, 1):
        columns.update(row)
        for of_field in cells.values():
            of_field.look(number, row)
        yield with_attributes(_record(source, row), wanted or {}, functools.partial(values_at, row))
    for field, column in source.columns.items():
        if number and column not in columns:
            raise BadInput(
                f"source '{source.name}': expected a column '{column}' (for {field}) in {source.table}, got "
                f"{_shown(source.table, columns)}"
            )
        cells[field].check(number)
    if number:
        _check_attributes(source, wanted or {}, columns)


def _check_attributes(source: TableSource, wanted: Wanted, columns: set[str]) -> None:
    """Raise BadInput for an attribute whose column no row has. columns: of all rows."""
    for name, attribute in wanted.items():
        field = attribute.field
        if field is not None and columns.isdisjoint({field, first_name(field)}):
            raise BadInput(
                f"source '{source.name}': expected a column {quoted(field)} (for the attribute {name}) in "
                f"{source.table}, got {_shown(source.table, columns)}"
            )


class _Cells:
    """What is wrong with the cells of one column, gathered row by row."""

    def __init__(self, source: TableSource, field: str, column: str) -> None:
        self._source, self._field, self._column = source, field, column
        self._twice: str | None = None
        self._nested, self._first = 0, ("", "", "")

    def look(self, number: int, row: Mapping[str, Any]) -> None:
        """Look at the cell of a row."""
        value = row.get(self._column)
        if value is None or (type(value) is str and value[:1].isalnum()):  # nearly all
            return
        if value is TWICE:
            self._twice = self._twice or _row_name(self._source, number, row)
        elif (kind := nesting_of(self._field, value)) is not None:
            if not self._nested:
                advice = remedy(self._source.table, self._field, self._column, value)
                self._first = (kind, _row_name(self._source, number, row), advice)
            self._nested += 1

    def check(self, rows: int) -> None:
        """Raise BadInput for a column of which nobody knows which value is meant. rows: of the whole table."""
        source, field = self._source, self._field
        place = f"the column '{self._column}' (for {field}) of {source.table}"
        if self._twice is not None:
            raise BadInput(f"source '{source.name}': expected {place} once, got it twice in {self._twice}")
        if self._nested:
            kind, name, advice = self._first
            raise BadInput(
                f"source '{source.name}': expected {'texts' if field == 'styles' else 'one value'} in each row of "
                f"{place}, got {kind} in {name}, and the like in {self._nested} of {rows} rows; {advice}"
            )


def _record(source: TableSource, row: Mapping[str, Any]) -> dict[str, Any]:
    """One row of RECORDS; of a row that could not be read, a drop that says so."""
    fields: dict[str, Any] = {field: _cell(field, row.get(column)) for field, column in source.columns.items()}
    if (problem := row.get(UNREADABLE)) is None:
        return record(source, fields)
    # with the problem among the fields, so that each such row is a drop of its own
    return {**record(source, {**fields, UNREADABLE: problem}), "detail": problem}


def _row_name(source: TableSource, number: int, row: Mapping[str, Any]) -> str:
    """How a sentence names a row: by its key, if that is one value."""
    key = row.get(source.columns["key"])
    is_name = isinstance(key, str | int) and nesting_of("key", key) is None
    return f"the row of key '{str(key)[:60]}'" if is_name else f"row {number}"


def _shown(table: str, columns: set[str]) -> str:
    if columns == {UNREADABLE} and table.endswith(".csv"):
        return "no row of as many cells as its first line has names: are they separated by commas?"
    if columns == {UNREADABLE}:
        return "no line that is a JSON object; of a JSON list, jq -c '.[]' makes such lines"
    names = sorted(columns - {UNREADABLE})
    is_one = len(names) == 1 and table.endswith(".csv") and any(mark in names[0] for mark in ";\t|")
    return f"{names[:20]}{': expected commas between cells' if is_one else ''}"


def _cell(field: str, value: Any) -> Any:
    """The cell, without outer blanks where it is an image's path or address, which `record` takes letter by letter."""
    return value.strip() if field == "image" and isinstance(value, str) else value


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    counts = Counter(name for name, _ in pairs)
    return {name: value if counts[name] == 1 else TWICE for name, value in found.items()}


def _json_row(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line, object_pairs_hook=_mapping)
    except (ValueError, RecursionError):
        return {UNREADABLE: f"no JSON object: {line[:160]}"}
    return value if isinstance(value, dict) else {UNREADABLE: f"no JSON object: {line[:160]}"}
