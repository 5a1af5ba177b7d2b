"""Bodies of responses: what is promised, what comes, and what is a page of an error in place of an answer."""

import gzip
import hashlib
import io
import tracemalloc
import zlib
from typing import Any

import pytest
import requests
import urllib3

from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web import bodies
from tasks.io.web.bodies import ResponseBody, ResponseLimits, read_body
from tasks.io.web.rate_limits import TransferStats
from tasks.io.web.secrets import SecretFilter

LIMITS = ResponseLimits(max_bytes=1000, timeout_s=5.0)
CUTTING = ResponseLimits(max_bytes=1000, timeout_s=5.0, is_cut=True)
DATA = bytes(range(200))


class Slow(io.BytesIO):
    """Each read takes so long by the clock that the test turns."""

    def __init__(self, data: bytes, each: int) -> None:
        super().__init__(data)
        self.each = each

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(self.each, size) if size and size > 0 else self.each)

    read1 = read


def response(body: Any, status: int = 200, method: str = "GET", **headers: str) -> requests.Response:
    """As requests gives it: nothing of the body has been read."""
    found = requests.Response()
    found.status_code = status
    found.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    source = body if hasattr(body, "read") else io.BytesIO(body)
    found.raw = urllib3.HTTPResponse(body=source, headers=found.headers, status=status, preload_content=False)
    found.request = requests.Request(method, "http://a.example/").prepare()
    return found


def read(answer: requests.Response, secret: str | None = None, limits: ResponseLimits = LIMITS) -> Any:
    """The body's description, its bytes, and how many bytes had come."""
    into, stats = io.BytesIO(), TransferStats()
    body = read_body(answer, into, limits, stats, SecretFilter(secret))
    return body, into.getvalue(), stats.received_bytes


def refused(answer: requests.Response, limits: ResponseLimits = LIMITS) -> tuple[Reason, str]:
    with pytest.raises(UnreadableImage) as caught:
        read(answer, limits=limits)
    return caught.value.reason, str(caught.value.detail)


# --- a label that is no packing


ODD = ["br", "aws-chunked", "utf-8", "none", "binary", "gzip, aws-chunked", "identity, none"]


@pytest.mark.parametrize("label", [*ODD, "gzip", "x-gzip", "deflate", "gzip, gzip"])
@pytest.mark.parametrize(
    ("data", "expects", "is_shown"),
    [
        (b'{"rows": [1, 2]}', "json", True),
        (b'{"rows": [1, 2', "json", False),
        ("<html>Dürer".encode(), "html", True),
        (b"key,image\n1,a.jpg\n", "csv", True),
        (b"User-agent: *\n", "robots", True),
        (DATA, "json", False),
        (DATA, "html", False),
        (DATA, "csv", False),
        (DATA, "anything", False),
        (b"key\0image", "csv", False),
    ],
)
def test_a_wrong_label_is_passed_over_where_the_body_is_what_was_expected(label, data, expects, is_shown):
    body, came, _ = read(response(data, Content_Encoding=label))
    assert came == data
    assert body.wrong_label is not None

    if is_shown:
        bodies.check_expected(io.BytesIO(came), expects, may_quote=True, wrong_label=body.wrong_label)
        return
    with pytest.raises(UnreadableImage) as caught:
        bodies.check_expected(io.BytesIO(came), expects, may_quote=True, wrong_label=body.wrong_label)
    is_known = body.wrong_label in {"gzip", "deflate"}
    assert caught.value.reason == (Reason.CUT_SHORT if is_known else Reason.SERVER_ERROR)
    assert repr(body.wrong_label) in caught.value.detail or f"labelled {body.wrong_label}" in caught.value.detail


def test_of_two_packings_the_one_that_is_none_is_passed_over():
    body, came, _ = read(response(gzip.compress(DATA), Content_Encoding="gzip, aws-chunked"))
    assert (came, body.wrong_label) == (DATA, "aws-chunked")
    body, came, _ = read(response(gzip.compress(DATA), Content_Encoding="gzip, gzip"))
    assert (came, body.wrong_label) == (DATA, "gzip")


# --- what comes


def test_a_body_with_its_digest_and_validators():
    body, data, count = read(response(DATA, Content_Length="200", ETag='"x"', Last_Modified="Mon, 01 Jan 2024"))
    assert (data, count) == (DATA, 200)
    assert body == ResponseBody(False, 200, hashlib.sha256(DATA).hexdigest(), '"x"', "Mon, 01 Jan 2024")


def test_an_empty_body_is_one_where_it_was_promised():
    assert read(response(b"", Content_Length="0"))[0].bytes == 0


def test_nothing_at_all_is_a_connection_that_ended():
    assert refused(response(b""))[0] == Reason.CUT_SHORT


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [("gzip", gzip.compress(DATA)), ("X-GZIP", gzip.compress(DATA)), ("deflate", zlib.compress(DATA)), ("", DATA)],
)
def test_a_packed_body_counts_by_what_it_unpacks_to(encoding: str, packed: bytes):
    body, data, _ = read(response(packed, Content_Encoding=encoding, Content_Length=str(len(packed))))
    assert (data, body.bytes) == (DATA, 200)


