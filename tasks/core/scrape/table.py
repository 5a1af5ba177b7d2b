"""Records from a table: CSV or JSON lines as text, Parquet as rows that have been read already."""

import csv
import io
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schemas.errors import BadInput
from schemas.sources import TableSource
from tasks.core.scrape.cells import TWICE, nesting_of, remedy
from tasks.core.scrape.records import record

csv.field_size_limit(1_000_000)

UNREADABLE = "\0unreadable"
"""The one field of a row that could not be read: what is wrong with it."""
_END = "\0end of the table"
"""A last row of our own: if it is no row, it stands within a quotation that never ends."""


def rows_of_csv(text: str) -> list[dict[str, Any]]:
    """One mapping a row, by the names in the first. Empty text, no rows; empty lines are left out.

    Short rows lack their last columns. A row with more cells than there are columns becomes a row without a key, since
    its cells may stand in the wrong columns: its record is a drop. A column that is named twice has TWICE in each cell.
    Raises csv.Error for a quotation that never ends, since it swallows all rows below it.
    """
    rows, header = [], None
    for line, cells in _csv_rows(text):
        if header is None:
            header = cells
        elif any(cells[len(header) :]):
            rows.append({UNREADABLE: f"{len(cells)} cells for {len(header)} columns in line {line}"})
        else:
            rows.append(_mapping(list(itertools.zip_longest(header, cells[: len(header)]))))
    return rows


def _csv_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line on which it begins, cells) of each row that is not empty."""
    line = 1
    reader = csv.reader(io.StringIO(f"{text}\n{_END}", newline=""), strict=False)
    for cells in reader:
        if cells == [_END]:
            return
        if cells and cells[-1].endswith(_END):
            raise csv.Error(f"a quotation that begins in the row of line {line} and never ends")
        if cells:
            yield line, cells
        line = reader.line_num + 1


def rows_of_json_lines(text: str) -> list[dict[str, Any]]:
    """One mapping a line. A line that is no JSON object becomes a row without a key: its record is a drop.

    A field that one object names twice has TWICE for its value.
    """
    # not splitlines(): U+2028 and its like end no line here, they may stand inside a JSON string
    return [_json_row(line) for line in text.split("\n") if line.strip()]


def records(source: TableSource, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of RECORDS by the recipe's column mapping.

    Raises BadInput if the table has none of a named column, names it twice, or has lists, objects or bytes in it where
    one value is expected: of the whole column nobody knows which value is meant.
    """
    listed = list(rows)
    columns = {column for row in listed for column in row}
    for field, column in source.columns.items():
        if listed and column not in columns:
            raise BadInput(
                f"source '{source.name}': expected a column '{column}' (for {field}) in {source.table}, got "
                f"{_shown(source.table, columns)}"
            )
        _check_cells(source, field, column, listed)
    return [_record(source, row) for row in listed]


def _record(source: TableSource, row: Mapping[str, Any]) -> dict[str, Any]:
    """One row of RECORDS; of a row that could not be read, a drop that says so."""
    fields: dict[str, Any] = {field: _cell(field, row.get(column)) for field, column in source.columns.items()}
    if (problem := row.get(UNREADABLE)) is None:
        return record(source, fields)
    # with the problem among the fields, so that each such row is a drop of its own
    return {**record(source, {**fields, UNREADABLE: problem}), "detail": problem}


def _check_cells(source: TableSource, field: str, column: str, rows: list[Mapping[str, Any]]) -> None:
    place = f"the column '{column}' (for {field}) of {source.table}"
    for number, row in enumerate(rows, 1):
        if row.get(column) is TWICE:
            raise BadInput(
                f"source '{source.name}': expected {place} once, got it twice in {_row_name(source, number, row)}"
            )
    bad = [(n, row, kind) for n, row in enumerate(rows, 1) if (kind := nesting_of(field, row.get(column))) is not None]
    if bad:
        number, row, kind = bad[0]
        raise BadInput(
            f"source '{source.name}': expected {'texts' if field == 'styles' else 'one value'} in each row of {place}, "
            f"got {kind} in {_row_name(source, number, row)}, and the like in {len(bad)} of {len(rows)} rows; "
            f"{remedy(source.table, field, column, row.get(column))}"
        )


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
    return str(sorted(columns - {UNREADABLE})[:20])


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
