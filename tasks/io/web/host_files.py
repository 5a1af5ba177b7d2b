"""The files in which a host speaks to robots, robots.txt and tdmrep.json: each is read once, by one of the threads."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web import tdmrep
from tasks.io.web.rate_limits import RateLimiter, RequestPermits
from tasks.io.web.robots import RobotsRules
from tasks.io.web.tdmrep import TdmFile

_LOCK_POLL_S = 0.1
_HAS_NO_ROBOTS_TXT = {Reason.NOT_FOUND, Reason.HTTP_ERROR, Reason.NOT_ALLOWED, Reason.REDIRECT_LOOP}
Load = Callable[[str], bytes]
"""The bytes of a file of the host, by its path. Raises UnreadableImage."""
_FileT = TypeVar("_FileT", RobotsRules, TdmFile)


class NamedLocks:
    """Locks by name: one thread looks something up, the others wait for its result."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def held(self, name: str, permits: RequestPermits) -> Iterator[None]:
        """Hold the lock of that name. Raises PostponedRequest if the thread may not wait for it."""
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        while not lock.acquire(blocking=False):
            permits.wait(_LOCK_POLL_S, is_patient=False)
        try:
            yield
        finally:
            lock.release()


class HostFiles:
    """robots.txt and tdmrep.json of each host that was asked. Thread-safe."""

    def __init__(self, rate_limiter: RateLimiter, locks: NamedLocks) -> None:
        self._rate_limiter, self._locks = rate_limiter, locks
        self._robots_by_host: dict[str, RobotsRules] = {}
        self._tdm_by_host: dict[str, TdmFile] = {}

    def robots_rules(self, host: str, load: Load, permits: RequestPermits) -> RobotsRules:
        """The host's rules, if any. Raises UnreadableImage if it fails to send them (RFC 9309, 2.3.1)."""

        def read() -> RobotsRules:
            rules = _robots_rules(load)
            self._rate_limiter.set_crawl_delay(host, rules.crawl_delay_s)
            return rules

        return self._read_once(self._robots_by_host, host, f"robots.txt {host}", read, permits)

    def tdm_file(self, host: str, load: Load, permits: RequestPermits) -> TdmFile:
        """What the host reserves. A host that fails to send the file has none, for whatever reason: the protocol says
        that it does not implement it then.
        """
        return self._read_once(self._tdm_by_host, host, f"tdmrep.json {host}", lambda: _tdm_file(load), permits)

    def _read_once(
        self, files: dict[str, _FileT], host: str, name: str, read: Callable[[], _FileT], permits: RequestPermits
    ) -> _FileT:
        if host not in files:
            with self._locks.held(name, permits):
                if host not in files:
                    files[host] = read()
        return files[host]


def _robots_rules(load: Load) -> RobotsRules:
    try:
        return RobotsRules(load("/robots.txt"))
    except UnreadableImage as problem:
        if problem.reason not in _HAS_NO_ROBOTS_TXT:
            raise UnreadableImage(problem.reason, f"robots.txt: {problem.detail}") from problem
    return RobotsRules(b"")


def _tdm_file(load: Load) -> TdmFile:
    with contextlib.suppress(UnreadableImage):
        return TdmFile(load(tdmrep.ADDRESS))
    return TdmFile(b"")
