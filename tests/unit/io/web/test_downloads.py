"""Many requests at once to a real server on this machine that plays many hosts."""

import io
import threading
import time

import pytest

from schemas.manners import Credential, HostManners, Manners
from schemas.reasons import Reason
from tasks.io.web import downloads
from tasks.io.web.client import DownloadRequest, ResponseLimits
from tasks.io.web.downloads import Downloads
from tests.support.servers import answer, hang_up, moved

SESSION = Credential(
    host="a.example",
    parameter="session",
    login_url="http://a.example/login",
    login_parameters=("a", "b"),
    session_field="Key",
    session_s=3000,
)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    monkeypatch.setattr(downloads, "_FIRST_PAUSE_S", 0.01)


@pytest.fixture
def down(invite):
    """Downloads by a guest with these manners, as they come."""

    def downloaded(urls, manners, expects="json", threads=16, timeout_s=2.0, **more):
        guest = invite(manners)

        def fetch(row):
            into = io.BytesIO()
            guest.client.get(
                DownloadRequest(row["url"], expects, **more), into, ResponseLimits(10_000, timeout_s), has_permit=True
            )
            return {**row, "body": into.getvalue(), "reason": None}

        def failed(row, problem):
            return {**row, "reason": problem.reason}

        found = Downloads(guest.client, guest.rate_limiter, manners.tries, threads, fetch, failed)
        downloaded.guest = guest
        return found.rows([{"url": url} for url in urls], lambda row: row["url"])

    return downloaded


def reasons(rows):
    return [row["reason"] for row in rows]


def left_over():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("download-")]


FAST = Manners(rate_per_s=100_000, connections=16)
ALONE = Manners(rate_per_s=100_000, connections=1)


def test_nothing_is_downloaded_where_nothing_is_asked(down):
    assert list(down([], FAST)) == []


def test_each_request_has_its_row_and_connections_are_shared(site, down):
    for number in range(100):
        site.at(f"/{number}", answer(body=b'{"n": %d}' % number))

    rows = list(down([f"http://a.example/{number}" for number in range(100)], Manners(rate_per_s=1e5, connections=4)))

    assert sorted(row["body"] for row in rows) == sorted(b'{"n": %d}' % number for number in range(100))
    assert site.most_at_once <= 4
    assert site.connections <= 4
    assert left_over() == []


def test_what_is_no_address_has_its_row_too(down):
    assert reasons(down(["ftp://a.example/", "http://["], FAST)) == [Reason.NOT_ALLOWED] * 2


def test_a_thousand_hosts(site, down):
    site.at("/x", answer(body=b"{}"))
    rows = down([f"http://{number}.example/x" for number in range(1000)], ALONE)

    assert reasons(rows) == [None] * 1000


# --- nobody waits for ever


@pytest.mark.parametrize("expects", ["json", "html", "image"])
@pytest.mark.parametrize("robots", [answer(404, b""), moved("/r"), moved("http://b.example/r")])
def test_one_connection_is_enough_for_robots_redirects_and_heads(site, down, expects, robots):
    site.at("/robots.txt", robots)
    site.at("/r", answer(body=b""))
    site.at("/x", moved("/y"), moved("/y"), moved("http://b.example/y"))
    site.at("/y", answer(body=b"{}"))
    urls = [f"http://{host}.example/x" for host in "ab" for _ in range(10)]

    assert reasons(down(urls, ALONE, expects)) == [None] * 20
    assert {host.open_permits for host in down.guest.rate_limiter._hosts.values()} == {0}


@pytest.mark.parametrize("login", [[], [moved("/login?again=1")], [moved("http://b.example/login")]])
def test_one_connection_is_enough_for_a_log_in(site, down, login):
    site.at("/login", *login, answer(body=b'{"Key": "k"}'))
    site.at("/x", answer(body=b"{}"))

    rows = down(["http://a.example/x"] * 20, ALONE, credential=SESSION, secret="first:second")

    assert reasons(rows) == [None] * 20
    assert site.requests("/x?session=k") == 20
    assert sum(path.startswith("/login") for path, _ in site.seen) == 1 + len(login)


def test_a_slow_host_whose_robots_txt_has_moved_is_not_asked_for_it_over_and_over(site, down, monkeypatch):
    monkeypatch.setattr("tasks.io.web.rate_limits._LONGEST_SLEEP_S", 0.01)
    site.at("/robots.txt", moved("/r"))
    site.at("/x", answer(body=b"{}"))

    assert reasons(down(["http://a.example/x"] * 3, Manners(rate_per_s=20, connections=1), "html")) == [None] * 3
    assert len(site.seen) == 2 + 3


def test_two_hosts_that_redirect_to_each_other_end(site, down):
    site.at("/x", moved("http://b.example/x"), host="a.example")
    site.at("/x", moved("http://a.example/x"), host="b.example")

    rows = list(down(["http://a.example/x", "http://b.example/x"] * 8, ALONE))

    assert reasons(rows) == [Reason.REDIRECT_LOOP] * 16
    assert site.requests("/x") == 16 * 6


@pytest.mark.parametrize("is_reached_by_redirect", [False, True])
def test_nobody_waits_for_a_host_that_pauses(site, down, is_reached_by_redirect):
    site.at("/slow", answer(429, b"", Retry_After="100"), host="slow.example")
    site.at("/x", moved("http://slow.example/slow"), host="front.example")
    site.at("/x", answer(body=b"{}"))
    slow = "http://front.example/x" if is_reached_by_redirect else "http://slow.example/slow"
    rows = down([slow] * 40 + ["http://fast.example/x"] * 40, FAST)
    began_s = time.monotonic()

    assert [next(rows)["reason"] for _ in range(40)] == [None] * 40
    assert time.monotonic() - began_s < 5
    rows.close()
    assert site.requests("/slow") <= 16
    assert left_over() == []


