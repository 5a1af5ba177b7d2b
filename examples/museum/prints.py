"""A work as the bytes of a file, and what becomes of the bytes when they are copied or spoilt."""

import io
from typing import Any, NamedTuple

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageOps

from examples.museum.holdings import Fault
from examples.museum.paint import Work
from examples.museum.seeds import generator

_ORIENTATION = 0x0112
# how stored pixels must be turned so that the orientation tag turns them back
_STORED = {
    3: PillowImage.Transpose.ROTATE_180,
    6: PillowImage.Transpose.ROTATE_90,
    8: PillowImage.Transpose.ROTATE_270,
}
_PAGE = "<!DOCTYPE html>\n<html><head><title>404</title></head><body>The museum is closed on Mondays.</body></html>\n"
_LEAST_COPY_PX = 40


class Print(NamedTuple):
    """A file's bytes, its extension with the dot, and the size of its upright picture."""

    data: bytes
    extension: str
    width_px: int
    height_px: int


def printed(seed: int, row: int, work: Work) -> Print:
    """The work as its museum keeps it: mostly JPEG, some PNG and WEBP, some grey, some stored lying on a side."""
    rng = generator(seed, "print", row)
    picture = PillowImage.fromarray(work.pixels)
    if (work.is_grey and rng.uniform() < 0.6) or rng.uniform() < 0.025:
        picture = picture.convert("L")
    kind = rng.uniform()
    if kind < 0.08:
        return _saved(picture, ".png")
    if kind < 0.12:
        return _saved(picture, ".webp", quality=int(rng.integers(80, 96)), method=2)
    quality = int(rng.integers(80, 96))
    if kind < 0.16:
        return _lying(picture, int(rng.choice([3, 6, 8])), quality)
    return _saved(picture, ".jpg", quality=quality)


def reencoded(rng: np.random.Generator, original: Print) -> Print:
    """The same picture, same size, saved by somebody else: another JPEG quality, PNG or WEBP."""
    picture = _opened(original)
    kind = rng.uniform()
    if kind < 0.1 and original.extension != ".png":
        return _saved(picture, ".png")
    if kind < 0.2 and original.extension != ".webp":
        return _saved(picture, ".webp", quality=int(rng.integers(60, 91)), method=2)
    return _saved(picture, ".jpg", quality=int(rng.integers(40, 91)))


def resized(rng: np.random.Generator, original: Print) -> Print:
    """The same picture, 0.35 to 0.9 of its size; small pictures are spared the small scales."""
    picture = _opened(original)
    least = min(0.9, max(0.35, _LEAST_COPY_PX / min(picture.size)))
    scale = rng.uniform(least, 0.9)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    smaller = picture.resize(size, PillowImage.Resampling.LANCZOS)
    return _saved(smaller, ".jpg", quality=int(rng.integers(70, 96)))


def spoilt(rng: np.random.Generator, good: Print, fault: Fault) -> bytes | None:
    """The bytes that such a fault leaves; None for no file at all."""
    if fault == "truncated":
        return good.data[: int(len(good.data) * rng.uniform(0.3, 0.7))]
    return {"html": _PAGE.encode(), "empty": b"", "missing": None}[fault]


def as_jpeg(picture_of: Print) -> Print:
    """The picture as a plain JPEG."""
    return _saved(_opened(picture_of), ".jpg", quality=85)


def _opened(original: Print) -> PillowImage.Image:
    with PillowImage.open(io.BytesIO(original.data)) as picture:
        return ImageOps.exif_transpose(picture)


def _saved(picture: PillowImage.Image, extension: str, **how: Any) -> Print:
    data = io.BytesIO()
    picture.save(data, {".jpg": "JPEG", ".png": "PNG", ".webp": "WEBP"}[extension], **how)
    return Print(data.getvalue(), extension, picture.width, picture.height)


def _lying(picture: PillowImage.Image, orientation: int, quality: int) -> Print:
    exif = PillowImage.Exif()
    exif[_ORIENTATION] = orientation
    stored = _saved(picture.transpose(_STORED[orientation]), ".jpg", quality=quality, exif=exif)
    return stored._replace(width_px=picture.width, height_px=picture.height)
