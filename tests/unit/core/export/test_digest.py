"""The content digest: a case by hand, and what may and may not change it."""

import hashlib
import math
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tables import BY_CONTRACT, IMAGES, TIME
from tasks.core.export import digest
from tasks.core.export.images import IMAGES_BY_DIGEST


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def eight(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}q", *numbers)


def of_table(table: pa.Table, key: str = "id") -> str:
    return digest.table_digest(table.column_names, table.column, key)


def of_values(values: list[Any], kind: pa.DataType) -> str:
    return digest.column_digest("x", pa.chunked_array([pa.array(values, kind)]))


# --- written by hand


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        pytest.param(pa.bool_(), [True, None, False], eight(3) + b"\1\0\1" + b"\1\0", id="truth values"),
        pytest.param(pa.int32(), [-2, None], eight(2) + b"\1\0" + b"\xfe" + b"\xff" * 7, id="whole numbers"),
        pytest.param(pa.uint64(), [2**64 - 1], eight(1) + b"\1" + b"\xff" * 8, id="a hash"),
        pytest.param(pa.float64(), [1.5, -0.0], eight(2) + b"\1\1" + bytes(6) + b"\xf8\x3f" + bytes(8), id="fractions"),
        pytest.param(
            pa.string(), ["\u00e9", None, "", "ab"], eight(4) + b"\1\0\1\1" + eight(2, 0, 2) + b"\xc3\xa9ab", id="text"
        ),
        pytest.param(pa.binary(), [b"\0", b""], eight(2) + b"\1\1" + eight(1, 0) + b"\0", id="bytes"),
        pytest.param(
            TIME, [datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)], eight(1) + b"\1" + eight(1_000_000), id="times"
        ),
        pytest.param(
            pa.list_(pa.string()),
            [["b", None], [], None],
            eight(3) + b"\1\1\0" + eight(2, 0) + eight(2) + b"\1\0" + eight(1) + b"b",
            id="lists: lengths, and the form of all items",
        ),
        pytest.param(
            pa.list_(pa.int64(), 2),
            [[1, 2], None],
            eight(2) + b"\1\0" + eight(2) + eight(2) + b"\1\1" + eight(1, 2),
            id="lists of fixed length",
        ),
        pytest.param(
            pa.struct([("z", pa.int8()), ("a", pa.string())]),
            [{"z": 7, "a": None}, None],
            eight(2) + b"\1\0" + (eight(1) + b"\0") + (eight(1) + b"\1" + eight(7)),
            id="structs: fields by name, of valid rows",
        ),
        pytest.param(pa.null(), [None, None], eight(2) + b"\0\0", id="a column of nothing"),
        pytest.param(pa.string(), [], eight(0), id="no rows"),
    ],
)
def test_the_byte_form_of_a_column(kind: pa.DataType, values: list[Any], expected: bytes):
    assert of_values(values, kind) == sha256(expected)


def test_the_digest_of_a_table_by_hand():
    table = pa.table({"id": ["b", "a"], "n": [1, None], "retrieved_at": [1, 2]})
    of_id = sha256(eight(2) + b"\1\1" + eight(1, 1) + b"ab")
    of_n = sha256(eight(2) + b"\0\1" + eight(1))
    assert of_table(table) == sha256(f"id\t{of_id}\nn\t{of_n}\n".encode())


def test_all_tables_together():
    listed = "annotations\t22\nimages\t11\nledger\t33\n"
    assert digest.content_digest({"images": "11", "ledger": "33", "annotations": "22"}) == sha256(listed.encode())


def test_a_version_is_twelve_digits_of_content_recipe_and_contract():
    assert digest.version("aa", "bb", "1.0.0") == sha256(b"aabb1.0.0")[:12]
    others = [("aa", "bb", "1.0.0"), ("ab", "bb", "1.0.0"), ("aa", "bc", "1.0.0"), ("aa", "bb", "1.1.0")]
    assert len({digest.version(*each) for each in others}) == 4


