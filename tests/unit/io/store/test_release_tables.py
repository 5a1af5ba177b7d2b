"""Tables of a release as any program may have written them: what means the same is read, all else is one line."""

import math
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import DETECTIONS, EDGES, LEDGER, TIME
from tasks.io.store.release_tables import (
    TABLES,
    check_columns,
    schema_to_write,
    table_of_path,
    to_plain_types,
    to_release_types,
)

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ROWS = [
    {"record_id": "s:1", "source": "s", "kept": True, "last_split": "val", "image_id": 1, "retrieved_at": NOW},
    {"record_id": "s:2", "source": "s", "kept": False, "reason": "gone", "image_id": 2},
]
BOX = {
    **{
        "detection_id": 1,
        "image_id": 1,
        "record_id": "s:1",
        "split": "val",
        "category_id": 1,
        "category_label": 0,
        "area_px2": 4.0,
    },
    **{"xywh_px": [1.0, 2.0, 2.0, 2.0], "score": 0.5, "model": "d"},
}
LEDGER_ROWS = pa.Table.from_pylist(ROWS, LEDGER)
BOXES = pa.Table.from_pylist([BOX], DETECTIONS)
NOT_UTF8 = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"\xfe"], pa.binary()).buffers())


def with_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)


SAME = [
    pytest.param("record_id", lambda column: column.dictionary_encode(), id="categories, as pandas writes them"),
    pytest.param("record_id", lambda column: column.cast(pa.large_string()), id="large text"),
    pytest.param("record_id", lambda column: column.cast(pa.string_view()), id="views of text"),
    pytest.param("record_id", lambda column: column.cast(pa.binary()), id="text without its name, as bytes"),
    pytest.param("image_id", lambda column: column.cast(pa.int32()), id="short numbers"),
    pytest.param("image_id", lambda column: column.cast(pa.float64()), id="whole numbers with a point"),
    pytest.param("retrieved_at", lambda column: column.cast(pa.timestamp("ns", "UTC")), id="nanoseconds"),
    pytest.param("retrieved_at", lambda column: column.cast(pa.timestamp("us", "Europe/Vienna")), id="another zone"),
    pytest.param("detail", lambda column: pa.nulls(len(column)), id="nulls without a type"),
    pytest.param("reason", lambda column: column.dictionary_encode(), id="categories with a null"),
]


@pytest.mark.parametrize(("name", "change"), SAME)
def test_what_means_the_same_is_read_as_releases_have_it(name, change):
    given = with_column(LEDGER_ROWS, name, change(LEDGER_ROWS[name]))
    assert check_columns(given, TABLES["ledger"], LEDGER.names).equals(LEDGER_ROWS)
    assert to_release_types(given, "ledger.parquet").equals(LEDGER_ROWS)


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.large_list(pa.float64()), pa.list_(pa.int64(), 4)])
def test_boxes_of_another_list_are_read(kind):
    given = with_column(BOXES, "xywh_px", pa.array([BOX["xywh_px"]], kind))
    assert check_columns(given, TABLES["detections"], DETECTIONS.names).equals(BOXES)


OTHER = [
    pytest.param("record_id", pa.array([1, 2]), "record_id as int64, not as string", id="a number as text"),
    pytest.param("record_id", pa.array(["s:1", None]), "record_id with 1 nulls", id="a null"),
    pytest.param("record_id", pa.nulls(2), "record_id with 2 nulls", id="nulls without a type"),
    pytest.param("record_id", NOT_UTF8, "Invalid UTF8", id="text that is none"),
    pytest.param("record_id", NOT_UTF8.cast(pa.binary(), safe=False), "record_id as binary", id="bytes that are none"),
    pytest.param("record_id", pa.array([["s:1"], []]), "record_id as list<", id="lists of text"),
    pytest.param("kept", pa.array([math.nan, 1.0]), "kept as double, not as bool", id="numbers as truth"),
    pytest.param("kept", pa.array(["\x1b[2J", "yes"]), "kept as string", id="text as truth"),
    pytest.param("image_id", pa.array([1.5, 2.0]), "image_id as double (Float value 1.5", id="half a number"),
    pytest.param("image_id", pa.array([math.nan, 2.0]), "image_id as double", id="no number"),
    pytest.param("image_id", pa.array([2**64 - 1, 0], pa.uint64()), "image_id as uint64", id="a number too long"),
    pytest.param("retrieved_at", pa.array([date(2026, 1, 2)] * 2), "not as timestamp", id="a day as time"),
]


