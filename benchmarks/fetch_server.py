"""A server of the benchmark's images that costs as little as a server can: one process, one loop, sendfile.

    python -m benchmarks.fetch_server FOLDER

Prints its port. /<number>.jpg is that image, /cpu the seconds of CPU that it has used so far, everything else 404.
"""

import os
import re
import selectors
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fetch_pictures import AFTER_JFIF, start_of

_END_OF_HEAD = b"\r\n\r\n"
_ASKED = re.compile(rb"(GET|HEAD) /([^ ?]*)")
_MORE = getattr(socket, "MSG_MORE", 0)


@dataclass
class _Picture:
    handle: int
    length: int
    start: bytes


@dataclass
class _Guest:
    """One connection: what it has said so far, and what it has yet to be sent."""

    socket: socket.socket
    said: bytearray = field(default_factory=bytearray)
    head: bytes = b""
    picture: _Picture | None = None
    sent: int = 0
    is_last: bool = False


def main(folder: str) -> None:
    """Serve until killed."""
    pictures = [_opened(path) for path in sorted(Path(folder).glob("*.jpg"))]
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    listener.setblocking(False)
    print(listener.getsockname()[1], flush=True)
    loop = selectors.DefaultSelector()
    loop.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in loop.select():
            if key.fileobj is listener:
                _accept(listener, loop)
            else:
                _attend(key.data, pictures, loop)


def _opened(path: Path) -> _Picture:
    handle = os.open(path, os.O_RDONLY)
    return _Picture(handle, os.fstat(handle).st_size, os.pread(handle, AFTER_JFIF, 0))


def _accept(listener: socket.socket, loop: selectors.BaseSelector) -> None:
    guest, _ = listener.accept()
    guest.setblocking(False)
    guest.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    loop.register(guest, selectors.EVENT_READ, _Guest(guest))


def _attend(guest: _Guest, pictures: list[_Picture], loop: selectors.BaseSelector) -> None:
    """Take what the guest says, or send on; whoever is gone or has had the last answer is let go."""
    try:
        if not guest.head and guest.picture is None:
            said = guest.socket.recv(65536)
            guest.said += said
            if not said:
                raise ConnectionResetError
            if _END_OF_HEAD not in guest.said:
                return
            _answer(guest, pictures)
        is_done = _send(guest)
    except BlockingIOError:
        is_done = False
    except OSError:
        is_done = guest.is_last = True
    if is_done and guest.is_last:
        loop.unregister(guest.socket)
        guest.socket.close()
    else:
        loop.modify(guest.socket, selectors.EVENT_READ if is_done else selectors.EVENT_WRITE, guest)


def _answer(guest: _Guest, pictures: list[_Picture]) -> None:
    """What the guest asked for becomes what it is to be sent."""
    asked, _, rest = bytes(guest.said).partition(_END_OF_HEAD)
    guest.said = bytearray(rest)
    guest.is_last = b"connection: close" in asked.lower()
    found = _ASKED.match(asked)
    method, name = found.groups() if found else (b"GET", b"")
    number, _, ending = name.partition(b".")
    if ending == b"jpg" and number.isdigit():
        picture = pictures[int(number) % len(pictures)]
        start = start_of(int(number), picture.start)
        length = len(start) + picture.length - AFTER_JFIF
        guest.head = b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % length
        if method == b"GET":
            guest.head += start
            guest.picture, guest.sent = picture, AFTER_JFIF
    else:
        body = b"%f" % time.process_time() if name == b"cpu" else b""
        status = b"200 OK" if body else b"404 Not Found"
        guest.head = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


def _send(guest: _Guest) -> bool:
    """Send as much as the connection takes; whether that was all. Raises BlockingIOError if not."""
    picture = guest.picture
    while guest.head:
        guest.head = guest.head[guest.socket.send(guest.head, _MORE if picture else 0) :]
    while picture is not None and guest.sent < picture.length:
        guest.sent += os.sendfile(guest.socket.fileno(), picture.handle, guest.sent, picture.length - guest.sent)
    guest.picture = None
    return True


if __name__ == "__main__":
    main(sys.argv[1])
