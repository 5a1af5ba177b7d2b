"""Tones, grain and light: how a picture changes without anything in it moving.

All take and give upright RGB pictures of one size, and work on 1 x 1 px too.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageFilter, ImageOps

_SEPIA = (0.393, 0.769, 0.189, 0, 0.349, 0.686, 0.168, 0, 0.272, 0.534, 0.131, 0)
"""Rows of red, green and blue, as browsers' filters define it (W3C Filter Effects)."""
_VARNISH = np.array([1.0, 0.9, 0.55])
_PAPER = np.array([236.0, 228.0, 208.0])


def pictured(levels: NDArray[np.float64]) -> Image.Image:
    """levels: (height, width, 3), rounded and cut to 0 to 255."""
    return Image.fromarray(np.clip(np.rint(levels), 0, 255).astype(np.uint8))


def leveled(picture: Image.Image) -> NDArray[np.float64]:
    """(height, width, 3), 0 to 255."""
    return np.asarray(picture, np.float64)


# --- tones


def with_contrast(picture: Image.Image, factor: float) -> Image.Image:
    """Distance from the mean grey times the factor."""
    return ImageEnhance.Contrast(picture).enhance(factor)


def with_brightness(picture: Image.Image, factor: float) -> Image.Image:
    """All levels times the factor."""
    return ImageEnhance.Brightness(picture).enhance(factor)


def with_saturation(picture: Image.Image, factor: float) -> Image.Image:
    """Distance from grey times the factor."""
    return ImageEnhance.Color(picture).enhance(factor)


def greyed(picture: Image.Image, _: np.random.Generator | None = None) -> Image.Image:
    """Without colour, still RGB."""
    return ImageOps.grayscale(picture).convert("RGB")


def sepia(picture: Image.Image, _: np.random.Generator | None = None) -> Image.Image:
    """As an old print."""
    return picture.convert("RGB", _SEPIA)


def varnished(picture: Image.Image, strength: float) -> Image.Image:
    """Under a varnish gone yellow. strength: 0 (none) to 1."""
    return pictured(leveled(picture) * (1 - strength * (1 - _VARNISH)) * (1 - 0.15 * strength) + 12 * strength)


def faded(picture: Image.Image, strength: float) -> Image.Image:
    """Bleached towards the paper. strength: 0 (none) to 1 (nothing left)."""
    return pictured(leveled(with_saturation(picture, 1 - strength)) * (1 - strength) + _PAPER * strength)


def with_cast(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Each channel times 0.75 to 1.25, as under another lamp."""
    return pictured(leveled(picture) * rng.uniform(0.75, 1.25, 3))


def negative(picture: Image.Image, _: np.random.Generator | None = None) -> Image.Image:
    """White is black."""
    return ImageOps.invert(picture)


def posterised(picture: Image.Image, bits: float) -> Image.Image:
    """bits: left of each channel, 1 to 8."""
    return ImageOps.posterize(picture, round(bits))


def dithered(picture: Image.Image, colours: float) -> Image.Image:
    """In a palette of so many colours of its own, as a GIF is, with Floyd and Steinberg's dots."""
    palette = picture.quantize(round(colours))
    return picture.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG).convert("RGB")


def equalised(picture: Image.Image, _: np.random.Generator | None = None) -> Image.Image:
    """Every level of a channel as often as any other."""
    return ImageOps.equalize(picture)


# --- grain


def blurred(picture: Image.Image, share: float) -> Image.Image:
    """share: the standard deviation, of the longer side."""
    return picture.filter(ImageFilter.GaussianBlur(share * max(picture.size)))


def sharpened(picture: Image.Image, percent: float) -> Image.Image:
    """Unsharp mask of 2 px."""
    return picture.filter(ImageFilter.UnsharpMask(2, round(percent), 2))


def with_noise(picture: Image.Image, rng: np.random.Generator, least: float = 8, most: float = 20) -> Image.Image:
    """Grain with a standard deviation of least to most levels, in each channel for itself."""
    return pictured(leveled(picture) + rng.normal(0, rng.uniform(least, most), (picture.height, picture.width, 3)))


# --- light


def _places(picture: Image.Image) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x of (1, width) and y of (height, 1), from -1 to 1."""
    return (np.arange(picture.width)[None] + 0.5) / picture.width * 2 - 1, (
        np.arange(picture.height)[:, None] + 0.5
    ) / picture.height * 2 - 1


def unevenly_lit(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """From one side, any: 0.4 to 0.7 of the light at the far end, 1.1 at the near one."""
    angle, least = rng.uniform(0, 2 * np.pi), rng.uniform(0.4, 0.7)
    x, y = _places(picture)
    nearness = (x * np.cos(angle) + y * np.sin(angle)) / (abs(np.cos(angle)) + abs(np.sin(angle))) / 2 + 0.5
    return pictured(leveled(picture) * (least + (1.1 - least) * nearness)[..., None])


def with_vignette(picture: Image.Image, strength: float) -> Image.Image:
    """Corners lose this share of their light."""
    x, y = _places(picture)
    return pictured(leveled(picture) * (1 - strength * (x**2 + y**2) / 2)[..., None])


def with_glare(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """A lamp's reflection anywhere: 120 to 220 levels, 8 to 15 % of the sides in standard deviation."""
    (right, down), size = rng.uniform(-0.6, 0.6, 2), 2 * rng.uniform(0.08, 0.15)
    x, y = _places(picture)
    spot = np.exp(-((x - right) ** 2 + (y - down) ** 2) / (2 * size**2))
    return pictured(leveled(picture) + rng.uniform(120, 220) * spot[..., None])
