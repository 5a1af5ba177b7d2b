"""One request over HTTP, to a real server on this machine that misbehaves in every way that a museum's might."""

import gc
import gzip
import hashlib
import io
import logging
import threading
import time

import pytest

from schemas.errors import BadInput
from schemas.manners import Credential, Manners
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.addresses import Origins
from tasks.io.web.client import Client, DownloadRequest, ResponseLimits, user_agent
from tasks.io.web.rate_limits import RateLimiter
from tests.support.servers import BODY, answer, chunked, dripping, hang_up, interim, moved, raw

MOST = 100_000
KEY = Credential(host="api.example", parameter="key")
SESSION = Credential(
    host="api.example",
    parameter="session",
    login_url="http://api.example/login",
    login_parameters=("a", "b"),
    session_field="Key",
    session_s=3000,
)
SECRET = "s3cr+t/one:tw0 & more%"


@pytest.fixture
def get(invite):
    """Ask the site, which stands in for every host; the body, or the reason why there is none."""
    guest = invite()

    def got(url, max_bytes=MOST, timeout_s=5.0, expects="anything", asked=guest, **more):
        into = io.BytesIO()
        wanted = DownloadRequest(url, expects, **more)
        try:
            found = asked.client.get(wanted, into, ResponseLimits(max_bytes, timeout_s))
        except UnreadableImage as problem:
            return problem.reason if 0 < len(problem.detail) <= 250 else problem.detail
        if found.is_unchanged:
            return None
        assert (found.bytes, found.sha256) == (len(into.getvalue()), hashlib.sha256(into.getvalue()).hexdigest())
        return into.getvalue()

    return got


@pytest.fixture
def is_over():
    event = threading.Event()
    yield event
    event.set()


