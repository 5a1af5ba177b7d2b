"""Contract 1's digest of a table, line by line: what a reader in another language must write to get the same."""

import hashlib
import json
import math
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
import rfc8785

from schemas.tables import ANNOTATIONS, IMAGES, LEDGER, TIME
from tasks.core.export import row_digest
from tasks.core.export.images import IMAGES_BY_DIGEST

WHEN = datetime(2024, 2, 29, tzinfo=UTC)


def batch(schema: list[tuple[str, pa.DataType]], *rows: dict[str, Any]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(list(rows), schema=pa.schema(schema))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- lines, written by hand


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        pytest.param(pa.string(), None, b"null", id="null"),
        pytest.param(
            pa.string(),
            'K\u00e4the "\\"\n\u2028',
            b'"K\xc3\xa4the \\"\\\\\\"\\n\xe2\x80\xa8"',
            id="letters as UTF-8, quotes and line ends escaped",
        ),
        pytest.param(pa.string(), "\x01\x7f", b'"\\u0001\x7f"', id="control characters"),
        pytest.param(pa.bool_(), True, b"true", id="a truth value"),
        pytest.param(pa.int64(), 2**53 - 1, b"9007199254740991", id="the largest whole number that JSON readers hold"),
        pytest.param(pa.uint64(), 2**64 - 1, b'"18446744073709551615"', id="a hash, as text"),
        pytest.param(pa.uint64(), 0, b'"0"', id="a small hash too"),
        pytest.param(pa.uint64(), None, b"null", id="no hash"),
        pytest.param(pa.float64(), 1.0, b"1", id="a fraction that is whole"),
        pytest.param(pa.float64(), -0.0, b"0", id="minus nothing"),
        pytest.param(pa.float64(), 0.1, b"0.1", id="a tenth"),
        pytest.param(pa.float64(), 1e21, b"1e+21", id="large, as ECMAScript writes it"),
        pytest.param(pa.float64(), 1e-7, b"1e-7", id="small, as ECMAScript writes it"),
        pytest.param(
            pa.binary(),
            b"abc",
            b'"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"',
            id="bytes as the hex of their SHA-256",
        ),
        pytest.param(
            pa.binary(),
            b"",
            b'"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
            id="no bytes are bytes",
        ),
        pytest.param(pa.binary(), None, b"null", id="null bytes"),
        pytest.param(pa.list_(pa.string()), [], b"[]", id="an empty list"),
        pytest.param(pa.list_(pa.string()), ["b", None, "a"], b'["b",null,"a"]', id="a list in its order"),
        pytest.param(pa.list_(pa.float64(), 2), [1.5, 2.0], b"[1.5,2]", id="a list of fixed length"),
        pytest.param(
            pa.struct([("path", pa.string()), ("bytes", pa.binary())]),
            {"path": "p", "bytes": None},
            b'{"bytes":null,"path":"p"}',
            id="fields sorted by name",
        ),
    ],
)
def test_a_value_in_its_canonical_form(kind: pa.DataType, value: Any, expected: bytes):
    assert list(row_digest.lines(batch([("x", kind)], {"x": value}))) == [b'{"x":' + expected + b"}\n"]


def test_columns_are_sorted_by_name_and_time_is_no_content():
    got = list(
        row_digest.lines(
            batch(
                [("b", pa.int32()), ("retrieved_at", TIME), ("a", pa.string())],
                {"b": 1, "retrieved_at": WHEN, "a": "x"},
                {"b": None, "a": "y"},
            )
        )
    )
    assert got == [b'{"a":"x","b":1}\n', b'{"a":"y","b":null}\n']


@pytest.mark.parametrize("value", [math.nan, math.inf], ids=str)
def test_what_json_can_not_say_stops_the_program(value: float):
    with pytest.raises(rfc8785.FloatDomainError):
        list(row_digest.lines(batch([("x", pa.float64())], {"x": value})))


def test_a_whole_number_that_readers_would_round_stops_the_program():
    with pytest.raises(rfc8785.IntegerDomainError):
        list(row_digest.lines(batch([("x", pa.int64())], {"x": 2**53})))


# --- tables


def test_a_tables_digest_is_that_of_its_lines():
    rows = batch([("id", pa.string()), ("n", pa.int64())], {"id": "a", "n": 1}, {"id": "b", "n": 2})
    assert row_digest.table_digest([rows], "id") == sha256(b'{"id":"a","n":1}\n{"id":"b","n":2}\n')


def test_an_empty_tables_digest_is_that_of_nothing():
    assert row_digest.table_digest([], "record_id") == sha256(b"")
    assert row_digest.table_digest(LEDGER.empty_table().to_batches(), "record_id") == sha256(b"")


def test_how_rows_lie_in_batches_changes_nothing():
    table = pa.table({"id": [f"{n:03}" for n in range(100)], "phash": pa.array(range(100), pa.uint64())})
    whole = row_digest.table_digest(table.to_batches(), "id")
    assert row_digest.table_digest(table.to_batches(max_chunksize=7), "id") == whole
    assert row_digest.table_digest(table.slice(0, 99).to_batches(), "id") != whole


def test_an_images_row_has_one_digest_with_its_bytes_and_with_their_sha256():
    row = {
        **dict.fromkeys(IMAGES.names),
        "record_id": "a",
        "image_id": 2**53 - 1,
        "styles": [],
        "phash": 2**63,
        "width_px": 3,
        "image": {"bytes": b"pixels", "path": None},
    }
    told = {**row, "image": {"bytes": sha256(b"pixels"), "path": None}}
    full = list(row_digest.lines(pa.RecordBatch.from_pylist([row], schema=IMAGES)))
    assert full == list(row_digest.lines(pa.RecordBatch.from_pylist([told], schema=IMAGES_BY_DIGEST)))
    assert json.loads(full[0])["phash"] == "9223372036854775808"


# --- against Python's own JSON, where the two agree: ASCII, sorted keys, no fractions that differ


@pytest.mark.parametrize("schema", [ANNOTATIONS, LEDGER], ids=["annotations", "ledger"])
def test_lines_are_those_of_pythons_json_for_plain_values(schema: pa.Schema):
    plain: dict[str, Any] = {"string": "text", "int64": 12, "int32": 3, "bool": False, "double": 0.25}
    row = {field.name: plain.get(str(field.type)) for field in schema}
    row |= {name: [0.5, 1.5, 2.25, 3.5] for name in ("xywh_px", "keypoints_xyv") if name in row}
    said = {name: value for name, value in row.items() if name != "retrieved_at"}
    expected = json.dumps(said, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    assert list(row_digest.lines(pa.RecordBatch.from_pylist([row], schema=schema))) == [expected]


def test_batches_in_any_order_have_the_digest_of_the_sorted_table():
    rows = [{**dict.fromkeys(LEDGER.names), "record_id": name, "kept": True} for name in ("a", "b", "c")]
    table, parts = (pa.Table.from_pylist(each, schema=LEDGER) for each in (rows, [rows[2], rows[0], rows[1]]))
    expected = row_digest.table_digest(table.to_batches(), "record_id")
    assert row_digest.table_digest(parts.to_batches(max_chunksize=2), "record_id") == expected
