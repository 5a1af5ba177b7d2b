"""Records from a table: CSV or JSON lines as text, Parquet as rows that have been read already."""

import csv
import functools
import itertools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TextIO

from schemas.attributes import AttributeFields
from schemas.phrases import LONGEST_PLACE, LONGEST_QUOTE, listed, quoted
from schemas.sources.table import TABLE_ENDINGS, TableSource
from tasks.core.passed_over import Tally
from tasks.core.scrape.attributes import with_attributes
from tasks.core.scrape.cells import LISTS, NUMBER, WITHOUT, nesting_of, remedy, rows_of_elements, works_hint
from tasks.core.scrape.json_works import MAX_WORK_CHARACTERS, UNREADABLE, checked_work, mapping_of_pairs
from tasks.core.scrape.paths import TWICE, first_name, parse_path, path_through_lists, values_at
from tasks.core.scrape.records import RIGHTS_BY, record
from tasks.core.whole_numbers import are_whole_floats, is_inexact, text_of_number, text_of_whole_float

csv.field_size_limit(1_000_000)

IDENTIFIERS = ("key", "each_key", "group", "series")
"""Fields that name something: of these a whole float is the whole number, whatever is missing in their column."""

_END = "\0end of the table"  # a last row of our own: if it is no row, it stands within a quotation that never ends
_EMPTY_LINES, _HEADER_AGAIN = "empty lines", "rows that are the table's first line again"


def rows_of_csv(lines: Iterable[str], left_out: Tally) -> Iterator[dict[str, Any]]:
    """One mapping a row, by the names in the first. lines: with their ends. No lines, no rows.

    Short rows lack their last columns; one with more cells than columns becomes a drop: they may be in wrong columns.
    A column that is named twice has TWICE in each cell. Empty lines and the first row again are counted in `left_out`.
    Raises csv.Error for a quotation without end, which swallows rows.
    """
    header = None
    for line, cells in _csv_rows(lines):
        if not cells:
            left_out.add(_EMPTY_LINES, f"line {line}")
        elif header is None:
            header = cells
        elif cells == header:
            left_out.add(_HEADER_AGAIN, f"line {line}")
        elif any(cells[len(header) :]):
            yield {UNREADABLE: f"{len(cells)} cells for {len(header)} columns in line {line}"}
        else:
            yield mapping_of_pairs(list(itertools.zip_longest(header, cells[: len(header)])))


