"""One image over HTTP, from a real server on this machine that misbehaves in every way that a museum's might."""

import gc
import gzip
import threading
import time
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

import pytest
import requests

from schemas.reasons import Reason
from tasks.io import http
from tasks.io.images import Unreadable

BODY = bytes(range(256)) * 300
MOST = 100_000
TIMEOUT_S = 5.0


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """Seconds that tasks.io.http would have slept; it does not."""
    slept = []
    monkeypatch.setattr(http, "time", SimpleNamespace(sleep=slept.append, monotonic=time.monotonic))
    return slept


def answer(status=200, body=BODY, length="right", **headers):
    """A whole answer; length: what Content-Length says, None for no such header (then the end of the connection ends it)."""

    def send(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        if length is None:
            request.close_connection = True
            request.send_header("Connection", "close")
        else:
            request.send_header("Content-Length", str(len(body)) if length == "right" else length)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)
        if length != "right":
            request.close_connection = True

    return send


def chunked(*chunks, is_ended=True, **headers):
    def send(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Transfer-Encoding", "chunked")
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        for chunk in chunks:
            request.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        if is_ended:
            request.wfile.write(b"0\r\n\r\n")
        request.close_connection = not is_ended

    return send


def hang_up(request: BaseHTTPRequestHandler) -> None:
    request.close_connection = True


def nonsense(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    request.close_connection = True


def refused(url, max_bytes=MOST, timeout_s=TIMEOUT_S):
    with pytest.raises(Unreadable) as caught:
        http.get(url, max_bytes, timeout_s)
    assert 0 < len(caught.value.detail) <= 250
    return caught.value.reason


# ------------------------------------------------------------------------------------------------ no answer that counts


@pytest.mark.parametrize(
    ("answers", "reason", "requests"),
    [
        pytest.param([answer(404)], Reason.NOT_FOUND, 1, id="404"),
        pytest.param([answer(410)], Reason.NOT_FOUND, 1, id="410-gone"),
        pytest.param([answer(401)], Reason.HTTP_ERROR, 1, id="401"),
        pytest.param([answer(403)], Reason.HTTP_ERROR, 1, id="403"),
        pytest.param([answer(451)], Reason.HTTP_ERROR, 1, id="451-legal-reasons"),
        pytest.param([answer(501)], Reason.HTTP_ERROR, 1, id="501-never-will"),
        pytest.param([answer(206)], Reason.HTTP_ERROR, 1, id="206-a-part-that-nobody-asked-for"),
        pytest.param([answer(202)], Reason.HTTP_ERROR, 1, id="202-not-yet"),
        pytest.param([answer(204, b"")], Reason.HTTP_ERROR, 1, id="204-nothing"),
        pytest.param([answer(503)], Reason.UNREACHABLE, 3, id="503-always"),
        pytest.param([answer(429)], Reason.UNREACHABLE, 3, id="429-always"),
        pytest.param([hang_up], Reason.UNREACHABLE, 3, id="hangs-up"),
        pytest.param([nonsense], Reason.UNREACHABLE, 3, id="speaks-no-http"),
        pytest.param([answer(500), answer(404)], Reason.NOT_FOUND, 2, id="500-then-404"),
        pytest.param([answer(length="80000")], Reason.UNREACHABLE, 3, id="promised-more-than-came"),
        pytest.param([chunked(BODY, is_ended=False)], Reason.UNREACHABLE, 3, id="chunks-without-an-end"),
        pytest.param([answer(Content_Encoding="gzip")], Reason.UNREACHABLE, 3, id="says-gzip-and-is-not"),
        pytest.param([answer(length=str(MOST + 1))], Reason.TOO_MANY_BYTES, 1, id="promised-too-much"),
        pytest.param([answer(length=None, body=BODY * 2)], Reason.TOO_MANY_BYTES, 1, id="too-much-without-a-promise"),
        pytest.param([chunked(*[BODY] * 9)], Reason.TOO_MANY_BYTES, 1, id="too-much-in-chunks"),
        pytest.param(
            [answer(body=gzip.compress(bytes(50_000_000)), Content_Encoding="gzip")],
            Reason.TOO_MANY_BYTES,
            1,
            id="gzip-bomb-of-49-kB",
        ),
        pytest.param([answer(302, b"", Location="file:///etc/passwd")], Reason.NOT_ALLOWED, 1, id="to-a-file"),
        pytest.param([answer(302, b"", Location="ftp://127.0.0.1/x")], Reason.NOT_ALLOWED, 1, id="to-ftp"),
        pytest.param([answer(302, b"", Location="/x.jpg")], Reason.NOT_ALLOWED, 6, id="redirects-to-itself-for-ever"),
        pytest.param([answer(302, b"", Location="http://[")], Reason.NOT_ALLOWED, 1, id="to-no-address"),
        pytest.param([answer(302, b"", Location="http://")], Reason.NOT_ALLOWED, 6, id="to-no-host-is-to-itself"),
        pytest.param([answer(302, b"")], Reason.HTTP_ERROR, 1, id="redirects-nowhere"),
    ],
)
def test_an_answer_that_is_no_file_says_why(site, answers, reason, requests):
    url = site.at("/x.jpg", *answers)

    assert refused(url) == reason
    assert site.requests("/x.jpg") == requests


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning"
)  # urllib3 leaves the connection of such an answer to the collector
def test_two_lengths_that_differ_are_no_answer(site):
    assert refused(site.at("/x.jpg", answer(length="5, 6"))) == Reason.UNREACHABLE
    gc.collect()


def test_nobody_listening_is_unreachable_after_three_tries(refusing_url, pauses):
    assert refused(refusing_url) == Reason.UNREACHABLE
    assert pauses == [1.0, 2.0]


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("file:///etc/passwd", id="file"),
        pytest.param("ftp://127.0.0.1/a.jpg", id="ftp"),
        pytest.param("HTTP//127.0.0.1", id="no-colon"),
        pytest.param("", id="empty"),
        pytest.param("data:image/gif;base64,R0lGODlhAQABAAAAACw=", id="data"),
        pytest.param("http://", id="no-host"),
        pytest.param("http://[", id="half-an-ipv6-address"),
        pytest.param("http://127.0.0.1:port/", id="port-is-no-number"),
        pytest.param("http://127.0.0.1:99999/", id="port-out-of-range"),
        pytest.param("http://.local/a.jpg", id="label-is-empty"),
        pytest.param(f"http://{'a' * 70}.local/a.jpg", id="label-too-long"),
        pytest.param("http://*.local/a.jpg", id="star"),
    ],
)
def test_what_is_no_web_address_is_not_allowed(url, pauses):
    assert refused(url) == Reason.NOT_ALLOWED
    assert pauses == []


