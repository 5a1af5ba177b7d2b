"""Whether a PNG has all the rows that its header says.

Pillow fills those that a whole zlib stream lacks with zeros, and tells nobody. Unpacking a second time takes a third of
the time of decoding, so it is done only where the last row that the stream holds is nothing but zeros.
"""

import struct
import zlib
from collections.abc import Iterator

from PIL import Image

from tasks.io.images import odd_files

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""Of Adam7: first column, first row, and the steps of both (PNG standard, 8.2)."""
_PIECE_BYTES = 1 << 18


def may_be_missing(image: Image.Image) -> bool:
    """Whether the last row that a loaded PNG's stream holds is nothing but zeros."""
    last = image.height - 1
    if image.info.get("interlace"):
        if last == 0:
            return True  # of one row each pass holds some columns
        last -= 1 - last % 2  # the last pass holds the rows 1, 3, 5 ...
    return not image.crop((0, last, image.width, last + 1)).tobytes().strip(b"\0")


def missing(data: bytes) -> str | None:
    """How many bytes of pixels a PNG's stream holds, if these are fewer than its header says; None otherwise.

    None also for what is no PNG, and for a stream that breaks: the decoder decides about these. No more is unpacked
    than the header says, in pieces of 256 KiB.
    """
    expected_bytes = unpacked_bytes = 0
    unpacker = zlib.decompressobj()
    try:
        for name, chunk in odd_files.png_chunks(data):
            if name == b"IHDR":
                expected_bytes = _expected_bytes(chunk[8:])
            elif name == b"IDAT":
                for length in _unpacked_lengths(unpacker, chunk[8:-4]):
                    unpacked_bytes += length
                    if unpacked_bytes >= expected_bytes:
                        return None
            if unpacker.eof or (unpacked_bytes and name != b"IDAT"):
                break
    except (zlib.error, struct.error, KeyError):
        return None
    return f"truncated: {unpacked_bytes} bytes of pixels, expected {expected_bytes}" if expected_bytes else None


def _unpacked_lengths(unpacker: "zlib._Decompress", packed: bytes) -> Iterator[int]:
    while True:
        piece = unpacker.decompress(packed, _PIECE_BYTES)
        packed = unpacker.unconsumed_tail
        yield len(piece)
        if not piece or unpacker.eof:
            return


def _expected_bytes(header: bytes) -> int:
    """What the pixels unpack to: each row with its filter's byte. Raises KeyError, struct.error for a broken header."""
    width_px, height_px, depth_bits, colours, _, _, interlace = struct.unpack_from(">IIBBBBB", header)
    pixel_bits = depth_bits * _CHANNELS[colours]
    return sum(
        _steps(height_px, top, down) * (1 + -(-_steps(width_px, left, right) * pixel_bits // 8))
        for left, top, right, down in (_PASSES if interlace else ((0, 0, 1, 1),))
        if _steps(width_px, left, right)
    )


def _steps(length_px: int, first: int, step: int) -> int:
    return len(range(first, length_px, step))
