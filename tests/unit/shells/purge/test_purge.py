"""purge's shell on the store: raw answers of the web, their bodies, and what another record needs."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.tables import ANSWERS, HASH, NEIGHBOURS, RETRIEVALS, SEARCHED, SHELF, THUMBNAILS, TOMBSTONES, VIEW_HASHES
from tasks import purge
from tasks.core.purge import Told
from tasks.io.store.journal import Journal
from tasks.io.store.store import Store, blob_path

ADDRESS = "https://m.example/heron"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path))


def job(store: Store, *files: str, is_dry: bool = False) -> Any:
    return purge._Purge(
        store,
        is_dry,
        TOMBSTONES.empty_table(),
        frozenset({"web:12"}),
        frozenset(files),
        Told(frozenset({ADDRESS}), {"web": frozenset({"12"})}),
    )


def answers(store: Store, *rows: dict[str, Any]) -> None:
    store.write_table("retrievals/web-web", pa.Table.from_pylist(list(rows), schema=ANSWERS))


def left(store: Store, folder: str, column: str) -> list[Any]:
    return [value for _, table in Store(store.url).tables(folder) for value in table[column].to_pylist()]


def test_raw_answers_go_that_are_about_it_or_mention_it(store: Store):
    table = store.write_blob(b"key,title\n12,Heron\n")
    answers(
        store,
        {"url": "u/own", "key": "12", "body": b"nothing of note", "sha256": "1"},
        {"url": "u/failed", "key": "12", "reason": "not_found"},
        {"url": "u/list", "body": b'[{"id": 12}, {"id": 13}]', "sha256": "2"},
        {"url": "u/page", "key": "13", "body": b'next to "https:\\/\\/m.example\\/heron"', "sha256": "3"},
        {"url": "u/table", "expects": "csv", "sha256": table},
        {"url": "u/other", "key": "13", "body": b'{"id": 13, "no": 112}', "sha256": "4"},
        {"url": "u/empty", "key": "14", "body": b"", "sha256": "5"},
    )
    assert list(purge._cleaned(job(store))) == ["store: 5 rows of what was asked and came"]
    assert left(store, "retrievals/web-web", "url") == ["u/other", "u/empty"]
    assert not store.exists(blob_path(table))
    assert list(purge._cleaned(job(store))) == []


def test_a_journal_that_a_dead_build_left_is_looked_through_too(store: Store, tmp_path: Path):
    journal = Journal(store, "retrievals/web-web", ANSWERS)
    journal.__enter__()
    journal.add({**dict.fromkeys(ANSWERS.names), "url": "u/own", "key": "12", "body": b"x", "sha256": "1"})
    os.close(journal._handle)  # the system lets go of the lock of whoever dies
    assert list(purge._cleaned(job(store))) == ["store: 1 rows of what was asked and came"]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_images_their_thumbnails_and_their_places_go_and_others_stay(store: Store):
    mine, other = store.write_blob(b"mine"), store.write_blob(b"other")
    got = [
        {"locator": "u/1.jpg", "sha256": mine},
        {"locator": ADDRESS, "reason": "not_found"},
        {"locator": "u/2.jpg", "sha256": other},
    ]
    store.write_table("retrievals/web-images", pa.Table.from_pylist(got, schema=RETRIEVALS))
    pictures = [{"sha256": sha256, "jpeg": b"jpeg"} for sha256 in (mine, other)]
    ref = store.write_table("measures/thumbnail/k", pa.Table.from_pylist(pictures, schema=THUMBNAILS))
    places = [{"sha256": sha256, "path": ref.path} for sha256 in (mine, other)]
    store.write_table("measures/shelf/k", pa.Table.from_pylist(places, schema=SHELF))
    store.write_table("measures/hash/k", pa.Table.from_pylist([{"sha256": mine}], schema=HASH))
    told = list(purge._cleaned(job(store, mine, is_dry=True)))
    assert left(store, "measures/thumbnail/k", "sha256") == [mine, other]
    assert list(purge._cleaned(job(store, mine))) == told
    assert told == ["store: 2 rows of what was asked and came, 1 files, 3 rows of measures"]
    assert left(store, "retrievals/web-images", "locator") == ["u/2.jpg"]
    assert (store.exists(blob_path(mine)), store.exists(blob_path(other))) == (False, True)
    assert left(store, "measures/shelf/k", "path") == [
        f"measures/thumbnail/k/{name}" for name in store.names("measures/thumbnail/k")
    ]
    assert left(store, "measures/shelf/k", "sha256") == [other]
    assert store.names("measures/hash/k") == []


def test_a_packed_answer_is_read_and_what_nobody_can_read_goes(store: Store):
    sink = pa.BufferOutputStream()
    rows = [{"key": f"k{number}", "title": "a heron, and another heron" * 9} for number in range(2000)]
    pq.write_table(pa.Table.from_pylist([*rows, {"key": "12", "title": "x"}]), sink, compression="zstd")
    other = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), other, compression="zstd")
    blobs = [store.write_blob(bytes(data)) for data in (sink.getvalue(), other.getvalue(), b"PAR1 and no more")]
    got = [{"locator": f"{place}.parquet", "sha256": sha256} for place, sha256 in enumerate(blobs)]
    store.write_table("retrievals/web-answers", pa.Table.from_pylist(got, schema=RETRIEVALS))
    list(purge._cleaned(job(store)))
    assert left(store, "retrievals/web-answers", "locator") == ["1.parquet"]
    assert [store.exists(blob_path(sha256)) for sha256 in blobs] == [False, True, False]


def test_a_key_tells_nothing_in_the_answers_of_another_source(store: Store):
    row = {"url": "u/list", "body": b'[{"id": 12}]', "sha256": "2"}
    other = {"url": "u/page", "body": ADDRESS.encode(), "sha256": "3"}
    store.write_table("retrievals/else-web", pa.Table.from_pylist([row, other], schema=ANSWERS))
    list(purge._cleaned(job(store)))
    assert left(store, "retrievals/else-web", "url") == ["u/list"]


def test_searches_that_hold_a_hash_of_the_files_go_and_others_stay(store: Store):
    store.write_table(
        "measures/hash/k", pa.Table.from_pylist([{"sha256": "a", "phash": 7}, {"sha256": "b", "phash": 8}], schema=HASH)
    )
    store.write_table(
        "measures/keys/k", pa.Table.from_pylist([{"sha256": "a", "keys": [5, 2**63]}], schema=VIEW_HASHES)
    )
    for folder, key in (("k", 7), ("l", 2**63), ("m", 8)):
        row = {"key": key, "is_view": False, "pairs": 0}
        store.write_table(f"measures/searched/{folder}", pa.Table.from_pylist([row], schema=SEARCHED))
        row = {"left": 1, "right": key, "distance_bits": 3, "is_view": True}
        store.write_table(f"measures/neighbours/{folder}", pa.Table.from_pylist([row], schema=NEIGHBOURS))
    assert list(purge._cleaned(job(store, "a"))) == ["store: 4 tables of searches, 2 rows of measures"]
    assert left(store, "measures/searched/m", "key") == left(store, "measures/neighbours/m", "right") == [8]
    assert not store.names("measures/searched/k") + store.names("measures/neighbours/l")


def test_what_killed_builds_left_goes_too(store: Store, tmp_path: Path):
    (tmp_path / "tmp/draft-1").mkdir(parents=True)
    (tmp_path / "tmp/draft-1/records.parquet").write_bytes(b"x")
    (tmp_path / "tmp/half").write_bytes(b"x")
    told = list(purge._cleaned(job(store, is_dry=True)))
    assert len(store.names("tmp")) == 2
    assert list(purge._cleaned(job(store))) == told == ["store: 2 leftovers of builds"]
    assert store.names("tmp") == []


def test_an_empty_store_has_nothing(store: Store):
    assert list(purge._cleaned(job(store, "a"))) == []
