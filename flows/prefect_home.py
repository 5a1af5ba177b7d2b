"""Prefect's home, where a server of this machine keeps its database: whether it can be used, and by whom it is."""

import contextlib
import fcntl
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted

_HOME_BYTES = 8 * 2**20
"""What the database of a server takes at its start, about."""
_OTHERS_END_S = 6.0
"""How long what a `serve` had started that was killed may take to end."""


def check_home(home: Path) -> None:
    """Make it, if there is none. Raises BadInput where a server could not write there: it would be waited for long."""
    probe = home / f".probe-{uuid.uuid4().hex}"
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)  # blocks keep secrets there
        try:
            probe.write_bytes(bytes(_HOME_BYTES))
        finally:
            probe.unlink(missing_ok=True)
    except OSError as problem:
        raise BadInput(
            f"PREFECT_HOME: expected a folder with room for {_HOME_BYTES // 2**20} MiB, where Prefect's server can "
            f"write, got {quoted(str(home), LONGEST_PLACE)} ({problem.strerror or problem})"
        ) from problem


@contextlib.contextmanager
def locked_home(home: Path) -> Iterator[BinaryIO]:
    """Prefect's home, made and locked: two `serve` would take each other's runs for lost. Raises BadInput."""
    check_home(home)
    with (home / "serve.lock").open("wb") as lock:
        until_s = time.monotonic() + _OTHERS_END_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until_s:
                    raise BadInput(
                        "PREFECT_HOME: expected a folder that no other `bilderatlas serve` uses, got "
                        f"{quoted(str(home), LONGEST_PLACE)}"
                    ) from None
            time.sleep(0.1)
        yield lock
