"""What real copies of paintings go through, one transform for each kind, drawn from the seed.

`ORDINARY` are copies that anybody would call one picture. `APART` are those that are found only if asked for (mirrored,
turned), and those that are another picture by most people's rules (parts, a collage, a negative: `PARTS`).
"""

from collections.abc import Callable

import numpy as np
from PIL import Image

from benchmarks import dedup_geometry as geometry
from benchmarks import dedup_surroundings as surroundings
from benchmarks import dedup_tones as tones
from benchmarks.dedup_geometry import half, mirrored_and_cropped
from benchmarks.dedup_sheets import painted
from benchmarks.dedup_variants import (
    Change,
    Transform,
    flipped,
    less_at,
    less_at_each_side,
    less_of_each_axis,
    mirrored,
    same,
    scaled,
    squared,
    with_gamma,
    with_hue,
)

ByAmount = Callable[[Image.Image, float], Image.Image]
ByAmountAndChance = Callable[[Image.Image, float, np.random.Generator], Image.Image]

# --- changes with something to draw


def _at(change: ByAmount, *amounts: float) -> Change:
    """One of these amounts, any."""
    return lambda picture, rng: change(picture, float(rng.choice(amounts)))


def _within(change: ByAmount, least: float, most: float) -> Change:
    """An amount between these two."""
    return lambda picture, rng: change(picture, float(rng.uniform(least, most)))


def _drawing(change: ByAmountAndChance, least: float, most: float) -> Change:
    """An amount between these two, and the change draws more by itself."""
    return lambda picture, rng: change(picture, float(rng.uniform(least, most)), rng)


def _either_way(least: float, most: float) -> Change:
    """Hue turned by an angle of this size, either way."""
    return lambda picture, rng: with_hue(picture, float(rng.uniform(least, most) * rng.choice([-1, 1])))


def _from_aside(least: float, most: float) -> Change:
    return lambda picture, rng: geometry.from_aside(picture, least, most, rng)