# --- no answer that counts


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
        pytest.param([answer(304, b"")], Reason.HTTP_ERROR, 1, id="304-of-what"),
        pytest.param([answer(500)], Reason.SERVER_ERROR, 1, id="500"),
        pytest.param([answer(521)], Reason.SERVER_ERROR, 1, id="521-of-a-cdn"),
        pytest.param([answer(503)], Reason.THROTTLED, 1, id="503"),
        pytest.param([answer(429)], Reason.THROTTLED, 1, id="429"),
        pytest.param([answer(403, Retry_After="1")], Reason.THROTTLED, 1, id="403-that-says-when"),
        pytest.param([answer(403, b"<p>Powered by Imperva")], Reason.THROTTLED, 1, id="403-of-a-guard"),
        pytest.param([answer(403, b'{"error":"Rate limit exceeded"}')], Reason.THROTTLED, 1, id="403-in-json"),
        pytest.param([hang_up], Reason.UNREACHABLE, 1, id="hangs-up"),
        pytest.param([raw(b"SSH-2.0-OpenSSH_9.6\r\n")], Reason.UNREACHABLE, 1, id="speaks-no-http"),
        pytest.param([answer(length="80000")], Reason.CUT_SHORT, 1, id="promised-more-than-came"),
        pytest.param([raw(b"HTTP/1.1 200 OK\r\nX-Robo")], Reason.CUT_SHORT, 1, id="cut-in-the-head"),
        pytest.param([chunked(BODY, is_ended=False)], Reason.CUT_SHORT, 1, id="chunks-without-an-end"),
        pytest.param([answer(Content_Encoding="gzip")], Reason.CUT_SHORT, 1, id="says-gzip-and-is-not"),
        pytest.param([answer(Content_Encoding="br")], Reason.SERVER_ERROR, 1, id="an-encoding-that-nobody-asked-for"),
        pytest.param([answer(length=str(MOST + 1))], Reason.TOO_MANY_BYTES, 1, id="promised-too-much"),
        pytest.param([answer(length=None, body=BODY * 2)], Reason.TOO_MANY_BYTES, 1, id="too-much-without-a-promise"),
        pytest.param([chunked(*[BODY] * 9)], Reason.TOO_MANY_BYTES, 1, id="too-much-in-chunks"),
        pytest.param(
            [answer(body=gzip.compress(bytes(50_000_000)), Content_Encoding="gzip")],
            Reason.TOO_MANY_BYTES,
            1,
            id="gzip-bomb-of-49-kB",
        ),
        pytest.param(
            [raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n")], Reason.UNREACHABLE, 1, id="200-headers"
        ),
        pytest.param(
            [raw(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n")], Reason.UNREACHABLE, 1, id="header-of-70-kB"
        ),
        pytest.param([moved("file:///etc/passwd")], Reason.NOT_ALLOWED, 1, id="to-a-file"),
        pytest.param([moved("ftp://127.0.0.1/x")], Reason.NOT_ALLOWED, 1, id="to-ftp"),
        pytest.param([moved("http://me:pw@127.0.0.1/x")], Reason.NOT_ALLOWED, 1, id="to-a-place-with-a-password"),
        pytest.param([moved("/x.jpg")], Reason.REDIRECT_LOOP, 6, id="redirects-to-itself-for-ever"),
        pytest.param([moved("http://[")], Reason.NOT_ALLOWED, 1, id="to-no-address"),
        pytest.param([answer(302, b"")], Reason.HTTP_ERROR, 1, id="redirects-nowhere"),
    ],
)
def test_an_answer_that_is_no_file_says_why(site, get, answers, reason, requests):
    url = site.at("/x.jpg", *answers)

    assert get(url) == reason
    assert site.requests("/x.jpg") == requests


@pytest.mark.parametrize(
    ("body", "expects", "found"),
    [
        pytest.param(b"", "json", Reason.SERVER_ERROR, id="nothing"),
        pytest.param(b"<html>busy", "json", Reason.SERVER_ERROR, id="page"),
        pytest.param(b"\xef\xbb\xbf \n<!DOCTYPE html>", "csv", Reason.SERVER_ERROR, id="page-after-a-mark"),
        pytest.param(b'{"rows": [1, 2', "json", Reason.CUT_SHORT, id="json-without-its-end"),
        pytest.param(b'{"rows": [1, 2]}\n', "json", None, id="json"),
        pytest.param(b"<a>,<b>\n", "csv", None, id="table-with-angles"),
        pytest.param(b"<html>", "html", None, id="page-that-was-wanted"),
        pytest.param(
            b'<html><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31">Request unsuccessful. '
            b"Incapsula incident",
            "html",
            Reason.THROTTLED,
            id="wall-of-incapsula",
        ),
        pytest.param(
            b"<title>Just a moment...</title><script>window._cf_chl_opt={}",
            "html",
            Reason.THROTTLED,
            id="wall-of-cloudflare",
        ),
        pytest.param(b"<h1>Checking your browser before accessing", "html", Reason.THROTTLED, id="wall-that-checks"),
        pytest.param(b'<script src="https://www.google.com/recaptcha/api.js">', "html", Reason.THROTTLED, id="captcha"),
        pytest.param(b'<div class="h-captcha" data-sitekey="x">', "html", Reason.THROTTLED, id="another-captcha"),
        pytest.param(
            b'<title>Captcha, rate limit</title><a href="/captcha"><img src="/captcha.jpg" '
            b'alt="Cloudflare: Incapsula">',
            "html",
            None,
            id="work-of-such-a-name",
        ),
        pytest.param(
            b'<script src="/recaptcha/api.js"></script>' + b"x" * 20_000,
            "html",
            None,
            id="long-page-with-a-captcha-for-comments",
        ),
    ],
)
def test_what_stands_in_for_the_answer_is_none(site, get, body, expects, found):
    assert get(site.at("/x", answer(body=body)), expects=expects) == (body if found is None else found)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # urllib3 leaves such a connection to the collector
def test_two_lengths_that_differ_are_no_answer(site, get):
    assert get(site.at("/x.jpg", answer(length="5, 6"))) == Reason.UNREACHABLE
    gc.collect()


def test_nobody_listening_is_unreachable(invite, get, refusing_url):
    asked = invite(origins=Origins({"*": refusing_url.rsplit("/", 1)[0]}))

    assert get("http://a.example/x", asked=asked, expects="json") == Reason.UNREACHABLE


# --- time


@pytest.mark.parametrize(
    "head",
    [
        pytest.param((b"", b""), id="says-nothing"),
        pytest.param((b"HTTP/1.1 200 OK\r\nX: ", b"y"), id="head-that-drips"),
        pytest.param((b"", b"HTTP/1.1 100 Continue\r\n\r\n"), id="continue-for-ever"),
        pytest.param((b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"), id="body-that-drips"),
        pytest.param((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"), id="chunks-that-drip"),
        pytest.param(
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", b"X: y\r\n"),
            id="endless-trailers",
        ),
        pytest.param(
            (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08" + bytes(6), b"name"),
            id="unpacks-to-nothing-for-ever",
        ),
    ],
)
def test_a_server_that_drips_is_given_up(site, get, is_over, head):
    url, began_s = site.at("/x.jpg", dripping(*head, is_over)), time.monotonic()

    assert get(url, timeout_s=0.15, expects="json") == Reason.UNREACHABLE
    assert time.monotonic() - began_s < 1.5


def test_no_thread_is_left_over(site, get):
    get(site.at("/x.jpg", answer()))
    deadline_s = time.monotonic() + 2
    while any(thread.name == "watchdog" for thread in threading.enumerate()):
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


# --- the whole file


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([answer()], id="200"),
        pytest.param([answer(length=None)], id="no-length"),
        pytest.param([answer(length="nonsense")], id="length-is-no-number"),
        pytest.param([answer(length="")], id="length-is-empty"),
        pytest.param([chunked(BODY[:7], BODY[7:])], id="chunked"),
        pytest.param([moved("x.jpg"), answer()], id="redirected"),
        pytest.param([moved("//other.example/x.jpg"), answer()], id="redirected-without-a-scheme"),
        pytest.param([moved("x.jpg")] * 5 + [answer()], id="redirected-five-times"),
        pytest.param([moved("http://"), answer()], id="to-no-host-is-to-itself"),
    ],
)
def test_the_file_comes_whole(site, get, answers):
    assert get(site.at("/x.jpg", *answers)) == BODY


@pytest.mark.parametrize(
    ("last", "found"),
    [(answer(), BODY), (chunked(BODY), BODY), (answer(404, b"gone"), Reason.NOT_FOUND)],
)
@pytest.mark.parametrize(
    "heads",
    [["103 Early Hints"], ["100 Continue", "103 Early Hints", "102 Processing", "103 Early Hints"], ["199 x"] * 20],
)
def test_interim_answers_are_read_on_to_the_last(site, get, heads, last, found):
    url = site.at("/x.jpg", interim(*heads, last=last), answer(body=b"next"))
    site.heads["/x.jpg"] = interim(*heads, last=answer(200, b""))

    assert [get(url, expects="image"), get(url, expects="image")] == [found, b"next"]
    assert site.connections == 1  # each answer was read to its own end


@pytest.mark.parametrize(
    ("heads", "reason"),
    [(["103 Early Hints"] * 21, Reason.UNREACHABLE), (["101 Switching Protocols"], Reason.HTTP_ERROR)],
)
def test_interim_answers_without_an_end_are_no_answer(site, get, heads, reason):
    assert get(site.at("/x.jpg", interim(*heads, last=answer()))) == reason


COOKIE = "; it sets a cookie, and cookies are not sent back"


@pytest.mark.parametrize(
    ("answers", "detail"),
    [
        pytest.param({"/x": moved("/x")}, "redirects to itself", id="itself"),
        pytest.param({"/x": moved("/x", Set_Cookie="a=1")}, f"redirects to itself{COOKIE}", id="itself-with-a-cookie"),
        pytest.param({"/x": moved("/y"), "/y": moved("/x")}, "redirects lead in a circle", id="circle"),
        pytest.param(
            {"/x": moved("/y", Set_Cookie="a=1"), "/y": moved("/x")},
            f"redirects lead in a circle{COOKIE}",
            id="circle-with-a-cookie",
        ),
        pytest.param(
            {f"/{'x' * each}": moved(f"/{'x' * (each + 1)}") for each in range(1, 7)}, "more than 5 redirects", id="on"
        ),
    ],
)
def test_redirects_without_an_end_are_a_loop_with_its_reason(site, invite, answers, detail):
    for path, each in answers.items():
        site.at(path, each)
    with pytest.raises(UnreadableImage) as caught:
        invite().client.get(DownloadRequest(f"{site.url}/x"), io.BytesIO(), ResponseLimits(MOST, 5.0))
    assert (caught.value.reason, caught.value.detail) == (Reason.REDIRECT_LOOP, detail)


def test_a_host_whose_robots_txt_redirects_in_a_circle_allows_all(site, get):
    site.at("/robots.txt", moved("/robots.txt"))

    assert get(site.at("/x.jpg", answer()), expects="image") == BODY


def test_a_redirect_to_letters_beyond_ascii_is_utf_8(site, get):
    url = site.at("/x", moved("/b\u00fccher".encode().decode("latin-1")))
    site.at("/b%C3%BCcher", answer())

    assert get(url) == BODY


@pytest.mark.parametrize(
    ("body", "max_bytes"),
    [
        pytest.param(b"", 1, id="empty"),
        pytest.param(BODY, len(BODY), id="exactly-the-limit"),
        pytest.param(b"x" * 65_536, 65_536, id="exactly-one-read"),
        pytest.param(b"x" * 65_537, 65_537, id="one-read-and-a-byte"),
    ],
)
@pytest.mark.parametrize("way", ["length", "chunked", "end"])
def test_the_limit_itself_is_allowed(site, get, way, body, max_bytes):
    sends = {
        "length": answer(body=body),
        "chunked": chunked(*[body] * bool(body)),
        "end": answer(body=body, length=None if body else "right"),
    }
    url = site.at("/x.jpg", sends[way])

    assert get(url, max_bytes) == body
    if body:
        assert get(url, max_bytes - 1) == Reason.TOO_MANY_BYTES


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_gzipped_file_is_unpacked_and_its_limit_is_on_what_comes_out(site, get, is_chunked):
    packed = gzip.compress(BODY)
    assert len(packed) < 5_000 < len(BODY)
    send = chunked(packed, Content_Encoding="gzip") if is_chunked else answer(body=packed, Content_Encoding="gzip")
    url = site.at("/x.jpg", send)

    assert get(url, len(BODY)) == BODY
    assert get(url, len(BODY) - 1) == Reason.TOO_MANY_BYTES


def test_a_gzipped_file_cut_short_is_not_taken_for_whole(site, get):
    packed = gzip.compress(BODY)
    url = site.at("/x.jpg", answer(body=packed[:-100], length=str(len(packed)), Content_Encoding="gzip"))

    assert get(url) == Reason.CUT_SHORT


def test_after_any_failure_the_next_file_comes(site, get):
    """Connections are kept: what one answer leaves in one must not reach the next."""
    bad = [answer(404), answer(length="80000"), answer(length=None, body=BODY * 2), chunked(BODY, is_ended=False)]
    for place, send in enumerate([*bad, answer(length="3")]):
        get(site.at(f"/bad{place}.jpg", send))
        assert get(site.at(f"/good{place}.jpg", answer(body=b"%d" % place))) == b"%d" % place


@pytest.mark.parametrize(
    "send",
    [
        answer(),
        chunked(b"x" * 9),
        answer(404, b"no"),
        answer(403, b"no"),
        chunked(b"no", status=500),
        answer(304, b""),
        moved("/end"),
        answer(204, b""),
        answer(429, b"slow"),
    ],
    ids=["200", "chunks", "404", "403", "500-chunks", "304", "302", "204", "429"],
)
@pytest.mark.parametrize("expects", ["image", "json"])
def test_a_connection_is_used_again_after(site, invite, get, send, expects):
    asked = invite(Manners(rate_per_s=1e5, connections=1, longest_wait_s=0))
    site.at("/end", answer(body=b"{}"))
    url = site.at("/x", send)
    for _ in range(3):
        asked.rate_limiter._hosts.clear()  # its pauses would only make the test slow
        get(url, expects=expects, asked=asked, etag='"1"')

    assert site.connections == 1


# --- conditional


def test_what_is_unchanged_is_not_sent_again(site, invite):
    url = site.at("/x", answer(ETag='"1"', Last_Modified="yesterday"), answer(304, b""))
    client, limits = invite().client, ResponseLimits(MOST, 5)

    first = client.get(DownloadRequest(url), io.BytesIO(), limits)
    again = client.get(DownloadRequest(url, etag=first.etag, last_modified=first.last_modified), io.BytesIO(), limits)

    assert (first.etag, first.last_modified, again.is_unchanged) == ('"1"', "yesterday", True)
    assert site.seen[-1][1]["If-None-Match"] == '"1"'
    assert site.seen[-1][1]["If-Modified-Since"] == "yesterday"


@pytest.mark.parametrize("value", ["e" * 201, '"a\r\n b"', "\x07"], ids=["long", "folded", "bell"])
def test_a_validator_that_can_be_sent_back_or_is_not_kept(site, invite, value):
    head = f"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nETag: {value}\r\n\r\nx"
    url = site.at("/x", raw(head.encode()))

    etag = invite().client.get(DownloadRequest(url), io.BytesIO(), ResponseLimits(MOST, 5)).etag

    assert etag is None or (etag.isprintable() and len(etag) <= 200)


# --- a guest


def test_a_request_bears_our_name_and_no_password(site, get, tmp_path, monkeypatch):
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\ndefault login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    url = site.at("/a.jpg", moved("/b.jpg", Set_Cookie="id=1"))
    site.at("/b.jpg", answer())

    get(url)

    assert [path for path, _ in site.seen] == ["/robots.txt", "/a.jpg", "/b.jpg"]
    for _, headers in site.seen:
        assert headers["User-Agent"] == user_agent("me@example.org")
        assert headers["User-Agent"].startswith("bilderatlas/")
        assert "me@example.org" in headers["User-Agent"]
        assert not {"Authorization", "Cookie"} & headers.keys()


def test_without_a_contact_no_public_host_is_asked_not_even_by_redirect(site, invite, get):
    asked = invite(origins=Origins({"a.example": site.url}), contact=None)
    site.at("/x", moved("http://b.example/y"), host="a.example")

    assert get("http://b.example/y", asked=asked) == Reason.UNREACHABLE
    assert get("http://a.example/x", asked=asked) == Reason.UNREACHABLE
    assert get("http://127.0.0.1:9/z", asked=asked) == Reason.NOT_ALLOWED  # no contact would make it a public host
    assert site.requests("/y") == 0
    with pytest.raises(UnreadableImage, match="bind `contact`"):
        asked.client.get(DownloadRequest("http://a.example/x"), io.BytesIO(), ResponseLimits(MOST, 5))


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/a.jpg",
        "HTTP//127.0.0.1",
        "",
        "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
        "http://",
        "http://[",
        "http://127.0.0.1:port/",
        "http://127.0.0.1:99999/",
        "http://.local/a.jpg",
        f"http://{'a' * 70}.local/a.jpg",
        "http://*.local/a.jpg",
        "http://a b/",
        "http://a\\@b/",
        "http://me@a.example/",
        "http://a.example/\ud800",
    ],
)
def test_what_is_no_web_address_is_not_allowed(get, url):
    assert get(url) == Reason.NOT_ALLOWED


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "0.0.0.0", "[::1]", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[::]"],
)
def test_this_machine_is_not_asked_unless_bound(site, invite, get, host):
    asked = invite(origins=Origins({"a.example": "http://127.0.0.2:1"}))
    port = site.url.rsplit(":", 1)[1]

    # what a name leads to is this machine's affair, and may be over by the next build
    expected = Reason.UNREACHABLE if host == "localhost" else Reason.NOT_ALLOWED
    assert get(f"http://{host}:{port}/x", asked=asked, expects="json") == expected
    assert site.connections == 0


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fe80::1", "64:ff9b::7f00:1"])
def test_a_name_that_leads_to_a_private_address_is_not_asked_this_time(invite, get, monkeypatch, address):
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", (address, 80))])

    assert get("http://museum.example/x", asked=invite(origins=Origins()), expects="json") == Reason.UNREACHABLE


def test_a_redirect_into_this_machine_is_not_followed(site, invite, get):
    asked = invite(origins=Origins({"a.example": site.url}))
    site.at("/x", moved("http://127.0.0.1:9/secret"), host="a.example")

    assert get("http://a.example/x", asked=asked) == Reason.NOT_ALLOWED


# --- robots


@pytest.mark.parametrize(
    ("robots", "found"),
    [
        pytest.param([answer(404)], BODY, id="missing"),
        pytest.param([answer(403, b"")], BODY, id="403"),
        pytest.param([answer(500)], Reason.SERVER_ERROR, id="500"),
        pytest.param([answer(501)], Reason.SERVER_ERROR, id="501"),
        pytest.param([answer(429)], Reason.THROTTLED, id="429"),
        pytest.param([hang_up], Reason.UNREACHABLE, id="hangs-up"),
        pytest.param([answer(body=b"")], BODY, id="empty"),
        pytest.param([answer(body=b"<html>Disallow</html>")], BODY, id="page"),
        pytest.param([answer(body=BODY)], BODY, id="binary"),
        pytest.param([answer(body=b"User-agent: *\nDisallow: /x")], Reason.ROBOTS_DISALLOW, id="disallowed"),
        pytest.param(
            [answer(body=b"\xef\xbb\xbfUser-agent: *\nDisallow: /")], Reason.ROBOTS_DISALLOW, id="with-a-mark"
        ),
        pytest.param(
            [answer(body=b"User-agent: *\nDisallow: /\n" + b"# x\n" * 200_000)], Reason.ROBOTS_DISALLOW, id="huge"
        ),
        pytest.param(
            [chunked(b"User-agent: *\nDisallow: /\n", *[BODY] * 9)], Reason.ROBOTS_DISALLOW, id="huge-in-chunks"
        ),
        pytest.param([moved("http://b.example/r")], Reason.ROBOTS_DISALLOW, id="elsewhere"),
        pytest.param([moved("/robots.txt")], BODY, id="to-itself"),
        pytest.param([moved("file:///etc/passwd")], BODY, id="to-a-file"),
        pytest.param([answer(body=b"User-agent: *\nCrawl-delay: inf")], BODY, id="no-delay"),
        pytest.param([answer(body=b"User-agent: *\nCrawl-delay: 1e9")], Reason.THROTTLED, id="delay-of-30-years"),
        pytest.param(
            [answer(body=b"User-agent: bilderatlas\nAllow: /\n\nUser-agent: *\nDisallow: /")], BODY, id="for-us"
        ),
    ],
)
def test_robots_txt_is_obeyed(site, invite, get, robots, found):
    site.at("/r", answer(body=b"User-agent: *\nDisallow: /x"), host="b.example")
    site.at("/robots.txt", *robots, host="a.example")
    site.at("/x", answer(), host="a.example")

    assert get("http://a.example/x", asked=invite(), expects="html") == found
    assert site.requests("/x") == (found == BODY)


def test_robots_txt_is_read_once_per_host_and_not_for_an_api(site, get):
    for _ in range(3):
        get(site.at("/x", answer(body=b"{}")), expects="json")
    assert site.requests("/robots.txt") == 0
    for _ in range(3):
        get(site.at("/x", answer()), expects="html")
    assert site.requests("/robots.txt") == 1


@pytest.mark.parametrize("status", [200, 302, 304])
def test_an_image_whose_head_opts_out_is_not_read(site, get, status):
    url = site.at("/x.jpg", answer(status, b"", X_Robots_Tag="noindex, noai", Location="/y.jpg"))

    assert get(url, expects="image", etag='"1"') == Reason.OPTED_OUT
    assert site.requests("/y.jpg") == 0


def test_heads_are_looked_at_first_where_one_has_ever_opted_out(site, get):
    site.heads["/no.jpg"] = answer(200, b"", X_Robots_Tag="noai")
    no, yes = site.at("/no.jpg", answer()), site.at("/yes.jpg", answer())

    assert [get(url, expects="image") for url in (no, no, yes)] == [Reason.OPTED_OUT, Reason.OPTED_OUT, BODY]
    assert (site.requests("/no.jpg"), site.looked["/yes.jpg"]) == (0, 1)


@pytest.mark.parametrize("head", [answer(405, b""), answer(404, b""), answer(500, b"")])
def test_a_head_that_fails_does_not_matter(site, get, head):
    site.heads["/x.jpg"] = head

    assert get(site.at("/x.jpg", answer()), expects="image") == BODY


def test_a_host_that_hangs_up_on_heads_is_asked_for_the_image_at_the_next_try(site, get):
    site.heads["/x.jpg"] = hang_up
    url = site.at("/x.jpg", answer())

    assert [get(url, expects="image") for _ in range(2)] == [Reason.UNREACHABLE, BODY]


# --- opt-outs

TDM = "/.well-known/tdmrep.json"
RESERVED = b'[{"location": "/x", "tdm-reservation": 1, "tdm-policy": "https://a.example/policy"}]'
ROBOTS = b"User-agent: *\n"


@pytest.fixture
def detail(get, site, invite):
    """Why an image of the site is not had: the detail, or None if it is."""
    guest = invite()

    def found(url, expects="image"):
        try:
            guest.client.get(DownloadRequest(url, expects), io.BytesIO(), ResponseLimits(MOST, 5.0))
        except UnreadableImage as problem:
            return problem.detail if problem.reason == Reason.OPTED_OUT else problem
        return None

    return found


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({"X_Robots_Tag": "noimageai"}, "X-Robots-Tag: noimageai"),
        ({"Content_Usage": "search=y, train-ai=n"}, "Content-Usage: train-ai=n"),
        ({"Content_Signal": "ai-train=no"}, "Content-Signal: ai-train=no"),
        ({"tdm_reservation": "1"}, "TDM: 1"),
        ({"TDM_Reservation": "1", "TDM_Policy": "https://a.example/p"}, "TDM: 1, policy https://a.example/p"),
        ({"Content_Usage": "\xff\x01;;", "tdm_reservation": "yes", "X_Robots_Tag": ":"}, None),
    ],
)
def test_headers_of_an_image_opt_out(site, detail, headers, found):
    assert detail(site.at("/x", answer(**headers))) == found


