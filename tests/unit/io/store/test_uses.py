"""What builds have looked at: kept by dataset, and None rather than a guess."""

from pathlib import Path

import pytest

from tasks.io.store.layout import uses_path
from tasks.io.store.store import Store
from tasks.io.store.uses import read_uses, write_uses


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
