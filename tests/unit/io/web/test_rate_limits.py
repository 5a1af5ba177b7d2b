"""The governor, with a clock that stands still until told, and chance that is fixed."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manners import HostManners, Manners
from schemas.reasons import Reason
from tasks.io.web.rate_limits import Governor, Turn

HOST = "a.example"


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def governor(chance=0.5, **manners):
    clock = Clock()
    return Governor(Manners(**manners), clock, lambda: chance), clock


def is_free(found, host=HOST):
    turn = found.may(host)
    return not turn.wait_s and turn.refusal is None


# --- rate and connections


def test_requests_are_spaced_and_never_saved_up():
    found, clock = governor(rate_per_s=4, connections=99)
    clock.now_s += 60

    assert is_free(found)
    assert found.may(HOST).wait_s == 0.25
    clock.now_s += 0.25
    assert is_free(found)


def test_no_more_requests_at_once_than_connections():
    found, clock = governor(rate_per_s=100, connections=2)
    for _ in range(2):
        assert is_free(found)
        clock.now_s += 1
    assert 0 < found.may(HOST).wait_s < 0.1
    found.done(HOST, "good")
    assert is_free(found)


def test_hosts_do_not_share_and_may_have_limits_of_their_own():
    found, clock = governor(rate_per_s=1, hosts={"b.example": HostManners(rate_per_s=10, connections=2)})

    assert is_free(found)
    assert is_free(found, "b.example")
    clock.now_s += 0.1
    assert is_free(found, "b.example")
    assert not is_free(found)


def test_a_turn_that_was_not_used_costs_no_request_and_more_of_them_free_nothing():
    found, clock = governor(rate_per_s=100, connections=1, max_requests=1)
    assert is_free(found)
    for _ in range(3):
        found.give_back(HOST)
    clock.now_s += 1
    assert found._hosts[HOST].at_once == 0


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
    found, clock = governor(chance, rate_per_s=8)
    assert is_free(found)
    found.done(HOST, "throttled", asked)

    assert found.may(HOST).wait_s == wait_s
    clock.now_s += wait_s
    assert is_free(found)
    assert found.may(HOST).wait_s == 1 / 4


def test_answers_to_what_was_sent_before_the_pause_say_nothing_new():
    found, clock = governor(rate_per_s=64, connections=4)
    for _ in range(4):
        assert is_free(found)
        clock.now_s += 1
    for asked in (5.0, 1.0, None, 9.0):
        found.done(HOST, "throttled", asked)

    assert found.may(HOST).wait_s == 9
    assert found._hosts[HOST].rate_per_s == 32


def test_the_rate_comes_back_slowly_to_its_ceiling():
    found, clock = governor(0.0, rate_per_s=10)
    for _ in range(20):
        found.may(HOST)
        found.done(HOST, "throttled")
        clock.now_s += 100
    assert found._hosts[HOST].rate_per_s == 10 / 64
    for place in range(60):
        assert is_free(found)
        found.done(HOST, "good")
        clock.now_s += 100
        if place == 24:
            assert 5 < found._hosts[HOST].rate_per_s < 5.5
    assert found._hosts[HOST].rate_per_s == 10


def test_a_host_that_asks_for_too_long_a_pause_is_left_alone():
    found, clock = governor(longest_wait_s=60)
    found.may(HOST)
    found.done(HOST, "throttled", 61)
    clock.now_s += 1e6

    turn = found.may(HOST)
    assert turn.refusal == Reason.THROTTLED
    assert "61 s" in turn.detail
    assert is_free(found, "b.example")


# --- the breaker


def fail(found, clock, times):
    for _ in range(times):
        assert is_free(found)
        found.done(HOST, "failed")
        clock.now_s += 1


def test_failures_in_a_row_open_the_breaker_and_one_success_closes_it():
    found, clock = governor(0.5, connections=2)
    fail(found, clock, 9)
    assert is_free(found)
    found.done(HOST, "good")
    clock.now_s += 1
    fail(found, clock, 10)
    assert 2 < found.may(HOST).wait_s <= 4
    clock.now_s += 4
    assert is_free(found)  # the probe
    clock.now_s += 1
    assert not is_free(found)
    found.done(HOST, "good")
    assert is_free(found)
    clock.now_s += 1
    assert is_free(found)


def test_a_host_that_stays_dead_is_given_up():
    found, clock = governor(0.0)
    fail(found, clock, 13)

    assert found.may(HOST).refusal == Reason.UNREACHABLE


def test_stragglers_from_before_the_pause_do_not_count_as_probes():
    found, clock = governor(0.5, connections=20)
    for _ in range(20):
        assert is_free(found)
        clock.now_s += 1
    for _ in range(19):
        found.done(HOST, "failed")
        clock.now_s += 10
    assert found.may(HOST).refusal is None
    assert found._hosts[HOST].trips == 1


@pytest.mark.parametrize("give_back", [True, False])
def test_a_probe_that_is_given_back_or_throttled_lets_another_go(give_back):
    found, clock = governor(0.5)
    fail(found, clock, 10)
    clock.now_s += 60
    assert is_free(found)
    if give_back:
        found.give_back(HOST)
    else:
        found.done(HOST, "throttled", 1)
    clock.now_s += 60
    assert is_free(found)


def test_a_retry_after_outlasts_the_breakers_shorter_pause():
    found, clock = governor(0.0, connections=11)
    for _ in range(11):
        assert is_free(found)
        clock.now_s += 1
    found.done(HOST, "throttled", 100)
    for _ in range(10):
        found.done(HOST, "failed")

    assert found.may(HOST).wait_s == 100


# --- delay and budget


@pytest.mark.parametrize(
    ("delay_s", "rate_per_s", "wait_s"),
    [(0.0, 5, 0.2), (0.1, 5, 0.2), (10.0, 0.1, 10.0)],
    ids=["none", "shorter", "longer"],
)
def test_a_crawl_delay_only_slows(delay_s, rate_per_s, wait_s):
    found, _clock = governor(rate_per_s=5)
    assert is_free(found)
    for _ in range(2):
        found.slow_to(HOST, delay_s)
    found.done(HOST, "good")

    assert found._hosts[HOST].rate_per_s == rate_per_s
    assert found.may(HOST).wait_s == pytest.approx(wait_s)


def test_a_crawl_delay_of_years_closes_the_host():
    found, _clock = governor()
    found.slow_to(HOST, 1e9)

    assert found.may(HOST).refusal == Reason.THROTTLED


@pytest.mark.parametrize("budget", [{"max_requests": 3}, {"max_bytes": 30}])
def test_the_budget_is_one_for_all_hosts(budget):
    found, _clock = governor(**budget)
    for place in range(3):
        assert is_free(found, f"{place}.example")
        found.done(f"{place}.example", "good", received_bytes=10)

    assert found.may("4.example").refusal == Reason.OVER_BUDGET


# --- whatever happens

CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("may"), st.just(0.0)),
        st.tuples(st.just("wait"), st.floats(0, 20)),
        st.tuples(st.just("good"), st.just(0.0)),
        st.tuples(st.just("failed"), st.just(0.0)),
        st.tuples(st.just("throttled"), st.floats(-1, 30)),
        st.tuples(st.just("give_back"), st.just(0.0)),
        st.tuples(st.just("slow_to"), st.floats(0, 5)),
    ),
    max_size=120,
)


class Worker:
    """Does what it is told, and keeps book of what it was allowed."""

    def __init__(self, found, clock):
        self.found, self.clock = found, clock
        self.sent_s, self.under_way, self.not_before_s = [], 0, 0.0

    def may(self, _value):
        if is_free(self.found):
            assert self.clock.now_s >= self.not_before_s
            self.sent_s.append(self.clock.now_s)
            self.under_way += 1

    def wait(self, value):
        self.clock.now_s += value

    def slow_to(self, value):
        self.found.slow_to(HOST, value)

    def give_back(self, _value):
        if self.under_way:
            self.under_way -= 1
            self.found.give_back(HOST)

    def end(self, ending, asked_s):
        if self.under_way:
            self.under_way -= 1
            self.found.done(HOST, ending, asked_s)
            self.not_before_s = max(self.not_before_s, self.clock.now_s + (asked_s or 0))

    def good(self, _value):
        self.end("good", None)

    def failed(self, _value):
        self.end("failed", None)

    def throttled(self, value):
        self.end("throttled", value if value >= 0 else None)


@given(CALLS, st.floats(0.2, 50), st.integers(1, 4), st.floats(0, 1))
def test_whatever_happens_the_limits_hold(calls, rate_per_s, connections, chance):
    found, clock = governor(chance, rate_per_s=rate_per_s, connections=connections, longest_wait_s=60)
    worker = Worker(found, clock)
    for call, value in calls:
        getattr(worker, call)(value)
        host = found._host(HOST)
        assert host.limits.rate_per_s / 64 <= host.rate_per_s <= host.limits.rate_per_s <= rate_per_s
        assert host.at_once == worker.under_way <= connections
    gaps_s = [later - earlier for earlier, later in itertools.pairwise(worker.sent_s)]
    assert all(gap_s >= 1 / rate_per_s - 1e-6 for gap_s in gaps_s)


@given(CALLS)
def test_a_host_that_is_not_closed_is_free_again_some_time(calls):
    found, clock = governor(0.5, longest_wait_s=60)
    worker = Worker(found, clock)
    for call, value in calls:
        getattr(worker, call)(value)
    while worker.under_way:
        worker.good(0)
    clock.now_s += 100

    turn = found.may(HOST)
    assert turn.refusal is not None or not turn.wait_s


def test_what_fails_again_and_again_says_nothing_of_the_host():
    governor = Governor(Manners(rate_per_s=100_000), lambda: next(clock), lambda: 1.0)
    clock = (number * 1.0 for number in range(10_000))
    for _ in range(500):
        assert governor.may("a.example") == Turn()
        governor.done("a.example", "failed_again")
    for _ in range(10):
        governor.may("a.example")
        governor.done("a.example", "failed")
    assert governor.may("a.example").wait_s > 0