@pytest.mark.parametrize(
    ("robots", "found"),
    [
        (b"Content-Usage: /x train-ai=n", "robots.txt Content-Usage: /x train-ai=n"),
        (b"Content-Signal: ai-train=no\nAllow: /", "robots.txt Content-Signal: ai-train=no"),
        (b"Content-Usage: /y train-ai=n", None),
    ],
)
def test_robots_txt_opts_out_before_anything_else_is_sent(site, detail, robots, found):
    site.at("/robots.txt", answer(body=ROBOTS + robots))
    assert detail(site.at("/x", answer())) == found
    assert (site.requests("/x"), site.looked["/x"], site.requests(TDM)) == ((1, 1, 1) if found is None else (0, 0, 0))


def test_what_is_forbidden_has_no_preferences(site, get):
    site.at("/robots.txt", answer(body=ROBOTS + b"Content-Usage: train-ai=n\nDisallow: /"))
    assert get(site.at("/x", answer()), expects="image") == Reason.ROBOTS_DISALLOW
    assert site.requests(TDM) == 0


@pytest.mark.parametrize("expects", ["html", "json", "anything"])
def test_what_is_no_image_is_not_for_training_anyway(site, detail, expects):
    site.at("/robots.txt", answer(body=ROBOTS + b"Content-Usage: train-ai=n"))
    site.at(TDM, answer(body=RESERVED))
    assert detail(site.at("/x", answer(body=b"{}", Content_Usage="train-ai=n")), expects) is None
    assert site.requests(TDM) == 0


