"""Bodies that a server has packed (gzip, deflate): unpacked bit by bit, and known to be whole or cut short.

urllib3 unpacks too, but does not say that a packed body ended in its middle.
"""

import zlib
from collections.abc import Iterable, Iterator

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
    does not begin, is passed over: servers label files so that are not packed, or no longer. It goes into
    `wrong_labels`. What stands behind the end of a packed body is ignored, as browsers do. Nothing at all is no packed
    body, and empty. Raises zlib.error for what breaks later, and CutInMiddle at the end of a body that is not whole.
    """
    for encoding in reversed([encoding for encoding in encodings if encoding not in NOT_PACKED]):
        if encoding not in PACKED:
            wrong_labels.append(encoding)
        elif encoding == "deflate":
            chunks = _deflate(chunks, most_bytes, wrong_labels)
        else:
            chunks = _gzip(chunks, most_bytes, wrong_labels)
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
    try:
        unpacker.decompress(start, _TRIAL_BYTES)
    except zlib.error:
        return False
    return bool(start) and not unpacker.unused_data


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
