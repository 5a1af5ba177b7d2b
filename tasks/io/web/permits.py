"""The permits of one request: acquired from the rate limiter for each host, and always released.

No thread waits for another permit, or for what another thread is looking up, while it holds a permit: two threads that
each hold what the other waits for would wait forever.
"""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.rate_limits import RateLimiter, RequestOutcome

_LONGEST_SLEEP_S = 1.0
# longer than the time between two requests to the slowest host: a request restarted sooner would never finish
_LONGEST_PATIENT_WAIT_S = 120.0
_OUTCOME_OF_REASON: dict[Reason, RequestOutcome] = {
    Reason.UNREACHABLE: "failed",
    Reason.CUT_SHORT: "failed",
    Reason.SERVER_ERROR: "failed",
    Reason.THROTTLED: "throttled",
}


@dataclass(frozen=True)
class RedirectChain:
    """The redirects that a request has followed: from its original URL to the one that is requested next."""

    original_url: str
    url: str
    visited: tuple[str, ...] = ()  # the URLs that have redirected
    has_set_cookie: bool = False  # one of their answers
    has_checked_head: bool = False  # of the current URL, by a HEAD request

    def followed_to(self, url: str) -> "RedirectChain":
        """The chain after one more redirect."""
        return RedirectChain(self.original_url, url, (*self.visited, self.url), self.has_set_cookie)


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
        """own: the caller's permit, used first; then whatever would have to wait raises PostponedRequest.

        None: this thread may wait.
        """
        self._rate_limiter, self._own, self._may_wait = rate_limiter, own or ThreadPermit(), own is None

    @contextlib.contextmanager
    def permit(self, host: str, *, is_patient: bool) -> Iterator[TransferStats]:
        """A permit for one request to the host, released at the end.

        Raises UnreadableImage if the host gets no more requests in this build, PostponedRequest if it gets none now.
        """
        self._acquire(host, is_patient)
        failed: RequestOutcome = "failed_again" if self._own.has_failed else "failed"
        stats = TransferStats()
        outcome: RequestOutcome = failed
        try:
            yield stats
            outcome = "good"
        except UnreadableImage as problem:
            outcome = _OUTCOME_OF_REASON.get(problem.reason, "good")
            outcome = failed if outcome == "failed" else outcome
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
