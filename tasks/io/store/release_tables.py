"""The tables of a release, which any program may have written: the one door by which their columns come in.

What means the same (text as categories, large or binary text, whole numbers of another length) is read as releases have
it. All else, such as nulls where releases have none or text that is no UTF-8, is told in one line.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas import tables
from schemas.contract import parse_part
from schemas.phrases import error_line, listed, quoted_name

_MOST_NAMES = 30
Check = Callable[[pa.DataType], bool]
_KINDS: tuple[tuple[Check, tuple[Check, ...]], ...] = (
    (pa.types.is_string, (pa.types.is_string, pa.types.is_binary)),
    (pa.types.is_binary, (pa.types.is_binary,)),
    (pa.types.is_boolean, (pa.types.is_boolean,)),
    # programs that know no null among whole numbers write them with a point
    (pa.types.is_integer, (pa.types.is_integer, pa.types.is_floating)),
    (pa.types.is_floating, (pa.types.is_floating, pa.types.is_integer)),
    (pa.types.is_timestamp, (pa.types.is_timestamp,)),
)
"""For each kind of a release's values those that mean the same."""


class ReleaseTable(NamedTuple):
    """A table as releases have it. filled: columns without a null."""

    schema: pa.Schema
    filled: frozenset[str]


TABLES = {
    path: ReleaseTable(tables.BY_CONTRACT[path.rpartition("/")[2]], tables.FILLED[path])
    for path in (
        *("images", "annotations", "detections", "ledger", "records", "relations", "takedowns", "tombstones"),
        *("coco_files", "labels", "fingerprints", "statistics/diversity"),
        "statistics/histograms",
    )
}
"""The tables that programs read again, by their paths without the ending."""

UNTIL_3 = {"annotations": ReleaseTable(tables.BOXES, tables.FILLED["annotations"])}
"""Those that were others before contract 3: detectors' boxes stood among people's."""


WITH_ATTRIBUTES = ("images", "records")
"""Those that have a column for each attribute of the recipe."""


def table_of_path(path: str) -> str | None:
    """Which of the tables a file of a release belongs to; None where it is none of them.

    >>> table_of_path("images/val-00000-of-00001.parquet"), table_of_path("ledger.parquet"), table_of_path("x.parquet")
    ('images', 'ledger', None)
    """
    stem = path.removesuffix(".parquet")
    return next((name for name in TABLES if stem == name or stem.startswith(f"{name}/")), None)


def split_of_path(path: str) -> str | None:
    """Which split's rows are in a file of images or annotations, by its name; None for all other files.

    >>> split_of_path("images/val-00000-of-00001.parquet"), split_of_path("images/split=val/part-00000.parquet")
    ('val', 'val')
    """
    part = parse_part(path)
    return part and part.split


def to_plain_types(table: pa.Table) -> pa.Table:
    """The table in the plainest types that mean the same: no dictionaries, no large or view types. Raises ValueError
    for text that is no UTF-8, for a column that stands twice, and for a type that can't be had plain.
    """
    names = table.column_names
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"the column {quoted_name(twice[0])} twice")
    wanted = pa.schema([pa.field(field.name, _plain_type(field.type)) for field in table.schema])
    try:
        table.validate(full=True)
        return table.replace_schema_metadata(None).cast(wanted)
    except pa.ArrowException as problem:
        raise ValueError(error_line(problem)) from problem


