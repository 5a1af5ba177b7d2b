"""Bodies of responses: read with limits on bytes and time, unpacked, and checked for error pages."""

import codecs
import contextlib
import hashlib
import json
import re
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import requests
import urllib3

from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.connections import time_limit
from tasks.io.web.rate_limits import TransferStats
from tasks.io.web.secrets import SecretFilter

_CHUNK_BYTES = 1 << 18
_BLOCK_BYTES = 1 << 12
_BLANKS = b"\xef\xbb\xbf \t\r\n"
_LEAST_BYTES_PER_S = 20_000
_MOST_DRAINED_BYTES, _MOST_DRAIN_S = 1 << 16, 2.0
_READ_ERRORS = (urllib3.exceptions.HTTPError, OSError)
_LONGEST_BOT_WALL_BYTES = 20_000
_BOT_WALL = re.compile(
    rb"_Incapsula_Resource|Request unsuccessful\. Incapsula|cf-challenge|_cf_chl_|cf-turnstile"
    rb"|Checking your browser before"
    rb"|<(?:script|iframe)\b[^>]{0,300}captcha|\bclass=[\"'][^\"']{0,100}\b[gh]-(?:re)?captcha",
    re.IGNORECASE,
)
"""Markup of a bot wall's page. Plain words, such as the name of its maker, could also be in a work's title."""


@dataclass(frozen=True)
class ResponseLimits:
    """Most bytes of a response, and seconds to connect and between two reads: of a body one more for each 20 kB."""

    max_bytes: int
    timeout_s: float
    is_cut: bool = False  # a body beyond the limit, without an error


@dataclass(frozen=True)
class ResponseBody:
    """Nothing new (`is_unchanged`), or a body of so many bytes with this digest; and its validators."""

    is_unchanged: bool = False
    bytes: int = 0
    sha256: str = ""
    etag: str | None = None
    last_modified: str | None = None
    wrong_label: str | None = None
    """A Content-Encoding that was passed over: the body, which is not packed so, must show itself what it is."""


def read_body(
    response: requests.Response, into: BinaryIO, limits: ResponseLimits, stats: TransferStats, secrets: SecretFilter
) -> ResponseBody:
    """The body, written to `into`. Raises UnreadableImage."""
    said, wrong_labels = response.headers.get("Content-Length", "").strip(), list[str]()
    promised = int(said) if said.isdecimal() and len(said) < 16 else None
    if promised is not None and promised > limits.max_bytes and not limits.is_cut:
        raise UnreadableImage(Reason.TOO_MANY_BYTES, f"{promised} bytes promised, at most {limits.max_bytes} allowed")
    digest, start_s, length = hashlib.sha256(), time.monotonic(), 0
    for chunk in secrets.mask_chunks(_chunks(response, limits.timeout_s, wrong_labels)):
        stats.received_bytes += len(chunk)
        if stats.received_bytes > limits.max_bytes and not limits.is_cut:
            raise UnreadableImage(Reason.TOO_MANY_BYTES, f"more than {limits.max_bytes} bytes")
        if time.monotonic() - start_s > limits.timeout_s + stats.received_bytes / _LEAST_BYTES_PER_S:
            words = f"too slow: {stats.received_bytes} bytes had come by the time limit"
            raise UnreadableImage(Reason.UNREACHABLE, words)
        chunk = chunk[: limits.max_bytes - length]  # whole, unless `limits.is_cut`
        length += len(chunk)
        digest.update(chunk)
        into.write(chunk)
        if stats.received_bytes > limits.max_bytes:
            break
    if not stats.received_bytes and promised is None and not response.raw.chunked:
        # a connection that ends in the middle of the headers looks like this
        raise UnreadableImage(Reason.CUT_SHORT, "nothing came, and nothing had said that nothing would")
    into.flush()
    headers = [response.headers.get(name) or "" for name in ("ETag", "Last-Modified")]
    # what the next request may send back; none that is too long or would break a line
    etag, modified = (value if value and len(value) <= 200 and value.isprintable() else None for value in headers)
    label = next(iter(wrong_labels), None)
    sha256 = digest.hexdigest()
    return ResponseBody(bytes=length, sha256=sha256, etag=etag, last_modified=modified, wrong_label=label)


def first_bytes(response: requests.Response, at_most: int, timeout_s: float) -> bytes:
    """The first bytes of an error's page; empty if they can't be read."""
    with contextlib.suppress(*_READ_ERRORS), time_limit(response.raw, timeout_s):
        return bytes(response.raw.read(at_most, decode_content=True) or b"")
    return b""


