"""What Pillow does not do for a PNG: colours without an ICC profile, rows that are not there, large texts.

Colours are those of the PNG specification (third edition, 4.3), in its order: cICP, iCCP, sRGB, gAMA and cHRM. A gAMA
of 1/2.2, which programs are to write beside sRGB, counts as sRGB where the primaries are sRGB's, too.

Rows that a whole zlib stream lacks Pillow fills with zeros, and tells nobody. To unpack a second time takes a third of
the time of decoding: done only where the last row is nothing but zeros.
"""

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from schemas.reasons import Reason

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_PROFILE_BYTES = 16 * 2**20
"""A larger colour profile of a PNG is not applied. The largest that printers have are some 4 MB."""
_TEXTS = {b"tEXt", b"zTXt", b"iTXt"}
# of a PNG's texts only these can say how the picture is turned
_ORIENTATION_TEXTS = (b"Raw profile type exif\0", b"Raw profile type APP1\0", b"XML:com.adobe.xmp\0")
_MOST_TEXT_BYTES = 2**20
_COLOURS = {b"cICP", b"iCCP", b"sRGB", b"gAMA", b"cHRM"}
_D50 = np.array([0.9642, 1.0, 0.8249])
# Bradford's cone responses, by which ICC profiles move white to D50 (ICC.1:2022, annex E)
_BRADFORD = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
_SRGB_GAMMA = 1 / 2.2
_GAMMA_THRESHOLD = 0.05
"""libpng's PNG_GAMMA_THRESHOLD: nobody sees less."""
_GAMMAS = (0.1, 10.0)
_XY_TOLERANCE = 0.002