RESERVED_DETAIL = "tdmrep.json: /x 1, policy https://a.example/policy"


@pytest.mark.parametrize(
    ("head", "found"),
    [
        pytest.param(answer(200, b""), RESERVED_DETAIL, id="head-says-nothing"),
        pytest.param(answer(404, b""), RESERVED_DETAIL, id="404"),
        pytest.param(answer(405, b""), RESERVED_DETAIL, id="405"),
        pytest.param(answer(500, b"", tdm_reservation="x"), RESERVED_DETAIL, id="500"),
        pytest.param(hang_up, RESERVED_DETAIL, id="hangs-up"),
        pytest.param(answer(200, b"", tdm_reservation="1"), "TDM: 1", id="head-says-so-too"),
        pytest.param(answer(200, b"", tdm_reservation="0"), None, id="head-supersedes-the-file"),
        pytest.param(
            answer(200, b"", tdm_reservation="0", X_Robots_Tag="noai"), "X-Robots-Tag: noai", id="but-no-other-signal"
        ),
    ],
)
def test_what_tdmrep_json_reserves_is_not_fetched_unless_its_headers_release_it(site, detail, head, found):
    site.at(TDM, answer(body=RESERVED))
    site.heads["/x"] = head
    url = site.at("/x", answer(tdm_reservation="0"))
    assert detail(url) == found
    assert site.requests("/x") == (found is None)


