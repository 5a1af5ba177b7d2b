"""Many requests to many hosts on few threads: a thread takes whatever may be sent now, and none waits for a slow host.

The hosts, each with its own queue, are in one heap, ordered by the time of their next request. A request that is
redirected moves to that host's queue; one that fails in passing is queued again after a pause.
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
from tasks.io.web.client import Client, PostponedRequest
from tasks.io.web.rate_limits import RateLimiter, RedirectChain

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
_LONGEST_WAIT_S = 0.5
_NEVER_RETRIED = {Reason.OVER_BUDGET}

Row = dict[str, Any]
Fetch = Callable[[Row], Row]
"""Sends one request, with the thread's permit, and returns its row. Raises UnreadableImage, PostponedRequest."""
FailureRow = Callable[[Row, UnreadableImage], Row]


@dataclass(order=True)
class _QueuedRequest:
    ready_s: float
    order: int
    request: Row = field(compare=False)
    url: str = field(compare=False)
    redirect_chain: RedirectChain | None = field(default=None, compare=False)
    tries: int = field(default=0, compare=False)


class Interruption(Exception):
    """The run was abandoned; requests in progress give no rows."""


@dataclass
class _HostQueue:
    name: str
    queue: list[_QueuedRequest] = field(default_factory=list)
    scheduled_s: float | None = None  # its time in the heap; None: a thread has taken it, or its queue is empty


class Downloads:
    """One batch of requests. Iterate over `rows` for their rows, in the order in which they finish."""

    def __init__(
        self, client: Client, rate_limiter: RateLimiter, tries: int, threads: int, fetch: Fetch, failure_row: FailureRow
    ) -> None:
        """`fetch` and `failure_row` run on several threads at once."""
        self._client, self._rate_limiter = client, rate_limiter
        self._tries, self._threads = tries, threads
        self._fetch, self._failure_row = fetch, failure_row
        self._heap: list[tuple[float, int, _HostQueue]] = []
        self._hosts: dict[str, _HostQueue] = {}
        self._order = itertools.count()
        self._condition = threading.Condition()
        self._remaining = 0
        self._is_stopped = False
        self._results: queue.SimpleQueue[Row | BaseException] = queue.SimpleQueue()

    def rows(self, requests: Sequence[Row], url: Callable[[Row], str]) -> Iterator[Row]:
        """A row for each request. Leaving the loop early sends nothing more."""
        self._remaining = len(requests)
        for request in requests:
            self._enqueue(_QueuedRequest(0.0, next(self._order), request, url(request)))
        threads = []
        for number in range(min(self._threads, self._remaining)):
            threads.append(threading.Thread(target=self._work, name=f"download-{number}", daemon=True))
            threads[-1].start()
        try:
            for _ in requests:
                yield self._next_row()
        finally:
            with self._condition:
                self._is_stopped = True
                self._condition.notify_all()
            for thread in threads:  # an abandoned run does not wait for requests in progress
                thread.join(timeout=0.1 if self._client.is_abandoned.is_set() else None)

    def _next_row(self) -> Row:
        while True:
            if self._client.is_abandoned.is_set():
                raise Interruption("the build was interrupted")
            with contextlib.suppress(queue.Empty):
                result = self._results.get(timeout=_LONGEST_WAIT_S)
                if isinstance(result, BaseException):
                    raise result
                return result

    def _work(self) -> None:
        try:
            while (taken := self._next()) is not None:
                self._finish(*taken)
        except BaseException as problem:  # an error in a thread is raised in the thread that iterates
            self._results.put(problem)

    def _next(self) -> tuple[str, _QueuedRequest] | None:
        """A host for which there is a permit, and a request for it; waits for them. None at the end."""
        while (host := self._next_host()) is not None:
            # its first request is ready: the host was scheduled for that time
            decision = self._rate_limiter.try_acquire(host.name)
            with self._condition:
                if decision.wait_s:
                    self._schedule(host, time.monotonic() + decision.wait_s)
                    continue
                queued = heapq.heappop(host.queue)
                if host.queue:
                    self._schedule(host)
                if decision.refusal is None and not self._is_stopped:
                    return host.name, queued
            if decision.refusal is None:
                self._rate_limiter.cancel(host.name)
            else:
                self._report(self._failure_row(queued.request, UnreadableImage(decision.refusal, decision.detail)))
        return None

    def _next_host(self) -> _HostQueue | None:
        with self._condition:
            while self._remaining and not self._is_stopped and not self._client.is_abandoned.is_set():
                now = time.monotonic()
                if self._heap and self._heap[0][0] <= now:
                    scheduled_s, _, host = heapq.heappop(self._heap)
                    if scheduled_s == host.scheduled_s:  # else it was scheduled again, for an earlier time
                        host.scheduled_s = None
                        return host
                    continue
                self._condition.wait(min(self._heap[0][0] - now, _LONGEST_WAIT_S) if self._heap else _LONGEST_WAIT_S)
        return None

    def _schedule(self, host: _HostQueue, not_before_s: float = 0.0) -> None:
        """Put a host that a thread has taken back into the heap, behind those that have waited longer."""
        host.scheduled_s = max(not_before_s, host.queue[0].ready_s, time.monotonic())
        heapq.heappush(self._heap, (host.scheduled_s, next(self._order), host))
        self._condition.notify()

    def _enqueue(self, queued: _QueuedRequest) -> None:
        """Put a request into its host's queue; one whose URL is not allowed becomes a failure row at once."""
        try:
            name = self._client.host_of(queued.redirect_chain.url if queued.redirect_chain else queued.url)
        except UnreadableImage as problem:
            self._report(self._failure_row(queued.request, problem))
            return
        with self._condition:
            host = self._hosts.setdefault(name, _HostQueue(name))
            is_idle = not host.queue
            heapq.heappush(host.queue, queued)
            if is_idle or (host.scheduled_s is not None and queued.ready_s < host.scheduled_s):
                self._schedule(host)  # else it is scheduled already, or the thread that has taken it will do so

    def _finish(self, name: str, queued: _QueuedRequest) -> None:
        try:
            with self._client.using_permit(name, queued.redirect_chain, has_failed=bool(queued.tries)):
                row = self._fetch(queued.request)
        except PostponedRequest as pause:
            queued.ready_s, queued.redirect_chain = time.monotonic() + pause.wait_s, pause.redirect_chain
            self._enqueue(queued)
            return
        except UnreadableImage as problem:
            queued.tries += 1
            if problem.reason in PASSING and problem.reason not in _NEVER_RETRIED and queued.tries < self._tries:
                queued.ready_s, queued.redirect_chain = time.monotonic() + _pause_s(queued.tries), None
                self._enqueue(queued)
                return
            row = self._failure_row(queued.request, problem)
        self._report(row)

    def _report(self, row: Row) -> None:
        self._results.put(row)
        with self._condition:
            self._remaining -= 1
            if not self._remaining:
                self._condition.notify_all()


def _pause_s(tries: int) -> float:
    # full jitter: requests that failed together must not be sent again together
    return random.random() * min(_FIRST_PAUSE_S * 2.0 ** min(tries, 30), _LONGEST_PAUSE_S)
