"""The rate limiter, with a clock that stands still, and chance that is fixed."""

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manners import HostManners, Manners
from schemas.reasons import Reason
from tasks.io.web.rate_limits import PermitDecision, RateLimiter, retry_after_s

HOST = "a.example"


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def rate_limiter(chance=0.5, **manners):
    clock = Clock()
    return RateLimiter(Manners(**manners), clock, lambda: chance), clock


def is_free(limiter, host=HOST):
    decision = limiter.try_acquire(host)
    return not decision.wait_s and decision.refusal is None


# --- rate and connections


def test_requests_are_spaced_and_never_saved_up():
    limiter, clock = rate_limiter(rate_per_s=4, connections=99)
    clock.now_s += 60

    assert is_free(limiter)
    assert limiter.try_acquire(HOST).wait_s == 0.25
    clock.now_s += 0.25
    assert is_free(limiter)


def test_no_more_requests_at_once_than_connections():
    limiter, clock = rate_limiter(rate_per_s=100, connections=2)
    for _ in range(2):
        assert is_free(limiter)
        clock.now_s += 1
    assert 0 < limiter.try_acquire(HOST).wait_s < 0.1
    limiter.release(HOST, "good")
    assert is_free(limiter)


def test_hosts_do_not_share_and_may_have_limits_of_their_own():
    limiter, clock = rate_limiter(rate_per_s=1, hosts={"b.example": HostManners(rate_per_s=10, connections=2)})

    assert is_free(limiter)
    assert is_free(limiter, "b.example")
    clock.now_s += 0.1
    assert is_free(limiter, "b.example")
    assert not is_free(limiter)


def test_a_turn_that_was_not_used_costs_no_request_and_more_of_them_free_nothing():
    limiter, clock = rate_limiter(rate_per_s=100, connections=1, max_requests=1)
    assert is_free(limiter)
    for _ in range(3):
        limiter.cancel(HOST)
    clock.now_s += 1
    assert limiter._hosts[HOST].open_permits == 0


# --- throttling


@pytest.mark.parametrize(
    ("asked", "chance", "wait_s"),
    [
        pytest.param(7.0, 0.5, 7.0, id="as-asked"),
        pytest.param(None, 0.5, 1.0, id="by-jitter"),
        pytest.param(0.0, 0.5, 1.0, id="at-once-is-by-jitter-too"),
        pytest.param(None, 1.0, 2.0, id="most-jitter"),
    ],
)
def test_throttling_pauses_and_halves_the_rate(asked, chance, wait_s):
    limiter, clock = rate_limiter(chance, rate_per_s=8)
    assert is_free(limiter)
    limiter.release(HOST, "throttled", asked)

    assert limiter.try_acquire(HOST).wait_s == wait_s
    clock.now_s += wait_s
    assert is_free(limiter)
    assert limiter.try_acquire(HOST).wait_s == 1 / 4


def test_answers_to_what_was_sent_before_the_pause_say_nothing_new():
    limiter, clock = rate_limiter(rate_per_s=64, connections=4)
    for _ in range(4):
        assert is_free(limiter)
        clock.now_s += 1
    for asked in (5.0, 1.0, None, 9.0):
        limiter.release(HOST, "throttled", asked)

    assert limiter.try_acquire(HOST).wait_s == 9
    assert limiter._hosts[HOST].rate_per_s == 32


def test_the_rate_comes_back_slowly_to_its_ceiling():
    limiter, clock = rate_limiter(0.0, rate_per_s=10)
    for _ in range(20):
        limiter.try_acquire(HOST)
        limiter.release(HOST, "throttled")
        clock.now_s += 100
    assert limiter._hosts[HOST].rate_per_s == 10 / 64
    for place in range(60):
        assert is_free(limiter)
        limiter.release(HOST, "good")
        clock.now_s += 100
        if place == 24:
            assert 5 < limiter._hosts[HOST].rate_per_s < 5.5
    assert limiter._hosts[HOST].rate_per_s == 10


def test_a_host_that_asks_for_too_long_a_pause_is_left_alone():
    limiter, clock = rate_limiter(longest_wait_s=60)
    limiter.try_acquire(HOST)
    limiter.release(HOST, "throttled", 61)
    clock.now_s += 1e6

    decision = limiter.try_acquire(HOST)
    assert decision.refusal == Reason.THROTTLED
    assert "61 s" in decision.detail
    assert is_free(limiter, "b.example")