@pytest.mark.parametrize(("name", "values", "line"), OTHER)
def test_all_else_is_one_line_without_what_a_terminal_obeys(name, values, line):
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as problem:
        check_columns(with_column(LEDGER_ROWS, name, values), TABLES["ledger"], LEDGER.names)
    assert line in str(problem.value)
    assert str(problem.value).isprintable()


@pytest.mark.parametrize("box", [[math.nan] * 4, [math.inf, 0, 1, 1]])
def test_numbers_that_are_not_finite_are_found_in_lists(box):
    with pytest.raises(ValueError, match="xywh_px with a number that is not finite"):
        check_columns(with_column(BOXES, "xywh_px", pa.array([box], pa.list_(pa.float64()))), TABLES["annotations"], ())


@pytest.mark.parametrize("box", [[1.0, 2.0, 3.0], []])
def test_boxes_of_other_than_four_numbers_are_none(box):
    with pytest.raises(ValueError, match="xywh_px as list<"):
        check_columns(with_column(BOXES, "xywh_px", pa.array([box], pa.list_(pa.float64()))), TABLES["annotations"], ())


def test_a_column_that_is_needed_is_missed_and_others_are_not():
    given = LEDGER_ROWS.drop_columns(["kept", "detail"])
    with pytest.raises(ValueError, match="no column kept among record_id, source, stage"):
        check_columns(given, TABLES["ledger"], ("record_id", "kept"))
    assert check_columns(given, TABLES["ledger"], ("record_id",)).equals(given)
    with pytest.raises(ValueError, match="no column a among none"):
        check_columns(pa.table({}), TABLES["relations"], EDGES.names)


def test_a_column_that_stands_twice_is_refused():
    twice = pa.table([*LEDGER_ROWS.columns, LEDGER_ROWS["kept"]], names=[*LEDGER.names, "kept"])
    with pytest.raises(ValueError, match="the column kept twice"):
        check_columns(twice, TABLES["ledger"], ())


def test_columns_that_no_release_has_are_left_out_of_what_is_checked_and_stay_in_the_whole():
    given = LEDGER_ROWS.append_column("mood", pa.array(["calm", None]).dictionary_encode())
    assert check_columns(given, TABLES["ledger"], LEDGER.names).equals(LEDGER_ROWS)
    assert to_release_types(given, "ledger.parquet")["mood"].type == pa.string()


def test_a_file_that_is_written_again_has_the_types_of_a_release_and_keeps_its_dictionaries():
    given = pa.schema([("record_id", pa.dictionary(pa.int8(), pa.large_string())), ("kept", pa.bool_()), ("z", TIME)])
    written = schema_to_write(given, "ledger.parquet")
    assert written == pa.schema(
        [("record_id", pa.dictionary(pa.int32(), pa.string())), ("kept", pa.bool_()), ("z", TIME)]
    )


def test_nested_text_becomes_plain_and_empty_tables_stay_empty():
    kind = pa.list_(pa.struct([("name", pa.dictionary(pa.int8(), pa.string()))]))
    assert to_plain_types(pa.schema([("names", pa.large_list(pa.large_string()))]).empty_table())[
        "names"
    ].type == pa.list_(pa.string())
    assert schema_to_write(pa.schema([("people", kind)]), "people.parquet").field("people").type == pa.list_(
        pa.struct([("name", pa.string())])
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("images/train-00000-of-00001.parquet", "images"),
        ("annotations/split=val/part-00000.parquet", "annotations"),
        ("statistics/diversity.parquet", "statistics/diversity"),
        ("statistics/shares.parquet", None),
        ("imagesque.parquet", None),
    ],
)
def test_a_path_names_its_table(path, name):
    assert table_of_path(path) == name
