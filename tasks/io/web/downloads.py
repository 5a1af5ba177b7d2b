"""Many requests to many hosts on few threads: a thread takes whatever may be sent now, and none waits for a slow host.

Each host has a queue of its own. The hosts stand in one heap by the time at which they may next be asked; a host that
pauses goes back into it, and its requests with it. A request that a redirect leads to another host goes on in that
one's queue. What fails in passing goes back with a pause of its own, as often as the manners allow.
"""

import contextlib
import heapq
import itertools
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.reasons import PASSING, Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.client import Client, NotYet
from tasks.io.web.rate_limits import Governor
from tasks.io.web.turns import Way

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
_LONGEST_NAP_S = 0.5
_NO_USE_IN_TRYING = {Reason.OVER_BUDGET}

Row = dict[str, Any]
Fetch = Callable[[Row], Row]
"""Sends one request, whose turn is taken already, and gives its row. Raises UnreadableImage, NotYet."""
Failed = Callable[[Row, UnreadableImage], Row]


@dataclass(order=True)
class _Errand:
    ready_s: float
    order: int
    request: Row = field(compare=False)
    url: str = field(compare=False)
    way: Way | None = field(default=None, compare=False)
    tries: int = field(default=0, compare=False)


class Left(Exception):
    """The run was given up; what was under way has come to nothing."""


@dataclass
class _Host:
    name: str
    queue: list[_Errand] = field(default_factory=list)
    listed_s: float | None = None  # where in the heap; None: a thread has it in hand, or nothing waits for it


class Downloads:
    """One batch of requests under way. Iterate over `rows` for their rows, in the order in which they come."""

    def __init__(
        self, client: Client, governor: Governor, tries: int, threads: int, fetch: Fetch, failed: Failed
    ) -> None:
        """`fetch` and `failed` run on several threads at once."""
        self._client, self._governor = client, governor
        self._tries, self._threads = tries, threads
        self._fetch, self._failed = fetch, failed
        self._heap: list[tuple[float, int, _Host]] = []
        self._hosts: dict[str, _Host] = {}
        self._order = itertools.count()
        self._condition = threading.Condition()
        self._left = 0
        self._is_stopped = False
        self._done: queue.SimpleQueue[Row | BaseException] = queue.SimpleQueue()

    def rows(self, requests: Sequence[Row], url: Callable[[Row], str]) -> Iterator[Row]:
        """A row for each request. Leaving the loop early sends nothing more."""
        self._left = len(requests)
        for request in requests:
            self._put(_Errand(0.0, next(self._order), request, url(request)))
        threads = [
            threading.Thread(target=self._work, name=f"download-{number}", daemon=True)
            for number in range(min(self._threads, self._left))
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in requests:
                yield self._next_row()
        finally:
            with self._condition:
                self._is_stopped = True
                self._condition.notify_all()
            for thread in threads:  # who has left for good does not wait for what is under way
                thread.join(timeout=0.1 if self._client.is_left.is_set() else None)

    def _next_row(self) -> Row:
        while True:
            if self._client.is_left.is_set():
                raise Left("the build was interrupted")
            with contextlib.suppress(queue.Empty):
                found = self._done.get(timeout=_LONGEST_NAP_S)
                if isinstance(found, BaseException):
                    raise found
                return found

    # ------------------------------------------------------------------------------------------------ threads

    def _work(self) -> None:
        try:
            while (taken := self._next()) is not None:
                self._finish(*taken)
        except BaseException as problem:  # a thread's error belongs to whoever iterates
            self._done.put(problem)

    def _next(self) -> tuple[str, _Errand] | None:
        """A host, a turn with it, and an errand for it; waits for one. None when there will be none."""
        while (host := self._next_host()) is not None:
            turn = self._governor.may(host.name)  # its first errand is ready: it was listed for that time
            with self._condition:
                if turn.wait_s:
                    self._list(host, time.monotonic() + turn.wait_s)
                    continue
                errand = heapq.heappop(host.queue)
                if host.queue:
                    self._list(host)
                if turn.refusal is None and not self._is_stopped:
                    return host.name, errand
            if turn.refusal is None:
                self._governor.give_back(host.name)
            else:
                self._tell(self._failed(errand.request, UnreadableImage(turn.refusal, turn.detail)))
        return None

    def _next_host(self) -> _Host | None:
        """The host that may be asked first, taken out of the heap; waits until it may be."""
        with self._condition:
            while self._left and not self._is_stopped and not self._client.is_left.is_set():
                now = time.monotonic()
                if self._heap and self._heap[0][0] <= now:
                    listed_s, _, host = heapq.heappop(self._heap)
                    if listed_s == host.listed_s:  # else it was listed again, for an earlier time
                        host.listed_s = None
                        return host
                    continue
                self._condition.wait(min(self._heap[0][0] - now, _LONGEST_NAP_S) if self._heap else _LONGEST_NAP_S)
        return None

    def _list(self, host: _Host, not_before_s: float = 0.0) -> None:
        """Put a host that is in hand back into the heap: behind those that have waited, so that each has its turn."""
        host.listed_s = max(not_before_s, host.queue[0].ready_s, time.monotonic())
        heapq.heappush(self._heap, (host.listed_s, next(self._order), host))
        self._condition.notify()

    def _put(self, errand: _Errand) -> None:
        """Queue an errand where its request goes on; one that can't go anywhere is told at once."""
        try:
            name = self._client.host_of(errand.way.url if errand.way else errand.url)
        except UnreadableImage as problem:
            self._tell(self._failed(errand.request, problem))
            return
        with self._condition:
            host = self._hosts.setdefault(name, _Host(name))
            is_idle = not host.queue
            heapq.heappush(host.queue, errand)
            if is_idle or (host.listed_s is not None and errand.ready_s < host.listed_s):
                self._list(host)  # else it is listed, or the thread that has it in hand will list it

    def _finish(self, name: str, errand: _Errand) -> None:
        try:
            with self._client.holding(name, errand.way, has_failed=bool(errand.tries)):
                row = self._fetch(errand.request)
        except NotYet as pause:
            errand.ready_s, errand.way = time.monotonic() + pause.wait_s, pause.way
            self._put(errand)
            return
        except UnreadableImage as problem:
            errand.tries += 1
            if problem.reason in PASSING and problem.reason not in _NO_USE_IN_TRYING and errand.tries < self._tries:
                errand.ready_s, errand.way = time.monotonic() + _pause_s(errand.tries), None
                self._put(errand)
                return
            row = self._failed(errand.request, problem)
        self._tell(row)

    def _tell(self, row: Row) -> None:
        self._done.put(row)
        with self._condition:
            self._left -= 1
            if not self._left:
                self._condition.notify_all()


def _pause_s(tries: int) -> float:
    # full jitter: those that failed together must not come back together
    return random.random() * min(_FIRST_PAUSE_S * 2.0 ** min(tries, 30), _LONGEST_PAUSE_S)