def test_a_head_that_is_throttled_decides_nothing(site, get):
    site.at(TDM, answer(body=RESERVED))
    site.heads["/x"] = answer(429, b"")
    assert get(site.at("/x", answer()), expects="image") == Reason.THROTTLED


def test_tdmrep_json_is_read_once_per_host_and_heads_only_for_what_it_reserves(site, detail):
    site.at(TDM, answer(body=RESERVED))
    urls = [site.at(f"/{name}.jpg", answer()) for name in ("a", "b", "x", "x2", "c")]
    assert [detail(url) for url in urls] == [None, None, RESERVED_DETAIL, RESERVED_DETAIL, None]
    assert site.requests(TDM) == site.requests("/robots.txt") == 1
    assert dict(site.looked) == {"/a.jpg": 1, "/x.jpg": 1, "/x2.jpg": 1}


@pytest.mark.parametrize(
    "tdm",
    [
        pytest.param([answer(404)], id="missing"),
        pytest.param([answer(403, b"")], id="403"),
        pytest.param([answer(500)], id="500"),
        pytest.param([hang_up], id="hangs-up"),
        pytest.param([answer(body=b"")], id="empty"),
        pytest.param([answer(body=b"<html>1</html>")], id="page"),
        pytest.param([answer(body=BODY)], id="binary"),
        pytest.param([answer(body=RESERVED, Content_Encoding="br")], id="wrong-encoding"),
        pytest.param([answer(body=RESERVED[:-1] + b" " * 600_000 + b"]")], id="huge"),
        pytest.param([moved(TDM)], id="to-itself"),
        pytest.param([moved("file:///etc/passwd")], id="to-a-file"),
    ],
)
def test_a_host_without_a_tdm_file_that_can_be_read_reserves_nothing(site, detail, tdm):
    site.at(TDM, *tdm)
    assert detail(site.at("/x", answer())) is None