RAW_DEFLATE = zlib.compressobj(wbits=-zlib.MAX_WBITS)
RAW = RAW_DEFLATE.compress(DATA) + RAW_DEFLATE.flush()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        pytest.param("deflate", RAW, id="deflate without zlib's header, as old servers send it"),
        pytest.param("gzip", gzip.compress(DATA[:50]) + gzip.compress(DATA[50:]), id="two members"),
        pytest.param("gzip", gzip.compress(DATA) + b"\0\0 padding", id="a rest behind the end"),
        pytest.param("gzip, gzip", gzip.compress(gzip.compress(DATA)), id="packed twice"),
        pytest.param("identity, gzip", gzip.compress(DATA), id="one of them does nothing"),
    ],
)
@pytest.mark.parametrize("each", [1, 7, 100_000])
def test_a_packed_body_is_whole_however_it_comes(encoding: str, packed: bytes, each: int):
    body, data, _ = read(response(Slow(packed, each), Content_Encoding=encoding))
    assert (data, body.bytes) == (DATA, 200)


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(DATA)),
        ("deflate", zlib.compress(DATA)),
        ("deflate", RAW),
        ("gzip", gzip.compress(b"") + gzip.compress(DATA)),
        ("gzip, gzip", gzip.compress(gzip.compress(DATA))),
    ],
)
@pytest.mark.parametrize("lost", [1, 4, 8, 12, 30])
def test_a_packed_body_that_ends_in_its_middle_is_cut_short(encoding: str, packed: bytes, lost: int):
    """Without a length, as with chunks or a connection that just ends, only the packing knows that something lacks."""
    reason, detail = refused(response(packed[:-lost], Content_Encoding=encoding))
    assert (reason, detail) == (Reason.CUT_SHORT, "the compressed body ends in its middle")


def test_a_packed_body_of_nothing_is_empty():
    assert read(response(gzip.compress(b""), Content_Encoding="gzip", Content_Length="20"))[0].bytes == 0
    assert read(response(b"", Content_Encoding="gzip", Content_Length="0"))[0].bytes == 0


def test_a_small_body_that_unpacks_to_much_is_unpacked_bit_by_bit():
    bomb = gzip.compress(bytes(200_000_000))
    tracemalloc.start()
    assert refused(response(bomb, Content_Encoding="gzip"))[0] == Reason.TOO_MANY_BYTES
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize("value", ["x", "-1", "", "²"])
def test_a_length_that_is_no_number_promises_nothing(value: str):
    assert read(response(DATA, Content_Length=value))[0].bytes == 200


@pytest.mark.parametrize("value", ["x" * 201, "a\nb", "\x00", ""])
def test_a_validator_that_could_not_be_sent_back_is_none(value: str):
    answer = response(DATA)
    answer.headers["ETag"] = value
    assert read(answer)[0].etag is None


def test_a_secret_that_a_server_sends_back_is_masked_and_still_counted():
    body, data, _ = read(response(b'{"next": "?key=s3cret-of-nobody"}'), "s3cret-of-nobody")
    assert b"s3cret" not in data
    assert body.sha256 == hashlib.sha256(data).hexdigest()


# --- what is refused


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        pytest.param(
            response(b"", Content_Length="1001"),
            Reason.TOO_MANY_BYTES,
            "1001 bytes promised, at most 1000 allowed",
            id="promised: nothing is read",
        ),
        pytest.param(response(bytes(1001)), Reason.TOO_MANY_BYTES, "more than 1000 bytes", id="too many that come"),
        pytest.param(
            response(gzip.compress(bytes(100_000)), Content_Encoding="gzip"),
            Reason.TOO_MANY_BYTES,
            "more than 1000 bytes",
            id="too many by what they unpack to",
        ),
    ],
)
def test_what_is_refused(answer: requests.Response, reason: Reason, detail: str):
    assert refused(answer) == (reason, detail)


def test_a_cut_body_ends_at_the_limit_without_an_error():
    body, data, _ = read(response(bytes(5000), Content_Length="5000"), limits=CUTTING)
    assert (data, body.bytes) == (bytes(1000), 1000)
    assert body.sha256 == hashlib.sha256(data).hexdigest()
    packed = response(gzip.compress(bytes(5000)), Content_Encoding="gzip")
    assert read(packed, limits=CUTTING)[1] == bytes(1000)


def test_as_many_bytes_as_allowed_are_read():
    assert read(response(bytes(1000), Content_Length="1000"))[0].bytes == 1000


def test_a_body_that_drips_is_refused_by_the_whole_time_that_it_takes(monkeypatch: pytest.MonkeyPatch):
    """No single read is slow: the clock goes on by 4 s with each, and 5 s are allowed."""
    ticks = iter(range(0, 4000, 4))
    monkeypatch.setattr(bodies.time, "monotonic", lambda: float(next(ticks)))
    found = refused(response(Slow(bytes(100), 1)), ResponseLimits(1000, 5.0))
    monkeypatch.undo()
    assert found == (Reason.UNREACHABLE, "too slow: 1 bytes had come by the time limit")


