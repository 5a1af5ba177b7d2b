"""Tombstones: written whole, read back, and never taken for none."""

from pathlib import Path

import pyarrow as pa
import pytest

from schemas.errors import BadInput, BrokenPromise
from schemas.tables import TOMBSTONES
from tasks.io.store import datasets
from tasks.io.store.datasets import (
    RefusedBuild,
    read_refusal,
    read_uses,
    refused_datasets,
    remove_refusal,
    write_refusal,
    write_uses,
)
from tasks.io.store.layout import refusal_path, tombstones_path, uses_path
from tasks.io.store.store import Store
from tests.support.purge import DOWN, ledger_of

STONES = pa.Table.from_pylist(
    [{"record_id": "s:1", "date": "2024-05-01", "reason": "heirs", "sha256": None, "scope": "work"}], schema=TOMBSTONES
)


@pytest.mark.parametrize("url", ["{}", "memory://tombstones"])
def test_what_is_buried_is_read_back(tmp_path, url):
    store = Store(url.format(tmp_path))
    assert datasets.read_tombstones(store, "small").equals(TOMBSTONES.empty_table())
    datasets.write_tombstones(store, "small", STONES)
    assert datasets.read_tombstones(Store(url.format(tmp_path)), "small").equals(STONES)
    assert datasets.read_tombstones(store, "other").num_rows == 0


@pytest.mark.parametrize("data", [b"", b"PAR1 and no more"])
def test_a_file_that_can_not_be_read_stops_the_build(tmp_path, data):
    store = Store(str(tmp_path))
    store.write_bytes(tombstones_path("small"), data)
    with pytest.raises(BrokenPromise, match="expected the tombstones of 'small'"):
        datasets.read_tombstones(store, "small")


ONE = RefusedBuild(ledger_of(DOWN), 'export: expected "more", got 0; ä', ("scrape", "fetch"), "2026-01-02")
OTHER = RefusedBuild(ledger_of(), "none", (), "2026-01-03")


@pytest.mark.parametrize("url", ["{}", "memory://refusals"])
def test_the_last_refused_build_is_kept(tmp_path, url):
    store = Store(url.format(tmp_path / "store"))
    assert read_refusal(store, "a") is None
    assert refused_datasets(store) == []
    for build in (ONE, OTHER, ONE):
        write_refusal(store, "a", build)
        assert read_refusal(store, "a") == build
    write_refusal(store, "b.c", OTHER)
    assert refused_datasets(store) == ["a", "b.c"]
    for _ in range(2):
        remove_refusal(store, "a")
        assert read_refusal(store, "a") is None
    assert read_refusal(store, "b.c") == OTHER


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda _: b"", lambda _: b"PAR1", lambda _: b"{}"])
def test_a_file_that_can_not_be_read_is_one_sentence(tmp_path, damage):
    store = Store(str(tmp_path))
    write_refusal(store, "a", ONE)
    store.write_bytes(refusal_path("a"), damage(store.read_bytes(refusal_path("a"))))
    with pytest.raises(BadInput, match="got a file that can't be read: build again"):
        read_refusal(store, "a")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path))


def test_the_last_build_counts(store: Store):
    assert read_uses(store, "small") is None
    write_uses(store, "small", {"measures/hash/k", "outcomes/x"})
    assert read_uses(store, "small") == {"measures/hash/k", "outcomes/x"}
    write_uses(store, "small", ["a"])
    assert read_uses(store, "small") == {"a"}
    assert read_uses(store, "large") is None


def test_the_same_again_writes_nothing(store: Store):
    write_uses(store, "small", ["b", "a"])
    path = Path(store.full(uses_path("small")))
    before = path.stat().st_ino
    write_uses(store, "small", ["a", "b"])
    assert path.stat().st_ino == before


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]", b"\xff", b"[" * 100_000])
def test_what_is_damaged_is_not_known(store: Store, text: bytes):
    store.write_bytes(uses_path("small"), text)
    assert read_uses(store, "small") is None