Xy = tuple[float, float]
Primaries = tuple[Xy, Xy, Xy, Xy]
"""The chromaticities of white, red, green and blue."""
_D65, _C = (0.3127, 0.3290), (0.310, 0.316)
_SRGB: Primaries = (_D65, (0.640, 0.330), (0.300, 0.600), (0.150, 0.060))
# ITU-T H.273, table 2
_PRIMARIES: dict[int, Primaries] = {
    1: _SRGB,
    4: (_C, (0.67, 0.33), (0.21, 0.71), (0.14, 0.08)),
    5: (_D65, (0.64, 0.33), (0.29, 0.60), (0.15, 0.06)),
    6: (_D65, (0.630, 0.340), (0.310, 0.595), (0.155, 0.070)),
    7: (_D65, (0.630, 0.340), (0.310, 0.595), (0.155, 0.070)),
    8: (_C, (0.681, 0.319), (0.243, 0.692), (0.145, 0.049)),
    9: (_D65, (0.708, 0.292), (0.170, 0.797), (0.131, 0.046)),
    11: ((0.314, 0.351), (0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
    12: (_D65, (0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
    22: (_D65, (0.630, 0.340), (0.295, 0.605), (0.155, 0.077)),
}
# from samples to light: a gamma, or gamma, a, b, c, d of ICC's parametric curve of type 3; H.273, table 3. What is
# coded for television is shown by the gamma of its displays (ITU-R BT.1886), as browsers do
ToneCurve = tuple[float, ...]
_SRGB_CURVE: ToneCurve = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
_CURVES: dict[int, ToneCurve] = {
    **dict.fromkeys((1, 6, 14, 15), (2.4,)),
    4: (2.2,),
    5: (2.8,),
    8: (1.0,),
    13: _SRGB_CURVE,
}
_HDR = {16: "PQ", 18: "HLG"}


def why_unsupported(data: bytes) -> tuple[Reason, str] | None:
    """Why a PNG's colours have no stated way to 8-bit sRGB, by its cICP; None where they have, or for another file."""
    found = _colour_chunks(data).get(b"cICP", b"")
    if len(found) != 4 or found[2] != 0:
        return None
    if (name := _HDR.get(found[1])) is not None:
        return Reason.UNSUPPORTED_PIXELS, f"a PNG in high dynamic range ({name}), which has no agreed look in sRGB"
    return (Reason.UNSUPPORTED_PIXELS, "a PNG whose samples are of video's narrow range") if found[3] == 0 else None


def profile(data: bytes, *, is_grey: bool) -> bytes | None:
    """An ICC profile by a PNG's cICP, or gAMA and cHRM. None where these are sRGB's, unknown, or outranked."""
    chunks, colours = _colour_chunks(data), None
    cicp = chunks.get(b"cICP", b"")
    # its matrix_coefficients must be 0 and the range full, as PNG has it; else it says nothing
    if len(cicp) == 4 and cicp[2:] == b"\0\1" and cicp[0] in _PRIMARIES and cicp[1] in _CURVES:
        colours = _PRIMARIES[cicp[0]], _CURVES[cicp[1]]
    elif chunks.keys().isdisjoint({b"iCCP", b"sRGB"}):
        colours = _of_gamma(chunks.get(b"gAMA", b""), chunks.get(b"cHRM", b""))
    if colours is None:
        return None
    primaries, curve = colours
    return _icc(_SRGB if is_grey else primaries, curve, is_grey)


def _colour_chunks(data: bytes) -> dict[bytes, bytes]:
    """The body of each chunk about colours before the pixels; the first of each name counts. Empty for no PNG."""
    found: dict[bytes, bytes] = {}
    place = len(_SIGNATURE) if data.startswith(_SIGNATURE) else len(data)
    while place + 8 <= len(data) and (name := data[place + 4 : place + 8]) != b"IDAT":
        length = int.from_bytes(data[place : place + 4], "big")
        if name in _COLOURS:
            found.setdefault(name, data[place + 8 : place + 8 + length])
        place += 12 + length
    return found


def _of_gamma(gamma: bytes, chromaticities: bytes) -> tuple[Primaries, ToneCurve] | None:
    exponent = int.from_bytes(gamma, "big") / 100_000 if len(gamma) == 4 else 0.0
    if not _GAMMAS[0] <= exponent <= _GAMMAS[1]:
        return None
    primaries = _of_chromaticities(chromaticities) or _SRGB
    is_gamma_of_srgb = abs(exponent / _SRGB_GAMMA - 1) < _GAMMA_THRESHOLD
    if is_gamma_of_srgb and np.allclose(primaries, _SRGB, atol=_XY_TOLERANCE):
        return None
    return primaries, (1 / exponent,)


def _of_chromaticities(body: bytes) -> Primaries | None:
    if len(body) != 32:
        return None
    values = [value / 100_000 for value in struct.unpack(">8I", body)]
    white, red, green, blue = zip(values[::2], values[1::2], strict=True)
    is_possible = all(0 <= x <= 1 and 0 < y <= 1 for x, y in (white, red, green, blue))
    (ax, ay), (bx, by), (cx, cy) = red, green, blue
    area = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
    return (white, red, green, blue) if is_possible and area > _XY_TOLERANCE else None


def _icc(primaries: Primaries, curve: ToneCurve, is_grey: bool) -> bytes:
    """The profile (ICC.1:2022)."""
    trc = b"para\0\0\0\0" + struct.pack(">HH", 0 if len(curve) == 1 else 3, 0) + _fixed(*curve)
    names = [b"kTRC"] if is_grey else [b"rTRC", b"gTRC", b"bTRC"]
    tags = {b"wtpt": _xyz(_D50), **dict.fromkeys(names, trc)}
    if not is_grey:
        columns = _to_d50(primaries).T
        tags |= {name: _xyz(column) for name, column in zip((b"rXYZ", b"gXYZ", b"bXYZ"), columns, strict=True)}
    place, entries, body = 128 + 4 + 12 * len(tags), b"", b""
    for name, data in tags.items():
        entries += name + struct.pack(">II", place + len(body), len(data))
        body += data
    rest = struct.pack(">I", len(tags)) + entries + body
    space = b"GRAY" if is_grey else b"RGB "
    header = struct.pack(">I4sI4s4s4s12x4s", 128 + len(rest), b"", 0x04300000, b"mntr", space, b"XYZ ", b"acsp")
    header = header.ljust(68, b"\0") + _xyz(_D50)[8:]
    return header.ljust(128, b"\0") + rest


def _to_d50(primaries: Primaries) -> NDArray[np.float64]:
    """(3, 3): from linear RGB to XYZ of which white is D50."""
    white, *rgb = (np.array([x / y, 1.0, (1 - x - y) / y]) for x, y in primaries)
    columns = np.array(rgb).T
    to_xyz = columns * np.linalg.solve(columns, white)
    scale = np.diag((_BRADFORD @ _D50) / (_BRADFORD @ white))
    return np.asarray(np.linalg.inv(_BRADFORD) @ scale @ _BRADFORD @ to_xyz)


def _fixed(*values: float) -> bytes:
    return b"".join(struct.pack(">i", round(value * 65536)) for value in values)


def _xyz(values: NDArray[np.float64]) -> bytes:
    return b"XYZ \0\0\0\0" + _fixed(*values.tolist())


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
    """How many bytes of pixels a PNG's stream holds, if these are fewer than its header says; None otherwise, and for
    what is no PNG or breaks: the decoder decides. No more is unpacked than the header says, in pieces of 256 KiB.
    """
    expected_bytes = unpacked_bytes = 0
    unpacker = zlib.decompressobj()
    try:
        for name, chunk in chunks(data):
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
    expected_bytes = 0
    for left, top, right, down in _PASSES if interlace else ((0, 0, 1, 1),):
        if columns := len(range(left, width_px, right)):
            expected_bytes += len(range(top, height_px, down)) * (1 + -(-columns * pixel_bits // 8))
    return expected_bytes


def without_large_texts(data: bytes) -> bytes:
    """A PNG without its texts, which change no pixel, but for those that can say how it is turned, and without a colour
    profile that is too large. Pillow takes large ones for decompression bombs.
    """
    return data[: len(_SIGNATURE)] + b"".join(chunk for name, chunk in chunks(data) if not _is_left_out(name, chunk))


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Name and whole bytes of each chunk of a PNG; the last is all that is left of a file that is cut short."""
    place = len(_SIGNATURE)
    while place < len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        yield data[place + 4 : place + 8], data[place : place + 12 + length]
        place += 12 + length


def _is_left_out(name: bytes, chunk: bytes) -> bool:
    body = chunk[8:-4]
    if name == b"iCCP":
        return not _unpacks_within(body.partition(b"\0")[2][1:], MOST_PROFILE_BYTES)
    if name not in _TEXTS:
        return False
    if not body.startswith(_ORIENTATION_TEXTS):
        return True
    rest = body.partition(b"\0")[2]
    if name == b"zTXt":
        return not _unpacks_within(rest[1:], _MOST_TEXT_BYTES)
    if name == b"iTXt" and rest[:1] == b"\1":
        return not _unpacks_within(rest[2:].split(b"\0", 2)[-1], _MOST_TEXT_BYTES)
    return len(rest) > _MOST_TEXT_BYTES


def _unpacks_within(packed: bytes, most_bytes: int) -> bool:
    unpacker = zlib.decompressobj()
    try:
        unpacker.decompress(packed, most_bytes)
    except zlib.error:
        return True  # broken, not large: the decoder decides
    return not unpacker.unconsumed_tail
