"""Why an image does not decode, where its own header says so: decoders say of most of these that they are broken."""

import re
import struct
from collections.abc import Callable
from typing import NamedTuple

from schemas.reasons import Reason

Why = tuple[Reason, str]

_OTHER_FORMATS = tuple(
    (name, re.compile(signature, re.DOTALL))
    for name, signature in (
        ("HEIC", rb".{4}ftyp(hei[cmsx]|hev[cmx])"),
        ("HEIF", rb".{4}ftyp(mif1|msf1).{4}(?!.{0,40}avi[fs])"),
        ("JPEG XL", rb"\xff\x0a|\0\0\0\x0cJXL \r\n\x87\n"),
        ("JPEG XR", rb"II\xbc\x01"),
        ("PSD", rb"8BPS\0[\1\2]"),
        ("ICO", rb"\0\0[\1\2]\0[\1-\x40]\0.{3}\0"),
        ("ICNS", rb"icns.{4}"),
        ("QOI", rb"qoif"),
        ("DDS", rb"DDS \x7c\0\0\0"),
        ("OpenEXR", rb"\x76\x2f\x31\x01"),
        ("Radiance HDR", rb"#\?(RADIANCE|RGBE)\n"),
        ("PAM", rb"P7\n"),
        ("SGI", rb"\x01\xda[\0\1][\1\2]"),
        ("Sun raster", rb"\x59\xa6\x6a\x95"),
        ("DjVu", rb"AT&TFORM"),
        ("XCF", rb"gimp xcf "),
        ("EPS", rb"%!PS|\xc5\xd0\xd3\xc6"),
        ("SVG", rb"(\xef\xbb\xbf)?\s*(<\?xml[^>]*\?>\s*)?(<!--.*?-->\s*)*+(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]"),
    )
)
"""Formats of pictures that are not read, by how their files begin. TGA and PCX have no signature to go by."""
_BEGINNING_BYTES = 4096
_TGA_FOOTER = b"TRUEVISION-XFILE.\0"

# libavif's own limits (avif.h): it refuses larger images before it reads them
_AVIF_MOST_PIXELS, _AVIF_MOST_SIDE_PX = 16_384 * 16_384, 32_768
# none, CCITT (three kinds), LZW, JPEG, deflate (two numbers), CCITT by words, PackBits, LZMA, Zstandard
_TIFF_COMPRESSIONS = {1, 2, 3, 4, 5, 7, 8, 32_946, 32_771, 32_773, 34_925, 50_000}
_TIFF_MOST_VALUES = 1_000_000
# width, height, bits, compression, photometric, strips, samples, their lengths, planes, tiles, their lengths, sample
# format
_TIFF_TAGS = {256, 257, 258, 259, 262, 273, 277, 279, 284, 324, 325, 339}
_SIZES = {1: "B", 3: "H", 4: "I", 16: "Q"}
_PHOTOMETRIC = {0: "grey", 1: "grey", 2: "RGB", 3: "palette", 5: "CMYK", 6: "YCbCr", 8: "CIELab", 9: "ICCLab"}
_SAMPLES = {1: "whole numbers", 2: "signed numbers", 3: "floating point", 5: "complex", 6: "complex floating point"}


def format_that_is_not_read(data: bytes) -> str | None:
    """The name of a format of pictures that no rule of `decode` reads; None if the bytes begin like none."""
    beginning = data[:_BEGINNING_BYTES]
    if data.endswith(_TGA_FOOTER):
        return "TGA"
    return next((name for name, signature in _OTHER_FORMATS if signature.match(beginning)), None)


def why_not_decoded(data: bytes, max_pixels: int, *, is_opened: bool) -> Why | None:
    """The reason that an image's header gives, if any; `is_opened`: the decoder has read it, and failed later."""
    for signature, explain in _EXPLANATIONS:
        if signature.match(data):
            try:
                return explain(data, max_pixels, is_opened)
            except (struct.error, ValueError, IndexError, OverflowError):
                return None  # the header itself is broken
    return None


def _beyond(width_px: int, height_px: int, max_pixels: int) -> Why | None:
    if width_px * height_px <= max_pixels:
        return None
    return Reason.TOO_MANY_PIXELS, f"{width_px} x {height_px} px, at most {max_pixels} px allowed"


def _why_jpeg(data: bytes, max_pixels: int, is_opened: bool) -> Why | None:
    place = 2
    while data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF:  # fill bytes
            place += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            bits, height_px, width_px, components = struct.unpack_from(">BHHB", data, place + 4)
            if beyond := _beyond(width_px, height_px, max_pixels):
                return beyond
            if marker not in {0xC0, 0xC1, 0xC2, 0xC9, 0xCA}:
                return Reason.UNSUPPORTED_PIXELS, "a lossless or hierarchical JPEG"
            if bits != 8 or components not in {1, 3, 4}:
                return Reason.UNSUPPORTED_PIXELS, f"a JPEG of {components} x {bits} bits"
            return None
        if marker == 0xDA:
            return None
        place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    return None


