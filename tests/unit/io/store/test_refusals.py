"""The ledger of a refused build: one for each dataset, whole, replaced by the next, gone when asked."""

import pytest

from schemas.errors import BadInput
from tasks.io.store.layout import refusal_path
from tasks.io.store.refusals import RefusedBuild, read_refusal, refused_datasets, remove_refusal, write_refusal
from tasks.io.store.store import Store
from tests.support.purge import DOWN, ledger_of

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
