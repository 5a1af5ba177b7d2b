"""One client's connection: requests one after another, each answered at once where that is possible."""

import asyncio
import contextlib
import socket
import struct
import sys
import time
import traceback
from collections.abc import Coroutine
from email.utils import formatdate
from typing import Any, cast

from examples.museum.serve.images import Picture
from examples.museum.serve.mischief import MISCHIEF, Patience
from examples.museum.serve.site import Exchange, Log, Site, Visit
from examples.museum.serve.wire import BadRequest, Head, Reply, head_from_bytes, head_from_reply

# larger bodies go in pieces, between which the client may read; asyncio would copy all that it cannot send at once
_PIECE_BYTES = 128 << 10
_NO_LINGER = struct.pack("ii", 1, 0)
_dates: dict[int, str] = {}


class Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive on one socket. A Line to those who do mischief."""

    def __init__(self, site: Site, log: Log, patience: Patience, open_now: set["Connection"]) -> None:
        self._site, self._log, self._patience, self._open_now = site, log, patience, open_now
        self._come = bytearray()
        self._skip_bytes = 0
        self._sent_bytes = 0
        self._busy: asyncio.Task[None] | None = None
        self._room: asyncio.Future[None] | None = None
        self._is_head = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has come."""
        self._transport = cast(asyncio.Transport, transport)
        self._open_now.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone, or we have."""
        self._open_now.discard(self)
        self.resume_writing()

    def pause_writing(self) -> None:
        """The client does not read as fast as we send."""
        self._room = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        """There is room again."""
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None
        if not self._transport.is_closing():
            self._go_on()

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request, or of several."""
        self._come += data
        self._go_on()

    def end(self) -> None:
        """Ends the connection as the server goes."""
        if self._busy is not None:
            self._busy.cancel()
        self._transport.abort()

    def _go_on(self) -> None:
        while self._busy is None and self._room is None and not self._transport.is_closing():
            skipped = min(self._skip_bytes, len(self._come))
            del self._come[:skipped]
            self._skip_bytes -= skipped
            try:
                found = head_from_bytes(self._come)
                if found is None:
                    return
                head, length = found
                del self._come[:length]
                self._skip_bytes = head.body_bytes
                self._answer(head, self._site.begin_exchange(head))
            except BadRequest as bad:
                self._refuse(bad.status)

    def _answer(self, head: Head, exchange: Exchange) -> None:
        self._is_head, self._sent_bytes = head.method == "HEAD", 0
        row = exchange.answer.image
        picture = None if row is None else self._site.images.ready(row)
        if row is not None and picture is None:
            return self._take_time(self._painted(exchange, row))
        return self._send(exchange, picture)

    def _send(self, exchange: Exchange, picture: Picture | None) -> None:
        reply = self._site.reply(exchange, picture)
        if exchange.mischief is not None:
            return self._take_time(self._misbehave(exchange, reply, exchange.mischief))
        if len(reply.body) > _PIECE_BYTES and not self._is_head:
            return self._take_time(self._send_pieces(exchange, reply))
        head = head_from_reply(reply, _date(), exchange.head.stays_open)
        body = b"" if self._is_head else reply.body
        self._sent_bytes = len(body)
        # the log first: who has the answer may look for it there
        self._note(exchange, reply.status)
        self._transport.write(head + body)
        return self._part(exchange)

    def _note(self, exchange: Exchange, status: int) -> None:
        target, head = exchange.target, exchange.head
        self._log(Visit(exchange.at_s, target.host, head.target, head.method, status, self._sent_bytes, exchange.fault))

    def _part(self, exchange: Exchange) -> None:
        if not exchange.head.stays_open:
            self._transport.close()

    def _refuse(self, status: int) -> None:
        reply = Reply(status, (("Content-Type", "text/plain"),), b"The museum does not understand.\n")
        self._transport.write(head_from_reply(reply, _date(), stays_open=False) + reply.body)
        self._log(Visit(time.monotonic(), "", "", "", status, len(reply.body), None))
        self._transport.close()

    def _take_time(self, work: Coroutine[Any, Any, None]) -> None:
        self._busy = asyncio.get_running_loop().create_task(self._finish(work))

    async def _finish(self, work: Coroutine[Any, Any, None]) -> None:
        mine = self._busy
        try:
            await work
        except ConnectionError:
            self._transport.abort()
        except Exception:  # a bug: shown, and no client is left waiting for it
            traceback.print_exc(file=sys.stderr)
            self._transport.abort()
        finally:
            # the work may have gone over into more work
            if self._busy is mine:
                self._busy = None
        self._go_on()

    async def _painted(self, exchange: Exchange, row: int) -> None:
        loop = asyncio.get_running_loop()
        self._send(exchange, await loop.run_in_executor(None, self._site.images.painted, row))

    async def _send_pieces(self, exchange: Exchange, reply: Reply) -> None:
        view = memoryview(reply.body)
        last = (len(view) - 1) // _PIECE_BYTES * _PIECE_BYTES
        try:
            self._transport.write(head_from_reply(reply, _date(), exchange.head.stays_open))
            for first in range(0, last, _PIECE_BYTES):
                await self.send(view[first : first + _PIECE_BYTES])
            await self.send(b"")
            self._sent_bytes = len(view)
        finally:
            self._note(exchange, reply.status)
        self._transport.write(view[last:])
        self._part(exchange)

    async def _misbehave(self, exchange: Exchange, reply: Reply, mischief: str) -> None:
        try:
            with contextlib.suppress(EOFError):
                await MISCHIEF[mischief](self, reply, self._patience)
        finally:
            self._note(exchange, reply.status)
        self._transport.close()

    async def send_head(self, reply: Reply) -> None:
        """The bytes before the body."""
        self._transport.write(head_from_reply(reply, _date(), stays_open=False))

    async def send(self, data: bytes | memoryview) -> None:
        """Some of the body, when there is room for it. Raises EOFError at once where no body was asked for."""
        if self._is_head and data:
            raise EOFError
        if self._room is not None:
            await self._room
        if self._transport.is_closing():
            raise ConnectionResetError
        self._transport.write(data)
        self._sent_bytes += len(data)

    def reset(self) -> None:
        """Ends the connection without a good-bye: what the client had sent is thrown away, and it is told so (RST)."""
        sock = self._transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self._transport.abort()


def _date() -> str:
    """The time for a Date header, made once a second."""
    now = int(time.time())
    if now not in _dates:
        _dates.clear()
        _dates[now] = formatdate(now, usegmt=True)
    return _dates[now]
