"""When the next request may be sent to a host, learnt from its responses; it sends nothing itself.

Of every host: a token bucket of size one (requests are spaced, without bursts), a limit on requests at the same time, a
rate that throttling halves and success slowly restores, pauses as long as Retry-After says (RFC 9110, 10.2.3) or else
by full jitter ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015), and a circuit breaker. The spaces, the
pauses and the connections are shared with the user's other builds (`shared_hosts`); the rest is a run's own.
"""

import contextlib
import email.utils
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from schemas.manners import HostManners, Manners
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.shared_hosts import Connection, HostTimes, SharedHosts

RequestOutcome = Literal["good", "throttled", "failed", "failed_again"]
"""failed_again: of a request that failed before. At the end of a batch most are such, so they don't count."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_FAILURES_THAT_TRIP, _TRIPS_THAT_CLOSE = 10, 3
_LEAST_PACE_FRACTION = 1 / 64
_RECOVERY_FRACTION = 1 / 50
_RECHECK_S = 0.02
Gauge = Callable[[], float]


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait, of a Retry-After header: a number of seconds or a date (RFC 9110, 10.2.3). Else None.

    >>> retry_after_s("120"), retry_after_s("soon"), retry_after_s(None)
    (120.0, None, None)
    """
    text = (value or "").strip()
    if text.isdecimal():
        return float(text[:12])
    try:
        until = email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


@dataclass
class _HostState:
    limits: HostManners
    rate_per_s: float
    times: HostTimes = field(default_factory=HostTimes)
    open_permits: int = 0
    connections: list[Connection] = field(default_factory=list)  # of those that are shared
    throttled_in_a_row: int = 0
    failed_in_a_row: int = 0
    trips: int = 0
    is_half_open: bool = False  # of the circuit breaker: one request is sent, before all others
    is_probing: bool = False  # that request is in progress
    closed_reason: Reason | None = None
    closed_detail: str = ""


@dataclass(frozen=True)
class PermitDecision:
    """Whether one request may be sent: now, with a permit to give back, in `wait_s`, or never (`refusal`)."""

    wait_s: float = 0.0
    refusal: Reason | None = None
    detail: str = ""

    @property
    def is_granted(self) -> bool:
        """Whether there is a permit."""
        return not self.wait_s and self.refusal is None


