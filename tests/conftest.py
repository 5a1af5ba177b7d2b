"""What tests of every folder share: the real data beside the project, and no network."""

import os
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data, which is no part of the project; where it is missing, the test is skipped."""
    folder = Path(os.environ.get("BILDERATLAS_SHARED_DATA") or _DATA)
    if not folder.is_dir():
        pytest.skip(f"real data: no folder at {folder}")
    return folder


def _is_loopback(host: Any) -> bool:
    try:
        return ip_address(str(host).split("%")[0]).is_loopback
    except ValueError:
        return host in {"localhost", ""}


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """A connection to anything but this machine ends the test, in no class of errors that code under test would catch."""
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
