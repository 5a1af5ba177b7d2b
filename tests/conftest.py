"""What tests of every folder share: the real data beside the project, no network, and no waiting for a disk."""

import atexit
import fcntl
import itertools
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

os.environ |= {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}  # before Prefect is imported

from tasks.io.store import store

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in what a shell has started with &, and in all that that starts
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest.register_assert_rewrite("tests.support")

collect_ignore = ["support/outsiders_digest.py"]  # a script, which works as it is read

# what builds remember of hosts: never in the home of whoever runs the tests
_STATE = tempfile.mkdtemp(prefix="bilderatlas-state-")
os.environ["XDG_STATE_HOME"] = _STATE
atexit.register(shutil.rmtree, _STATE, ignore_errors=True)
_NUMBERS = itertools.count()

# the same examples in every run, and no deadline on machines that others use too
settings.register_profile("house", deadline=None, derandomize=True, database=None, max_examples=80)
settings.register_profile("quick", settings.get_profile("house"), max_examples=20)  # of `make check`
settings.load_profile("house")

_LONGEST_FIRST = (
    "test_laws.py",
    "test_training.py",
    "test_signals.py",
    "test_cluster_server.py",
    "test_deployment.py",
    "test_web_page.py",
    "test_serve.py",
    "test_web_sources.py",
    "test_devices.py",
)
"""Files of minutes. Begun last, one worker would work on one of them long after the other has nothing left."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, all else as it was."""
    items.sort(key=lambda item: (*_LONGEST_FIRST, item.path.name).index(item.path.name))


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a pause that a host has asked of another one."""
    monkeypatch.setenv("XDG_STATE_HOME", f"{_STATE}/{next(_NUMBERS)}")


_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data, which is no part of the project; where it is missing, the test is skipped."""
    folder = Path(os.environ.get("BILDERATLAS_SHARED_DATA") or _DATA)
    if not folder.is_dir():
        pytest.skip(f"real data: no folder at {folder}")
    return folder


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """(name, make) to the folder that `make` fills: by the first of all workers that asks, for all of them.

    No test may change it.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, unfinished = shared / name, shared / f"{name}.{os.getpid()}"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                make(unfinished)
                unfinished.rename(folder)
        return folder

    return made


def _is_loopback(host: Any) -> bool:
    try:
        return ip_address(str(host).split("%")[0]).is_loopback
    except ValueError:
        return host in {"localhost", ""}


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """A connection to anything but this machine ends the test, in no class of errors that code under test would
    catch.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        yield


def _guarded(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        is_internet = self.family in {socket.AF_INET, socket.AF_INET6} and self.type == socket.SOCK_STREAM
        if is_internet and not _is_loopback(address[0]):
            raise RuntimeError(f"expected a test to stay on this machine, got a connection to {address}")
        return connect(self, address)

    return guarded


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """fsync holds against a power cut, which no test can make; all else that reads a file sees it without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(autouse=True)
def _tables_of_other_tests_are_forgotten() -> Iterator[None]:
    """A process keeps the tables that it has read at hand; those of another test's store only take memory and time."""
    yield
    store._CACHE = type(store._CACHE)()