def _rephotographed(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """By hand on the wall: turned, from aside, some wall in sight, uneven light, a reflection, a cast, blur, grain."""
    seen = geometry.on_a_wall(geometry.turned_and_trimmed(picture, float(rng.uniform(0.5, 2)), rng), rng)
    lit = tones.with_glare(tones.unevenly_lit(tones.with_cast(seen, rng), rng), rng)
    return tones.with_noise(tones.blurred(lit, 0.002), rng, 3, 8)


def _collage(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """The picture and three painted ones, two by two."""
    pieces = [picture, *(painted(rng, picture.size) for _ in range(3))]
    page = Image.new("RGB", (2 * picture.width, 2 * picture.height))
    for place, piece in enumerate(rng.permutation(4)):
        page.paste(pieces[piece], (place % 2 * picture.width, place // 2 * picture.height))
    return page


def _turned_by(quarters: int) -> Change:
    return lambda picture, _: geometry.right_turned(picture, quarters)


def _padded(ground: surroundings.Colour) -> Change:
    return lambda picture, _: surroundings.padded(picture, ground)


def _banner(is_above: bool) -> Change:
    return lambda picture, rng: surroundings.with_banner(picture, rng, is_above=is_above)


# --- families

_SAVED = (
    *(Transform(f"quality-{level}", "reencoded", same, (level, level)) for level in (30, 50, 75, 95)),
    Transform("scale-eighth", "resized", _at(scaled, 0.125)),
    Transform("scale-quarter", "resized", _at(scaled, 0.25)),
    Transform("scale-half", "resized", _at(scaled, 0.5)),
    Transform("scale-double", "resized", _at(scaled, 2)),
)
_TONED = (
    Transform("gamma-0.5", "recoloured", _at(with_gamma, 0.5)),
    Transform("gamma-0.7", "recoloured", _at(with_gamma, 0.7)),
    Transform("gamma-1.4", "recoloured", _at(with_gamma, 1.4)),
    Transform("gamma-2", "recoloured", _at(with_gamma, 2)),
    Transform("contrast", "recoloured", _at(tones.with_contrast, 0.5, 0.65, 1.4, 1.7)),
    Transform("brightness", "recoloured", _at(tones.with_brightness, 0.55, 0.75, 1.25, 1.45)),
    Transform("hue", "recoloured", _either_way(15, 60)),
    Transform("grey", "recoloured", tones.greyed),
    Transform("sepia", "recoloured", tones.sepia),
    Transform("saturation", "recoloured", _at(tones.with_saturation, 0.3, 0.6, 1.5, 2)),
    Transform("varnish", "recoloured", _within(tones.varnished, 0.5, 1)),
    Transform("faded", "recoloured", _within(tones.faded, 0.3, 0.6)),
    Transform("cast", "recoloured", tones.with_cast),
    Transform("blur", "recoloured", _within(tones.blurred, 0.003, 0.006)),
    Transform("sharpen", "recoloured", _within(tones.sharpened, 150, 300)),
    Transform("noise", "recoloured", tones.with_noise),
    Transform("posterise", "recoloured", _at(tones.posterised, 2, 3)),
    Transform("dither", "recoloured", _at(tones.dithered, 8, 16, 32)),
    Transform("equalise", "recoloured", tones.equalised),
)
_LIT = (
    Transform("uneven-light", "recoloured", tones.unevenly_lit),
    Transform("vignette", "recoloured", _within(tones.with_vignette, 0.4, 0.8)),
    Transform("glare", "recoloured", tones.with_glare),
    Transform("rephotographed", "recoloured", _rephotographed, (50, 85)),
)
_BENT = (
    Transform("stretched-5", "resized", _drawing(geometry.stretched, 0.05, 0.05)),
    Transform("stretched-10", "resized", _drawing(geometry.stretched, 0.1, 0.1)),
    Transform("squared", "resized", squared),
    *(Transform(f"turned-{angle}", "cropped", _drawing(geometry.turned, angle, angle)) for angle in (1, 2, 5)),
    *(
        Transform(f"turned-{angle}-trimmed", "cropped", _drawing(geometry.turned_and_trimmed, angle, angle))
        for angle in (1, 2, 5)
    ),
    Transform("perspective-mild", "cropped", _from_aside(0, 0.03)),
    Transform("perspective-strong", "cropped", _from_aside(0.02, 0.1)),
)
_CUT = (
    *(
        Transform(f"crop-axis-{percent}", "cropped", less_of_each_axis(percent / 100, percent / 100))
        for percent in (5, 10, 15)
    ),
    Transform("crop-one-side-15", "cropped", less_at(1, 0.15, 0.15)),
    Transform("crop-corner-15", "cropped", less_at(2, 0.15, 0.15)),
    Transform("crop-one-side-25", "cropped", less_at(1, 0.15, 0.25)),
    Transform("crop-axis-25", "cropped", less_of_each_axis(0.15, 0.25)),
    Transform("crop-corner-25", "cropped", less_at(2, 0.15, 0.25)),
)
_SURROUNDED = (
    Transform("padded-white", "cropped", _padded(surroundings.WHITE)),
    Transform("padded-black", "cropped", _padded(surroundings.BLACK)),
    Transform("padded-blurred", "cropped", surroundings.padded_with_itself),
    Transform("border-white", "cropped", _within(surroundings.bordered, 0.05, 0.1)),
    Transform("mount", "cropped", _drawing(surroundings.mounted, 0.15, 0.3)),
    Transform("frame-simple", "cropped", _within(surroundings.simply_framed, 0.06, 0.12)),
    Transform("frame-ornate", "cropped", _drawing(surroundings.ornately_framed, 0.1, 0.18)),
    Transform("colour-bar", "cropped", surroundings.beside_colour_bar),
    Transform("page-caption", "cropped", surroundings.on_a_page),
    Transform("screenshot", "cropped", surroundings.on_a_screen),
)
_MARKED = (
    Transform("banner-bottom", "reencoded", _banner(is_above=False)),
    Transform("banner-top", "reencoded", _banner(is_above=True)),
    Transform("watermark", "recoloured", surroundings.with_watermark),
    Transform("stamp", "reencoded", surroundings.with_stamp),
    Transform("date-stamp", "reencoded", surroundings.with_date),
    Transform("signature", "reencoded", surroundings.with_signature),
)
ORDINARY = (*_SAVED, *_TONED, *_LIT, *_BENT, *_CUT, *_SURROUNDED, *_MARKED)
"""What should be found by the default settings."""

_REVERSED = (
    Transform("mirrored", "mirrored", mirrored),
    Transform("mirrored-cropped-10", "mirrored", mirrored_and_cropped),
    Transform("turned-90", "turned", _turned_by(1)),
    Transform("turned-180", "turned", _turned_by(2)),
    Transform("turned-270", "turned", _turned_by(3)),
    Transform("upside-down", "mirrored", flipped),
)
PARTS = (
    Transform("crop-each-side-25", "detail", less_at_each_side(0.15, 0.25)),
    Transform("half", "detail", half),
    Transform("detail", "detail", geometry.a_detail),
    Transform("collage", "detail", _collage),
    Transform("negative", "recoloured", tones.negative),
)
"""What shows less than half of the original, or it among others, or not as anybody sees it: no copies to be dropped."""
APART = (*_REVERSED, *PARTS)
"""What the default settings need not find."""

FAMILIES = (*ORDINARY, *APART)
