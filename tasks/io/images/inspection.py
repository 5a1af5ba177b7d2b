"""One pass over an image's bytes: whether it decodes to its end, its size, its perceptual hash and a thumbnail.

A JPEG is decoded at an eighth, a quarter or half of its size, for which libjpeg reads every bit; its warnings, which
Pillow does not pass on, become BROKEN_IMAGE. All others are decoded by `decode.picture`, also JPEGs whose header
libjpeg warns of (junk between segments, a broken ICC block) or that it can't scale to RGB (CMYK, 12 bits).
"""

import functools
import io
import re
from dataclasses import dataclass
from mmap import mmap

import numpy as np
import simplejpeg  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PIL import Image

from schemas.reasons import Reason
from tasks.io.images import decode
from tasks.io.images.decode import UnreadableImage

PHASH = "phash64/look-v3"
"""The hash's recipe: imagehash's phash in whole numbers, of the upright sRGB picture as `_reduced` leaves it."""
THUMBNAIL_PX = 256
"""The thumbnail's longest side at most: a smaller picture is not enlarged, and a JPEG may stop at LEAST_LONGEST_PX."""
LEAST_LONGEST_PX = 240
"""A JPEG is decoded to at least this: 1/8 of the 1920 px that museums publish; the report's thumbnails are so wide."""
LEAST_SHORTEST_PX = 64
"""Twice the 32 px that the hash reads, so that the hash of a long scroll is not one of enlarged pixels."""
_QUALITY = 85
# More than any header except one with a large colour profile or many previews; if it is too little, Pillow reads the
# whole file
_HEADER_BYTES = 1 << 18
_STREAM_IS_CORRUPT = re.compile(r"Premature end|Corrupt JPEG data")
# Some cameras leave a few bytes before the end marker (libjpeg itself skips some 6). A damaged stream leaves more
_IS_HARMLESS = re.compile(r"Corrupt JPEG data: [12] extraneous bytes before marker 0xd9")

Bytes = bytes | memoryview | mmap


@dataclass(frozen=True, eq=False)
class Inspection:
    """The result of one pass. Sides are those of the whole upright picture; the thumbnail is an upright sRGB JPEG."""

    format: str
    width_px: int
    height_px: int
    orientation: int
    phash_bits: NDArray[np.bool_]
    thumbnail: bytes


def inspect(data: Bytes, max_pixels: int) -> Inspection:
    """Decode to the end and measure. Raises UnreadableImage with the reason for a drop. data: not copied if it is a
    plain JPEG. phash_bits: (8, 8), imagehash's row order.
    """
    if data[:3] == b"\xff\xd8\xff" and (found := _inspect_jpeg(data, max_pixels)) is not None:
        return found
    picture = decode.picture(bytes(data), max_pixels)
    return _inspection_of(picture.format, picture.rgb.size, picture.orientation, _reduced(picture.rgb))


def _inspect_jpeg(data: Bytes, max_pixels: int) -> Inspection | None:
    """None for what Pillow is to decode."""
    if (header := _open_header(data)) is None:
        return None
    decode.refuse_beyond(max_pixels, header)
    if (small := _decode_reduced(data, header)) is None:
        return None
    profile = header.info.get("icc_profile")
    if profile and not _is_srgb(profile, small.mode):
        small.info["icc_profile"] = profile
    orientation = decode.orientation_of(header)
    size = header.size[::-1] if orientation >= 5 else header.size
    # reduced before the profile is applied, which takes time for each pixel
    return _inspection_of("JPEG", size, orientation, decode.srgb_of(_reduced(decode.upright(small, orientation))))


def _open_header(data: Bytes) -> Image.Image | None:
    """The header, read by Pillow; None if Pillow or libjpeg finds anything unusual in it."""
    try:
        header = Image.open(io.BytesIO(data if isinstance(data, bytes) else data[:_HEADER_BYTES]), formats=("JPEG",))
        height, width, _, _ = simplejpeg.decode_jpeg_header(data, strict=True)
    except (Image.DecompressionBombError, KeyError, *decode.DECODE_ERRORS):
        return None
    return header if header.mode in {"L", "RGB"} and header.size == (width, height) else None


