"""What is put around and over a picture: margins, mounts, frames, pages, screens; banners, stamps, marks.

Shares are of the shorter side, if nothing else is said. All take and give RGB pictures, of 1 x 1 px too.
"""

import string

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageOps

from benchmarks.dedup_tones import leveled, pictured

Colour = tuple[int, int, int]
WHITE, BLACK, GREY = (255, 255, 255), (0, 0, 0), (128, 128, 128)
_PATCHES = ((0, 0, 0), (255, 255, 255), (200, 30, 40), (240, 200, 30), (40, 140, 60), (30, 90, 170), (128, 128, 128))
_LEAST_LETTER_PX = 6


def words(rng: np.random.Generator, count: int) -> list[str]:
    """Random small letters, 2 to 10 to a word."""
    letters = list(string.ascii_lowercase)
    return ["".join(rng.choice(letters, int(rng.integers(2, 11)))) for _ in range(count)]


def letters_of(size_px: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, at least so large that it can be drawn."""
    return ImageFont.load_default(max(_LEAST_LETTER_PX, size_px))


def of_shorter(picture: Image.Image, share: float) -> int:
    """px of a share of the shorter side, at least 1."""
    return max(1, round(min(picture.size) * share))


def on_ground(picture: Image.Image, margins_px: tuple[int, int, int, int], ground: Colour) -> Image.Image:
    """margins_px: left, top, right, bottom."""
    left, top, right, bottom = margins_px
    page = Image.new("RGB", (picture.width + left + right, picture.height + top + bottom), ground)
    page.paste(picture, (left, top))
    return page


# --- around


def padded(picture: Image.Image, ground: Colour) -> Image.Image:
    """In the middle of a square of its longer side."""
    return ImageOps.pad(picture, (max(picture.size),) * 2, color=ground)


def padded_with_itself(picture: Image.Image, _: np.random.Generator | None = None) -> Image.Image:
    """In the middle of a square that shows the picture itself, larger and blurred."""
    side_px = max(picture.size)
    square = ImageOps.fit(picture, (side_px, side_px)).filter(ImageFilter.GaussianBlur(side_px * 0.04))
    square.paste(picture, ((side_px - picture.width) // 2, (side_px - picture.height) // 2))
    return square


def bordered(picture: Image.Image, share: float, colour: Colour = WHITE) -> Image.Image:
    """A border of one colour, as wide at all sides."""
    return ImageOps.expand(picture, of_shorter(picture, share), colour)


def mounted(picture: Image.Image, share: float, rng: np.random.Generator) -> Image.Image:
    """A mount of light card with the cut's bevel, as wide at all sides."""
    card = int(rng.integers(222, 248))
    bevel = bordered(bordered(picture, 0.006, (150, 146, 140)), 0.006, WHITE)
    return ImageOps.expand(bevel, of_shorter(picture, share), (card, card - 3, card - 10))


def simply_framed(picture: Image.Image, share: float) -> Image.Image:
    """A flat dark frame with a gilded edge inside."""
    return bordered(bordered(picture, share / 6, (196, 160, 84)), share, (66, 44, 28))


def ornately_framed(picture: Image.Image, share: float, rng: np.random.Generator) -> Image.Image:
    """A gilded frame with carved ornament, another for each draw."""
    edge_px = of_shorter(picture, share)
    frame = gilded((picture.width + 2 * edge_px, picture.height + 2 * edge_px), edge_px, rng)
    frame.paste(picture, (edge_px, edge_px))
    return frame


def gilded(size_px: tuple[int, int], edge_px: int, rng: np.random.Generator) -> Image.Image:
    """A whole frame of that size, black within; its ornament repeats, and light comes from the upper left."""
    width_px, height_px = size_px
    x, y = np.arange(width_px, dtype=float)[None], np.arange(height_px, dtype=float)[:, None]
    across = np.minimum(np.minimum(x, width_px - 1 - x), np.minimum(y, height_px - 1 - y)) / max(edge_px, 1)
    relief = np.sin(np.pi * np.clip(across, 0, 1)) * 1.5 + np.zeros((height_px, width_px))
    for _ in range(4):
        waves, (phase_x, phase_y) = rng.uniform(1.5, 5), rng.uniform(0, 2 * np.pi, 2)
        turns = 2 * np.pi * waves / max(edge_px, 1)
        relief += 0.35 * np.sin(turns * x + phase_x) * np.sin(turns * y + phase_y) * np.sin(np.pi * across * 2)
    light = 0.75 + 0.9 * _slope(relief, 0) + 0.9 * _slope(relief, 1)
    levels = np.clip(light, 0.15, 1.35)[..., None] * np.array([205.0, 166.0, 84.0])
    levels[across >= 1] = 0
    return pictured(levels)


def _slope(relief: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Rise towards the next px along an axis, of one shape with the relief."""
    return np.diff(relief, axis=axis, append=np.take(relief, [-1], axis=axis))


def beside_colour_bar(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """On grey card, a bar of colours along the lower or the right side: 8 to 12 % of the shorter side."""
    wide_px, gap_px = of_shorter(picture, rng.uniform(0.08, 0.12)), of_shorter(picture, 0.03)
    if rng.uniform() < 0.5:
        page = on_ground(picture, (gap_px, gap_px, gap_px, 2 * gap_px + wide_px), (150, 150, 150))
        box = (gap_px, page.height - gap_px - wide_px, gap_px + picture.width, page.height - gap_px)
    else:
        page = on_ground(picture, (gap_px, gap_px, 2 * gap_px + wide_px, gap_px), (150, 150, 150))
        box = (page.width - gap_px - wide_px, gap_px, page.width - gap_px, gap_px + picture.height)
    page.paste(colour_bar((box[2] - box[0], box[3] - box[1])), box[:2])
    return page


def colour_bar(size_px: tuple[int, int]) -> Image.Image:
    """Patches of fixed colours along the longer side."""
    patches = Image.fromarray(np.array([_PATCHES], np.uint8))
    standing = patches if size_px[0] >= size_px[1] else patches.transpose(Image.Transpose.ROTATE_270)
    return standing.resize(size_px, Image.Resampling.NEAREST)


def on_a_page(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """At the top of a book's page: margins of 6 to 12 %, and below 14 to 20 % with a caption of two lines."""
    side_px, foot_px = of_shorter(picture, rng.uniform(0.06, 0.12)), of_shorter(picture, rng.uniform(0.14, 0.2))
    page = on_ground(picture, (side_px, side_px, side_px, foot_px), (250, 248, 240))
    font, draw = letters_of(foot_px * 0.25), ImageDraw.Draw(page)
    for line in range(2):
        place = (side_px, side_px + picture.height + foot_px * (0.15 + 0.35 * line))
        draw.text(place, " ".join(words(rng, 5)), fill=(40, 40, 40), font=font)
    return page


def on_a_screen(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """A screenshot: bars above and below, a grey page, the picture anywhere in it, 68 to 82 % of its sides."""
    share = rng.uniform(0.68, 0.82)
    width_px, height_px = (max(1, round(side_px / share)) for side_px in picture.size)
    page = Image.new("RGB", (width_px, height_px), (232, 232, 234))
    draw = ImageDraw.Draw(page)
    bar_px = max(1, (height_px - picture.height) // 3)
    draw.rectangle((0, 0, width_px, bar_px), fill=(52, 56, 64))
    draw.rectangle((0, height_px - bar_px // 2, width_px, height_px), fill=(205, 206, 210))
    draw.text((bar_px // 2, bar_px // 4), " ".join(words(rng, 3)), fill=WHITE, font=letters_of(bar_px * 0.45))
    left = int(rng.integers(0, width_px - picture.width + 1))
    top = bar_px + int(rng.integers(0, max(1, height_px - picture.height - bar_px - bar_px // 2)))
    page.paste(picture, (left, top))
    return page


# --- over


def with_banner(picture: Image.Image, rng: np.random.Generator, *, is_above: bool) -> Image.Image:
    """An opaque strip over 8 to 15 % of the height, with words."""
    high_px = max(1, round(picture.height * rng.uniform(0.08, 0.15)))
    top = 0 if is_above else picture.height - high_px
    copy, ground = picture.copy(), (20, 20, 24) if rng.uniform() < 0.5 else (246, 244, 240)
    draw = ImageDraw.Draw(copy)
    draw.rectangle((0, top, picture.width, top + high_px), fill=ground)
    ink = WHITE if ground[0] < 100 else BLACK
    draw.text((high_px * 0.3, top + high_px * 0.2), " ".join(words(rng, 6)), fill=ink, font=letters_of(high_px * 0.5))
    return copy


def with_watermark(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """One word again and again, slanting across the whole picture, 25 to 45 % opaque."""
    word, size_px = words(rng, 1)[0].upper(), of_shorter(picture, 0.09)
    mask = Image.new("L", (sum(picture.size),) * 2, 0)
    draw, opaque = ImageDraw.Draw(mask), round(255 * rng.uniform(0.25, 0.45))
    for down in range(0, mask.height, size_px * 3):
        draw.text((0, down), f"{word}   " * 12, fill=opaque, font=letters_of(size_px))
    slanting = ImageOps.fit(mask.rotate(30, Image.Resampling.BILINEAR), mask.size)
    left, top = (mask.width - picture.width) // 2, (mask.height - picture.height) // 2
    mark = slanting.crop((left, top, left + picture.width, top + picture.height))
    return Image.composite(Image.new("RGB", picture.size, WHITE), picture, mark)


def with_stamp(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """A collection's round stamp anywhere, 15 to 22 % wide, 80 % opaque."""
    wide_px = of_shorter(picture, rng.uniform(0.15, 0.22))
    left, top = (int(rng.integers(0, side - wide_px + 1)) for side in picture.size)
    mask, box = Image.new("L", picture.size, 0), (left, top, left + wide_px - 1, top + wide_px - 1)
    draw = ImageDraw.Draw(mask)
    draw.ellipse(box, outline=204, width=max(1, wide_px // 14))
    middle = (left + wide_px * 0.2, top + wide_px * 0.36)
    draw.text(middle, words(rng, 1)[0][:5].upper(), fill=204, font=letters_of(wide_px * 0.24))
    ink = (150, 24, 30) if rng.uniform() < 0.5 else (30, 40, 120)
    return Image.composite(Image.new("RGB", picture.size, ink), picture, mask)


def with_date(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """A camera's date in orange, at the lower right."""
    size_px = of_shorter(picture, 0.055)
    day = f"{int(rng.integers(1, 29)):02} {int(rng.integers(1, 13)):02} '{int(rng.integers(85, 100))}"
    copy = picture.copy()
    place = (picture.width - size_px * 5.5, picture.height - size_px * 1.8)
    ImageDraw.Draw(copy).text(place, day, fill=(255, 150, 30), font=letters_of(size_px))
    return copy


def with_signature(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """A scrawl at the lower left or right, 18 to 28 % wide."""
    wide_px = of_shorter(picture, rng.uniform(0.18, 0.28))
    x = np.linspace(0, wide_px, 24)
    y = wide_px * 0.12 * (np.sin(x / wide_px * rng.uniform(15, 30)) + rng.normal(0, 0.35, 24))
    left = 0.04 * picture.width if rng.uniform() < 0.5 else 0.96 * picture.width - wide_px
    points = [(left + right, picture.height * 0.93 + down) for right, down in zip(x, y, strict=True)]
    copy = picture.copy()
    dark = leveled(picture).mean() < 100
    ImageDraw.Draw(copy).line(points, fill=(230, 225, 210) if dark else (30, 24, 20), width=of_shorter(picture, 0.007))
    return copy
