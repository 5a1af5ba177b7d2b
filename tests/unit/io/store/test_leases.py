"""Leases: who is at work is seen, whoever was killed is not, and of two that want to be alone neither harms."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import Refusal
from tasks.io.store import leases
from tasks.io.store.layout import lease_path
from tasks.io.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def write(store: Store, run: str = "other", **changes: Any) -> None:
    fields = {
        "work": "build of other",
        "is_exclusive": False,
        "renewed_s": time.time(),
        "machine": "another",
        "process": 1,
    }
    store.write_bytes(lease_path(run), json.dumps({**fields, **changes}).encode())


def test_a_lease_is_there_as_long_as_the_work(store: Store):
    with leases.hold(store, "build of a") as mine:
        assert leases.others_at_work(store) == ["'build of a'"]
        assert leases.others_at_work(store, mine) == []
    assert store.list_folder("leases") == []


def test_a_lease_goes_with_a_work_that_fails(store: Store):
    with pytest.raises(ZeroDivisionError), leases.hold(store, "build of a"):
        raise ZeroDivisionError
    assert store.list_folder("leases") == []


def test_a_lease_is_renewed(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(leases, "RENEW_S", 0.01)
    with leases.hold(store, "build of a") as mine:
        path, deadline = lease_path(mine.run), time.time() + 20
        while json.loads(store.read_bytes(path))["renewed_s"] <= mine.renewed_s:
            assert time.time() < deadline
            time.sleep(0.01)


def test_who_wants_to_be_alone_is_refused_while_another_is_at_work(store: Store):
    write(store)
    sentence = "prune: expected nobody else at work in .*, got 'build of other'"
    with pytest.raises(Refusal, match=sentence), leases.alone(store, "prune"):
        raise AssertionError("expected nobody to come in")
    assert store.list_folder("leases") == ["other.json"]


@pytest.mark.parametrize(
    "changes", [{"renewed_s": time.time() - 1e4}, {"renewed_s": time.time() + 1e4}], ids=["old", "of another clock"]
)
def test_a_stale_lease_counts_no_more(store: Store, changes: dict[str, Any]):
    write(store, **changes)
    with leases.alone(store, "prune"):
        assert leases.remove_stale(store) == 1
        assert len(store.list_folder("leases")) == 1


def test_a_lease_of_a_killed_process_counts_no_more(store: Store):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    write(store, machine=leases._machine(), process=ended.pid)
    with leases.alone(store, "prune"):
        pass
    write(store, machine=leases._machine(), process=os.getpid())
    with pytest.raises(Refusal), leases.alone(store, "prune"):
        pass


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b"[" * 100_000, b'{"work": 7}', b"\xff", b"null", b'{"renewed_s": "x"}']
)
def test_what_is_no_lease_stops_nobody(store: Store, text: bytes):
    store.write_bytes(lease_path("x"), text)
    with leases.alone(store, "prune"):
        assert leases.remove_stale(store) == 1


def test_others_wait_for_whoever_is_alone(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(leases, "_LOOK_S", 0.01)
    said, order = list[str](), list[str]()

    def build() -> None:
        with leases.shared(store, "build of a", said.append):
            order.append("build")

    with leases.alone(store, "prune"):
        waiting = threading.Thread(target=build)
        waiting.start()
        deadline = time.time() + 20
        while not said:
            assert time.time() < deadline
            time.sleep(0.01)
        order.append("prune")
    waiting.join()
    assert order == ["prune", "build"]
    assert said == ["build of a: waits for 'prune'"]


def test_two_builds_work_side_by_side(store: Store):
    with leases.shared(store, "build of a"), leases.shared(store, "build of b"):
        assert len(leases.others_at_work(store)) == 2