class RateLimiter:
    """Decides when a request may be sent to which host. Thread-safe; no call waits."""

    def __init__(
        self,
        manners: Manners,
        clock: Gauge = time.monotonic,
        random_fraction: Gauge = random.random,
        shared: SharedHosts | None = None,
    ) -> None:
        """`clock` in seconds, that of `shared` if there is one; `random_fraction` from 0 to 1, for the jitter."""
        self._manners, self._random_fraction = manners, random_fraction
        self._shared, self._clock = shared, shared.clock if shared else clock
        self._hosts: dict[str, _HostState] = {}
        self._requests = self._bytes = 0
        self._lock = threading.Lock()

    def try_acquire(self, host: str) -> PermitDecision:
        """A permit for one request to the host, or how long to wait before the next try, or why there is none."""
        with self._locked(host) as (state, now):
            if (asked_s := state.times.asked_until_s - now) > self._manners.longest_wait_s:
                self._close(state, f"asked to wait {asked_s:.0f} s")  # in an earlier build
            if state.closed_reason is not None:
                return PermitDecision(refusal=state.closed_reason, detail=state.closed_detail)
            if over := self._over_budget():
                return PermitDecision(refusal=Reason.OVER_BUDGET, detail=over)
            if (wait_s := max(state.times.next_s, state.times.paused_until_s, state.times.asked_until_s) - now) > 0:
                return PermitDecision(wait_s=wait_s)
            limit = 1 if state.is_half_open else state.limits.connections
            if state.open_permits >= limit or not self._has_connected(host, state):
                return PermitDecision(wait_s=_RECHECK_S)
            state.open_permits += 1
            state.is_probing = state.is_half_open
            state.times.next_s = max(now, state.times.next_s) + 1 / state.rate_per_s
            self._requests += 1
            return PermitDecision()

    def release(
        self, host: str, outcome: RequestOutcome, retry_after_s: float | None = None, received_bytes: int = 0
    ) -> None:
        """Give a permit back, with the outcome of its request."""
        with self._locked(host, with_times=outcome in {"throttled", "failed"}) as (state, now):
            self._bytes += received_bytes
            if outcome == "good":
                self._speed_up(state)
            elif outcome == "throttled":
                self._slow_down(state, now, retry_after_s)
            elif outcome == "failed":
                self._count_failure(state, now)
            self._give_back(state)

    def cancel(self, host: str) -> None:
        """Give back a permit for which nothing was sent."""
        with self._lock:
            self._give_back(self._host(host))
            self._requests -= 1

    def set_crawl_delay(self, host: str, delay_s: float) -> None:
        """Apply the Crawl-delay of robots.txt: at most one request in so many seconds."""
        with self._locked(host) as (state, now):
            if delay_s > self._manners.longest_wait_s:
                self._close(state, f"robots.txt asks for one request in {delay_s:.0f} s")
            elif delay_s > 0 and 1 / delay_s < state.limits.rate_per_s:
                state.limits = state.limits.model_copy(update={"rate_per_s": 1 / delay_s})
                state.rate_per_s = min(state.rate_per_s, 1 / delay_s)
                state.times.next_s = max(state.times.next_s, now + delay_s)

    @contextlib.contextmanager
    def _locked(self, host: str, *, with_times: bool = True) -> Iterator[tuple[_HostState, float]]:
        """A host's state, which nobody else changes meanwhile, and the time. with_times: those that are shared, too."""
        with self._lock, contextlib.ExitStack() as stack:
            state = self._host(host)
            if self._shared is not None and with_times:
                state.times = stack.enter_context(self._shared.times(host))
            yield state, self._clock()

    def _has_connected(self, host: str, state: _HostState) -> bool:
        """Whether one more connection is free in all builds together, and now taken."""
        if self._shared is None:
            return True
        connection = self._shared.connection(host, state.limits.connections)
        if connection is not None:
            state.connections.append(connection)
        return connection is not None

    def _host(self, host: str) -> _HostState:
        if host not in self._hosts:
            limits = self._manners.of(host)
            self._hosts[host] = _HostState(limits, limits.rate_per_s)
        return self._hosts[host]

    def _give_back(self, state: _HostState) -> None:
        state.open_permits, state.is_probing = max(state.open_permits - 1, 0), False
        if state.connections:
            state.connections.pop().close()

    def _over_budget(self) -> str:
        most = self._manners
        for limit, spent, what in (
            (most.max_requests, self._requests, "requests"),
            (most.max_bytes, self._bytes, "bytes"),
        ):
            if limit is not None and spent >= limit:
                return f"the build's {limit} {what} are spent"
        return ""

    def _speed_up(self, state: _HostState) -> None:
        state.throttled_in_a_row = state.failed_in_a_row = state.trips = 0
        state.is_half_open = False
        state.rate_per_s = min(state.limits.rate_per_s, state.rate_per_s + state.limits.rate_per_s * _RECOVERY_FRACTION)

    def _slow_down(self, state: _HostState, now: float, retry_after_s: float | None) -> None:
        state.failed_in_a_row = 0  # a host that throttles does answer
        if retry_after_s is not None and retry_after_s > self._manners.longest_wait_s:
            self._close(state, f"asked to wait {retry_after_s:.0f} s")
            state.times.asked_until_s = max(state.times.asked_until_s, now + retry_after_s)  # for later builds
            return
        # responses to requests sent before the pause are no new signal
        if now >= max(state.times.paused_until_s, state.times.asked_until_s):
            state.throttled_in_a_row += 1
            state.rate_per_s = max(state.rate_per_s / 2, state.limits.rate_per_s * _LEAST_PACE_FRACTION)
        if retry_after_s:
            state.times.asked_until_s = max(state.times.asked_until_s, now + retry_after_s)
        else:
            pause_s = self._jitter_s(state.throttled_in_a_row)
            state.times.paused_until_s = max(state.times.paused_until_s, now + pause_s)

    def _count_failure(self, state: _HostState, now: float) -> None:
        if state.is_half_open and not state.is_probing:  # sent before the pause: no new signal
            return
        state.failed_in_a_row += 1
        if state.failed_in_a_row < _FAILURES_THAT_TRIP and not state.is_half_open:
            return
        state.trips += 1
        state.failed_in_a_row, state.is_half_open = 0, True
        if state.trips > _TRIPS_THAT_CLOSE:
            state.closed_reason = Reason.UNREACHABLE
            state.closed_detail = f"does not answer, not even after {state.trips - 1} pauses"
        state.times.paused_until_s = max(state.times.paused_until_s, now + self._jitter_s(state.trips + 2))

    def _close(self, state: _HostState, why: str) -> None:
        state.closed_reason = Reason.THROTTLED
        state.closed_detail = f"{why}, longer than this build waits for one host"

    def _jitter_s(self, times: int) -> float:
        return self._random_fraction() * min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(times, 30))