def test_a_tdm_file_may_be_elsewhere_but_not_where_robots_txt_forbids_it(site, detail):
    site.at(TDM, moved("http://b.example/t"), host="a.example")
    site.at("/t", answer(body=RESERVED), host="b.example")
    site.at("/x", answer())
    assert detail("http://a.example/x") == RESERVED_DETAIL
    site.at(TDM, answer(body=RESERVED), host="c.example")
    site.at("/robots.txt", answer(body=ROBOTS + b"Disallow: /.well-known/"), host="c.example")
    assert detail("http://c.example/x") is None


def test_each_host_of_a_chain_is_asked_for_its_own_files(site, detail):
    site.at("/x", moved("http://b.example/x"), host="a.example")
    site.at(TDM, answer(body=RESERVED), host="b.example")
    assert detail("http://a.example/x") == RESERVED_DETAIL


# --- secrets


@pytest.mark.parametrize("credential", [KEY, SESSION], ids=["key", "session"])
def test_a_credential_without_its_secret_is_asked_for_before_anything_is_sent(site, get, credential):
    with pytest.raises(BadInput, match=r"api\.example: expected a secret"):
        get("http://api.example/x", expects="json", credential=credential)
    assert site.connections == 0


def test_a_key_goes_to_its_own_host_alone(site, get):
    site.at("/x", moved("http://b.example/y"), host="api.example")
    site.at("/y", answer(body=b"{}"), host="b.example")

    assert get("http://api.example/x?a=b%20c&flag", expects="json", credential=KEY, secret=SECRET) == b"{}"
    assert [path for path, _ in site.seen] == ["/x?a=b%20c&flag&key=s3cr%2Bt%2Fone%3Atw0+%26+more%25", "/y"]


