"""Faults that are in how a reply is sent: connections that end, stall or never end."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from examples.museum.serve.wire import Reply

_CHUNK_BYTES = 64 << 10
_PROMISED_BYTES = 10 << 30


@dataclass(frozen=True)
class Patience:
    """How long faults without an end go on where the client does not end them."""

    longest_s: float = 600.0
    most_bytes: int = 256 << 20
    drip_s: float = 0.3


class Line(Protocol):
    """A connection to write to; what is written may wait until the client reads."""

    async def send_head(self, reply: Reply) -> None:
        """The bytes before the body."""

    async def send(self, data: bytes) -> None:
        """Some of the body; returns when there is room for more. Raises ConnectionError once the client has gone."""

    def reset(self) -> None:
        """Ends the connection without a good-bye."""


Mischief = Callable[[Line, Reply, Patience], Awaitable[None]]


async def _reset(line: Line, reply: Reply, patience: Patience) -> None:
    line.reset()


async def _cut_short(line: Line, reply: Reply, patience: Patience) -> None:
    await line.send_head(_promising(reply, max(2, len(reply.body))))
    await line.send(reply.body[: len(reply.body) // 2])


async def _promise(line: Line, reply: Reply, patience: Patience) -> None:
    await line.send_head(_promising(reply, _PROMISED_BYTES))
    await line.send((reply.body * (_CHUNK_BYTES // max(1, len(reply.body)) + 1))[:_CHUNK_BYTES])


async def _drip(line: Line, reply: Reply, patience: Patience) -> None:
    await line.send_head(reply._replace(has_length=False))
    for place in range(int(patience.longest_s / patience.drip_s)):
        await line.send(reply.body[place : place + 1] or b"\0")
        await asyncio.sleep(patience.drip_s)


async def _stall(line: Line, reply: Reply, patience: Patience) -> None:
    for _ in range(int(patience.longest_s / patience.drip_s)):
        await line.send(b"")
        await asyncio.sleep(patience.drip_s)


async def _endless(line: Line, reply: Reply, patience: Patience) -> None:
    await line.send_head(reply._replace(has_length=False))
    data = reply.body + bytes(_CHUNK_BYTES)
    for _ in range(-(-patience.most_bytes // len(data))):
        await line.send(data)


async def _bad_chunks(line: Line, reply: Reply, patience: Patience) -> None:
    await line.send_head(reply.with_header("Transfer-Encoding", "chunked"))
    half = reply.body[: len(reply.body) // 2]
    await line.send(b"%x\r\n" % len(half) + half + b"\r\nno-number\r\n" + reply.body[len(half) :] + b"\r\n-5\r\n\r\n")


def _promising(reply: Reply, length_bytes: int) -> Reply:
    return reply.with_header("Content-Length", str(length_bytes))


MISCHIEF: Mapping[str, Mischief] = {
    "reset": _reset,
    "cut_short": _cut_short,
    "cut_short_lasting": _cut_short,
    "ten_gb_promised": _promise,
    "drip": _drip,
    "stall": _stall,
    "endless": _endless,
    "bad_chunks": _bad_chunks,
}
"""Kinds of faults by name; the connection is closed behind each."""
