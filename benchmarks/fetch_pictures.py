"""Pictures to download: textured as paintings are, of the sizes that museums publish, and no two of the same bytes.

A few are drawn; each image is one of them with a comment of its own, so that its SHA-256 is its own while a thousand
images take the disk of a few. What a decoder reads is the same as if all had been drawn.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import simplejpeg  # type: ignore[import-untyped]
from numpy.typing import NDArray

SIZES_PX = ((2048, 1536), (1500, 2000), (2400, 1800), (1800, 1350))
"""Width and height, in turn: an eighth of them is at, below, above 256 px and too small for a copy, one each."""
BYTES = 730_000
AFTER_JFIF = 20
"""Where the comment goes: behind the start marker and the JFIF segment, which must be first."""


def drawn(folder: Path, count: int, seed: int = 7) -> list[Path]:
    """Paths of so many new JPEGs of about BYTES bytes in the folder; the same seed gives the same bytes."""
    paths = []
    for number in range(count):
        rgb = texture(*SIZES_PX[number % len(SIZES_PX)], np.random.default_rng([seed, number]))
        paths.append(folder / f"{number:03}.jpg")
        paths[-1].write_bytes(of_size(rgb, BYTES))
    return paths


def texture(width_px: int, height_px: int, chance: np.random.Generator) -> NDArray[np.uint8]:
    """(height, width, 3): noise whose waves fade as those of photographs do, the colours fading with distance to grey.

    (D. J. Field, 1987: amplitude falls with 1 / frequency.)
    """
    down, across = np.fft.fftfreq(height_px)[:, None], np.fft.rfftfreq(width_px)[None, :]
    fading = 1 / np.maximum(np.hypot(down, across), 1 / max(width_px, height_px)) ** 1.0

    def layer() -> NDArray[np.float64]:
        waves = np.fft.irfft2(
            np.fft.rfft2(chance.standard_normal((height_px, width_px))) * fading, (height_px, width_px)
        )
        return np.asarray(waves / waves.std())

    light, warm = layer(), layer()
    rgb = np.stack([128 + 45 * light + 15 * warm, 122 + 45 * light, 116 + 45 * light - 15 * warm], axis=-1)
    return np.asarray(rgb.clip(0, 255), dtype=np.uint8)


def of_size(rgb: NDArray[np.uint8], wanted_bytes: int) -> bytes:
    """The picture as a JPEG of the quality that comes closest to so many bytes."""
    low, high = 30, 99
    while low < high:
        middle = (low + high) // 2
        if len(encoded(rgb, middle)) < wanted_bytes:
            low = middle + 1
        else:
            high = middle
    return encoded(rgb, low)


def encoded(rgb: NDArray[np.uint8], quality: int) -> bytes:
    """The picture as a baseline JPEG, colours at half resolution."""
    return bytes(simplejpeg.encode_jpeg(np.ascontiguousarray(rgb), quality=quality, colorsubsampling="420"))


def start_of(number: int, picture_start: bytes) -> bytes:
    """The first bytes of image `number`: those of its picture (AFTER_JFIF of them), then a comment of its own.

    >>> start_of(7, bytes(20))[20:]
    b'\\xff\\xfe\\x00\\x0fimage 0000007'
    """
    words = f"image {number:07}".encode()
    return picture_start[:AFTER_JFIF] + b"\xff\xfe" + (len(words) + 2).to_bytes(2, "big") + words


def image(number: int, pictures: Sequence[bytes]) -> bytes:
    """All bytes of image `number`. Raises IndexError where there are no pictures."""
    picture = pictures[number % max(len(pictures), 1)]
    return start_of(number, picture) + picture[AFTER_JFIF:]
