"""JPEG files that all decoders read alike: 8 bits, grey or YCbCr, upright, without a colour profile."""

import struct

from tasks.io.detectors.canvases import Size

# baseline, extended, progressive; the others are arithmetic, lossless, hierarchical
_FRAMES = frozenset({0xC0, 0xC1, 0xC2})
_SCAN, _ICC_OR_MPO, _ADOBE, _EXIF = 0xDA, 0xE2, 0xEE, 0xE1


def size_of(data: bytes) -> Size | None:
    """Size of a plain JPEG; None for one with EXIF, a colour profile, Adobe's colours or a missing end, and for any
    other file.

    (ITU-T T.81, annex B: a file is 0xFFD8, then segments of 0xFF, a marker and a length of two bytes that counts
    itself.)
    """
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        return None
    at, size = 2, None
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _SCAN:
            return size
        if marker in {_ICC_OR_MPO, _ADOBE, _EXIF}:
            return None
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            size = _of_frame(marker, data[at + 4 : at + 2 + length])
            if size is None:
                return None
        at += 2 + length
    return None


def _of_frame(marker: int, frame: bytes) -> Size | None:
    if marker not in _FRAMES or len(frame) < 6:
        return None
    bits, height, width, components = struct.unpack(">BHHB", frame[:6])
    is_rgb = bytes(frame[6::3][:3]) == b"RGB"  # without Adobe's marker, libjpeg goes by the components' names
    is_plain = bits == 8 and components in {1, 3} and height and width and not is_rgb
    return Size(height, width) if is_plain else None
