"""Bodies that a server has packed (gzip, deflate): unpacked bit by bit, and known to be whole or cut short.

urllib3 unpacks too, but does not say that a packed body ended in its middle.
"""

import zlib
from collections.abc import Iterable, Iterator

NOT_PACKED = {"", "identity"}
PACKED = {"gzip", "x-gzip", "deflate"}
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"


class CutInMiddle(ValueError):
    """A packed body that ended before its end."""


def unpack(chunks: Iterable[bytes], encodings: Iterable[str], most_bytes: int) -> Iterator[bytes]:
    """The bytes that were packed, in pieces of at most `most_bytes`; some may be empty.

    encodings: of Content-Encoding, in the order in which they were applied. What stands behind the end of a packed body
    is ignored, as browsers do. Nothing at all is no packed body, and empty. Raises zlib.error for what is not packed
    so, and CutInMiddle at the end of a body that is not whole.
    """
    for encoding in reversed([encoding for encoding in encodings if encoding not in NOT_PACKED]):
        chunks = _gzip(chunks, most_bytes) if encoding != "deflate" else _deflate(chunks, most_bytes)
    return iter(chunks)


def _gzip(chunks: Iterable[bytes], most_bytes: int) -> Iterator[bytes]:
    """One or more gzip members, one behind the other."""
    rest, is_first, source = b"", True, iter(chunks)
    while True:
        while len(rest) < len(_GZIP_MAGIC) and (chunk := next(source, None)) is not None:
            rest += chunk
        if not rest or (not is_first and not rest.startswith(_GZIP_MAGIC)):
            return
        member = zlib.decompressobj(_GZIP)
        yield from _unpacked(member, rest, source, most_bytes)
        rest, is_first = member.unused_data, False


def _deflate(chunks: Iterable[bytes], most_bytes: int) -> Iterator[bytes]:
    """Deflate in zlib's frame, as the standard has it, or without, as some servers send it."""
    start, source = b"", iter(chunks)
    while len(start) < 2 and (chunk := next(source, None)) is not None:
        start += chunk
    if start:
        has_frame = len(start) > 1 and start[0] & 15 == zlib.DEFLATED and int.from_bytes(start[:2], "big") % 31 == 0
        yield from _unpacked(zlib.decompressobj(_ZLIB if has_frame else _RAW), start, source, most_bytes)


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
