"""Drawn images in all formats, and files by hand that no program writes."""

import io
import struct
import zlib
from typing import Any

import cv2
import numpy as np
from PIL import Image


def encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    sink = io.BytesIO()
    image.save(sink, form, **options)
    return sink.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, depth: int, kind: int, rows: bytes, *extra: bytes) -> bytes:
    """A PNG by hand, for what Pillow does not write. kind 0 grey, 2 RGB, 3 palette, 4 grey + alpha, 6 RGBA."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))
    return b"".join([b"\x89PNG\r\n\x1a\n", header, *extra, chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")])


def painting(mode: str = "RGB", size: tuple[int, int] = (48, 32)) -> Image.Image:
    """Ramps and a patch: no symmetry, so that no turn or mirror of it is itself."""
    width, height = size
    y, x = np.mgrid[:height, :width]
    rgb = np.stack([255 * x // width, 255 * y // height, np.where((x < 9) & (y < 7), 230, 40)], axis=2)
    return Image.fromarray(rgb.astype(np.uint8)).convert(mode)


def from_cv(form: str, pixels: Any, *options: int) -> bytes:
    is_good, data = cv2.imencode(form, pixels, options)
    assert is_good
    return bytes(data.tobytes())


def with_tag(data: bytes, tag: int, value: int) -> bytes:
    """A little-endian TIFF with another value of a tag that holds one short number."""
    changed = bytearray(data)
    (start,) = struct.unpack_from("<I", data, 4)
    for entry in range(start + 2, start + 2 + 12 * struct.unpack_from("<H", data, start)[0], 12):
        if struct.unpack_from("<H", data, entry)[0] == tag:
            struct.pack_into("<I", changed, entry + 8, value)
    assert bytes(changed) != data
    return bytes(changed)