def close_response(response: requests.Response) -> None:
    """Close the response. A short rest of an error's body is read first, so that its connection can be used again."""
    if response.status_code != requests.codes.ok or response.request.method == "HEAD":
        unread = _MOST_DRAINED_BYTES
        with contextlib.suppress(*_READ_ERRORS, RuntimeError), time_limit(response.raw, _MOST_DRAIN_S):
            while unread > 0 and (chunk := response.raw.read1(unread, decode_content=False)):
                unread -= len(chunk)
    response.close()


def label_problem(label: str) -> UnreadableImage:
    """Why a body can't be had that is not packed as its Content-Encoding says, and does not show what it is."""
    if label in PACKED:
        return UnreadableImage(Reason.CUT_SHORT, f"a body labelled {label}, which it is not")
    return UnreadableImage(Reason.SERVER_ERROR, f"a body packed as {label[:40]!r}, which nobody asked for")


def check_expected(into: BinaryIO, expects: str, *, may_quote: bool, wrong_label: str | None = None) -> None:
    """Raise UnreadableImage if the body is something else (busy servers send pages); of images the decoder tells."""
    if wrong_label is not None and expects != "image" and not _is_plain(into, expects):
        raise label_problem(wrong_label)
    if expects == "html" and _is_bot_wall(into):
        raise UnreadableImage(Reason.THROTTLED, "expected a page, got that of a bot wall")
    if expects not in {"json", "csv"}:
        return
    if not (start := _start(into)):
        raise UnreadableImage(Reason.SERVER_ERROR, f"expected {expects}, got nothing")
    if start[:1] == b"<" and (expects == "json" or re.match(rb"<(!doctype|html)", start, re.IGNORECASE)):
        quote = f" beginning with {start[:60]!r}" if may_quote else ""
        raise UnreadableImage(Reason.SERVER_ERROR, f"expected {expects}, got a page{quote}")
    if expects == "json" and start[:1] in b"{[" and not _is_closed(into):
        raise UnreadableImage(Reason.CUT_SHORT, "JSON that ends in its middle")


def _is_plain(into: BinaryIO, expects: str) -> bool:
    """Whether a body is what was expected, as it came: packed bytes are no JSON, and no UTF-8."""
    into.seek(0)
    try:
        if expects == "json":
            json.load(into)
            return True
        decoder = codecs.getincrementaldecoder("utf-8")()
        return expects in {"html", "csv", "robots"} and all(
            "\0" not in decoder.decode(block) for block in iter(lambda: into.read(_BLOCK_BYTES), b"")
        )
    except (ValueError, RecursionError):
        return False


def _is_bot_wall(into: BinaryIO) -> bool:
    """Whether a page is a bot wall's. Long pages are not, whatever scripts they have for comments and the like."""
    if into.seek(0, 2) >= _LONGEST_BOT_WALL_BYTES:
        return False
    into.seek(0)
    return bool(_BOT_WALL.search(into.read()))


def _start(into: BinaryIO) -> bytes:
    """The first bytes behind blanks, which may be any number; empty if there are none."""
    into.seek(0)
    while block := into.read(_BLOCK_BYTES):
        if start := block.lstrip(_BLANKS):
            return start
    return b""


def _is_closed(into: BinaryIO) -> bool:
    """Whether the last byte before blanks, which may be any number, closes a list or an object."""
    end = into.seek(0, 2)
    while end > 0:
        begin = max(0, end - _BLOCK_BYTES)
        into.seek(begin)
        if block := into.read(end - begin).rstrip():
            return block[-1:] in {b"}", b"]"}
        end = begin
    return False


def _chunks(response: requests.Response, timeout_s: float, wrong_labels: list[str]) -> Iterator[bytes]:
    # each piece has a time limit against bytes that unpack to nothing, and against trailers, which may be without end
    encodings = [name.strip() for name in response.headers.get("Content-Encoding", "").lower().split(",")]
    pieces = filter(None, unpack(_packed(response), encodings, _CHUNK_BYTES, wrong_labels))
    try:
        while True:
            with time_limit(response.raw, timeout_s):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece
    except urllib3.exceptions.TimeoutError as problem:
        raise UnreadableImage(Reason.UNREACHABLE, "no more bytes within the time limit") from problem
    except CutInMiddle as problem:
        raise UnreadableImage(Reason.CUT_SHORT, str(problem)) from problem
    except zlib.error as problem:
        raise UnreadableImage(Reason.CUT_SHORT, "the compressed body can't be unpacked") from problem
    except _READ_ERRORS as problem:
        raise UnreadableImage(Reason.CUT_SHORT, f"broke off: {innermost_message(problem)}") from problem