def test_a_server_that_never_answers_is_unreachable(site):
    is_over = threading.Event()
    url = site.at("/x.jpg", lambda request: is_over.wait(20) and None)
    try:
        assert refused(url, timeout_s=0.1) == Reason.UNREACHABLE
    finally:
        is_over.set()

    assert site.requests("/x.jpg") == 3


@pytest.mark.parametrize("is_chunked", [False, True], ids=["promised", "chunked"])
def test_a_server_that_drips_is_given_up_after_the_time_limit(site, is_chunked):
    """A byte every 20 ms stays below any limit on one read; 1 MB of it would take six hours."""
    is_over = threading.Event()

    def drip(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        name, value = ("Transfer-Encoding", "chunked") if is_chunked else ("Content-Length", "1000000")
        request.send_header(name, value)
        request.end_headers()
        for _ in range(250):
            request.wfile.write(b"1\r\nx\r\n" if is_chunked else b"x")
            if is_over.wait(0.02):
                break
        request.close_connection = True

    url, began_s = site.at("/x.jpg", drip), time.monotonic()
    try:
        assert refused(url, max_bytes=2_000_000, timeout_s=0.3) == Reason.UNREACHABLE
    finally:
        is_over.set()

    assert time.monotonic() - began_s < 2
    assert site.requests("/x.jpg") == 1


# ------------------------------------------------------------------------------------------------ the whole file


@pytest.mark.parametrize(
    ("answers", "slept"),
    [
        pytest.param([answer()], [], id="200"),
        pytest.param([answer(length=None)], [], id="no-length"),
        pytest.param([answer(length="nonsense")], [], id="length-is-no-number"),
        pytest.param([answer(length="")], [], id="length-is-empty"),
        pytest.param([chunked(BODY[:7], BODY[7:])], [], id="chunked"),
        pytest.param([answer(500), answer()], [1.0], id="500-then-200"),
        pytest.param([answer(500), answer(502), answer()], [1.0, 2.0], id="two-errors-then-200"),
        pytest.param([answer(503, Retry_After="7"), answer()], [7.0], id="retry-after"),
        pytest.param([answer(503, Retry_After=" 7 "), answer()], [7.0], id="retry-after-in-blanks"),
        pytest.param([answer(503, Retry_After="0"), answer()], [0.0], id="retry-at-once"),
        pytest.param([answer(503, Retry_After="86400"), answer()], [30.0], id="retry-tomorrow-is-too-long"),
        pytest.param([answer(503, Retry_After="Wed, 21 Oct 2065 07:28:00 GMT"), answer()], [1.0], id="retry-by-date"),
        pytest.param([answer(503, Retry_After="-3"), answer()], [1.0], id="retry-after-negative"),
        pytest.param([answer(503, Retry_After="\xb2"), answer()], [1.0], id="retry-after-superscript-two"),
        pytest.param([hang_up, answer()], [1.0], id="hangs-up-once"),
        pytest.param([answer(length="80000"), answer()], [1.0], id="cut-short-once"),
        pytest.param([chunked(BODY[:9], is_ended=False), answer()], [1.0], id="chunks-cut-short-once"),
        pytest.param([answer(302, b"", Location="x.jpg"), answer()], [], id="redirected"),
        pytest.param([answer(301, b"", Location="x.jpg")] * 5 + [answer()], [], id="redirected-five-times"),
    ],
)
def test_the_file_comes_whole(site, pauses, answers, slept):
    url = site.at("/x.jpg", *answers)

    assert http.get(url, MOST, TIMEOUT_S) == BODY
    assert pauses == slept


@pytest.mark.parametrize(
    ("body", "max_bytes"),
    [
        pytest.param(b"", 1, id="empty"),
        pytest.param(BODY, len(BODY), id="exactly-the-limit"),
        pytest.param(b"x" * 65_536, 65_536, id="exactly-one-read"),
        pytest.param(b"x" * 65_537, 65_537, id="one-read-and-a-byte"),
    ],
)
@pytest.mark.parametrize("send", [answer, chunked, lambda body: answer(body=body, length=None)])
def test_the_limit_itself_is_allowed(site, send, body, max_bytes):
    url = site.at("/x.jpg", send(body=body) if send is answer else send(body) if body else answer(body=b""))

    assert http.get(url, max_bytes, TIMEOUT_S) == body
    if body:
        assert refused(url, max_bytes - 1) == Reason.TOO_MANY_BYTES


@pytest.mark.parametrize(
    "send", [answer, lambda **given: chunked(given.pop("body"), **given)], ids=["length", "chunked"]
)
def test_a_gzipped_file_is_unpacked_and_its_limit_is_on_what_comes_out(site, send):
    packed = gzip.compress(BODY)
    assert len(packed) < 5_000 < len(BODY)
    url = site.at("/x.jpg", send(body=packed, Content_Encoding="gzip"))

    assert http.get(url, len(BODY), TIMEOUT_S) == BODY
    assert refused(url, len(BODY) - 1) == Reason.TOO_MANY_BYTES


def test_a_gzipped_file_cut_short_is_not_taken_for_whole(site):
    packed = gzip.compress(BODY)
    url = site.at("/x.jpg", answer(body=packed[:-100], length=str(len(packed)), Content_Encoding="gzip"))

    assert refused(url) == Reason.UNREACHABLE


def test_after_any_failure_the_next_file_comes(site):
    """The session is kept: what one answer leaves in a connection must not reach the next."""
    bad = [answer(404), answer(length="80000"), answer(length=None, body=BODY * 2), chunked(BODY, is_ended=False)]
    for place, send in enumerate(bad):
        refused(site.at(f"/bad{place}.jpg", send))
        assert (
            http.get(site.at(f"/good{place}.jpg", answer(body=f"{place}".encode())), MOST, TIMEOUT_S) == b"%d" % place
        )


# ------------------------------------------------------------------------------------------------ a guest


def test_a_request_bears_our_name_and_no_password(site, tmp_path, monkeypatch):
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\ndefault login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    assert requests.utils.get_netrc_auth(site.url) == ("me", "secret")
    url = site.at("/a.jpg", answer(302, b"", Location="/b.jpg"))
    site.at("/b.jpg", answer())

    http.get(url, MOST, TIMEOUT_S)

    assert [path for path, _ in site.seen] == ["/a.jpg", "/b.jpg"]
    for _, headers in site.seen:
        assert headers["User-Agent"] == http.USER_AGENT
        assert headers["User-Agent"].startswith("bilderatlas/")
        assert "Authorization" not in headers
        assert "Cookie" not in headers


def test_each_thread_has_its_own_session_and_keeps_its_connection(site):
    """Sixteen files by four threads: four connections, not sixteen."""
    ports, lock = set(), threading.Lock()

    def note(request: BaseHTTPRequestHandler) -> None:
        with lock:
            ports.add(request.client_address)
        answer(body=b"ok")(request)

    url = site.at("/x.jpg", note)
    threads = [threading.Thread(target=lambda: [http.get(url, MOST, TIMEOUT_S) for _ in range(4)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert site.requests("/x.jpg") == 16
    assert len(ports) == 4
