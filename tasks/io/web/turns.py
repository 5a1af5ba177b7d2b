"""A request's turns with the hosts that it asks: taken, waited for, always given back.

Nobody waits for anything, be it another turn or what another thread is about to learn, while he holds a turn: two that
held what the other waits for would wait for ever.
"""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.rate_limits import Ending, Governor

_LONGEST_NAP_S = 1.0
_PATIENCE_S = 120.0  # longer than the slowest host's spacing: who began anew for less would never get to the end
_ENDINGS: dict[Reason, Ending] = {
    Reason.UNREACHABLE: "failed",
    Reason.CUT_SHORT: "failed",
    Reason.SERVER_ERROR: "failed",
    Reason.THROTTLED: "throttled",
}


@dataclass(frozen=True)
class Way:
    """Where a request has got to: from the URL that was wanted, over redirects, to the one that is asked next."""

    wanted: str
    url: str
    redirects: int = 0
    has_looked: bool = False  # at the head of what the URL leads to


class NotYet(Exception):
    """The request can't go on now. It has no turn any more; with a new one in `wait_s`, it goes on where it stopped."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(wait_s)
        self.wait_s = wait_s
        self.way: Way | None = None


class Held(threading.local):
    """What this thread holds for its next request: a turn with this host, and the way that the request has come
    already.
    """

    host: str | None = None
    way: Way | None = None
    has_failed: bool = False  # before, in this build


@dataclass
class Sent:
    """What the host will be judged by, besides how the request ends."""

    retry_after_s: float | None = None
    received_bytes: int = 0


class Turns:
    """The turns of one request."""

    def __init__(self, governor: Governor, held: Held | None) -> None:
        """held: the caller's own turn, used first; then what would have to wait raises NotYet.

        None: waiting is fine.
        """
        self._governor, self._held, self._may_wait = governor, held or Held(), held is None

    @contextlib.contextmanager
    def turn(self, host: str, *, is_patient: bool) -> Iterator[Sent]:
        """One request's turn.

        Raises UnreadableImage where the host gives none any more, NotYet where it gives none now.
        """
        self._take(host, is_patient)
        failed: Ending = "failed_again" if self._held.has_failed else "failed"
        sent = Sent()
        ending: Ending = failed
        try:
            yield sent
            ending = "good"
        except UnreadableImage as problem:
            ending = _ENDINGS.get(problem.reason, "good")
            ending = failed if ending == "failed" else ending
            raise
        finally:
            self._governor.done(host, ending, sent.retry_after_s, sent.received_bytes)

    def wait(self, wait_s: float, *, is_patient: bool) -> None:
        """Sleep for a moment, or raise NotYet; is_patient: to wait a little is better than to begin anew."""
        self.give_back()
        if not self._may_wait and not (is_patient and wait_s <= _PATIENCE_S):
            raise NotYet(wait_s)
        time.sleep(min(wait_s, _LONGEST_NAP_S))

    def give_back(self) -> None:
        """Give back the caller's own turn, if it was not used."""
        host, self._held.host = self._held.host, None
        if host is not None:
            self._governor.give_back(host)

    def _take(self, host: str, is_patient: bool) -> None:
        if self._held.host == host:
            self._held.host = None
            return
        while (turn := self._governor.may(host)).refusal is None:
            if not turn.wait_s:
                return
            self.wait(turn.wait_s, is_patient=is_patient)
        raise UnreadableImage(turn.refusal, turn.detail)