# --- what changes it


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.none() | st.text(max_size=3),
            "data": st.none() | st.binary(max_size=3),
            "n": st.none() | st.integers(-(2**31), 2**31 - 1),
            "hash": st.none() | st.integers(0, 2**64 - 1),
            "share": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "is_so": st.none() | st.booleans(),
            "at": st.none() | st.integers(-(2**50), 2**50).map(lambda us: EPOCH + timedelta(microseconds=us)),
            "box": st.none() | st.lists(st.floats(-9, 9), min_size=2, max_size=2),
            "words": st.none() | st.lists(st.none() | st.text(max_size=2), max_size=3),
            "image": st.none() | st.fixed_dictionaries({"path": st.none() | st.text(max_size=2)}),
        }
    ),
    max_size=6,
)
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("data", pa.binary()),
        ("n", pa.int32()),
        ("hash", pa.uint64()),
        ("share", pa.float64()),
        ("is_so", pa.bool_()),
        ("at", TIME),
        ("box", pa.list_(pa.float64(), 2)),
        ("words", pa.list_(pa.string())),
        ("image", pa.struct([("path", pa.string())])),
    ]
)
OTHER_TYPES: dict[str, list[pa.DataType]] = {
    "text": [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    "data": [pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int8(), pa.binary())],
    "n": [pa.int64()],
    "is_so": [pa.dictionary(pa.int8(), pa.bool_())],
    "at": [pa.timestamp("us", "Europe/Berlin"), pa.timestamp("ns", "UTC")],
    "box": [pa.list_(pa.float64()), pa.large_list(pa.float64())],
    "words": [
        pa.large_list(pa.large_string()),
        pa.list_(pa.dictionary(pa.int32(), pa.string())),
    ],
    "image": [pa.struct([("path", pa.large_string())]), pa.struct([("path", pa.dictionary(pa.int8(), pa.string()))])],
}


def table_of(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([{"id": f"{place:03}", **row} for place, row in enumerate(rows)], schema=SCHEMA)


@given(rows=ROWS, data=st.data())
def test_order_chunks_slices_and_encodings_change_nothing(rows: list[dict[str, Any]], data: st.DataObject):
    table = table_of(rows)
    expected = of_table(table)
    places = data.draw(st.permutations(range(len(rows))))
    shuffled = table.take(pa.array(places, pa.int64())).select(data.draw(st.permutations(SCHEMA.names)))
    cut = data.draw(st.integers(0, len(rows)))
    assert of_table(pa.concat_tables([shuffled.slice(0, cut), shuffled.combine_chunks().slice(cut)])) == expected
    name = data.draw(st.sampled_from(sorted(OTHER_TYPES)))
    kind = data.draw(st.sampled_from(OTHER_TYPES[name]))
    again = pa.array(table[name].to_pylist(), kind)
    assert of_table(table.set_column(table.column_names.index(name), name, again)) == expected


@given(rows=ROWS, data=st.data())
def test_any_cell_changes_it(rows: list[dict[str, Any]], data: st.DataObject):
    if not rows:
        return
    place, name = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.sampled_from(SCHEMA.names[1:]))
    other = data.draw(ROWS.filter(bool))[0][name]
    changed = [{**row, name: other} if number == place else row for number, row in enumerate(rows)]
    assert (of_table(table_of(rows)) == of_table(table_of(changed))) == (rows[place][name] == other)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        pytest.param(pa.string(), ["ab", "c"], ["a", "bc"], id="where one text ends"),
        pytest.param(pa.string(), [None], [""], id="null is not empty"),
        pytest.param(pa.string(), ["a", None], [None, "a"], id="where the null is"),
        pytest.param(pa.list_(pa.int64()), [[1], [2, 3]], [[1, 2], [3]], id="where one list ends"),
        pytest.param(pa.list_(pa.int64()), [None], [[]], id="a null list is not empty"),
        pytest.param(pa.list_(pa.int64()), [[None]], [[]], id="a list of a null is not empty"),
        pytest.param(pa.struct([("a", pa.int64())]), [None], [{"a": None}], id="a null struct is not one of nulls"),
        pytest.param(pa.int64(), [None, None], [None], id="how many nulls"),
        pytest.param(pa.bool_(), [None], [False], id="null is not false"),
        pytest.param(pa.float64(), [0.1], [math.nextafter(0.1, 1)], id="the last bit of a number"),
        pytest.param(pa.binary(), [b"\0"], [b"\0\0"], id="bytes of nothing"),
    ],
)
def test_two_columns_that_differ(kind: pa.DataType, one: list[Any], other: list[Any]):
    assert of_values(one, kind) != of_values(other, kind)


