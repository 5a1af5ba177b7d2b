"""Each area of the store cleaned by its rule: answers of the web, files, measures, searches, leftovers."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import BadInput
from schemas.tables import (
    ANSWERS,
    EDGES,
    HASH,
    RETRIEVALS,
    SEARCH_HASHES,
    SEARCH_PAIRS,
    THUMBNAIL_PLACES,
    THUMBNAILS,
    VIEW_HASHES,
)
from tasks.core.purge.identifiers import Identifiers
from tasks.io.store import layout
from tasks.io.store.journal import Journal
from tasks.io.store.layout import Area, PurgeRule, blob_path, measure_folder
from tasks.io.store.store import Store
from tasks.purge import areas
from tasks.purge.areas import Removal
from tests.support.purge import tombstones_of

ADDRESS = "https://m.example/heron"
WEB = layout.answers_folder("web")
HASHES, VIEWS = measure_folder("hash", "k"), measure_folder("view-hashes", "k")
THUMBNAIL, PLACES = measure_folder("thumbnail", "k"), measure_folder("thumbnail-places", "k")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path))


def clean(store: Store, *files: str, is_dry: bool = False) -> list[str]:
    identifiers = Identifiers(frozenset({ADDRESS}), {"web": frozenset({"12"})})
    tombstones = tombstones_of(("web:12", "2024-05-01", "heirs", None))
    return list(
        areas.clean(Removal(store, tombstones, "2024-05-01", frozenset(files), frozenset(), identifiers, is_dry=is_dry))
    )


def write(store: Store, folder: str, schema: pa.Schema, *rows: dict[str, Any]) -> str:
    return store.write_table(folder, pa.Table.from_pylist(list(rows), schema=schema)).path


def left(store: Store, folder: str, column: str) -> list[Any]:
    return [value for _, table in Store(store.url).tables(folder) for value in table[column].to_pylist()]


def test_every_rule_has_a_step_that_carries_it_out():
    elsewhere = {PurgeRule.KEEP, PurgeRule.RECORD, PurgeRule.AMEND}
    assert {rule for step in areas.STEPS for rule in step.rules} | elsewhere == set(PurgeRule)


def test_a_measure_that_is_new_in_the_table_is_cleaned_without_more_code(store: Store, monkeypatch: pytest.MonkeyPatch):
    new = Area("measures/embeddings/<cache key>/", "embed", "Vectors.", True, PurgeRule.DROP_ROWS, ("sha256",))
    monkeypatch.setattr(layout, "AREAS", (*layout.AREAS, new))
    schema = pa.schema([("sha256", pa.string()), ("vector", pa.list_(pa.float32()))])
    folder = measure_folder("embeddings", "k")
    write(store, folder, schema, {"sha256": "a", "vector": [0.5]}, {"sha256": "b", "vector": [1.0]})
    areas.check_known(store)
    assert clean(store, "a") == ["store: 1 rows of measures"]
    assert left(store, folder, "sha256") == ["b"]


@pytest.mark.parametrize("path", ["measures/embeddings/k/1.parquet", "vectors/1.parquet", "notes.txt"])
def test_what_no_area_knows_is_refused(store: Store, path: str):
    store.write_bytes(path, b"x")
    store.write_bytes(f"{WEB}/1.parquet", b"x")
    store.write_bytes(blob_path("ab" * 32), b"x")
    name = "/".join(path.split("/")[: 2 if path.startswith("measures") else 1])
    with pytest.raises(BadInput, match=f"store: expected only what this version .* keeps there, got {name} in"):
        areas.check_known(store)


def test_raw_answers_go_that_are_about_it_or_mention_it(store: Store):
    table = store.write_blob(b"key,title\n12,Heron\n")
    write(
        store,
        WEB,
        ANSWERS,
        {"url": "u/own", "key": "12", "body": b"nothing of note", "sha256": "1"},
        {"url": "u/failed", "key": "12", "reason": "not_found"},
        {"url": "u/list", "body": b'[{"id": 12}, {"id": 13}]', "sha256": "2"},
        {"url": "u/page", "key": "13", "body": b'next to "https:\\/\\/m.example\\/heron"', "sha256": "3"},
        {"url": "u/table", "expects": "csv", "sha256": table},
        {"url": "u/other", "key": "13", "body": b'{"id": 13, "no": 112}', "sha256": "4"},
        {"url": "u/empty", "key": "14", "body": b"", "sha256": "5"},
    )
    assert clean(store) == ["store: 5 rows of requests and answers"]
    assert left(store, WEB, "url") == ["u/other", "u/empty"]
    assert not store.exists(blob_path(table))
    assert clean(store) == []


@pytest.mark.parametrize(
    ("folder", "schema", "row"),
    [
        pytest.param(WEB, ANSWERS, {"url": "u/own", "key": "12", "body": b"x", "sha256": "1"}, id="web answers"),
        pytest.param(layout.DOWNLOADS, RETRIEVALS, {"locator": ADDRESS, "reason": "not_found"}, id="downloads"),
    ],
)
def test_a_journal_that_a_killed_build_left_is_read_too(
    store: Store, tmp_path: Path, folder: str, schema: pa.Schema, row: dict[str, Any]
):
    journal = Journal(store, folder, schema)
    journal.__enter__()
    journal.add({**dict.fromkeys(schema.names), **row})
    os.close(journal._handle)  # the system releases the lock of a process that ends
    assert clean(store) == ["store: 1 rows of requests and answers"]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_images_their_thumbnails_and_their_places_go_and_others_stay(store: Store):
    mine, other = store.write_blob(b"mine"), store.write_blob(b"other")
    write(
        store,
        layout.DOWNLOADS,
        RETRIEVALS,
        {"locator": "u/1.jpg", "sha256": mine},
        {"locator": ADDRESS, "reason": "not_found"},
        {"locator": "u/2.jpg", "sha256": other},
    )
    path = write(store, THUMBNAIL, THUMBNAILS, *({"sha256": sha256, "jpeg": b"jpeg"} for sha256 in (mine, other)))
    write(store, PLACES, THUMBNAIL_PLACES, *({"sha256": sha256, "path": path} for sha256 in (mine, other)))
    write(store, HASHES, HASH, {"sha256": mine})
    foreseen = clean(store, mine, is_dry=True)
    assert left(store, THUMBNAIL, "sha256") == [mine, other]
    assert clean(store, mine) == foreseen == ["store: 2 rows of requests and answers, 1 files, 3 rows of measures"]
    assert left(store, layout.DOWNLOADS, "locator") == ["u/2.jpg"]
    assert (store.exists(blob_path(mine)), store.exists(blob_path(other))) == (False, True)
    assert left(store, PLACES, "path") == [f"{THUMBNAIL}/{name}" for name in store.list_folder(THUMBNAIL)]
    assert left(store, PLACES, "sha256") == [other]
    assert store.list_folder(HASHES) == []


def test_a_packed_answer_is_read_and_what_can_not_be_read_goes(store: Store):
    sink = pa.BufferOutputStream()
    rows = [{"key": f"k{number}", "title": "a heron, and another heron" * 9} for number in range(2000)]
    pq.write_table(pa.Table.from_pylist([*rows, {"key": "12", "title": "x"}]), sink, compression="zstd")
    other = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), other, compression="zstd")
    blobs = [store.write_blob(bytes(data)) for data in (sink.getvalue(), other.getvalue(), b"PAR1 and no more")]
    folder = layout.listings_folder("web")
    write(
        store,
        folder,
        RETRIEVALS,
        *({"locator": f"{place}.parquet", "sha256": sha256} for place, sha256 in enumerate(blobs)),
    )
    clean(store)
    assert left(store, folder, "locator") == ["1.parquet"]
    assert [store.exists(blob_path(sha256)) for sha256 in blobs] == [False, True, False]


def test_a_key_identifies_nothing_in_the_answers_of_another_source(store: Store):
    folder = layout.answers_folder("else")
    row = {"url": "u/list", "body": b'[{"id": 12}]', "sha256": "2"}
    write(store, folder, ANSWERS, row, {"url": "u/page", "body": ADDRESS.encode(), "sha256": "3"})
    clean(store)
    assert left(store, folder, "url") == ["u/list"]


def test_searches_that_hold_a_hash_of_the_files_go_and_others_stay(store: Store):
    write(store, HASHES, HASH, {"sha256": "a", "phash": 7}, {"sha256": "b", "phash": 8})
    write(store, VIEWS, VIEW_HASHES, {"sha256": "a", "keys": [5, 2**63]})
    pieces = pa.schema([*SEARCH_PAIRS, ("piece", pa.int32())])
    for key, hash_value in (("k", 7), ("l", 2**63), ("m", 8)):
        write(
            store,
            measure_folder("search-hashes", key),
            SEARCH_HASHES,
            {"key": hash_value, "is_view": False, "pairs": 0},
        )
        pair = {"left": 1, "right": hash_value, "distance_bits": 3, "is_view": True}
        write(store, measure_folder("search-pairs", key, "s"), SEARCH_PAIRS, pair)
        write(store, measure_folder("search-pieces", key), pieces, {"piece": 0}, {**pair, "piece": 0})
    write(store, layout.outcome_folder("search-hashes"), pa.schema([("key", pa.uint64())]), {"key": 5})
    assert clean(store, "a") == ["store: 7 tables of searches, 2 rows of measures"]
    assert left(store, measure_folder("search-hashes", "m"), "key") == [8]
    assert left(store, measure_folder("search-pairs", "m", "s"), "right") == [8]
    assert left(store, measure_folder("search-pieces", "m"), "right") == [None, 8]
    for measure in ("search-hashes", "search-pieces"):
        assert not store.list_folder(measure_folder(measure, "k")) + store.list_folder(measure_folder(measure, "l"))


def test_decisions_and_outcomes_that_mention_it_go(store: Store):
    folders = layout.decision_folder("edges", "k"), layout.outcome_folder("dedup")
    for folder in folders:
        write(store, folder, EDGES, {"a": "web:12", "b": "web:13"})
        write(store, folder, EDGES, {"a": "web:13", "b": "web:14"})
    assert clean(store) == ["store: 2 tables of decisions, which are taken anew"]
    assert [left(store, folder, "a") for folder in folders] == [["web:13"], ["web:13"]]


def test_what_killed_builds_left_goes_too(store: Store, tmp_path: Path):
    (tmp_path / "tmp/draft-1").mkdir(parents=True)
    (tmp_path / "tmp/draft-1/records.parquet").write_bytes(b"x")
    (tmp_path / "tmp/half").write_bytes(b"x")
    foreseen = clean(store, is_dry=True)
    assert len(store.list_folder("tmp")) == 2
    assert clean(store) == foreseen == ["store: 2 leftovers of killed builds"]
    assert store.list_folder("tmp") + store.list_folder("measures/keys") == []


def test_an_empty_store_has_nothing(store: Store):
    areas.check_known(store)
    assert clean(store, "a") == []
