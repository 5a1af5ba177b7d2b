"""An answer's bytes, as they come: counted, timed, unpacked, and looked at for what only pretends to be the answer."""

import contextlib
import hashlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import requests
import urllib3

from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.connections import ending
from tasks.io.web.secrets import Veil
from tasks.io.web.turns import Sent

_CHUNK = 1 << 18
_LEAST_BYTES_PER_S = 20_000
_ENCODINGS = {"", "identity", "gzip", "x-gzip", "deflate"}
_DRAINED_BYTES, _DRAINED_S = 1 << 16, 2.0
_FAULTS = (urllib3.exceptions.HTTPError, OSError)
_LONGEST_WALL = 20_000
_WALL = re.compile(
    rb"_Incapsula_Resource|Request unsuccessful\. Incapsula|cf-challenge|_cf_chl_|cf-turnstile|Checking your "
    rb"browser before"
    rb"|<(?:script|iframe)\b[^>]{0,300}captcha|\bclass=[\"'][^\"']{0,100}\b[gh]-(?:re)?captcha",
    re.IGNORECASE,
)
"""What a bot wall's page is made of. Words alone, such as its maker's name, might be those of a work's title."""


@dataclass(frozen=True)
class Limits:
    """How much of an answer is taken, and how long is waited for it.

    timeout_s: to connect, and between two reads; a body may take so long and a second more for each 20 kB.
    """

    max_bytes: int
    timeout_s: float


@dataclass(frozen=True)
class Got:
    """What came: nothing new (`is_unchanged`), or so many bytes with this digest, written to where they were wanted."""

    is_unchanged: bool = False
    bytes: int = 0
    sha256: str = ""
    etag: str | None = None
    last_modified: str | None = None


def received(
    answer: requests.Response, into: BinaryIO, limits: Limits, sent: Sent, veil: Veil, *, is_cut: bool = False
) -> Got:
    """The body, written to `into`.

    Raises UnreadableImage; is_cut: what is beyond the limit is left, without an error.
    """
    promised = _promised(answer)
    if promised is not None and promised > limits.max_bytes and not is_cut:
        raise UnreadableImage(Reason.TOO_MANY_BYTES, f"{promised} bytes promised, at most {limits.max_bytes} allowed")
    digest, began_s = hashlib.sha256(), time.monotonic()
    for chunk in veil.covered(_chunks(answer, limits.timeout_s)):
        sent.received_bytes += len(chunk)
        if sent.received_bytes > limits.max_bytes and not is_cut:
            raise UnreadableImage(Reason.TOO_MANY_BYTES, f"more than {limits.max_bytes} bytes")
        if time.monotonic() - began_s > limits.timeout_s + sent.received_bytes / _LEAST_BYTES_PER_S:
            raise UnreadableImage(
                Reason.UNREACHABLE, f"too slow: {sent.received_bytes} bytes had come by the time limit"
            )
        digest.update(chunk)
        into.write(chunk)
        if sent.received_bytes > limits.max_bytes:
            break
    if not sent.received_bytes and promised is None and not answer.raw.chunked:
        # a connection that ends in the middle of the head looks like this
        raise UnreadableImage(Reason.CUT_SHORT, "nothing came, and nothing had said that nothing would")
    into.flush()
    return Got(
        bytes=sent.received_bytes,
        sha256=digest.hexdigest(),
        etag=_kept(answer, "ETag"),
        last_modified=_kept(answer, "Last-Modified"),
    )


def beginning(answer: requests.Response, at_most: int, timeout_s: float) -> bytes:
    """The first bytes of an error's page; none where they do not come."""
    try:
        with ending(answer.raw, timeout_s):
            return bytes(answer.raw.read(at_most, decode_content=True) or b"")
    except _FAULTS:
        return b""