def test_a_columns_name_counts_and_where_its_values_stand():
    table = pa.table({"id": [1, 2], "a": [1, 2], "b": [3, 4]})
    assert len({of_table(table), of_table(table.rename_columns(["id", "b", "a"]))}) == 2
    assert of_table(table.drop_columns("b")) != of_table(table)


# --- what lies hidden below nulls, and beside a slice


def hidden() -> Iterator[tuple[pa.Array, pa.Array]]:
    """Arrays that differ only where nobody can see it."""
    is_null = pa.array([False, True, False])
    items = [pa.array([1, 2, 9, 9, 3], pa.int64()), pa.array([1, 2, 8, 3], pa.int64())]
    yield (
        pa.ListArray.from_arrays(pa.array([0, 2, 4, 5], pa.int32()), items[0], mask=is_null),
        pa.ListArray.from_arrays(pa.array([0, 2, 3, 4], pa.int32()), items[1], mask=is_null),
    )
    yield tuple(
        pa.FixedSizeListArray.from_arrays(pa.array([1, 2, hid, hid, 3, 4], pa.int64()), 2, mask=is_null)
        for hid in (8, 9)
    )
    yield tuple(
        pa.StructArray.from_arrays([pa.array([1, hid, 3], pa.int64())], ["a"], mask=is_null) for hid in (None, 9)
    )
    valid = pa.py_buffer(b"\x05")
    yield tuple(pa.Array.from_buffers(pa.int64(), 3, [valid, pa.py_buffer(eight(1, hid, 3))]) for hid in (8, 9))
    yield tuple(
        pa.Array.from_buffers(
            pa.string(), 3, [valid, pa.py_buffer(struct.pack("<4i", 0, 1, end, end + 1)), pa.py_buffer(text)]
        )
        for end, text in ((2, b"axc"), (1, b"ac"))
    )


@pytest.mark.parametrize(("one", "other"), list(hidden()), ids=lambda array: str(array.type))
def test_what_is_hidden_below_nulls_is_no_content(one: pa.Array, other: pa.Array):
    assert one.to_pylist() == other.to_pylist()
    expected = digest.column_digest("x", pa.chunked_array([one]))
    assert digest.column_digest("x", pa.chunked_array([other])) == expected
    beside = pa.concat_arrays([other, one, other]).slice(3, 3)
    assert digest.column_digest("x", pa.chunked_array([beside.slice(0, 2), beside.slice(2)])) == expected


def test_a_null_in_a_dictionary_is_one_as_well_as_beside_it():
    inside = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "c"]))
    beside = pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), pa.array(["c", "a"]))
    expected = of_values(["a", None, "c"], pa.string())
    assert {digest.column_digest("x", pa.chunked_array([each])) for each in (inside, beside)} == {expected}


def test_a_time_is_one_moment_in_all_zones():
    noon = datetime(2024, 2, 29, 12, tzinfo=UTC)
    east = noon.astimezone(timezone(timedelta(hours=2)))
    assert of_values([noon], TIME) == of_values([east], pa.timestamp("s", "+02:00"))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=str)
