"""Records from a table: CSV or JSON lines as text, Parquet as rows that have been read already."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from schemas.errors import BadInput
from schemas.sources import TableSource
from tasks.core.scrape.records import record

csv.field_size_limit(1_000_000)


def rows_of_csv(text: str) -> list[dict[str, Any]]:
    """One mapping a row. Short rows lack their last columns; surplus cells are left out. Empty text, no rows."""
    return [
        {column: cell for column, cell in row.items() if column is not None}
        for row in csv.DictReader(io.StringIO(text, newline=""), strict=False)
    ]


def rows_of_json_lines(text: str) -> list[dict[str, Any]]:
    """One mapping a line. A line that is no JSON object becomes a row without a key: its record is a drop."""
    # not splitlines(): U+2028 and its like end no line here, they may stand inside a JSON string
    return [_json_row(line) for line in text.split("\n") if line.strip()]


def records(source: TableSource, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of RECORDS by the recipe's column mapping. Raises BadInput if the table has none of a named column."""
    listed = list(rows)
    columns = {column for row in listed for column in row}
    for field, column in source.columns.items():
        if listed and column not in columns:
            raise BadInput(
                f"source '{source.name}': expected a column '{column}' (for {field}) in {source.table}, got "
                f"{sorted(columns)[:20]}"
            )
    return [
        record(source, {field: _cell(field, row.get(column)) for field, column in source.columns.items()})
        for row in listed
    ]


def _cell(field: str, value: Any) -> Any:
    """The cell, without outer blanks where it is an image's path or address, which `record` takes letter by letter."""
    return value.strip() if field == "image" and isinstance(value, str) else value


def _json_row(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {"?": line[:200]}
    return value if isinstance(value, dict) else {"?": line[:200]}
