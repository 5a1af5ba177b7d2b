"""The guest's manners: when a host may be asked again, learnt from its answers. Shared by all workers of a run.

One `Governor` knows every host that a run asks: a token bucket of one (so that requests are spaced, never bunched), a
cap on requests at once, a pace that throttling halves and success slowly restores (additive increase, multiplicative
decrease), pauses as long as Retry-After says or else by full jitter, and a circuit breaker. It sends nothing itself.

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

Ending = Literal["good", "throttled", "failed", "failed_again"]
"""failed_again: what had failed before. Towards the end of a batch little else is left: it says nothing of the host."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_FAILURES_THAT_TRIP, _TRIPS_THAT_CLOSE = 10, 3
_SLOWEST = 1 / 64
_RECOVERY = 1 / 50
_FULL_S = 0.02


@dataclass
class _Host:
    limits: HostManners
    rate_per_s: float
    at_once: int = 0
    next_s: float = 0.0
    paused_until_s: float = 0.0
    throttled_in_a_row: int = 0
    failed_in_a_row: int = 0
    trips: int = 0
    is_probed: bool = False  # half open: one request goes ahead of all others
    is_probing: bool = False  # that one is under way
    closed: Reason | None = None
    why_closed: str = ""


@dataclass(frozen=True)
class Turn:
    """Whether one request may be sent now: wait_s 0 and no refusal. Whoever has a turn must give it back by `done`."""

    wait_s: float = 0.0
    refusal: Reason | None = None
    detail: str = ""


class Governor:
    """Says who may ask when. Thread-safe; no call waits."""

    def __init__(
        self,
        manners: Manners,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`clock` in seconds; `chance` in 0..1."""
        self._manners, self._clock, self._chance = manners, clock, chance
        self._hosts: dict[str, _Host] = {}
        self._requests = self._bytes = 0
        self._lock = threading.Lock()

    def may(self, host: str) -> Turn:
        """A turn for one request to the host, or how long to wait before asking for one again, or why there is none."""
        with self._lock:
            known, now = self._host(host), self._clock()
            if known.closed is not None:
                return Turn(refusal=known.closed, detail=known.why_closed)
            if over := self._over_budget():
                return Turn(refusal=Reason.OVER_BUDGET, detail=over)
            wait_s = max(known.next_s, known.paused_until_s) - now
            if wait_s > 0:
                return Turn(wait_s=wait_s)
            most = 1 if known.is_probed else known.limits.connections
            if known.at_once >= most:
                return Turn(wait_s=_FULL_S)
            known.at_once += 1
            known.is_probing = known.is_probed
            known.next_s = max(now, known.next_s) + 1 / known.rate_per_s
            self._requests += 1
            return Turn()

    def done(self, host: str, ending: Ending, retry_after_s: float | None = None, received_bytes: int = 0) -> None:
        """Give a turn back, with what came of it."""
        with self._lock:
            known, now = self._host(host), self._clock()
            known.at_once = max(known.at_once - 1, 0)
            self._bytes += received_bytes
            if ending == "good":
                self._praise(known)
            elif ending == "throttled":
                self._slow_down(known, now, retry_after_s)
            elif ending == "failed":
                self._count_failure(known, now)
            known.is_probing = False

    def give_back(self, host: str) -> None:
        """Give back a turn for which nothing was sent."""
        with self._lock:
            known = self._host(host)
            known.at_once = max(known.at_once - 1, 0)
            known.is_probing = False
            self._requests -= 1

    def slow_to(self, host: str, delay_s: float) -> None:
        """What robots.txt asks for as Crawl-delay: no faster than one request in so many seconds."""
        with self._lock:
            known = self._host(host)
            if delay_s > self._manners.longest_wait_s:
                self._close(known, Reason.THROTTLED, f"robots.txt asks for one request in {delay_s:.0f} s")
            elif delay_s > 0 and 1 / delay_s < known.limits.rate_per_s:
                known.limits = known.limits.model_copy(update={"rate_per_s": 1 / delay_s})
                known.rate_per_s = min(known.rate_per_s, 1 / delay_s)
                known.next_s = max(known.next_s, self._clock() + delay_s)

    def _host(self, host: str) -> _Host:
        if host not in self._hosts:
            limits = self._manners.of(host)
            self._hosts[host] = _Host(limits, limits.rate_per_s)
        return self._hosts[host]

    def _over_budget(self) -> str:
        most = self._manners.max_requests
        if most is not None and self._requests >= most:
            return f"the build's {most} requests are spent"
        most = self._manners.max_bytes
        if most is not None and self._bytes >= most:
            return f"the build's {most} bytes are spent"
        return ""

    def _praise(self, known: _Host) -> None:
        known.throttled_in_a_row = known.failed_in_a_row = known.trips = 0
        known.is_probed = False
        known.rate_per_s = min(known.limits.rate_per_s, known.rate_per_s + known.limits.rate_per_s * _RECOVERY)

    def _slow_down(self, known: _Host, now: float, retry_after_s: float | None) -> None:
        known.failed_in_a_row = 0  # whoever asks to slow down is there
        if retry_after_s is not None and retry_after_s > self._manners.longest_wait_s:
            self._close(known, Reason.THROTTLED, f"asked to wait {retry_after_s:.0f} s")
            return
        if now >= known.paused_until_s:  # answers to what was sent before the pause began say nothing new
            known.throttled_in_a_row += 1
            known.rate_per_s = max(known.rate_per_s / 2, known.limits.rate_per_s * _SLOWEST)
        pause_s = retry_after_s or self._jitter_s(known.throttled_in_a_row)
        known.paused_until_s = max(known.paused_until_s, now + pause_s)

    def _count_failure(self, known: _Host, now: float) -> None:
        if known.is_probed and not known.is_probing:  # sent before the pause: says nothing new
            return
        known.failed_in_a_row += 1
        if known.failed_in_a_row < _FAILURES_THAT_TRIP and not known.is_probed:
            return
        known.trips += 1
        known.failed_in_a_row, known.is_probed = 0, True
        if known.trips > _TRIPS_THAT_CLOSE:
            known.closed = Reason.UNREACHABLE
            known.why_closed = f"does not answer, not even after {known.trips - 1} pauses"
        known.paused_until_s = max(known.paused_until_s, now + self._jitter_s(known.trips + 2))

    def _close(self, known: _Host, reason: Reason, why: str) -> None:
        known.closed = reason
        known.why_closed = f"{why}, longer than this build waits for one host"

    def _jitter_s(self, times: int) -> float:
        return self._chance() * min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(times, 30))
