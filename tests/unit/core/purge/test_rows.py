"""Rows about purged records and files, and tables without them."""

import numpy as np
import pyarrow as pa

from schemas.tables import EDGES, IMAGES, RECORDS, RELATIONS
from tasks.core.purge import rows
from tests.support.purge import DOWN, ledger_of


def test_rows_that_only_show_that_a_record_went_reveal_nothing():
    records = pa.Table.from_pylist(
        [
            {"record_id": "s:1", "source": "s", "reason": "taken_down", "detail": "d"},
            {"record_id": "s:2", "title": "t"},
            {"record_id": "s:3", "title": "t"},
        ],
        schema=RECORDS,
    )
    assert rows.reveals(records, {"s:1", "s:2"}).to_pylist() == [False, True, False]
    assert rows.reveals(ledger_of(DOWN), {"s:1"}).to_pylist() == [False]
    edges = pa.Table.from_pylist([{"a": "s:1", "b": "s:3"}, {"a": "s:3", "b": "s:4"}], schema=EDGES)
    assert rows.reveals(edges, {"s:1"}).to_pylist() == [True, False]
    assert rows.reveals(pa.table({"n": [1]}), {"s:1"}).to_pylist() == [False]


def test_tables_that_mention_a_record_by_a_text_alone():
    asks = pa.table({"url": ["https://m/1", "https://m/2"], "styles": pa.array([["x"], None], pa.list_(pa.string()))})
    assert rows.mentions(asks, {"s:1"}, {"https://m/2"})
    assert rows.mentions(asks, {"s:1"}, {"x"})
    assert not rows.mentions(asks, {"s:1"}, {"https://m"})


def test_measures_lose_the_rows_of_files():
    pairs = pa.Table.from_pylist([{"a": "x", "b": "y"}, {"a": "y", "b": "z"}, {"a": "z", "b": "q"}], schema=RELATIONS)
    assert rows.without_files(pairs, ("a", "b"), pa.array(["x", "q"]))["b"].to_pylist() == ["z"]
    assert rows.has_files(pairs, ("a", "b"), pa.array(["q"]))
    assert not rows.has_files(pairs, ("a",), pa.array(["q"]))


def test_a_hash_is_found_in_any_column_beside_nulls():
    near = pa.table({"left": pa.array([None, 1], pa.uint64()), "right": pa.array([None, 2**63], pa.uint64())})
    assert rows.has_hash(near, ("left", "right"), np.array([2**63], np.uint64))
    assert not rows.has_hash(near, ("left",), np.array([2**63], np.uint64))
    assert not rows.has_hash(near.slice(0, 1), ("left", "right"), np.array([0], np.uint64))


def test_the_hashes_of_files_are_numbers_or_lists_of_them():
    several = pa.table({"sha256": ["a", "b"], "keys": pa.array([[5, 2**63], [7]], pa.list_(pa.uint64()))})
    assert rows.hashes_of(several, pa.array(["a"]), "keys").tolist() == [5, 2**63]
    one = pa.table({"sha256": ["a", "b"], "phash": pa.array([None, 7], pa.uint64())})
    assert rows.hashes_of(one, pa.array(["a", "b"]), "phash").tolist() == [7]


def test_paths_follow_the_tables_that_moved():
    table = pa.table({"sha256": ["a", "b", "c"], "path": ["one", "two", "three"]})
    assert rows.with_new_paths(table, {"one": "new", "two": None})["path"].to_pylist() == ["new", "two", "three"]


def test_rows_are_left_out_by_place():
    table = pa.table({"n": [1, 2, 3]})
    assert rows.without_rows(table, [0, 2])["n"].to_pylist() == [2]
    assert rows.without_rows(table, []).equals(table)


def test_a_kept_work_loses_the_page_of_its_copy_not_its_own():
    images = [
        {"record_id": "s:1", "title": "gone"},
        {"record_id": "s:2", "source_url": "u2", "source_urls": ["u2", "u1", "u3"]},
        {"record_id": "s:3", "source_url": "u1", "source_urls": ["u1"]},
    ]
    table = pa.Table.from_pylist(images, schema=IMAGES)
    table = table.set_column(0, "record_id", table["record_id"].dictionary_encode())  # as another program may write it
    left = rows.without_records(table, {"s:1"}, {"u1"})
    assert left.schema == table.schema
    assert left["source_urls"].to_pylist() == [["u2", "u3"], ["u1"]]


def test_texts_that_no_other_record_has():
    names = ["record_id", "artist"]
    one = pa.table([["s:1", "s:2", "s:3"], ["Only", "Both", None]], names=names)
    two = pa.table([["s:1", "s:4"], ["Only", "Both"]], names=names)
    assert rows.lone_texts([one, two], {"s:1", "s:2", "s:3"}, "artist") == {"Only"}
    lists = pa.table({"record_id": ["s:1", "s:4"], "artists": [["Only", "Both"], ["Both"]], "year": [1, 2]})
    assert rows.lone_texts([lists], {"s:1"}, "artists") == {"Only"}
    assert rows.lone_texts([lists], {"s:1"}, "year") == set()
