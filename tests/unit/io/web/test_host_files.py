"""Files of hosts: read once, whatever they are."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from schemas.manners import Manners
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.host_files import HostFiles, NamedLocks
from tasks.io.web.rate_limits import PostponedRequest, RateLimiter, RequestPermits, ThreadPermit

URL = "https://a.example/x.jpg"
RESERVED = b'[{"location": "/", "tdm-reservation": 1}]'


@pytest.fixture
def limiter():
    return RateLimiter(Manners())


@pytest.fixture
def files(limiter):
    return HostFiles(limiter, NamedLocks())


@pytest.fixture
def permits(limiter):
    return RequestPermits(limiter, None)


class Host:
    """What a host sends by path, and how often it was asked."""

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def __call__(self, path):
        self.asked.append(path)
        if isinstance(answer := self.answers[path], Reason):
            raise UnreadableImage(answer, "why")
        return answer


@pytest.mark.parametrize("reason", list(Reason), ids=str)
def test_a_host_that_fails_to_send_its_tdm_file_has_none(files, permits, reason):
    host = Host({"/.well-known/tdmrep.json": reason})
    assert [files.tdm_file("a.example", host, permits).opt_out(URL) for _ in range(3)] == [None] * 3
    assert host.asked == ["/.well-known/tdmrep.json"]


@pytest.mark.parametrize(
    ("reason", "is_passed_on"),
    [
        (Reason.NOT_FOUND, False),
        (Reason.HTTP_ERROR, False),
        (Reason.NOT_ALLOWED, False),
        (Reason.REDIRECT_LOOP, False),
        (Reason.SERVER_ERROR, True),
        (Reason.THROTTLED, True),
        (Reason.UNREACHABLE, True),
        (Reason.OVER_BUDGET, True),
    ],
)
def test_without_an_answer_about_robots_txt_nothing_is_allowed(files, permits, reason, is_passed_on):
    host = Host({"/robots.txt": reason})
    for _ in range(2):
        if is_passed_on:
            with pytest.raises(UnreadableImage, match=r"robots\.txt: why"):
                files.robots_rules("a.example", host, permits)
        else:
            assert files.robots_rules("a.example", host, permits).is_allowed(URL)
    assert len(host.asked) == 1 + is_passed_on  # a failure is not remembered


def test_each_host_has_its_own_files(files, permits):
    a = Host({"/robots.txt": b"User-agent: *\nDisallow: /", "/.well-known/tdmrep.json": RESERVED})
    b = Host({"/robots.txt": b"", "/.well-known/tdmrep.json": b"[]"})
    found = [
        (
            files.robots_rules(host, load, permits).is_allowed(URL),
            files.tdm_file(host, load, permits).opt_out(URL),
        )
        for host, load in (("a", a), ("b", b), ("a", a), ("b", b))
    ]
    assert found == [(False, "tdmrep.json: / 1"), (True, None)] * 2
    assert a.asked == b.asked == ["/robots.txt", "/.well-known/tdmrep.json"]


def test_a_crawl_delay_is_kept_from_then_on(files, limiter, permits):
    files.robots_rules("a.example", Host({"/robots.txt": b"User-agent: *\nCrawl-delay: 10"}), permits)
    assert limiter.try_acquire("a.example").wait_s > 5


def test_of_many_threads_one_reads_and_the_others_wait(files, permits):
    begun, is_over = threading.Event(), threading.Event()

    def load(path):
        assert not begun.is_set(), "another thread reads it, too"
        begun.set()
        is_over.wait(5)
        return RESERVED

    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(files.tdm_file, "a.example", load, permits) for _ in range(8)]
        begun.wait(5)
        is_over.set()
        assert {file.result(5).opt_out(URL) for file in found} == {"tdmrep.json: / 1"}


def test_a_lock_is_given_back_after_a_failure_and_belongs_to_its_name(permits):
    locks = NamedLocks()
    with pytest.raises(ValueError, match="x"), locks.held("a", permits):
        raise ValueError("x")
    with locks.held("a", permits), locks.held("b", permits):
        pass


def test_a_thread_that_may_not_wait_is_sent_away(limiter):
    locks = NamedLocks()
    with locks.held("a", RequestPermits(limiter, None)):
        hurried = RequestPermits(limiter, ThreadPermit())
        with pytest.raises(PostponedRequest), locks.held("a", hurried):
            pass
