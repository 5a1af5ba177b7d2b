"""HTTP/1.1 as bytes: requests out of what has come, replies into what goes. No sockets, no clock."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

MOST_HEAD_BYTES = 64 << 10
MOST_TARGET_BYTES = 8 << 10
MOST_BODY_BYTES = 64 << 10

_PHRASES = {status.value: status.phrase for status in HTTPStatus}


class Head(NamedTuple):
    """A request's head: target as sent, header names in lower case.

    Where a name repeats, values are joined by commas.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    stays_open: bool
    body_bytes: int = 0


class Reply(NamedTuple):
    """What is sent back.

    Content-Length is the body's, unless `headers` has one, or the body ends with the connection.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    has_length: bool = True

    def with_header(self, name: str, value: str) -> "Reply":
        """The reply with one more header."""
        return self._replace(headers=(*self.headers, (name, value)))


class BadRequest(ValueError):
    """A request that is not answered; status says why."""

    def __init__(self, status: int) -> None:
        super().__init__(_PHRASES[status])
        self.status = status


def head_from_bytes(data: bytearray) -> tuple[Head, int] | None:
    """The first request's head in what has come, and its length in bytes; None where it has not come whole.

    Raises:
        BadRequest: 400 for what is no HTTP/1, 414 and 431 for too much of it, 413 for too large a body.
    """
    end = data.find(b"\r\n\r\n")
    if end < 0:
        if len(data) > MOST_HEAD_BYTES:
            raise BadRequest(431)
        return None
    if end > MOST_HEAD_BYTES:
        raise BadRequest(431)
    first, *lines = bytes(data[:end]).decode("latin-1").split("\r\n")
    method, target, version = _request_line(first)
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise BadRequest(400)
        name, value = name.lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    connection = headers.get("connection", "").lower()
    stays_open = "close" not in connection if version == "HTTP/1.1" else "keep-alive" in connection
    return Head(method, target, headers, stays_open, _body_bytes(headers)), end + 4


def _request_line(line: str) -> tuple[str, str, str]:
    parts = line.split(" ")
    if len(parts) != 3 or not parts[0].isupper() or parts[2] not in {"HTTP/1.0", "HTTP/1.1"}:
        raise BadRequest(400)
    if len(parts[1]) > MOST_TARGET_BYTES:
        raise BadRequest(414)
    if not parts[1].startswith(("/", "http://", "https://")):
        raise BadRequest(400)
    return parts[0], parts[1], parts[2]


def _body_bytes(headers: Mapping[str, str]) -> int:
    """How many bytes follow the head; chunks are for nobody who only asks."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()):
        raise BadRequest(400)
    if int(length) > MOST_BODY_BYTES:
        raise BadRequest(413)
    return int(length)


def head_from_reply(reply: Reply, date: str, stays_open: bool) -> bytes:
    """The bytes before the body."""
    lines = [f"HTTP/1.1 {reply.status} {_PHRASES.get(reply.status, 'Unknown')}", f"Date: {date}", "Server: museum"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    framed = {name.lower() for name, _ in reply.headers} & {"content-length", "transfer-encoding"}
    if reply.has_length and not framed and reply.status != HTTPStatus.NOT_MODIFIED:
        lines.append(f"Content-Length: {len(reply.body)}")
    if not stays_open:
        lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