def test_a_key_that_a_redirect_repeats_is_left_behind_and_sent_anew(site, get):
    site.at("/x", moved("/y?q=1&key=s3cr%2Bt%2Fone%3Atw0+%26+more%25"), host="api.example")
    site.at("/y", answer(body=b"{}"), host="api.example")

    assert get("http://api.example/x", expects="json", credential=KEY, secret=SECRET) == b"{}"
    assert site.seen[-1][0].count("key=") == 1


@pytest.mark.parametrize("form", ["s3cr+t/one", "s3cr%2Bt%2fone", "s3cr%252Bt%252Fone", "tw0+%26+more%25"])
def test_a_redirect_that_carries_the_secret_elsewhere_is_not_followed(site, get, form):
    site.at("/x", moved(f"http://evil.example/?stolen={form}"), host="api.example")

    assert get("http://api.example/x", expects="json", credential=KEY, secret=SECRET) == Reason.NOT_ALLOWED
    assert len(site.seen) == 1


def test_a_key_is_not_sent_without_encryption_to_a_public_host(invite, get):
    asked = invite(origins=Origins())

    assert get("http://api.example/", expects="json", credential=KEY, secret="x", asked=asked) == Reason.NOT_ALLOWED


@pytest.mark.parametrize(
    "send",
    [
        answer(500, b"tw0 & more% s3cr+t/one"),
        answer(body=b"<html>wrong: s3cr+t/one"),
        raw(b"s3cr+t/one\r\n\r\n"),
        raw(b"HTTP/1.1 s3cr+t/one\r\n\r\n"),
        answer(length=None, body=b"{", Content_Encoding="s3cr+t/one"),
        moved("ftp://s3cr+t/one"),
        hang_up,
    ],
)
def test_no_error_and_no_log_shows_the_secret(site, invite, send, caplog):
    caplog.set_level(logging.DEBUG)
    site.at("/x", send, host="api.example")
    wanted = DownloadRequest("http://api.example/x", "json", credential=KEY, secret=SECRET)
    with pytest.raises(UnreadableImage) as caught:
        invite().client.get(wanted, io.BytesIO(), ResponseLimits(MOST, 5))

    for shown in (caught.value.detail, caplog.text):
        assert "s3cr" not in shown
        assert "tw0" not in shown


