"""A work as the bytes of a file, and what becomes of the bytes when they are spoilt."""

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


class Print(NamedTuple):
    """A file's bytes, its extension with the dot, and the size of its upright picture."""

    data: bytes
    extension: str
    width_px: int
    height_px: int


def print_work(seed: int, row: int, work: Work) -> Print:
    """The work as its museum keeps it: mostly JPEG, some PNG and WEBP, some grey, some stored lying on a side."""
    rng = generator(seed, "print", row)
    picture = PillowImage.fromarray(work.pixels)
    if (work.is_grey and rng.uniform() < 0.6) or rng.uniform() < 0.025:
        picture = picture.convert("L")
    kind = rng.uniform()
    if kind < 0.08:
        return save_print(picture, ".png")
    if kind < 0.12:
        return save_print(picture, ".webp", quality=int(rng.integers(80, 96)), method=2)
    quality = int(rng.integers(80, 96))
    if kind < 0.16:
        return _lying(picture, int(rng.choice([3, 6, 8])), quality)
    return save_print(picture, ".jpg", quality=quality)


def faulty_bytes(rng: np.random.Generator, good: Print, fault: Fault) -> bytes | None:
    """The bytes that such a fault leaves; None for no file at all."""
    if fault == "truncated":
        return good.data[: int(len(good.data) * rng.uniform(0.3, 0.7))]
    return {"html": _PAGE.encode(), "empty": b"", "missing": None}[fault]


def as_jpeg(picture_of: Print) -> Print:
    """The picture as a plain JPEG."""
    return save_print(open_print(picture_of), ".jpg", quality=85)


def open_print(original: Print) -> PillowImage.Image:
    """The upright picture."""
    with PillowImage.open(io.BytesIO(original.data)) as picture:
        return ImageOps.exif_transpose(picture)


def save_print(picture: PillowImage.Image, extension: str, **how: Any) -> Print:
    """The picture as a file of that kind: .jpg, .png or .webp; `how` goes to Pillow."""
    data = io.BytesIO()
    picture.save(data, {".jpg": "JPEG", ".png": "PNG", ".webp": "WEBP"}[extension], **how)
    return Print(data.getvalue(), extension, picture.width, picture.height)


def _lying(picture: PillowImage.Image, orientation: int, quality: int) -> Print:
    exif = PillowImage.Exif()
    exif[_ORIENTATION] = orientation
    stored = save_print(picture.transpose(_STORED[orientation]), ".jpg", quality=quality, exif=exif)
    return stored._replace(width_px=picture.width, height_px=picture.height)
