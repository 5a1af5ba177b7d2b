"""Fixed transforms of a picture, drawn from a seed: what a copy of it has gone through.

`TRANSFORMS` is ours. Each range is drawn from evenly, and once more at its end, where copies are hardest to find.
`IMAGEDEDUP` is the test that imagededup's documentation describes ("transformed dataset": five variants of a 640 x 480
px photograph, so groups of six images).
"""

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageOps

Change = Callable[[Image.Image, np.random.Generator], Image.Image]
QUALITY = 90
"""JPEG quality where a transform is not about quality."""
MOST_LOST = 0.15
"""Share of a side that a crop takes away at most."""


@dataclass(frozen=True)
class Transform:
    """relation: what the pair should be found to be. quality: least and most, of the JPEG that comes out."""

    name: str
    relation: str
    change: Change
    quality: tuple[int, int] = (QUALITY, QUALITY)


def copy_of(picture: Image.Image, transform: Transform, key: str, seed: int) -> bytes:
    """A JPEG of the transformed picture; what is drawn depends on the transform's name, the key and the seed alone.

    picture: upright RGB, at least 1 x 1 px.
    """
    digest = hashlib.sha256(f"{seed}/{key}/{transform.name}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    changed = transform.change(picture, rng)
    file = io.BytesIO()
    changed.save(file, "JPEG", quality=int(rng.integers(*transform.quality, endpoint=True)))
    return file.getvalue()


def opened(data: bytes) -> Image.Image:
    """The picture of a file, upright RGB."""
    with Image.open(io.BytesIO(data)) as image:
        return ImageOps.exif_transpose(image).convert("RGB")


# --- changes


def scaled(picture: Image.Image, factor: float) -> Image.Image:
    """Both sides times the factor, at least 1 px."""
    width_px, height_px = (max(1, round(side_px * factor)) for side_px in picture.size)
    return picture.resize((width_px, height_px), Image.Resampling.LANCZOS)


def with_gamma(picture: Image.Image, gamma: float) -> Image.Image:
    """Each channel to the power of gamma, black and white kept."""
    return picture.point([round(255 * (level / 255) ** gamma) for level in range(256)] * 3)


def with_hue(picture: Image.Image, degrees: float) -> Image.Image:
    """The hue of every pixel turned by the angle; 256 steps are the whole circle, so that one is 1.4 degrees."""
    hue, saturation, value = picture.convert("HSV").split()
    turned = hue.point([(level + round(degrees * 256 / 360)) % 256 for level in range(256)])
    return Image.merge("HSV", (turned, saturation, value)).convert("RGB")


def cropped(picture: Image.Image, left: float, top: float, right: float, bottom: float) -> Image.Image:
    """Without these shares of the sides, rounded to less. Raises ValueError where nothing is left."""
    if min(left, top, right, bottom) < 0 or max(left + right, top + bottom) >= 1:
        raise ValueError(f"expected shares of 0 or more, below 1 along a side, got {(left, top, right, bottom)}")
    width_px, height_px = picture.size
    box = (
        int(left * width_px),
        int(top * height_px),
        width_px - int(right * width_px),
        height_px - int(bottom * height_px),
    )
    return picture.crop(box)


def same(picture: Image.Image, _: np.random.Generator) -> Image.Image:
    return picture


def mirrored(picture: Image.Image, _: np.random.Generator) -> Image.Image:
    return ImageOps.mirror(picture)


def flipped(picture: Image.Image, _: np.random.Generator) -> Image.Image:
    return ImageOps.flip(picture)


def _to_scale(least: float, most: float) -> Change:
    return lambda picture, rng: scaled(picture, rng.uniform(least, most))


def _to_gamma(least: float, most: float) -> Change:
    return lambda picture, rng: with_gamma(picture, rng.uniform(least, most))


def _to_end_of_gamma(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    return with_gamma(picture, float(rng.choice([0.7, 1.4])))


def _to_hue(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    return with_hue(picture, rng.uniform(-15, 15))


def _to_end_of_hue(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    return with_hue(picture, float(rng.choice([-15, 15])))


def less_of_each_axis(least: float, most: float = MOST_LOST) -> Change:
    """Each axis loses a share of this range in all, somehow dealt between its two ends."""

    def change(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
        lost, before = rng.uniform(least, most, 2), rng.uniform(0, 1, 2)
        return cropped(picture, *(lost * before), *(lost * (1 - before)))

    return change


def less_at_each_side(least: float, most: float = MOST_LOST) -> Change:
    """Each of the four sides loses a share of this range: an axis loses up to twice the most."""
    return lambda picture, rng: cropped(picture, *rng.uniform(least, most, 4))


def less_at(sides: int, least: float = 0.1, most: float = MOST_LOST) -> Change:
    """So many neighbouring sides, from a chance one on, lose a share of this range.

    Two of them are a corner.
    """

    def change(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
        lost = np.zeros(4)
        lost[(rng.integers(4) + np.arange(sides)) % 4] = rng.uniform(least, most, sides)
        return cropped(picture, *lost)

    return change


def _mixed(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    return with_gamma(scaled(picture, rng.uniform(0.25, 1)), rng.uniform(0.7, 1.4))


def _seven_eighths(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """A box of 7/8 of each side, anywhere: 560 x 420 px of 640 x 480."""
    width_px, height_px = (max(1, side_px * 7 // 8) for side_px in picture.size)
    left, top = int(rng.integers(picture.width - width_px + 1)), int(rng.integers(picture.height - height_px + 1))
    return picture.crop((left, top, left + width_px, top + height_px))


def _rotated(picture: Image.Image, _: np.random.Generator) -> Image.Image:
    """By 25 degrees, within the frame: the corners are cut off, and black ones take their place."""
    return picture.rotate(25, Image.Resampling.BICUBIC)


def squared(picture: Image.Image, _: np.random.Generator) -> Image.Image:
    """Pressed into a square of its shorter side."""
    return picture.resize((min(picture.size),) * 2, Image.Resampling.LANCZOS)


TRANSFORMS = (
    Transform("quality", "reencoded", same, (30, 95)),
    Transform("quality-30", "reencoded", same, (30, 30)),
    Transform("scale", "resized", _to_scale(0.25, 1)),
    Transform("scale-quarter", "resized", _to_scale(0.25, 0.25)),
    Transform("gamma", "recoloured", _to_gamma(0.7, 1.4)),
    Transform("gamma-end", "recoloured", _to_end_of_gamma),
    Transform("hue", "recoloured", _to_hue),
    Transform("hue-end", "recoloured", _to_end_of_hue),
    Transform("quality-scale-gamma", "recoloured", _mixed, (30, 95)),
    Transform("crop-axis", "cropped", less_of_each_axis(0)),
    Transform("crop-axis-15", "cropped", less_of_each_axis(MOST_LOST)),
    Transform("crop-side", "cropped", less_at_each_side(0)),
    Transform("crop-side-15", "cropped", less_at_each_side(MOST_LOST)),
    Transform("crop-one-side", "cropped", less_at(1)),
    Transform("crop-corner", "cropped", less_at(2)),
    Transform("mirror", "mirrored", mirrored),
)

IMAGEDEDUP = (
    Transform("crop", "cropped", _seven_eighths),
    Transform("horizontal-flip", "mirrored", mirrored),
    Transform("vertical-flip", "mirrored", flipped),
    Transform("rotation-25", "rotated", _rotated),
    Transform("square", "resized", squared),
)