def test_what_is_no_number_is_refused(value: float):
    with pytest.raises(ValueError, match="x: expected finite numbers, got"):
        of_values([1.0, value], pa.float64())
    with pytest.raises(ValueError, match="expected finite numbers"):
        of_values([[value]], pa.list_(pa.float64()))


@pytest.mark.parametrize(
    "kind",
    [pa.timestamp("us"), pa.date32(), pa.decimal128(9, 2), pa.map_(pa.string(), pa.int8()), pa.list_view(pa.int8())],
)
def test_a_type_that_no_release_has_is_refused(kind: pa.DataType):
    with pytest.raises(ValueError, match="x: expected a type that a digest can be computed of, got"):
        of_values([None], kind)


# --- of a release's tables


def test_an_images_row_has_one_digest_with_its_bytes_and_without():
    row = {**dict.fromkeys(IMAGES.names), "record_id": "a", "phash": 2**63, "styles": []}
    full = pa.Table.from_pylist([{**row, "image": {"bytes": b"pixels", "path": "media/a.png"}}], schema=IMAGES)
    by_digest = pa.Table.from_pylist(
        [{**row, "image": {"bytes": sha256(b"pixels"), "path": "media/a.png"}}], schema=IMAGES_BY_DIGEST
    )
    narrow = full.set_column(IMAGES.get_field_index("image"), "image", pa.array([{"path": "media/a.png"}]))
    elsewhere = full.set_column(IMAGES.get_field_index("image"), "image", pa.array([{"path": "media/b.png"}]))
    assert of_table(full, "record_id") == of_table(by_digest, "record_id") == of_table(narrow, "record_id")
    assert of_table(full, "record_id") != of_table(elsewhere, "record_id")


@pytest.mark.parametrize("table", digest.PRIMARY_KEYS)
def test_every_table_has_a_digest_and_when_is_no_content(table: str):
    schema = BY_CONTRACT[table]
    rows = pa.Table.from_pylist([dict.fromkeys(schema.names)], schema)
    bare = rows.select([name for name in rows.column_names if name != "retrieved_at"])
    assert of_table(rows, digest.PRIMARY_KEYS[table]) == of_table(bare, digest.PRIMARY_KEYS[table])


def test_parquet_in_other_row_groups_and_dictionaries_has_the_same_digest(tmp_path: Path):
    words = ["Impressionism", None, "Cubism", "Baroque"] * 50
    table = pa.table({"id": [f"{number * 7919 % 200:03}" for number in range(200)], "style": words, "n": range(200)})
    for settings in ({"row_group_size": 7}, {"use_dictionary": False, "compression": "zstd"}):
        pq.write_table(table, tmp_path / "x.parquet", **settings)
        got = pq.read_table(tmp_path / "x.parquet", read_dictionary=["style"])
        assert of_table(got) == of_table(table)


def test_keys_go_by_their_bytes_and_numbers_by_value():
    texts = ["b", "B", "\U0001f600", "\uffff", "a"]  # UTF-16 would put U+FFFF last
    by_bytes = sorted(texts, key=str.encode)
    assert of_table(pa.table({"id": texts})) == of_values_of("id", by_bytes)
    assert of_table(pa.table({"id": [10, 9, -1]})) == of_values_of("id", [-1, 9, 10])


def of_values_of(name: str, values: list[Any]) -> str:
    return sha256(f"{name}\t{digest.column_digest(name, pa.chunked_array([values]))}\n".encode())


def test_columns_are_asked_for_one_at_a_time_and_not_what_is_no_content():
    table = pa.table({"id": [2, 1], "n": [1, 2], "retrieved_at": [1, 2]})
    asked: list[str] = []

    def column(name: str) -> pa.ChunkedArray:
        asked.append(name)
        return table[name]

    assert digest.table_digest(table.column_names, column, "id") == of_table(table)
    assert asked == ["id", "id", "n"]
