"""What the server is told of a run: soon, in order, and never at the run's expense."""

import threading
import time
from collections.abc import Callable

import httpx
import pytest

from tasks.orchestration import reports
from tasks.orchestration.reports import Reporter, wait_s

REQUEST = httpx.Request("POST", "http://127.0.0.1:4200/api/artifacts/")


def answers(status: int) -> httpx.HTTPStatusError:
    return httpx.HTTPStatusError(str(status), request=REQUEST, response=httpx.Response(status, request=REQUEST))


def failing(told: list[str], *problems: Exception) -> Callable[[], None]:
    """A report that raises each problem once, and is told then."""
    left = [*problems]

    def tell() -> None:
        if left:
            raise left.pop(0)
        told.append("told")

    return tell


def test_a_report_is_told_by_another_thread():
    reporter, told = Reporter(), []
    reporter.report("progress", lambda: told.append(threading.current_thread().name))
    assert reporter.wait(5)
    assert told == ["reports"]


def test_who_reports_waits_for_nothing_and_of_one_key_only_the_newest_is_told():
    reporter, is_back, told = Reporter(), threading.Event(), []
    reporter.report("first", is_back.wait)  # a server that hangs
    began_s = time.monotonic()
    for done in range(100):
        reporter.report("fetch", lambda done=done: told.append(done))
        reporter.report("detect", lambda done=done: told.append(-done))
    assert time.monotonic() - began_s < 1
    assert not reporter.wait(0.05)
    is_back.set()
    assert reporter.wait(5)
    assert told == [99, -99]


@pytest.mark.parametrize(
    "problem",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("no answer"),
        answers(500),  # its disk is full, or its database is away
        answers(503),
    ],
)
def test_a_server_that_is_away_is_told_once_it_is_back(problem):
    reporter, told = Reporter(again_after_s=0.01), []
    reporter.report("progress", failing(told, problem, problem, problem))
    assert reporter.wait(5)
    assert told == ["told"]


@pytest.mark.parametrize("problem", [answers(404), answers(422), ValueError("a bug")])
def test_what_a_server_will_never_take_is_left_out_with_a_warning(problem, caplog):
    reporter, told = Reporter(again_after_s=0.01), []
    reporter.report("progress", failing(told, problem))
    reporter.report("name", lambda: told.append("next"))
    assert reporter.wait(5)
    assert told == ["next"]
    assert "Prefect's server" in caplog.text


@pytest.mark.parametrize(
    ("failures", "expected"), [(1, 0.1), (2, 0.2), (4, 0.8), (6, 2.0), (1_100, 2.0), (7 * 86_400 // 2, 2.0)]
)
def test_the_wait_grows_to_its_longest_also_after_a_week(failures, expected):
    assert wait_s(failures, 2.0) == expected


def test_what_is_reported_while_the_server_is_away_takes_the_place_of_what_is_untold():
    reporter, told, is_away = Reporter(again_after_s=0.01), [], threading.Event()

    def tell() -> None:
        is_away.set()
        raise httpx.ConnectError("refused")

    reporter.report("progress", tell)
    assert is_away.wait(5)
    reporter.report("progress", lambda: told.append("newest"))
    assert reporter.wait(5)
    assert told == ["newest"]


def test_what_is_forgotten_is_not_told():
    reporter, is_back, told = Reporter(), threading.Event(), []
    reporter.report("first", is_back.wait)
    reporter.report("second", lambda: told.append("second"))
    reporter.forget()
    is_back.set()
    assert reporter.wait(5)
    assert told == []


def test_what_is_being_told_when_all_is_forgotten_is_not_tried_again():
    reporter, tries, is_away, may_fail = Reporter(again_after_s=0.01), [], threading.Event(), threading.Event()

    def tell() -> None:
        tries.append("first")
        is_away.set()
        may_fail.wait()
        raise httpx.ConnectError("refused")

    reporter.report("first", tell)
    assert is_away.wait(5)
    reporter.forget()
    may_fail.set()
    assert reporter.wait(5)
    assert tries == ["first"]


def test_one_key_is_waited_for_though_another_is_never_taken():
    reporter, told = Reporter(again_after_s=0.01), []
    reporter.report("never", failing(told, *[answers(500)] * 10_000))
    reporter.report("end", lambda: told.append("end"))
    assert reporter.wait(5, "end")
    assert told == ["end"]
    assert not reporter.wait(0.05)
    reporter.forget()
    assert reporter.wait(5)


def test_outside_a_flow_nothing_is_told_and_nothing_waited_for():
    told: list[int] = []
    with reports.wait_for_reports():
        reports.report("progress", lambda: told.append(1))
    assert told == []