def test_a_key_that_an_answer_repeats_is_covered(site, get):
    body = b'{"next": "/y?key=s3cr%2Bt%2Fone%3Atw0+%26+more%25", "you": "s3cr+t/one"}'
    site.at("/x", chunked(*(bytes([byte]) for byte in body)), host="api.example")

    found = get("http://api.example/x", expects="json", credential=KEY, secret=SECRET)

    assert len(found) == len(body)
    assert b"s3cr" not in found
    assert found.startswith(b'{"next": "/y?key=****')


def test_a_key_that_is_refused_ends_the_build(site, invite):
    site.at("/x", answer(401), host="api.example")

    with pytest.raises(BadInput, match="status 401"):
        invite().client.get(
            DownloadRequest("http://api.example/x", "json", credential=KEY, secret=SECRET),
            io.BytesIO(),
            ResponseLimits(MOST, 5),
        )


def test_a_session_is_opened_once_and_again_when_it_has_run_out(site, get):
    site.at("/login", answer(body=b'{"Key": "first"}'), answer(body=b'{"Key": "second"}'), host="api.example")
    site.at("/x", answer(body=b"{}"), answer(401), answer(body=b"{}"), host="api.example")

    found = [get("http://api.example/x", expects="json", credential=SESSION, secret=SECRET) for _ in range(3)]

    assert found == [b"{}", Reason.SERVER_ERROR, b"{}"]
    assert [path for path, _ in site.seen] == [
        "/login?a=s3cr%2Bt%2Fone&b=tw0+%26+more%25",
        "/x?session=first",
        "/x?session=first",
        "/login?a=s3cr%2Bt%2Fone&b=tw0+%26+more%25",
        "/x?session=second",
    ]


@pytest.mark.parametrize(
    ("send", "error"),
    [
        pytest.param(answer(403), BadInput, id="403"),
        pytest.param(answer(body=b'{"Error": "s3cr+t/one"}'), BadInput, id="no-key"),
        pytest.param(answer(body=b'{"Key": 1}'), BadInput, id="key-is-a-number"),
        pytest.param(answer(body=b"[]"), BadInput, id="no-object"),
        pytest.param(answer(500), UnreadableImage, id="500"),
        pytest.param(answer(429), UnreadableImage, id="429"),
        pytest.param(moved("http://evil.example/?a=s3cr%2Bt%2Fone"), UnreadableImage, id="sends-the-secret-elsewhere"),
    ],
)
def test_a_log_in_that_fails_shows_no_secret(site, invite, send, error):
    site.at("/login", send, host="api.example")

    with pytest.raises(error) as caught:
        invite().client.get(
            DownloadRequest("http://api.example/x", "json", credential=SESSION, secret=SECRET),
            io.BytesIO(),
            ResponseLimits(MOST, 5),
        )

    assert "s3cr" not in str(caught.value)
    assert site.requests("/x") == 0


# --- turns


@pytest.mark.parametrize(
    "send", [answer(), answer(404), answer(length="80000"), hang_up, moved("ftp://x"), moved("/x")]
)
@pytest.mark.parametrize("expects", ["image", "json"])
def test_every_turn_is_given_back_once(site, invite, get, send, expects):
    asked = invite(Manners(rate_per_s=1e5, connections=1))
    site.at("/x", send, host="a.example")

    get("http://a.example/x", asked=asked, expects=expects)

    assert {name: host.open_permits for name, host in asked.rate_limiter._hosts.items()} == {"a.example": 0}


def test_a_full_disk_is_nobodys_fault_but_ours(site, invite):
    class Full(io.BytesIO):
        def write(self, _data):
            raise OSError(28, "No space left on device")

    guest = invite()
    with pytest.raises(OSError, match="No space"):
        guest.client.get(DownloadRequest(site.at("/x", answer()), "json"), Full(), ResponseLimits(MOST, 5))
    assert all(host.open_permits == 0 for host in guest.rate_limiter._hosts.values())


def test_bytes_and_requests_are_counted(site, invite, get):
    asked = invite(Manners(rate_per_s=1e5, max_requests=2))
    url = site.at("/x", answer(body=b"{}"))

    assert [get(url, asked=asked, expects="json") for _ in range(3)] == [b"{}", b"{}", Reason.OVER_BUDGET]
    asked = invite(Manners(rate_per_s=1e5, max_bytes=3))
    assert [get(url, asked=asked, expects="json") for _ in range(3)] == [b"{}", b"{}", Reason.OVER_BUDGET]


def test_a_retry_after_reaches_the_rate_limiter(site, invite, get):
    asked = invite(Manners(rate_per_s=1e5, longest_wait_s=10))

    assert get(site.at("/x", answer(429, Retry_After="11")), asked=asked, expects="json") == Reason.THROTTLED
    assert asked.rate_limiter.try_acquire(asked.client.host_of(site.url)).refusal == Reason.THROTTLED


def test_a_client_is_quiet_until_asked():
    Client(RateLimiter(Manners()), Origins(), None, ResponseLimits(1, 1)).close()