def _decode_reduced(data: Bytes, header: Image.Image) -> Image.Image | None:
    """The whole stream decoded at the smallest scale that keeps enough pixels; RGB or grey, as stored."""
    eighths = _eighths(*header.size)
    width, height = (-(-side * eighths // 8) for side in header.size)
    colours = "GRAY" if header.mode == "L" else "RGB"

    def pixels(strict: bool) -> NDArray[np.uint8]:
        array = simplejpeg.decode_jpeg(data, colours, min_height=height, min_width=width, strict=strict)
        return np.asarray(array[:, :, 0] if header.mode == "L" else array)

    try:
        return Image.fromarray(pixels(strict=True))
    except ValueError as problem:
        words = str(problem)
        if _IS_HARMLESS.fullmatch(words):
            return Image.fromarray(pixels(strict=False))
        if _STREAM_IS_CORRUPT.match(words):
            detail = decode.NO_END if decode.lacks_only_its_end(bytes(data)) else f"libjpeg: {words}"[:200]
            raise UnreadableImage(Reason.BROKEN_IMAGE, detail) from problem
        return None


def _eighths(width: int, height: int) -> int:
    """The smallest of 1, 2, 4 eighths (for which libjpeg has fast code) that leaves enough pixels; else 8."""
    least = 8 * LEAST_LONGEST_PX, 8 * LEAST_SHORTEST_PX
    longest_px, shortest_px = max(width, height), min(width, height)
    enough = (
        eighths for eighths in (1, 2, 4) if longest_px * eighths >= least[0] and shortest_px * eighths >= least[1]
    )
    return next(enough, 8)


@functools.lru_cache(maxsize=32)
def _is_srgb(profile: bytes, mode: str) -> bool:
    """Whether a profile, slow to apply, changes no colour of a 9 x 9 x 9 grid by more than 2 of 255: most do not."""
    steps = np.linspace(0, 255, 9).round().astype(np.uint8)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(27, 27, 3)
    plain = Image.fromarray(grid).convert(mode)
    same = plain.copy()
    same.info["icc_profile"] = profile
    moved = np.asarray(decode.srgb_of(same)).astype(int) - np.asarray(plain.convert("RGB"))
    return bool(np.abs(moved).max() <= 2)


def _reduced(image: Image.Image) -> Image.Image:
    """At most thumbnail_px on the longest side, if that leaves LEAST_SHORTEST_PX on the other. Never enlarged."""
    scale = min(1, max(THUMBNAIL_PX / max(image.size), LEAST_SHORTEST_PX / min(image.size)))
    size = round(image.width * scale), round(image.height * scale)
    # Pillow's filter works in whole numbers: the same bits on any machine
    small = image if size == image.size else image.resize(size, Image.Resampling.HAMMING, reducing_gap=2.0)
    small.info = image.info
    return small


def _phash_bits(image: Image.Image) -> NDArray[np.bool_]:
    """(8, 8): which of the 8 x 8 slowest waves of the grey picture, at 32 x 32 px, are above their median.

    Resizing (Lanczos, as Pillow's) and the cosine transform are one product of whole numbers: sums stay far below 2^53,
    so they are exact in any order and equal on every machine; rounding errors would decide the bits of flat pictures.
    """
    grey = np.asarray(image.convert("L"), dtype=np.float64)
    waves = _waves(grey.shape[0]) @ grey @ _waves(grey.shape[1]).T
    ordered = np.sort(waves, axis=None)
    return np.asarray(2 * waves > ordered[31] + ordered[32])


@functools.lru_cache(maxsize=1024)
def _waves(length_px: int) -> NDArray[np.float64]:
    """(8, length): how much each pixel counts in the 8 slowest waves (DCT-II) of 32 px, in units of 2^-16. A wave and
    its mirror image are equal to the bit, and all but the first are 0 on a flat picture.
    """
    across = np.cos(np.pi / 64 * np.outer(np.arange(8), 2 * np.arange(32) + 1)) @ _lanczos(length_px)
    signs = np.where(np.arange(8) % 2, -1, 1)[:, None]
    whole = np.rint(2**15 * (across + signs * across[:, ::-1]))
    surplus = whole[2::2].sum(axis=1)  # of two halves that mirror each other: even, but for a pixel in the middle
    half = (length_px - 1) // 2
    if length_px % 2:
        whole[2::2, half] -= surplus
    else:
        whole[2::2, half] -= surplus / 2
        whole[2::2, half + 1] -= surplus / 2
    return np.asarray(whole)


def _lanczos(length_px: int) -> NDArray[np.float64]:
    """(32, length): the weight of each pixel in each of 32, as in Pillow's filter of that name."""
    scale = max(length_px / 32, 1.0)
    distance = (np.arange(length_px) + 0.5 - (np.arange(32)[:, None] + 0.5) * length_px / 32) / scale
    weights = np.where(np.abs(distance) < 3, np.sinc(distance) * np.sinc(distance / 3), 0.0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _inspection_of(form: str, size: tuple[int, int], orientation: int, small: Image.Image) -> Inspection:
    bits = _phash_bits(small)
    small.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
    thumbnail = simplejpeg.encode_jpeg(np.asarray(small), quality=_QUALITY, colorsubsampling="420")
    return Inspection(form, *size, orientation, bits, thumbnail)