def _why_jpeg2000(data: bytes, max_pixels: int, is_opened: bool) -> Why | None:
    place = data.index(b"\xff\x4f\xff\x51") + 8
    right, bottom, left, top = struct.unpack_from(">IIII", data, place)
    (components,) = struct.unpack_from(">H", data, place + 32)
    if beyond := _beyond(right - left, bottom - top, max_pixels):
        return beyond
    words = f"a JPEG 2000 of {components} components, {data[place + 34] % 128 + 1} bits"
    return None if is_opened else (Reason.UNSUPPORTED_PIXELS, words)


def _why_avif(data: bytes, max_pixels: int, is_opened: bool) -> Why | None:
    # each image of the file has such a box, the whole picture the largest
    sizes = [struct.unpack_from(">II", data, found.end() + 4) for found in re.finditer(b"ispe", data[: 1 << 20])]
    width_px, height_px = max(sizes, key=lambda size: size[0] * size[1])
    if beyond := _beyond(width_px, height_px, max_pixels):
        return beyond
    if width_px * height_px > _AVIF_MOST_PIXELS or max(width_px, height_px) > _AVIF_MOST_SIDE_PX:
        most = f"at most {_AVIF_MOST_PIXELS} px and {_AVIF_MOST_SIDE_PX} px a side are decoded of an AVIF"
        return Reason.TOO_MANY_PIXELS, f"{width_px} x {height_px} px, {most}"
    return None


class TiffTag(NamedTuple):
    """A tag of a TIFF's first image: its values, and where they lie in the file."""

    values: tuple[int, ...]
    place: int
    size: int


def tiff_tags(data: bytes) -> tuple[str, dict[int, TiffTag]]:
    """The byte order, as struct writes it, and those whole-number tags of the first image that readers ask for; the
    first of a number counts, as libtiff has it. Raises struct.error where the directory lies outside the file.
    """
    order = "<" if data[:2] == b"II" else ">"
    is_big = struct.unpack_from(order + "H", data, 2)[0] == 43
    pointer, counter, offset, entry_bytes = ("Q", "Q", 8, 20) if is_big else ("I", "H", 4, 12)
    (start,) = struct.unpack_from(order + pointer, data, offset)
    (count,) = struct.unpack_from(order + counter, data, start)
    start += struct.calcsize(counter)
    tags = {}
    for entry in range(start, start + min(count, 4096) * entry_bytes, entry_bytes):
        tag, kind, length = struct.unpack_from(order + "HH" + pointer, data, entry)
        if tag not in _TIFF_TAGS or tag in tags or kind not in _SIZES or length > _TIFF_MOST_VALUES:
            continue
        place = entry + 4 + struct.calcsize(pointer)
        if length * struct.calcsize(_SIZES[kind]) > struct.calcsize(pointer):
            (place,) = struct.unpack_from(order + pointer, data, place)
        values = struct.unpack_from(f"{order}{length}{_SIZES[kind]}", data, place)
        tags[tag] = TiffTag(values, place, struct.calcsize(_SIZES[kind]))
    return order, tags


def _why_tiff(data: bytes, max_pixels: int, is_opened: bool) -> Why | None:
    values = {tag: found.values for tag, found in tiff_tags(data)[1].items()}
    (width_px, *_), (height_px, *_) = values.get(256, (0,)), values.get(257, (0,))
    if beyond := _beyond(width_px, height_px, max_pixels):
        return beyond
    pieces = ((values.get(starts, ()), values.get(lengths, ())) for starts, lengths in ((273, 279), (324, 325)))
    ends = [start + length for both in pieces for start, length in zip(*both, strict=False)]
    if not width_px or not height_px or not ends or max(ends) > len(data):
        return None  # cut short
    (compression, *_), (photometric, *_) = values.get(259, (1,)), values.get(262, (-1,))
    if compression not in _TIFF_COMPRESSIONS:
        return Reason.UNSUPPORTED_PIXELS, f"a TIFF with compression {compression}"
    pixels = tiff_pixels(values.get(258, (1,)), values.get(339, (1,)), photometric)
    return None if is_opened else (Reason.UNSUPPORTED_PIXELS, pixels)


def tiff_pixels(bits: tuple[int, ...], samples: tuple[int, ...], photometric: int) -> str:
    """What a TIFF's pixels are, by the values of its tags.

    >>> tiff_pixels((8, 8, 8), (2, 2, 2), 2)
    'a TIFF of 8 + 8 + 8 bits, signed numbers, RGB'
    """
    colours = _PHOTOMETRIC.get(photometric, f"photometric interpretation {photometric}")
    kind = _SAMPLES.get(samples[0], "undefined samples")
    return f"a TIFF of {' + '.join(map(str, bits))} bits, {kind}, {colours}"


_EXPLANATIONS: tuple[tuple[re.Pattern[bytes], Callable[[bytes, int, bool], Why | None]], ...] = (
    (re.compile(rb"\xff\xd8\xff"), _why_jpeg),
    (re.compile(rb"\0\0\0\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51"), _why_jpeg2000),
    (re.compile(rb".{4}ftyp(avi[fs]|mif1|msf1)", re.DOTALL), _why_avif),
    (re.compile(rb"II[*+]\0|MM\0[*+]"), _why_tiff),
)
