"""Leases: who is at work in a store, so that nothing is removed under a running command.

A command renews its small file every minute and removes it at its end; one that was killed counts until its process is
gone from this machine, or for a quarter of an hour. Who wants the store alone writes its own first and then looks for
others: of two that begin at once, both see each other.
"""

import contextlib
import json
import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from schemas.errors import DamagedFile, Refusal
from schemas.phrases import listed, quoted
from tasks.io.store import layout
from tasks.io.store.store import Store

RENEW_S, STALE_S = 60.0, 900.0
_LOOK_S = 1.0
_SHOWN = 3
_KINDS = {"work": str, "is_exclusive": bool, "renewed_s": float, "machine": str, "process": int}


class Lease(NamedTuple):
    """Who is at work. work: such as "build of museum". machine: within which `process` means something."""

    run: str
    work: str
    is_exclusive: bool
    renewed_s: float
    machine: str
    process: int

    def is_live(self, now_s: float) -> bool:
        """Whether its command still runs, as far as can be told."""
        if self.machine == _machine() and not _runs(self.process):
            return False
        return abs(now_s - self.renewed_s) < STALE_S


@contextlib.contextmanager
def hold(store: Store, work: str, *, is_exclusive: bool = False) -> Iterator[Lease]:
    """A lease, renewed until the block ends."""
    lease = Lease(uuid.uuid4().hex, work, is_exclusive, time.time(), _machine(), os.getpid())
    is_done = threading.Event()
    _write(store, lease)
    renewal = threading.Thread(target=_renew, args=(store, lease, is_done), name="lease", daemon=True)
    renewal.start()
    try:
        yield lease
    finally:
        is_done.set()
        renewal.join()
        store.remove(layout.lease_path(lease.run))


@contextlib.contextmanager
def alone(store: Store, work: str) -> Iterator[None]:
    """The store for oneself: who comes meanwhile waits. Raises Refusal where somebody is at work."""
    with hold(store, work, is_exclusive=True) as mine:
        if others := others_at_work(store, mine):
            raise Refusal(
                f"{work}: expected nobody else at work in '{store.url}', got {listed(others, _SHOWN)}; nothing is "
                f"removed: try again when that has ended (one that was killed on another machine counts for "
                f"{STALE_S / 60:.0f} minutes)"
            )
        yield


@contextlib.contextmanager
def shared(store: Store, work: str, say: Callable[[str], object] | None = None) -> Iterator[None]:
    """A lease beside others; first it waits for whoever has the store for itself. say: gets a line where it waits."""
    say = say or (lambda line: print(line, file=sys.stderr))  # noqa: T201 - a person waits for it
    with hold(store, work) as mine:
        if others := others_at_work(store, mine, only_exclusive=True):
            say(f"{work}: waits for {others[0]}")
        while others_at_work(store, mine, only_exclusive=True):
            time.sleep(_LOOK_S)
        yield


def others_at_work(store: Store, mine: Lease | None = None, *, only_exclusive: bool = False) -> list[str]:
    """The works of all live leases but one's own, quoted."""
    others = [
        lease for lease in _leases(store) if lease.is_live(time.time()) and (mine is None or lease.run != mine.run)
    ]
    return [quoted(lease.work) for lease in others if lease.is_exclusive or not only_exclusive]


def remove_stale(store: Store) -> int:
    """Remove what killed commands have left, and what is no lease; how many."""
    live = {lease.run for lease in _leases(store) if lease.is_live(time.time())}
    stale = [name for name in store.list_folder(layout.LEASES) if name.removesuffix(".json") not in live]
    for name in stale:
        store.remove(layout.lease_path(name.removesuffix(".json")))
    return len(stale)


def _leases(store: Store) -> Iterator[Lease]:
    for name in store.list_folder(layout.LEASES):
        run = name.removesuffix(".json")
        with contextlib.suppress(DamagedFile, ValueError, KeyError, TypeError, RecursionError):
            fields = json.loads(store.read_bytes(layout.lease_path(run)))
            if all(type(fields[name]) is kind for name, kind in _KINDS.items()):
                yield Lease(run, **{name: fields[name] for name in _KINDS})


def _write(store: Store, lease: Lease) -> None:
    fields = {name: getattr(lease, name) for name in _KINDS}
    store.write_bytes(layout.lease_path(lease.run), json.dumps(fields, sort_keys=True).encode())


def _renew(store: Store, lease: Lease, is_done: threading.Event) -> None:
    while not is_done.wait(RENEW_S):
        # a full disk or a lost connection for a minute is no reason to end the work; a lease may miss some
        with contextlib.suppress(Exception):
            _write(store, lease._replace(renewed_s=time.time()))


def _machine() -> str:
    """Names this machine since it was started, and in it the space of process numbers (a container has its own)."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return f"unknown {uuid.uuid4().hex}"


def _runs(process: int) -> bool:
    try:
        with contextlib.suppress(PermissionError):  # another user's
            os.kill(process, 0)
    except (ProcessLookupError, OverflowError, ValueError):
        return False
    return True
