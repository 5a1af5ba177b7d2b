"""What all builds of one user on one machine share of each host: the moment of the next request, pauses that the host
asked for, and how many requests are open.

A folder for each host, in the user's own: a small file with the times, and an empty one for each connection. Both are
locked as long as they are used, and the kernel gives a lock back where a process ends: there is no server, and nothing
to clear up after a kill. Times are those of the wall clock, so that a pause outlives a restart; where the clock was set
back since, they are moved with it.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tasks.io.web.addresses import Origins

_TIMES, _SLOT = "times.json", "connection-{}"
_BYTES = 256
"""Of a file with times, all written at once, with blanks at the end."""
_KEPT_S = 7 * 86_400
LONGEST_PAUSE_S = 86_400.0
"""A host can't keep all builds away for longer by one answer: no recipe waits longer for one (`longest_wait_s`)."""


@dataclass
class HostTimes:
    """Seconds of the wall clock: when the next request may be sent, and until when the host wants none."""

    next_s: float = 0.0
    paused_until_s: float = 0.0


class Connection:
    """One of a host's connections: given back when it is closed or forgotten, or when the process ends."""

    def __init__(self, file: int | None) -> None:
        """file: the descriptor that holds its lock; None for one that nothing holds."""
        self._file = file

    def close(self) -> None:
        """Give it back; again is nothing."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    __del__ = close


class SharedHosts:
    """The hosts of a folder. Where a host is bound to another origin, that origin is another host. Thread-safe.

    While the folder can't be used, as where the disk is full, a process goes by what it knows itself.
    """

    def __init__(self, folder: Path, origins: Origins, clock: Callable[[], float] = time.time) -> None:
        """Raises OSError if the folder can't be written to."""
        self._folder, self._origins, self.clock = folder, origins, clock
        self._own: dict[str, HostTimes] = {}
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._remove_old()

    @contextlib.contextmanager
    def times(self, host: str) -> Iterator[HostTimes]:
        """A host's times, which nobody else changes meanwhile; what they are in the end is kept."""
        with contextlib.ExitStack() as stack:
            try:
                file = stack.enter_context(self._locked(self._place(host) / _TIMES))
            except OSError:
                yield self._own.setdefault(host, HostTimes())
                return
            times = self._own[host] = self._read(file)
            before = json.dumps(vars(times))
            yield times
            if json.dumps(vars(times)) != before:
                times.paused_until_s = min(times.paused_until_s, self.clock() + LONGEST_PAUSE_S)
                with contextlib.suppress(OSError):
                    os.pwrite(file, json.dumps({**vars(times), "written_s": self.clock()}).encode().ljust(_BYTES), 0)

    def connection(self, host: str, most: int) -> Connection | None:
        """One of a host's connections; None while `most` are in use."""
        for number in range(most):
            try:
                file = _opened(self._place(host) / _SLOT.format(number))
            except OSError:
                return Connection(None)
            connection = Connection(file)
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return connection
            connection.close()
        return None

    def _read(self, file: int) -> HostTimes:
        """Zeros for a file that is new, or that a kill has cut."""
        try:
            said = json.loads(os.pread(file, _BYTES, 0))
            moved_s = min(0.0, self.clock() - float(said["written_s"]))
            return HostTimes(float(said["next_s"]) + moved_s, float(said["paused_until_s"]) + moved_s)
        except (ValueError, KeyError, TypeError):
            return HostTimes()

    @contextlib.contextmanager
    def _locked(self, path: Path) -> Iterator[int]:
        file = _opened(path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    def _place(self, host: str) -> Path:
        origin = self._origins.by_host.get(host) or self._origins.by_host.get("*")
        bound = f"@{hashlib.sha256(origin.encode()).hexdigest()[:16]}" if origin else ""
        place = self._folder / f"{quote(host[:150], safe='')}{bound}"
        place.mkdir(exist_ok=True, mode=0o700)
        return place

    def _remove_old(self) -> None:
        for place in self._folder.iterdir():
            with contextlib.suppress(OSError):
                if self.clock() - (place / _TIMES).stat().st_mtime > _KEPT_S:
                    shutil.rmtree(place)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def hosts_of_user(origins: Origins) -> SharedHosts | None:
    """Those in the user's own folder for what programs remember ($XDG_STATE_HOME, else ~/.local/state); None where it
    can't be written to: then each run has a budget of its own.
    """
    state = os.environ.get("XDG_STATE_HOME")
    try:
        return SharedHosts((Path(state) if state else Path.home() / ".local/state") / "bilderatlas/hosts", origins)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None