def check_columns(table: pa.Table, expected: ReleaseTable, needed: Collection[str]) -> pa.Table:
    """Those columns of a release's table that are there, in its types and order. Raises ValueError, whose words stand
    after "got", for one of the `needed` missing, and for what a release does not have.
    """
    schema, filled = expected
    if missing := [column for column in schema.names if column in needed and column not in table.column_names]:
        names = listed([quoted_name(column) for column in table.column_names], _MOST_NAMES)
        raise ValueError(f"no column {missing[0]} among {names or 'none'}")
    found = to_plain_types(
        table.select([place for place, column in enumerate(table.column_names) if column in schema.names])
    )
    fields = [field for field in schema if field.name in found.column_names]
    columns = [_in_type(found[field.name], field) for field in fields]
    for field, column in zip(fields, columns, strict=True):
        if field.name in filled and column.null_count:
            raise ValueError(f"{field.name} with {column.null_count} nulls, where releases have none")
        while _is_list(column.type):
            column = pc.list_flatten(column)
        if pa.types.is_floating(column.type) and pc.all(pc.is_finite(column.drop_null())).as_py() is False:
            raise ValueError(f"{field.name} with a number that is not finite")
    return pa.table(columns, pa.schema(fields))


def to_release_types(table: pa.Table, path: str) -> pa.Table:
    """All columns of a file of a release: those that releases have there in their types, others as `to_plain_types`
    has them. Raises ValueError as `check_columns` does, but for nulls and numbers that are not finite.
    """
    table, name = to_plain_types(table), table_of_path(path)
    for field in TABLES[name].schema if name else ():
        if field.name in table.column_names:
            table = table.set_column(table.column_names.index(field.name), field, _in_type(table[field.name], field))
    return table


def schema_to_write(schema: pa.Schema, path: str) -> pa.Schema:
    """The schema in which a release's file is written again: that of `to_release_types`, dictionaries kept."""
    written, fields = to_release_types(schema.empty_table(), path).schema, []
    for field in schema:
        kind = written.field(field.name).type
        kind = pa.dictionary(pa.int32(), kind) if pa.types.is_dictionary(field.type) else kind
        fields.append(pa.field(field.name, kind, metadata=field.metadata))
    return pa.schema(fields, schema.metadata)


OF_DETECTIONS = {"annotation_id": "detection_id", "origin_name": "model"}
"""What columns of BOXES are called in DETECTIONS, where that is another name."""
_DETECTED = {"origin": "detector", "is_crowd": False}
"""What DETECTIONS do not say, since it holds for all."""


def boxes_of(drawn: pa.Table, detected: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Columns of BOXES, of rows of ANNOTATIONS and of DETECTIONS that have what the two tables have of these."""
    wanted = pa.schema([tables.BOXES.field(name) for name in columns])
    found = detected.rename_columns([_AS_BOXES.get(name, name) for name in detected.column_names])
    return pa.concat_tables([_completed(drawn, wanted, {}), _completed(found, wanted, _DETECTED)])


_AS_BOXES = {name: as_box for as_box, name in OF_DETECTIONS.items()}


def _completed(rows: pa.Table, wanted: pa.Schema, said: Mapping[str, Any]) -> pa.Table:
    """The rows with these columns; said: values of those that it lacks, by their names, where they are not null."""
    have = rows.column_names
    columns = [
        rows[field.name]
        if field.name in have
        else pa.array([said.get(field.name)], field.type).take(pa.array(np.zeros(rows.num_rows, np.int64)))
        for field in wanted
    ]
    return pa.table(columns, schema=wanted)


def _in_type(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    if not _means(column.type, field.type):
        raise ValueError(f"{field.name} as {quoted_name(str(column.type))}, not as {field.type}")
    try:
        return column.cast(field.type)
    except (pa.ArrowException, ValueError) as problem:
        raise ValueError(f"{field.name} as {quoted_name(str(column.type))} ({error_line(problem)})") from problem


def _means(given: pa.DataType, wanted: pa.DataType) -> bool:
    if pa.types.is_null(given):
        return True
    if _is_list(wanted):
        return _is_list(given) and _means(given.value_type, wanted.value_type)
    if pa.types.is_struct(wanted):
        return pa.types.is_struct(given) and all(
            (place := given.get_field_index(field.name)) >= 0 and _means(given.field(place).type, field.type)
            for field in wanted
        )
    return any(is_wanted(wanted) and any(fits(given) for fits in fitting) for is_wanted, fitting in _KINDS)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain_type(kind.value_type), kind.list_size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _plain_type(field.type)) for field in kind])
    return kind
