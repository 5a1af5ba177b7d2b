"""Tombstones: written whole, read back, and never taken for none."""

import pyarrow as pa
import pytest

from schemas.errors import BrokenPromise
from schemas.tables import TOMBSTONES
from tasks.io.store import tombstones
from tasks.io.store.layout import tombstones_path
from tasks.io.store.store import Store, parquet_bytes

STONES = pa.Table.from_pylist(
    [{"record_id": "s:1", "date": "2024-05-01", "reason": "heirs", "sha256": None, "scope": "work"}], schema=TOMBSTONES
)


@pytest.mark.parametrize("url", ["{}", "memory://tombstones"])
def test_what_is_buried_is_read_back(tmp_path, url):
    store = Store(url.format(tmp_path))
    assert tombstones.read_tombstones(store, "small").equals(TOMBSTONES.empty_table())
    tombstones.write_tombstones(store, "small", STONES)
    assert tombstones.read_tombstones(Store(url.format(tmp_path)), "small").equals(STONES)
    assert tombstones.read_tombstones(store, "other").num_rows == 0


@pytest.mark.parametrize("data", [b"", b"PAR1 and no more"])
def test_a_file_that_can_not_be_read_stops_the_build(tmp_path, data):
    store = Store(str(tmp_path))
    store.write_bytes(tombstones_path("small"), data)
    with pytest.raises(BrokenPromise, match="expected the tombstones of 'small'"):
        tombstones.read_tombstones(store, "small")


@pytest.mark.parametrize(
    ("reason", "scope"),
    [
        ("heirs", "work"),
        ("the record alone: a wrong scan", "record"),
        ("same bytes as s:1: the record alone: a wrong scan", "record"),
        ("copy of s:1: the record alone: x", "work"),
        ("heirs, not the record alone: all", "work"),
    ],
)
@pytest.mark.parametrize("is_null", [True, False])
def test_files_of_early_versions_say_the_scope_in_words(tmp_path, reason, scope, is_null):
    store = Store(str(tmp_path))
    row = {"record_id": "s:1", "date": "2024-05-01", "reason": reason, "sha256": "a", "scope": None}
    table = pa.Table.from_pylist([row], schema=TOMBSTONES)
    store.write_bytes(tombstones_path("old"), parquet_bytes(table if is_null else table.drop_columns("scope")))
    assert tombstones.read_tombstones(store, "old").to_pylist() == [{**row, "scope": scope}]
    assert tombstones.read_tombstones(store, "old").schema == TOMBSTONES


def test_a_scope_that_is_given_stands_whatever_the_words():
    row = {"record_id": "s:1", "date": "2024-05-01", "reason": "the record alone: x", "sha256": "a", "scope": "work"}
    table = pa.Table.from_pylist([row], schema=TOMBSTONES)
    assert tombstones.with_scopes(table).equals(table)
    assert tombstones.with_scopes(TOMBSTONES.empty_table().drop_columns("scope")).equals(TOMBSTONES.empty_table())