def let_go(answer: requests.Response) -> None:
    """Close the answer. A short rest of one that is no file is read first, so that its connection can be used again."""
    if answer.status_code != requests.codes.ok or answer.request.method == "HEAD":
        left = _DRAINED_BYTES
        with contextlib.suppress(*_FAULTS, RuntimeError), ending(answer.raw, _DRAINED_S):
            while left > 0 and (chunk := answer.raw.read1(left, decode_content=False)):
                left -= len(chunk)
    answer.close()


def check_expected(into: BinaryIO, expects: str, *, may_quote: bool) -> None:
    """Raise where something else stands in for the answer: servers send pages when they are busy, with status 200."""
    if expects == "html" and _is_wall(into):
        raise UnreadableImage(Reason.THROTTLED, "expected a page, got that of a bot wall")
    if expects not in {"json", "csv"}:
        return
    into.seek(0)
    start = into.read(512).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        raise UnreadableImage(Reason.SERVER_ERROR, f"expected {expects}, got nothing")
    is_page = start[:1] == b"<" and (expects == "json" or re.match(rb"<(!doctype|html)", start, re.IGNORECASE))
    if is_page:
        shown = f" beginning with {start[:60]!r}" if may_quote else ""
        raise UnreadableImage(Reason.SERVER_ERROR, f"expected {expects}, got a page{shown}")
    if expects == "json" and start[:1] in b"{[" and not _is_closed(into):
        raise UnreadableImage(Reason.CUT_SHORT, "JSON that ends in its middle")


def _is_wall(into: BinaryIO) -> bool:
    """Whether a page is a bot wall's; longer ones are none, whatever scripts they have for comments and the like."""
    if into.seek(0, 2) >= _LONGEST_WALL:
        return False
    into.seek(0)
    return bool(_WALL.search(into.read()))


def _is_closed(into: BinaryIO) -> bool:
    length = into.seek(0, 2)
    into.seek(max(0, length - 512))
    return into.read().rstrip()[-1:] in {b"}", b"]"}


def _promised(answer: requests.Response) -> int | None:
    """Content-Length, where there is a believable one."""
    encodings = answer.headers.get("Content-Encoding", "").lower().split(",")
    if unknown := [name.strip() for name in encodings if name.strip() not in _ENCODINGS]:
        raise UnreadableImage(Reason.SERVER_ERROR, f"a body packed as {unknown[0][:40]!r}, which nobody asked for")
    value = answer.headers.get("Content-Length", "").strip()
    return int(value) if value.isdecimal() and len(value) < 16 else None


def _chunks(answer: requests.Response, timeout_s: float) -> Iterator[bytes]:
    # read1 gives what has come so far; iter_content would wait for 64 kB, and so for ever on a server that drips. The
    # limit on each is for bytes that unpack to nothing, and for what HTTP itself lets a server send without end
    # (trailers)
    try:
        while True:
            with ending(answer.raw, timeout_s):
                chunk = answer.raw.read1(_CHUNK, decode_content=True)
            if not chunk:
                return
            yield chunk
    except urllib3.exceptions.TimeoutError as problem:
        raise UnreadableImage(Reason.UNREACHABLE, "no more bytes within the time limit") from problem
    except urllib3.exceptions.DecodeError as problem:
        raise UnreadableImage(Reason.CUT_SHORT, "the compressed body can't be unpacked") from problem
    except _FAULTS as problem:
        raise UnreadableImage(Reason.CUT_SHORT, f"broke off: {said(problem)}") from problem


def said(problem: Exception) -> str:
    """The innermost words of a library's error: outer ones repeat the URL, which may carry a key."""
    inner: object = problem
    while (deeper := getattr(inner, "reason", None) or next(iter(getattr(inner, "args", ())), None)) and isinstance(
        deeper, Exception
    ):
        inner = deeper
    return f"{type(inner).__name__}: {str(inner).rsplit('>: ', 1)[-1]}"


def _kept(answer: requests.Response, name: str) -> str | None:
    """A header that is sent back with the next request, if it can be: it may not break a line."""
    value = answer.headers.get(name)
    return value if value and len(value) <= 200 and value.isprintable() else None