# --- the breaker


def fail(limiter, clock, times):
    for _ in range(times):
        assert is_free(limiter)
        limiter.release(HOST, "failed")
        clock.now_s += 1


def test_failures_in_a_row_open_the_breaker_and_one_success_closes_it():
    limiter, clock = rate_limiter(0.5, connections=2)
    fail(limiter, clock, 9)
    assert is_free(limiter)
    limiter.release(HOST, "good")
    clock.now_s += 1
    fail(limiter, clock, 10)
    assert 2 < limiter.try_acquire(HOST).wait_s <= 4
    clock.now_s += 4
    assert is_free(limiter)  # the probe
    clock.now_s += 1
    assert not is_free(limiter)
    limiter.release(HOST, "good")
    assert is_free(limiter)
    clock.now_s += 1
    assert is_free(limiter)


def test_a_host_that_stays_dead_is_given_up():
    limiter, clock = rate_limiter(0.0)
    fail(limiter, clock, 13)

    assert limiter.try_acquire(HOST).refusal == Reason.UNREACHABLE


def test_stragglers_from_before_the_pause_do_not_count_as_probes():
    limiter, clock = rate_limiter(0.5, connections=20)
    for _ in range(20):
        assert is_free(limiter)
        clock.now_s += 1
    for _ in range(19):
        limiter.release(HOST, "failed")
        clock.now_s += 10
    assert limiter.try_acquire(HOST).refusal is None
    assert limiter._hosts[HOST].trips == 1


@pytest.mark.parametrize("give_back", [True, False])
def test_a_probe_that_is_given_back_or_throttled_lets_another_go(give_back):
    limiter, clock = rate_limiter(0.5)
    fail(limiter, clock, 10)
    clock.now_s += 60
    assert is_free(limiter)
    if give_back:
        limiter.cancel(HOST)
    else:
        limiter.release(HOST, "throttled", 1)
    clock.now_s += 60
    assert is_free(limiter)


def test_a_retry_after_outlasts_the_breakers_shorter_pause():
    limiter, clock = rate_limiter(0.0, connections=11)
    for _ in range(11):
        assert is_free(limiter)
        clock.now_s += 1
    limiter.release(HOST, "throttled", 100)
    for _ in range(10):
        limiter.release(HOST, "failed")

    assert limiter.try_acquire(HOST).wait_s == 100


# --- delay and budget


@pytest.mark.parametrize(
    ("delay_s", "rate_per_s", "wait_s"),
    [(0.0, 5, 0.2), (0.1, 5, 0.2), (10.0, 0.1, 10.0)],
    ids=["none", "shorter", "longer"],
)
def test_a_crawl_delay_only_slows(delay_s, rate_per_s, wait_s):
    limiter, _clock = rate_limiter(rate_per_s=5)
    assert is_free(limiter)
    for _ in range(2):
        limiter.set_crawl_delay(HOST, delay_s)
    limiter.release(HOST, "good")

    assert limiter._hosts[HOST].rate_per_s == rate_per_s
    assert limiter.try_acquire(HOST).wait_s == pytest.approx(wait_s)


def test_a_crawl_delay_of_years_closes_the_host():
    limiter, _clock = rate_limiter()
    limiter.set_crawl_delay(HOST, 1e9)

    assert limiter.try_acquire(HOST).refusal == Reason.THROTTLED


@pytest.mark.parametrize("budget", [{"max_requests": 3}, {"max_bytes": 30}])
def test_the_budget_is_one_for_all_hosts(budget):
    limiter, _clock = rate_limiter(**budget)
    for place in range(3):
        assert is_free(limiter, f"{place}.example")
        limiter.release(f"{place}.example", "good", received_bytes=10)

    assert limiter.try_acquire("4.example").refusal == Reason.OVER_BUDGET


# --- whatever happens

CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("try_acquire"), st.just(0.0)),
        st.tuples(st.just("wait"), st.floats(0, 20)),
        st.tuples(st.just("good"), st.just(0.0)),
        st.tuples(st.just("failed"), st.just(0.0)),
        st.tuples(st.just("throttled"), st.floats(-1, 30)),
        st.tuples(st.just("cancel"), st.just(0.0)),
        st.tuples(st.just("set_crawl_delay"), st.floats(0, 5)),
    ),
    max_size=120,
)


class Worker:
    """Makes the calls of the test, and records what it was allowed to send."""

    def __init__(self, limiter, clock):
        self.limiter, self.clock = limiter, clock
        self.sent_s, self.under_way, self.not_before_s = [], 0, 0.0

    def try_acquire(self, _value):
        if is_free(self.limiter):
            assert self.clock.now_s >= self.not_before_s
            self.sent_s.append(self.clock.now_s)
            self.under_way += 1

    def wait(self, value):
        self.clock.now_s += value

    def set_crawl_delay(self, value):
        self.limiter.set_crawl_delay(HOST, value)

    def cancel(self, _value):
        if self.under_way:
            self.under_way -= 1
            self.limiter.cancel(HOST)

    def end(self, outcome, asked_s):
        if self.under_way:
            self.under_way -= 1
            self.limiter.release(HOST, outcome, asked_s)
            self.not_before_s = max(self.not_before_s, self.clock.now_s + (asked_s or 0))

    def good(self, _value):
        self.end("good", None)

    def failed(self, _value):
        self.end("failed", None)

    def throttled(self, value):
        self.end("throttled", value if value >= 0 else None)


@given(CALLS, st.floats(0.2, 50), st.integers(1, 4), st.floats(0, 1))
def test_whatever_happens_the_limits_hold(calls, rate_per_s, connections, chance):
    limiter, clock = rate_limiter(chance, rate_per_s=rate_per_s, connections=connections, longest_wait_s=60)
    worker = Worker(limiter, clock)
    for call, value in calls:
        getattr(worker, call)(value)
        host = limiter._host(HOST)
        assert host.limits.rate_per_s / 64 <= host.rate_per_s <= host.limits.rate_per_s <= rate_per_s
        assert host.open_permits == worker.under_way <= connections
    gaps_s = [later - earlier for earlier, later in itertools.pairwise(worker.sent_s)]
    assert all(gap_s >= 1 / rate_per_s - 1e-6 for gap_s in gaps_s)


@given(CALLS)
def test_a_host_that_is_not_closed_is_free_again_some_time(calls):
    limiter, clock = rate_limiter(0.5, longest_wait_s=60)
    worker = Worker(limiter, clock)
    for call, value in calls:
        getattr(worker, call)(value)
    while worker.under_way:
        worker.good(0)
    clock.now_s += 100

    decision = limiter.try_acquire(HOST)
    assert decision.refusal is not None or not decision.wait_s


def test_what_fails_again_and_again_says_nothing_of_the_host():
    rate_limiter = RateLimiter(Manners(rate_per_s=100_000), lambda: next(clock), lambda: 1.0)
    clock = (number * 1.0 for number in range(10_000))
    for _ in range(500):
        assert rate_limiter.try_acquire("a.example") == PermitDecision()
        rate_limiter.release("a.example", "failed_again")
    for _ in range(10):
        rate_limiter.try_acquire("a.example")
        rate_limiter.release("a.example", "failed")
    assert rate_limiter.try_acquire("a.example").wait_s > 0


# --- Retry-After

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("-1", None),
        ("soon", None),
        ("1.5", None),
        ("\xb2", None),
        (",", None),
        ("0", 0),
        (" 7 ", 7),
        ("999999999999999999", 999999999999),
        ("9" * 5000, 999999999999),
        ("Thu, 01 Jan 2026 00:02:00 GMT", 120),
        ("Thu, 01 Jan 2026 00:02:00", 120),
        ("Wed, 31 Dec 2025 23:00:00 GMT", 0),
        ("Thursday, 01-Jan-26 00:00:09 GMT", 9),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
        ("Thu, 01 Jan 2026 00:02:00 +0000", 120),
    ],
)
def test_retry_after_is_seconds_or_a_date(value, seconds):
    assert retry_after_s(value, NOW) == seconds


@given(st.text(max_size=60))
def test_no_retry_after_raises(value):
    assert (retry_after_s(value) or 0) >= 0