def test_a_connection_that_breaks_off_says_so_without_its_address():
    class Breaking(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise OSError("reset by peer")

        read1 = read

    reason, detail = refused(response(Breaking(b"x")))
    assert reason == Reason.CUT_SHORT
    assert detail.startswith("broke off: ")
    assert "reset by peer" in detail
    assert "a.example" not in detail


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (OSError("reset"), "OSError: reset"),
        (urllib3.exceptions.ProtocolError("outer", OSError("reset")), "ProtocolError: ('outer', OSError('reset'))"),
        (requests.ConnectionError(OSError("reset")), "OSError: reset"),
        (OSError("<connection at http://a.example/?key=1>: reset"), "OSError: reset"),
        (OSError(), "OSError: "),
    ],
)
def test_the_innermost_message_of_an_error(problem: Exception, message: str):
    assert bodies.innermost_message(problem) == message


# --- pages in place of answers


@pytest.mark.parametrize(
    ("expects", "data", "reason"),
    [
        pytest.param("json", b"", Reason.SERVER_ERROR, id="nothing"),
        pytest.param("json", b" \r\n\xef\xbb\xbf", Reason.SERVER_ERROR, id="blanks"),
        pytest.param("json", b"<html>busy", Reason.SERVER_ERROR, id="a page"),
        pytest.param("json", b"<error/>", Reason.SERVER_ERROR, id="any markup"),
        pytest.param("json", b'{"a": [1', Reason.CUT_SHORT, id="the middle of an object"),
        pytest.param("json", b'\xef\xbb\xbf{"a": 1}\n', None, id="an object"),
        pytest.param("json", b"[]", None, id="a list"),
        pytest.param("json", b'{"a": 1}' + b" " * 5000 + b"\n", None, id="blanks behind an object"),
        pytest.param("json", b"\n" * 5000 + b"[1]", None, id="blanks before a list"),
        pytest.param("json", b" " * 5000, Reason.SERVER_ERROR, id="nothing but many blanks"),
        pytest.param("json", b" " * 5000 + b"<html>", Reason.SERVER_ERROR, id="blanks before a page"),
        pytest.param("json", b"[1, 2" + b" " * 5000, Reason.CUT_SHORT, id="blanks behind the middle of a list"),
        pytest.param("json", b"7", None, id="a number: the parser will say what it thinks of it"),
        pytest.param("csv", b"<!DOCTYPE html>", Reason.SERVER_ERROR, id="a page in place of a table"),
        pytest.param("csv", b"<title>,artist\n", None, id="a column whose name is odd"),
        pytest.param("csv", b"", Reason.SERVER_ERROR, id="no table"),
        pytest.param("html", b"<html><script src='/_Incapsula_Resource'>", Reason.THROTTLED, id="a bot wall"),
        pytest.param("html", b"<div class='h-captcha'>", Reason.THROTTLED, id="a captcha"),
        pytest.param("html", b"<p>Captcha, 1990, by A</p>", None, id="a work of that name"),
        pytest.param("html", b"<script>_Incapsula_Resource</script>" + b" " * 20_000, None, id="a long page"),
        pytest.param("html", b"", None, id="an empty page"),
        pytest.param("image", b"<html>", None, id="what is no answer of an API is looked at by others"),
    ],
)
def test_what_stands_in_place_of_an_answer(expects: str, data: bytes, reason: Reason | None):
    if reason is None:
        bodies.check_expected(io.BytesIO(data), expects, may_quote=True)
        return
    with pytest.raises(UnreadableImage) as caught:
        bodies.check_expected(io.BytesIO(data), expects, may_quote=True)
    assert caught.value.reason == reason


@pytest.mark.parametrize("may_quote", [True, False])
def test_a_page_is_quoted_only_where_it_can_hold_no_secret(may_quote: bool):
    with pytest.raises(UnreadableImage) as caught:
        bodies.check_expected(io.BytesIO(b"<html>busy"), "json", may_quote=may_quote)
    assert ("busy" in str(caught.value.detail)) == may_quote


# --- the rest of a response


def test_the_first_bytes_of_an_errors_page_or_none():
    assert bodies.first_bytes(response(DATA, 500), 10, 5.0) == DATA[:10]
    assert bodies.first_bytes(response(b"no gzip", 500, Content_Encoding="gzip"), 10, 5.0) == b""


@pytest.mark.parametrize(
    ("status", "method", "length", "is_read"),
    [
        pytest.param(404, "GET", 100, 100, id="a short page of an error: its connection can be used again"),
        pytest.param(404, "GET", 1 << 20, 1 << 16, id="a long one is not read to its end"),
        pytest.param(200, "GET", 100, 0, id="an image that is not wanted any more"),
        pytest.param(200, "HEAD", 100, 0, id="an answer without a body"),
    ],
)
def test_how_much_is_read_before_a_response_is_closed(status: int, method: str, length: int, is_read: int):
    source = io.BytesIO(bytes(length))
    places: list[int] = []
    close = source.close
    source.close = lambda: (places.append(source.tell()), close())[1]  # type: ignore[method-assign]
    bodies.close_response(response(source, status, method))
    assert places[0] == (100 if method == "HEAD" else is_read)