def _csv_rows(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """(line on which it begins, cells) of each row; no cells of an empty one."""
    line, empty_line = 1, 0
    reader = csv.reader(itertools.chain(lines, ("\n", _END)), strict=False)
    for cells in reader:
        if cells == [_END]:
            return  # the empty line before it is ours, too
        if cells and cells[-1].endswith(_END):
            raise csv.Error(f"a quotation that begins in the row of line {line} and never ends")
        if empty_line:
            yield empty_line, []
        empty_line = 0 if cells else line
        if cells:
            yield line, cells
        line = reader.line_num + 1


def rows_of_json_lines(file: TextIO, left_out: Tally) -> Iterator[dict[str, Any]]:
    r"""One mapping a line, as "\n" ends them: others, such as U+2028, may stand inside a JSON string.

    A line that is no work, or too long, becomes a drop. A field named twice has TWICE. Empty lines go to `left_out`.
    """
    for number in itertools.count(1):
        line = rest = file.readline(MAX_WORK_CHARACTERS + 2)
        while rest and not rest.endswith("\n"):  # of a line that is too long
            rest = file.readline(MAX_WORK_CHARACTERS)
        if not line:
            return
        if line.strip():
            yield _json_row(number, line.removesuffix("\n"))
        else:
            left_out.add(_EMPTY_LINES, f"line {number}")


def whole_float_fields(source: TableSource, rows: Callable[[], Iterable[Mapping[str, Any]]]) -> frozenset[str]:
    """IDENTIFIERS of a CSV that have whole floats alone, as pandas writes "436501.0" where one number is missing.

    rows: read to the first other text, mostly in the first row. In tables with types, a text is meant as one.
    """
    named = {field: source.columns[field] for field in IDENTIFIERS if field in source.columns}
    return frozenset(
        field
        for field, column in named.items()
        if are_whole_floats(cell if isinstance(cell := row.get(column), str) else "" for row in rows())
    )


def records(
    source: TableSource,
    rows: Iterable[Mapping[str, Any]],
    attributes: AttributeFields | None = None,
    whole_floats: Collection[str] = (),
) -> Iterator[dict[str, Any]]:
    """Rows of RECORDS by the recipe's columns. attributes: by columns or paths. whole_floats: `whole_float_fields`.

    Raises BadInput at the end for a named column that is missing, is there twice, or has more than one value in a cell.
    """
    attributes = attributes or {}
    named: dict[str, str] = dict(source.columns.items())
    if source.rights.by is not None:
        named[RIGHTS_BY] = source.rights.by.column
    cells = {field: _Cells(source, field, column) for field, column in named.items()}
    ways = {
        name: _Way(source, attribute.field, f"the attribute {name}", None if attribute.type == "strings" else 0)
        for name, attribute in attributes.items()
        if attribute.field is not None
    }
    by_field = {way.path: way for way in ways.values()}
    columns, number = set[str](), 0
    for number, row in enumerate(rows if source.each is None else rows_of_elements(source, rows), 1):
        columns.update(row)
        values = {field: of_field.cell(number, row) for field, of_field in cells.items()}
        whole = {field: text_of_whole_float(text) for field in whole_floats if isinstance(text := values[field], str)}
        values |= {field: text for field, text in whole.items() if text is not None}
        value_of = functools.partial(_value_on_way, by_field, row)
        yield with_attributes(_record(source, row, values), attributes, value_of)
    for field, of_field in cells.items() if number else ():
        of_field.check_column(columns, LONGEST_PLACE, works_hint(source, number) if field == "key" else "")
        of_field.check_cells(number)
    for way in ways.values() if number else ():
        way.check_column(columns, LONGEST_QUOTE)
    for way in ways.values():
        way.check()


def _value_on_way(ways: Mapping[str, "_Way"], row: Mapping[str, Any], path: str) -> Any:
    return ways[path].value(row)


class _Way:
    """Whether a path leads anywhere, or would through the `place` of lists in its way (None: each). what: it is for."""

    def __init__(self, source: TableSource, path: str, what: str, place: int | None) -> None:
        self.path, self._source, self._what, self._place = path, source, what, place
        self._leads, self._through = False, ""

    def value(self, row: Mapping[str, Any]) -> Any:
        """What a row has at the path."""
        value = values_at(row, self.path)
        if value is not None:
            self._leads = True
        elif not self._leads and not self._through:
            self._through = path_through_lists(row, self.path, self._place) or ""
        return value

    def check_column(self, columns: set[str], most: int, hint: str = "") -> None:
        """Raise BadInput for a column that no row has. columns: of all rows. most: characters of it that are quoted."""
        source = self._source
        if columns.isdisjoint({self.path, first_name(self.path)}):
            expected = f"a column {quoted(self.path, most)} (for {self._what}) in {source.table}"
            raise source.bad_input(expected, f"{_shown(source, columns)}{hint}")

    def check(self) -> None:
        """Raise BadInput if no row has anything at the path, and it lacks the brackets of a list."""
        if self._through and not self._leads:
            expected = f"a path to values at '{self.path}' (for {self._what}) in {self._source.table}"
            raise self._source.bad_input(expected, f"one on which a list stands in the way: take {self._through}")


class _Cells(_Way):
    """What is wrong with the cells of a field's column, gathered row by row."""

    def __init__(self, source: TableSource, field: str, column: str) -> None:
        super().__init__(source, column, field, None if field in LISTS else 0)
        self._twice: str | None = None
        self._nested, self._first = 0, ("", "", "")

    def cell(self, number: int, row: Mapping[str, Any]) -> Any:
        """What a row has in the column; None where it is named twice."""
        value = self.value(row)
        if value is None or (type(value) is str and value[:1].isalnum()):  # nearly all
            return value
        if value is TWICE or (isinstance(value, list) and TWICE in value):
            self._twice = self._twice or _row_name(self._source, number, row)
            return None
        if (kind := nesting_of(self._what, value)) is not None:
            if not self._nested:
                steps = (self.path,) if self.path in row else parse_path(self.path)
                self._first = (kind, _row_name(self._source, number, row), remedy(self._what, steps, value))
            self._nested += 1
        return value

    def check_cells(self, rows: int) -> None:
        """Raise BadInput for a column of which nobody knows which value is meant. rows: of the whole table."""
        place = f"the column {quoted(self.path, LONGEST_PLACE)} (for {self._what}) of {self._source.table}"
        if self._twice is not None:
            raise self._source.bad_input(f"{place} once", f"it twice in {self._twice}")
        self.check()
        if self._nested:
            kind, name, advice = self._first
            got = f"{kind} in {name}, and the like in {self._nested} of {rows} rows; {advice}"
            one = "texts" if self._what in LISTS else "one value"
            raise self._source.bad_input(f"{one} in each row of {place}", got)


def _record(source: TableSource, row: Mapping[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """One row of RECORDS; of a row that could not be read, a drop that says so. values: what the row has, by field."""
    image = values["image"]
    # without outer blanks, since `record` takes it letter by letter
    fields = {**values, "image": image.strip() if isinstance(image, str) else image}
    if (problem := row.get(WITHOUT)) is not None:
        blank = record(source, {**fields, "image": None})
        return blank if fields["key"] is None else {**blank, "detail": problem}
    if source.each is not None and fields["key"] is not None:
        fields |= _fields_of_element(source, row, values)
    if (problem := row.get(UNREADABLE)) is None:
        return record(source, fields)
    # with the problem among the fields, so that each such row is a drop of its own
    return {**record(source, {**fields, UNREADABLE: problem}), "detail": problem}


def _fields_of_element(source: TableSource, row: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Key and group of an element: the key of its work with its own or its number behind; grouped by work."""
    work, own = values["key"], values.get("each_key") if "each_key" in source.columns else row.get(NUMBER)
    parts = (work, own)
    # NaN: a number that is missing in a column of floats
    is_missing = any(part is None or part != part for part in parts)
    key = next(filter(is_inexact, parts), None if is_missing else "/".join(map(text_of_number, parts)))
    return {"key": key, "group": values.get("group", work)}


def _row_name(source: TableSource, number: int, row: Mapping[str, Any]) -> str:
    """How a sentence names a row: by its key, if that is one value."""
    key = values_at(row, source.columns["key"])
    is_name = isinstance(key, str | int) and nesting_of("key", key) is None
    return f"the row of key '{str(key)[:60]}'" if is_name else f"row {number}"


def _shown(source: TableSource, columns: set[str]) -> str:
    is_csv = source.ending == ".csv"
    if columns == {UNREADABLE} and is_csv:
        return "no row of as many cells as its first line has names: are they separated by commas?"
    if columns == {UNREADABLE} and not source.ending:
        return f"lines that are no JSON; a table ends in {listed(TABLE_ENDINGS, len(TABLE_ENDINGS))}: save it as CSV"
    if columns == {UNREADABLE}:
        return "no line that is a JSON object; a JSON list is read from a file that ends in .json"
    names = sorted(columns - {UNREADABLE, NUMBER, WITHOUT})
    is_one = len(names) == 1 and is_csv and any(mark in names[0] for mark in ";\t|")
    return f"{names[:20]}{': expected commas between cells' if is_one else ''}"


def _json_row(number: int, line: str) -> dict[str, Any]:
    if len(line) > MAX_WORK_CHARACTERS:
        return {UNREADABLE: f"line {number} of more than {MAX_WORK_CHARACTERS:,} characters"}
    try:
        value = json.loads(line, object_pairs_hook=mapping_of_pairs)
    except (ValueError, RecursionError):
        return {UNREADABLE: f"no JSON object: {line[:160]}"}
    return checked_work(value, line, 0, len(line))
