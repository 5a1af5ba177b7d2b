"""Small files that become enormous: made from one compressed block that is repeated, so that making them costs
nothing.
"""

import zlib
from functools import cache

GZIP_BYTES = 10 << 30
PIXELS_A_SIDE = 60_000

_BLOCK = 1 << 20
_RAW_DEFLATE = -15
# RFC 1951: an empty last block, closed with the fixed codes
_LAST_BLOCK = b"\x03\x00"
_ADLER_MODULUS = 65_521


@cache
def gzip_bomb() -> bytes:
    """Some 10 MB that become 10 GB of zeros; the checksum behind them is wrong, which nobody should live to see."""
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
    return head + _zeros(GZIP_BYTES) + bytes(8)


@cache
def pixel_bomb() -> bytes:
    """A valid PNG of 60000 x 60000 black pixels, one bit each, in some 450 kB (PNG specification, third edition)."""
    rows = (PIXELS_A_SIDE // 8 + 1) * PIXELS_A_SIDE
    # RFC 1950: of zeros alone, the lower sum stays 1 and the upper one counts them
    adler = ((rows % _ADLER_MODULUS) << 16) | 1
    side = PIXELS_A_SIDE.to_bytes(4, "big")
    data = b"\x78\xda" + _zeros(rows) + adler.to_bytes(4, "big")
    chunks = _chunk(b"IHDR", side + side + b"\x01\x00\x00\x00\x00"), _chunk(b"IDAT", data), _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _zeros(count: int) -> bytes:
    """So many zeros, deflated."""
    blocks, rest = divmod(count, _BLOCK)
    return _deflated(_BLOCK) * blocks + _deflated(rest) + _LAST_BLOCK


def _deflated(count: int) -> bytes:
    # a full flush forgets what came before, so that the bytes may stand anywhere
    deflate = zlib.compressobj(9, zlib.DEFLATED, _RAW_DEFLATE)
    return deflate.compress(bytes(count)) + deflate.flush(zlib.Z_FULL_FLUSH)


def _chunk(name: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")