def _packed(response: requests.Response) -> Iterator[bytes]:
    # read1 returns what has arrived; iter_content would wait for 64 kB, forever if a server sends byte by byte
    while chunk := response.raw.read1(_CHUNK_BYTES, decode_content=False):
        yield chunk


def innermost_message(problem: Exception) -> str:
    """The innermost message of a library's error: outer messages repeat the URL, which may contain a secret."""
    inner: object = problem
    while (deeper := getattr(inner, "reason", None) or next(iter(getattr(inner, "args", ())), None)) and isinstance(
        deeper, Exception
    ):
        inner = deeper
    return f"{type(inner).__name__}: {str(inner).rsplit('>: ', 1)[-1]}"


NOT_PACKED = {"", "identity"}
PACKED = {"gzip", "x-gzip", "deflate"}
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_TRIAL_BYTES = 4096


class CutInMiddle(ValueError):
    """A packed body that ended before its end."""


def unpack(
    chunks: Iterable[bytes], encodings: Iterable[str], most_bytes: int, wrong_labels: list[str]
) -> Iterator[bytes]:
    """The bytes that were packed, in pieces of at most `most_bytes`; some may be empty.

    encodings: of Content-Encoding, in the order in which they were applied. One that is unknown, or as which the body
    does not begin (servers label so what is not packed, or no longer), is passed over into `wrong_labels`. What stands
    behind the end is ignored, as browsers do. Raises zlib.error for what breaks later, and CutInMiddle for a body that
    is not whole.
    """
    for encoding in reversed([encoding for encoding in encodings if encoding not in NOT_PACKED]):
        if encoding not in PACKED:
            wrong_labels.append(encoding)
        else:
            chunks = (_deflate if encoding == "deflate" else _gzip)(chunks, most_bytes, wrong_labels)
    return iter(chunks)


def _gzip(chunks: Iterable[bytes], most_bytes: int, wrong_labels: list[str]) -> Iterator[bytes]:
    """One or more gzip members, one behind the other; or what it is instead."""
    source = iter(chunks)
    rest, is_first = _beginning(source, len(_GZIP_MAGIC)), True
    if rest[: len(_GZIP_MAGIC)] != _GZIP_MAGIC[: len(rest)]:
        wrong_labels.append("gzip")
        yield rest
        yield from source
        return
    while rest.startswith(_GZIP_MAGIC) or (rest and is_first):
        member = zlib.decompressobj(_GZIP)
        yield from _unpacked(member, rest, source, most_bytes)
        rest, is_first = _beginning(source, len(_GZIP_MAGIC), member.unused_data), False


def _deflate(chunks: Iterable[bytes], most_bytes: int, wrong_labels: list[str]) -> Iterator[bytes]:
    """Deflate in zlib's frame, as the standard has it, or without, as some servers send it; or what it is instead."""
    source = iter(chunks)
    start = _beginning(source, _TRIAL_BYTES)
    has_frame = len(start) > 1 and start[0] & 15 == zlib.DEFLATED and int.from_bytes(start[:2], "big") % 31 == 0
    if has_frame or _is_raw_deflate(start):
        yield from _unpacked(zlib.decompressobj(_ZLIB if has_frame else _RAW), start, source, most_bytes)
    elif start:
        wrong_labels.append("deflate")
        yield start
        yield from source


def _is_raw_deflate(start: bytes) -> bool:
    """Whether bytes without a frame, which would tell, unpack as far as they go."""
    unpacker = zlib.decompressobj(_RAW)
    with contextlib.suppress(zlib.error):
        unpacker.decompress(start, _TRIAL_BYTES)
        return bool(start) and not unpacker.unused_data
    return False


def _beginning(source: Iterator[bytes], least_bytes: int, start: bytes = b"") -> bytes:
    """The first bytes behind `start`, until there are so many; fewer at the end."""
    while len(start) < least_bytes and (chunk := next(source, None)) is not None:
        start += chunk
    return start


def _unpacked(unpacker: "zlib._Decompress", start: bytes, source: Iterator[bytes], most_bytes: int) -> Iterator[bytes]:
    chunk: bytes | None = start
    while chunk is not None:
        while chunk and not unpacker.eof:
            yield unpacker.decompress(chunk, most_bytes)
            chunk = unpacker.unconsumed_tail
        if unpacker.eof:
            return
        chunk = next(source, None)
    yield unpacker.flush()
    if not unpacker.eof:
        raise CutInMiddle("the compressed body ends in its middle")
