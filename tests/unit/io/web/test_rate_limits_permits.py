"""Permits: acquired for each host of a chain, released whatever happens, and never waited for by who must not wait."""

from typing import Any

import pytest

from schemas.manners import Manners
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web import rate_limits
from tasks.io.web.rate_limits import PostponedRequest, RateLimiter, RequestPermits, ThreadPermit

FAST = Manners(rate_per_s=100_000, connections=1)


class Recorded(RateLimiter):
    """A rate limiter that notes what it is told."""

    def __init__(self) -> None:
        super().__init__(FAST)
        self.told: list[tuple[Any, ...]] = []

    def release(self, host: str, outcome: Any, *more: Any) -> None:
        self.told.append((host, outcome, *more))
        super().release(host, outcome, *more)

    def cancel(self, host: str) -> None:
        self.told.append((host, "cancelled"))
        super().cancel(host)


def used(limiter: Recorded, own: ThreadPermit | None = None, problem: Exception | None = None) -> None:
    with RequestPermits(limiter, own).permit("a.example", is_patient=False) as stats:
        stats.received_bytes = 7
        if problem is not None:
            raise problem


def open_permits(limiter: Recorded) -> dict[str, int]:
    return {name: host.open_permits for name, host in limiter._hosts.items()}


def test_what_came_is_told_and_the_permit_released():
    limiter = Recorded()
    used(limiter)
    assert limiter.told == [("a.example", "good", None, 7)]
    assert open_permits(limiter) == {"a.example": 0}


@pytest.mark.parametrize(
    ("problem", "has_failed", "outcome"),
    [
        pytest.param(UnreadableImage(Reason.UNREACHABLE, "x"), False, "failed", id="no answer"),
        pytest.param(UnreadableImage(Reason.UNREACHABLE, "x"), True, "failed_again", id="no answer once more"),
        pytest.param(UnreadableImage(Reason.CUT_SHORT, "x"), False, "failed", id="half an answer"),
        pytest.param(UnreadableImage(Reason.SERVER_ERROR, "x"), False, "failed", id="an error of the server"),
        pytest.param(UnreadableImage(Reason.THROTTLED, "x"), True, "throttled", id="too many requests"),
        pytest.param(UnreadableImage(Reason.NOT_FOUND, "x"), False, "good", id="an answer: there is nothing"),
        pytest.param(KeyError("x"), False, "failed", id="an error of the program"),
        pytest.param(KeyboardInterrupt(), True, "failed_again", id="an interrupt"),
    ],
)
def test_what_the_rate_limiter_learns_of_an_error(problem: Exception, has_failed: bool, outcome: str):
    limiter, own = Recorded(), ThreadPermit()
    own.has_failed = has_failed
    with pytest.raises(type(problem)):
        used(limiter, own, problem)
    assert [entry[1] for entry in limiter.told] == [outcome]
    assert open_permits(limiter) == {"a.example": 0}


def test_a_permit_that_the_thread_holds_is_used_first():
    limiter, own = Recorded(), ThreadPermit()
    assert limiter.try_acquire("a.example").is_granted
    own.host = "a.example"
    used(limiter, own)
    assert own.host is None
    assert [entry[:2] for entry in limiter.told] == [("a.example", "good")]


def test_who_must_not_wait_postpones_and_gives_its_own_permit_back():
    """The one connection to the host is in use; the thread holds a permit for another one."""
    limiter, own = Recorded(), ThreadPermit()
    assert limiter.try_acquire("a.example").is_granted
    assert limiter.try_acquire("other.example").is_granted
    own.host = "other.example"
    with pytest.raises(PostponedRequest) as caught:
        used(limiter, own)
    assert caught.value.wait_s >= 0
    assert limiter.told == [("other.example", "cancelled")]
    assert open_permits(limiter) == {"a.example": 1, "other.example": 0}


def test_who_may_wait_waits_until_it_is_its_turn(monkeypatch: pytest.MonkeyPatch):
    limiter, waits = Recorded(), []
    assert limiter.try_acquire("a.example").is_granted

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        limiter.release("a.example", "good", None, 1)

    monkeypatch.setattr(rate_limits.time, "sleep", sleep)
    used(limiter)
    assert len(waits) == 1
    assert waits[0] <= rate_limits._LONGEST_SLEEP_S


@pytest.mark.parametrize(
    ("wait_s", "is_patient", "is_postponed"), [(60.0, True, False), (121.0, True, True), (0.001, False, True)]
)
def test_a_short_wait_is_better_than_starting_again(
    wait_s: float, is_patient: bool, is_postponed: bool, monkeypatch: pytest.MonkeyPatch
):
    slept: list[float] = []
    monkeypatch.setattr(rate_limits.time, "sleep", slept.append)
    request = RequestPermits(Recorded(), ThreadPermit())
    if is_postponed:
        with pytest.raises(PostponedRequest):
            request.wait(wait_s, is_patient=is_patient)
        assert slept == []
    else:
        request.wait(wait_s, is_patient=is_patient)
        assert slept == [1.0]


def test_a_host_that_is_given_up_is_a_reason():
    limiter = Recorded()
    with pytest.MonkeyPatch.context() as patch:
        refusal = type(limiter.try_acquire("b.example"))
        limiter.cancel("b.example")
        limiter.told.clear()
        no = refusal(refusal=Reason.UNREACHABLE, detail="no answer from a.example")
        patch.setattr(limiter, "try_acquire", lambda _: no)
        with pytest.raises(UnreadableImage) as caught:
            used(limiter)
    assert (caught.value.reason, caught.value.detail) == (Reason.UNREACHABLE, "no answer from a.example")
    assert limiter.told == [], "what was never acquired is not released"
