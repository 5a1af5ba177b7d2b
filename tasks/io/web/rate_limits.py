"""When the next request may be sent to a host, learnt from its responses. Shared by all workers of a run.

One `RateLimiter` has the state of every host of a run: a token bucket of size one (so requests are spaced, without
bursts), a limit on requests at the same time, a rate that throttling halves and success slowly restores (additive
increase, multiplicative decrease), pauses as long as Retry-After says or else by full jitter, and a circuit breaker. It
sends nothing itself.

Sources: RFC 9110, section 10.2.3 (Retry-After); "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 (full
jitter).
"""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from schemas.manners import HostManners, Manners
from schemas.reasons import Reason

RequestOutcome = Literal["good", "throttled", "failed", "failed_again"]
"""failed_again: of a request that failed before. At the end of a batch most are such, so they don't count."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_FAILURES_THAT_TRIP, _TRIPS_THAT_CLOSE = 10, 3
_LEAST_PACE_FRACTION = 1 / 64
_RECOVERY_FRACTION = 1 / 50
_RECHECK_S = 0.02


@dataclass
class _HostState:
    limits: HostManners
    rate_per_s: float
    open_permits: int = 0
    next_s: float = 0.0
    paused_until_s: float = 0.0
    throttled_in_a_row: int = 0
    failed_in_a_row: int = 0
    trips: int = 0
    is_half_open: bool = False  # of the circuit breaker: one request is sent, before all others
    is_probing: bool = False  # that request is in progress
    closed_reason: Reason | None = None
    closed_detail: str = ""


@dataclass(frozen=True)
class PermitDecision:
    """Whether one request may be sent now. A permit that is granted must be given back by `release` or `cancel`.

    wait_s: above 0, ask again then. refusal: why the host gets no more requests in this build.
    """

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
        clock: Callable[[], float] = time.monotonic,
        random_fraction: Callable[[], float] = random.random,
    ) -> None:
        """`clock` in seconds; `random_fraction` from 0 to 1, for the jitter."""
        self._manners, self._clock, self._random_fraction = manners, clock, random_fraction
        self._hosts: dict[str, _HostState] = {}
        self._requests = self._bytes = 0
        self._lock = threading.Lock()

    def try_acquire(self, host: str) -> PermitDecision:
        """A permit for one request to the host, or how long to wait before the next try, or why there is none."""
        with self._lock:
            state, now = self._host(host), self._clock()
            if state.closed_reason is not None:
                return PermitDecision(refusal=state.closed_reason, detail=state.closed_detail)
            if over := self._over_budget():
                return PermitDecision(refusal=Reason.OVER_BUDGET, detail=over)
            wait_s = max(state.next_s, state.paused_until_s) - now
            if wait_s > 0:
                return PermitDecision(wait_s=wait_s)
            limit = 1 if state.is_half_open else state.limits.connections
            if state.open_permits >= limit:
                return PermitDecision(wait_s=_RECHECK_S)
            state.open_permits += 1
            state.is_probing = state.is_half_open
            state.next_s = max(now, state.next_s) + 1 / state.rate_per_s
            self._requests += 1
            return PermitDecision()

    def release(
        self, host: str, outcome: RequestOutcome, retry_after_s: float | None = None, received_bytes: int = 0
    ) -> None:
        """Give a permit back, with the outcome of its request."""
        with self._lock:
            state, now = self._host(host), self._clock()
            state.open_permits = max(state.open_permits - 1, 0)
            self._bytes += received_bytes
            if outcome == "good":
                self._speed_up(state)
            elif outcome == "throttled":
                self._slow_down(state, now, retry_after_s)
            elif outcome == "failed":
                self._count_failure(state, now)
            state.is_probing = False

    def cancel(self, host: str) -> None:
        """Give back a permit for which nothing was sent."""
        with self._lock:
            state = self._host(host)
            state.open_permits = max(state.open_permits - 1, 0)
            state.is_probing = False
            self._requests -= 1

    def set_crawl_delay(self, host: str, delay_s: float) -> None:
        """Apply the Crawl-delay of robots.txt: at most one request in so many seconds."""
        with self._lock:
            state = self._host(host)
            if delay_s > self._manners.longest_wait_s:
                self._close(state, Reason.THROTTLED, f"robots.txt asks for one request in {delay_s:.0f} s")
            elif delay_s > 0 and 1 / delay_s < state.limits.rate_per_s:
                state.limits = state.limits.model_copy(update={"rate_per_s": 1 / delay_s})
                state.rate_per_s = min(state.rate_per_s, 1 / delay_s)
                state.next_s = max(state.next_s, self._clock() + delay_s)

    def _host(self, host: str) -> _HostState:
        if host not in self._hosts:
            limits = self._manners.of(host)
            self._hosts[host] = _HostState(limits, limits.rate_per_s)
        return self._hosts[host]

    def _over_budget(self) -> str:
        limit = self._manners.max_requests
        if limit is not None and self._requests >= limit:
            return f"the build's {limit} requests are spent"
        limit = self._manners.max_bytes
        if limit is not None and self._bytes >= limit:
            return f"the build's {limit} bytes are spent"
        return ""

    def _speed_up(self, state: _HostState) -> None:
        state.throttled_in_a_row = state.failed_in_a_row = state.trips = 0
        state.is_half_open = False
        state.rate_per_s = min(state.limits.rate_per_s, state.rate_per_s + state.limits.rate_per_s * _RECOVERY_FRACTION)

    def _slow_down(self, state: _HostState, now: float, retry_after_s: float | None) -> None:
        state.failed_in_a_row = 0  # a host that throttles does answer
        if retry_after_s is not None and retry_after_s > self._manners.longest_wait_s:
            self._close(state, Reason.THROTTLED, f"asked to wait {retry_after_s:.0f} s")
            return
        if now >= state.paused_until_s:  # responses to requests sent before the pause are no new signal
            state.throttled_in_a_row += 1
            state.rate_per_s = max(state.rate_per_s / 2, state.limits.rate_per_s * _LEAST_PACE_FRACTION)
        pause_s = retry_after_s or self._jitter_s(state.throttled_in_a_row)
        state.paused_until_s = max(state.paused_until_s, now + pause_s)

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
        state.paused_until_s = max(state.paused_until_s, now + self._jitter_s(state.trips + 2))

    def _close(self, state: _HostState, reason: Reason, why: str) -> None:
        state.closed_reason = reason
        state.closed_detail = f"{why}, longer than this build waits for one host"

    def _jitter_s(self, times: int) -> float:
        return self._random_fraction() * min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(times, 30))