def test_nobody_waits_for_a_host_that_does_not_answer(site, down):
    is_over = threading.Event()
    site.at("/x", lambda _request: is_over.wait(5) and None, host="slow.example")
    site.at("/x", answer(body=b"{}"))
    rows = down(["http://slow.example/x"] * 50 + ["http://fast.example/x"] * 50, Manners(rate_per_s=1e5, connections=4))
    try:
        assert [next(rows)["reason"] for _ in range(50)] == [None] * 50
    finally:
        is_over.set()
        rows.close()


def test_hosts_take_turns(site, down):
    site.at("/x", answer(body=b"{}"))
    urls = [f"http://{host}.example/x" for host in "abc" for _ in range(30)]

    first = [row["url"] for _, row in zip(range(30), down(urls, ALONE, threads=1), strict=False)]

    assert {first.count(f"http://{host}.example/x") for host in "abc"} <= {9, 10, 11}


def test_the_rate_holds_over_all_threads_and_retries(site, down):
    site.at("/x", answer(500, b""))
    began_s = time.monotonic()

    list(down(["http://a.example/x"] * 4, Manners(rate_per_s=20, tries=2)))

    assert site.requests("/x") == 8
    assert time.monotonic() - began_s >= 7 / 20 - 0.01


# --- second tries


@pytest.mark.parametrize(
    ("answers", "reason", "requests"),
    [
        pytest.param([answer(500, b""), answer(body=b"{}")], None, 2, id="500-once"),
        pytest.param([hang_up, answer(200, b"{}", length="9000"), answer(body=b"{}")], None, 3, id="cut-twice"),
        pytest.param([answer(500, b"")], Reason.SERVER_ERROR, 3, id="500-always"),
        pytest.param([answer(404, b"")], Reason.NOT_FOUND, 1, id="404"),
        pytest.param([answer(429, b"", Retry_After="301")], Reason.THROTTLED, 1, id="a-pause-that-is-too-long"),
        pytest.param([answer(body=b"<html>"), answer(body=b"{}")], None, 2, id="page-once"),
    ],
)
def test_what_may_pass_is_tried_again(site, down, answers, reason, requests):
    site.at("/x", *answers)

    assert reasons(down(["http://a.example/x"], Manners(rate_per_s=1e5, tries=3))) == [reason]
    assert site.requests("/x") == requests


def test_a_dead_host_is_given_up_for_all_that_is_left(site, down, monkeypatch):
    monkeypatch.setattr("tasks.io.web.rate_limits._FIRST_PAUSE_S", 0.001)
    site.at("/x", hang_up, host="dead.example")
    site.at("/x", answer(body=b"{}"))

    rows = list(down(["http://dead.example/x"] * 200 + ["http://a.example/x"] * 20, FAST))

    assert reasons(row for row in rows if "dead" in row["url"]) == [Reason.UNREACHABLE] * 200
    assert reasons(row for row in rows if "dead" not in row["url"]) == [None] * 20
    assert site.requests("/x") - 20 <= 10 + 3 + 16


def test_a_budget_ends_in_rows_and_is_not_tried_again(site, down):
    site.at("/x", answer(body=b"{}"))

    found = reasons(down(["http://a.example/x"] * 9, Manners(rate_per_s=1e5, max_requests=4)))

    assert sorted(map(str, found)) == ["None"] * 4 + ["over_budget"] * 5
    assert site.requests("/x") == 4


@pytest.mark.parametrize("tries", [1, 5, 50, 5000])
def test_pauses_grow_but_not_for_ever(tries, monkeypatch):
    monkeypatch.setattr("random.random", lambda: 1.0)

    assert downloads._pause_s(tries) == min(0.01 * 2.0 ** min(tries, 100), 60)


# --- ends


def test_leaving_early_sends_nothing_more(site, down):
    site.at("/x", answer(body=b"{}"))
    rows = down(["http://a.example/x"] * 500, Manners(rate_per_s=1e5, connections=2), threads=4)
    next(rows)
    rows.close()
    sent = site.requests("/x")
    time.sleep(0.1)

    assert site.requests("/x") == sent < 500
    assert left_over() == []
    assert {host.open_permits for host in down.guest.rate_limiter._hosts.values()} == {0}


@pytest.mark.parametrize("where", ["fetch", "failure_row"])
def test_a_programs_own_error_ends_the_batch_and_leaves_no_turn(invite, where):
    guest = invite(ALONE)

    def broken(*_):
        raise ZeroDivisionError

    def fetch(row):
        into = io.BytesIO()
        guest.client.get(DownloadRequest(row["url"], "json"), into, ResponseLimits(10_000, 1), has_permit=True)
        return row

    given = {"fetch": fetch, "failure_row": lambda row, _: row, where: broken}
    found = Downloads(guest.client, guest.rate_limiter, 1, 4, **given)
    with pytest.raises(ZeroDivisionError):
        list(found.rows([{"url": "http://a.example/missing"}] * 9, lambda row: row["url"]))

    assert left_over() == []
    assert {host.open_permits for host in guest.rate_limiter._hosts.values()} == {0}


def test_hosts_of_their_own_limits(site, down):
    site.at("/x", answer(body=b"{}"))
    manners = Manners(rate_per_s=1e5, connections=16, hosts={"a.example": HostManners(rate_per_s=1e5, connections=1)})

    assert reasons(down(["http://a.example/x"] * 30, manners)) == [None] * 30
    assert site.most_at_once == 1