_LONGEST_SLEEP_S = 1.0
# longer than the time between two requests to the slowest host: a request restarted sooner would never finish
_LONGEST_PATIENT_WAIT_S = 120.0
_FAILURES = {Reason.UNREACHABLE, Reason.CUT_SHORT, Reason.SERVER_ERROR}


@dataclass(frozen=True)
class RedirectChain:
    """The redirects that a request has followed: from its original URL to the one that is requested next."""

    original_url: str
    url: str
    visited: tuple[str, ...] = ()  # the URLs that have redirected
    has_set_cookie: bool = False  # one of their answers
    has_checked_head: bool = False  # of the current URL, by a HEAD request


class PostponedRequest(Exception):
    """The request can't go on now and holds no permit. With a new permit, in `wait_s`, it continues along its chain."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(wait_s)
        self.wait_s = wait_s
        self.redirect_chain: RedirectChain | None = None


class ThreadPermit(threading.local):
    """What this thread holds for its next request: a permit for this host, and the redirects followed so far."""

    host: str | None = None
    redirect_chain: RedirectChain | None = None
    has_failed: bool = False  # earlier in this build


@dataclass
class TransferStats:
    """What the rate limiter learns from a response, besides the outcome of the request."""

    retry_after_s: float | None = None
    received_bytes: int = 0


class RequestPermits:
    """The permits of one request, one for each host on its redirect chain."""

    def __init__(self, rate_limiter: RateLimiter, own: ThreadPermit | None) -> None:
        """own: the caller's permit, used first; to wait then raises PostponedRequest. None: this thread may wait."""
        self._rate_limiter, self._own, self._may_wait = rate_limiter, own or ThreadPermit(), own is None

    @contextlib.contextmanager
    def permit(self, host: str, *, is_patient: bool) -> Iterator[TransferStats]:
        """A permit for one request to the host, released at the end. Raises UnreadableImage if the host gets no more
        requests in this build, PostponedRequest if it gets none now.
        """
        self._acquire(host, is_patient)
        stats = TransferStats()
        outcome: RequestOutcome = "failed_again" if self._own.has_failed else "failed"
        try:
            yield stats
            outcome = "good"
        except UnreadableImage as problem:
            if problem.reason not in _FAILURES:
                outcome = "throttled" if problem.reason == Reason.THROTTLED else "good"
            raise
        finally:
            self._rate_limiter.release(host, outcome, stats.retry_after_s, stats.received_bytes)

    def wait(self, wait_s: float, *, is_patient: bool) -> None:
        """Sleep for a moment, or raise PostponedRequest. is_patient: a short wait is better than starting again."""
        self.cancel_unused()
        if not self._may_wait and not (is_patient and wait_s <= _LONGEST_PATIENT_WAIT_S):
            raise PostponedRequest(wait_s)
        time.sleep(min(wait_s, _LONGEST_SLEEP_S))

    def cancel_unused(self) -> None:
        """Cancel the caller's own permit, if it was not used."""
        host, self._own.host = self._own.host, None
        if host is not None:
            self._rate_limiter.cancel(host)

    def _acquire(self, host: str, is_patient: bool) -> None:
        if self._own.host == host:
            self._own.host = None
            return
        while (decision := self._rate_limiter.try_acquire(host)).refusal is None:
            if decision.is_granted:
                return
            self.wait(decision.wait_s, is_patient=is_patient)
        raise UnreadableImage(decision.refusal, decision.detail)
