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
import math
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
_LONGEST_LOCK_S, _LOCK_POLL_S = 0.2, 0.0005
"""A lock is held for some 50 microseconds."""
LONGEST_PAUSE_S = 86_400.0
"""A host can't keep all builds away for longer by one answer: no recipe waits longer for one (`longest_wait_s`)."""


@dataclass
class HostTimes:
    """Seconds of the wall clock: when the next request may be sent, until when none is, and until when the host itself
    has asked for none.
    """

    next_s: float = 0.0
    paused_until_s: float = 0.0
    asked_until_s: float = 0.0


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

    While the folder can't be used, as where the disk is full or knows no locks, a process goes by what it knows itself.
    """

    def __init__(self, folder: Path, origins: Origins, clock: Callable[[], float] = time.time) -> None:
        """Raises OSError if the folder can't be made or listed."""
        self._folder, self._origins, self.clock = folder, origins, clock
        self._known: dict[str, bytes] = {}
        self._unwritten: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._remove_old()

    @contextlib.contextmanager
    def times(self, host: str) -> Iterator[HostTimes]:
        """A host's times, which nobody else changes meanwhile; what they are in the end is kept."""
        with contextlib.ExitStack() as stack:
            file, said = None, self._known.get(host, b"")
            with contextlib.suppress(OSError):
                file = stack.enter_context(self._locked(self._place(host) / _TIMES))
                said = said if host in self._unwritten else os.pread(file, _BYTES, 0)
            now_s = self.clock()
            times, before = _times_of(said, now_s), _times_of(said)
            yield times
            if times == before and host not in self._unwritten:
                return
            for name in ("paused_until_s", "asked_until_s"):
                setattr(times, name, min(getattr(times, name), now_s + LONGEST_PAUSE_S))
            self._keep(host, file, json.dumps({**vars(times), "written_s": now_s}).encode().ljust(_BYTES))

    def connection(self, host: str, most: int) -> Connection | None:
        """One of a host's connections; None while `most` are in use."""
        for number in range(most):
            try:
                connection = Connection(file := _opened(self._place(host) / _SLOT.format(number)))
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                connection.close()
            except OSError:
                return Connection(None)
            else:
                return connection
        return None

    def _keep(self, host: str, file: int | None, text: bytes) -> None:
        self._known[host] = text
        self._unwritten.add(host)
        with contextlib.suppress(OSError):
            if file is not None and os.pwrite(file, text, 0) == len(text):
                self._unwritten.discard(host)

    @contextlib.contextmanager
    def _locked(self, path: Path) -> Iterator[int]:
        """Raises OSError, also where another process holds the lock for long: it may have been stopped."""
        file, until_s = _opened(path), time.monotonic() + _LONGEST_LOCK_S
        try:
            while not _is_locked(file):
                if time.monotonic() > until_s:
                    raise TimeoutError(f"expected a lock on {path} within {_LONGEST_LOCK_S} s, got none")
                time.sleep(_LOCK_POLL_S)
            yield file
        finally:
            os.close(file)

    def _place(self, host: str) -> Path:
        origin = self._origins.origin_of(host)
        bound = hashlib.sha256(origin.encode()).hexdigest()[:16] if origin else "itself"
        place = self._folder / f"{quote(host[:150], safe='')}@{bound}"
        place.mkdir(exist_ok=True, mode=0o700)
        return place

    def _remove_old(self) -> None:
        for place in self._folder.iterdir():
            with contextlib.suppress(OSError):
                times = place / _TIMES
                if self.clock() - (times if times.exists() else place).stat().st_mtime > _KEPT_S:
                    shutil.rmtree(place)


def _times_of(text: bytes, now_s: float = math.inf) -> HostTimes:
    """What a file says, moved as far as the clock was set back since; zeros where it is new, or cut by a kill."""
    try:
        said = json.loads(text)
        moved_s = min(0.0, now_s - float(said.pop("written_s")))
        return HostTimes(**{name: float(value) + moved_s for name, value in said.items()})
    except (ValueError, KeyError, TypeError, AttributeError):
        return HostTimes()


def _is_locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def hosts_of_user(origins: Origins) -> SharedHosts | None:
    """Those in the user's own folder for what programs remember ($XDG_STATE_HOME, else ~/.local/state); None where that
    can't be made: then each run has a budget of its own.
    """
    state = Path(os.environ.get("XDG_STATE_HOME") or "")
    try:
        folder = state if state.is_absolute() else Path.home() / ".local/state"
        return SharedHosts(folder / "bilderatlas/hosts", origins)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None
