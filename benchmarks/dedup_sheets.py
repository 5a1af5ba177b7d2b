"""Different works that look alike: sheets of one layout, each with contents of its own.

Every family is drawn from a generator and takes contents, pictures of different works; it gives one RGB picture for
each, 400 to 900 px. Layout (sizes, mount, frame, ornament, lines) is drawn once, so that members differ in what they
show and in nothing else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from benchmarks.dedup_surroundings import Colour, colour_bar, gilded, letters_of, words
from benchmarks.dedup_tones import greyed, leveled, pictured, with_contrast
from benchmarks.dedup_variants import Transform, cropped, scaled, with_gamma

Contents = Sequence[Image.Image]
Paint = Callable[[np.random.Generator, Contents], list[Image.Image]]
STYLES = ("plain", "bevel", "title", "textured")
_CARD: Colour = (238, 235, 226)
_INK: Colour = (52, 46, 40)


@dataclass(frozen=True)
class Sheets:
    """A family. works_each: works that come of each of the contents. is_text: its contents only count."""

    name: str
    paint: Paint
    works_each: int = 1
    is_text: bool = False

    def contents_for(self, works: int) -> int:
        """How many different pictures so many works show."""
        return 0 if self.is_text else -(-works // self.works_each)

    def painted(self, rng: np.random.Generator, works: int, contents: Contents) -> list[Image.Image]:
        """So many works, of the first of the contents.

        Raises ValueError where there are too few.
        """
        needed = self.contents_for(works)
        if len(contents) < needed:
            raise ValueError(
                f"expected {needed} contents or more for {works} works of {self.name}, got {len(contents)}"
            )
        chosen = [Image.new("RGB", (1, 1))] * works if self.is_text else list(contents[:needed])
        return self.paint(rng, chosen)[:works]


def painted(rng: np.random.Generator, size_px: tuple[int, int]) -> Image.Image:
    """A picture of soft colours under hard shapes, another for each draw: contents where there are no paintings."""
    coarse = Image.fromarray(rng.integers(0, 256, (5, 5, 3), dtype=np.uint8))
    picture = coarse.resize(size_px, Image.Resampling.BICUBIC)
    draw, (width_px, height_px) = ImageDraw.Draw(picture), size_px
    for _ in range(12):
        (x, y), radius = rng.uniform(0, 1, 2) * size_px, rng.uniform(0.03, 0.2) * min(width_px, height_px)
        box = (x - radius, y - radius, x + radius * rng.uniform(0.5, 2), y + radius)
        colour = tuple(int(level) for level in rng.integers(0, 256, 3))
        (draw.ellipse if rng.uniform() < 0.5 else draw.rectangle)(box, fill=colour)
    return picture


# --- mounts and frames


def in_one_mount(
    rng: np.random.Generator, contents: Contents, *, share: float, style: str = "plain", contrast: float = 1.0
) -> list[Image.Image]:
    """Pictures in one mount.

    share: of the sheet's area that is picture, 0 to 1. style: of STYLES. contrast: of the pictures; 1 leaves them.
    """
    size_px = (int(rng.integers(480, 620)), int(rng.integers(600, 760)))
    window_px = (round(size_px[0] * share**0.5), round(size_px[1] * share**0.5))
    place = ((size_px[0] - window_px[0]) // 2, round((size_px[1] - window_px[1]) * 0.45))
    mount = _MOUNTS[style](Image.new("RGB", size_px, _CARD), (*place, *window_px), rng)
    return [_within_mount(mount, toned_down(picture, contrast), place, window_px) for picture in contents]


def toned_down(picture: Image.Image, contrast: float) -> Image.Image:
    """As a faint pencil drawing or a bleached print: light, with that share of its contrast. 1 leaves it as it is."""
    return picture if contrast == 1 else pictured(225 + (leveled(picture) - leveled(picture).mean()) * contrast)


def _within_mount(
    mount: Image.Image, picture: Image.Image, place: tuple[int, int], window_px: tuple[int, int]
) -> Image.Image:
    sheet = mount.copy()
    sheet.paste(ImageOps.fit(picture, window_px, Image.Resampling.LANCZOS), place)
    return sheet


Window = tuple[int, int, int, int]
"""Left, top, width, height, px."""


def _plain(card: Image.Image, _: Window, __: np.random.Generator) -> Image.Image:
    return card


def _with_bevel(card: Image.Image, window: Window, _: np.random.Generator) -> Image.Image:
    """Ruled lines around the window, at three distances."""
    draw, (left, top, width_px, height_px) = ImageDraw.Draw(card), window
    for gap_px, ink in ((2, (150, 146, 140)), (5, (120, 116, 110)), (14, (176, 160, 120))):
        draw.rectangle(
            (left - gap_px, top - gap_px, left + width_px + gap_px - 1, top + height_px + gap_px - 1), outline=ink
        )
    return card


def _with_title(card: Image.Image, window: Window, rng: np.random.Generator) -> Image.Image:
    """The collection's printed line below the window, the same on all."""
    left, top, _, height_px = window
    ImageDraw.Draw(card).text((left, top + height_px + 14), " ".join(words(rng, 5)), fill=_INK, font=letters_of(15))
    return card


def _textured(card: Image.Image, _: Window, rng: np.random.Generator) -> Image.Image:
    """Rough paper, the same on all."""
    grain = Image.fromarray(rng.normal(128, 40, (card.height, card.width)).clip(0, 255).astype(np.uint8))
    soft = np.asarray(grain.filter(ImageFilter.GaussianBlur(1.2)), np.float64) - 128
    return pictured(leveled(card) + 0.6 * soft[..., None])


_MOUNTS: dict[str, Callable[[Image.Image, Window, np.random.Generator], Image.Image]] = {
    "plain": _plain,
    "bevel": _with_bevel,
    "title": _with_title,
    "textured": _textured,
}


def in_one_frame(rng: np.random.Generator, contents: Contents, *, edge_share: float = 0.18) -> list[Image.Image]:
    """Pictures in one carved and gilded frame. edge_share: its width, of the sheet's shorter side."""
    size_px = (int(rng.integers(480, 640)), int(rng.integers(560, 720)))
    edge_px = round(min(size_px) * edge_share)
    frame = gilded(size_px, edge_px, rng)
    window_px = (size_px[0] - 2 * edge_px, size_px[1] - 2 * edge_px)
    return [_within_mount(frame, picture, (edge_px, edge_px), window_px) for picture in contents]


# --- text


def pages_of_text(
    rng: np.random.Generator, contents: Contents, *, letter_px: int, columns: int = 1, density: float = 1.0
) -> list[Image.Image]:
    """Pages of one layout, each with words of its own; the contents only count.

    density: share of the lines' width that is filled.
    """
    size_px = (int(rng.integers(480, 600)), int(rng.integers(640, 800)))
    return [_page(rng, size_px, letter_px, columns, density) for _ in contents]


def _page(
    rng: np.random.Generator, size_px: tuple[int, int], letter_px: int, columns: int, density: float
) -> Image.Image:
    page = Image.new("RGB", size_px, (246, 243, 234))
    margin_px = size_px[0] // 10
    column_px = (size_px[0] - margin_px * (columns + 1)) // columns
    for column in range(columns):
        left = margin_px + column * (column_px + margin_px)
        write_lines(page, (left, margin_px, column_px, size_px[1] - 2 * margin_px), letter_px, rng, density)
    return page


def write_lines(page: Image.Image, box: Window, letter_px: int, rng: np.random.Generator, density: float = 1.0) -> None:
    """Fill a box of the page with random words, line by line; each line ends where the next word would leave it."""
    draw, font = ImageDraw.Draw(page), letters_of(letter_px)
    left, top, width_px, height_px = box
    for down in range(top, top + height_px - letter_px, round(letter_px * 1.4)):
        line = ""
        for word in words(rng, width_px // letter_px + 1):
            if draw.textlength(f"{line}{word}", font=font) > width_px * density:
                break
            line += f"{word} "
        draw.text((left, down), line, fill=_INK, font=font)


def one_engraving_above_texts(rng: np.random.Generator, contents: Contents) -> list[Image.Image]:
    """The first of the contents as an engraving over the upper half, and a text below: another on each sheet."""
    size_px, half_px = (520, 720), 360
    plate = ImageOps.fit(hatched(contents[0], 4), (440, 320), Image.Resampling.LANCZOS)
    sheets = []
    for _ in contents:
        sheet = Image.new("RGB", size_px, (246, 243, 234))
        sheet.paste(plate, (40, 30))
        write_lines(sheet, (40, half_px + 10, 440, 320), 14, rng)
        sheets.append(sheet)
    return sheets


# --- lines and dots


def nearly_empty(rng: np.random.Generator, contents: Contents, *, share: float = 0.05) -> list[Image.Image]:
    """Sheets of paper with one small line drawing in the middle each. share: of the area, the drawing's box."""
    size_px = (int(rng.integers(480, 600)), int(rng.integers(600, 720)))
    window_px = (round(size_px[0] * share**0.5), round(size_px[1] * share**0.5))
    place = ((size_px[0] - window_px[0]) // 2, (size_px[1] - window_px[1]) // 2)
    paper = Image.new("RGB", size_px, (241, 237, 226))
    return [_within_mount(paper, line_drawing(picture, window_px), place, window_px) for picture in contents]


def line_drawing(picture: Image.Image, size_px: tuple[int, int]) -> Image.Image:
    """The picture's contours in ink on the paper of `nearly_empty`."""
    small = ImageOps.fit(ImageOps.grayscale(picture), size_px, Image.Resampling.LANCZOS)
    contours = ImageOps.autocontrast(small.filter(ImageFilter.FIND_EDGES).crop((1, 1, size_px[0] - 1, size_px[1] - 1)))
    mask = contours.resize(size_px).point([0 if level < 90 else min(255, level + 60) for level in range(256)])
    return Image.composite(Image.new("RGB", size_px, _INK), Image.new("RGB", size_px, (241, 237, 226)), mask)


def hatched(picture: Image.Image, pitch_px: int) -> Image.Image:
    """An engraving: two sets of slanting lines, wider where it is darker, black on white."""
    grey = np.asarray(ImageOps.autocontrast(ImageOps.grayscale(picture)), np.float64) / 255
    x, y = np.arange(picture.width)[None], np.arange(picture.height)[:, None]
    first = 0.5 + 0.5 * np.sin(2 * np.pi * (x + y) / (pitch_px * 2**0.5))
    second = 0.5 + 0.5 * np.sin(2 * np.pi * (x - y) / (pitch_px * 2**0.5))
    white = np.minimum(np.clip((grey - first) * 4 + 0.9, 0, 1), np.clip((grey + 0.45 - second) * 4 + 0.9, 0, 1))
    return pictured(np.repeat((white * 230 + 15)[..., None], 3, axis=2))


def halftone(picture: Image.Image, pitch_px: int) -> Image.Image:
    """Printed dots on a grid turned by 45 degrees, larger where it is darker."""
    grey = np.asarray(ImageOps.autocontrast(ImageOps.grayscale(picture)), np.float64) / 255
    x, y = np.arange(picture.width)[None], np.arange(picture.height)[:, None]
    turns = np.pi / (pitch_px * 2**0.5)
    screen = 0.5 + 0.25 * (np.cos(2 * turns * (x + y)) + np.cos(2 * turns * (x - y)))
    return pictured(np.repeat((np.clip((grey - screen) * 4 + 0.5, 0, 1) * 225 + 15)[..., None], 3, axis=2))


def in_lines(
    rng: np.random.Generator, contents: Contents, *, screen: Callable[[Image.Image, int], Image.Image], pitch_px: int
) -> list[Image.Image]:
    """Pictures of one size in one screen, `hatched` or `halftone`, with half of their contrast."""
    size_px = (int(rng.integers(440, 560)), int(rng.integers(540, 680)))
    fitted = (ImageOps.fit(greyed(picture), size_px, Image.Resampling.LANCZOS) for picture in contents)
    return [screen(with_contrast(picture, 0.5), pitch_px) for picture in fitted]


# --- the studio


def with_bar_and_ruler(rng: np.random.Generator, contents: Contents) -> list[Image.Image]:
    """Works on one grey ground, each in its own shape within the same box, a colour bar and a ruler below."""
    size_px = (int(rng.integers(560, 680)), int(rng.integers(640, 780)))
    ground = pictured(rng.normal(112, 3, (size_px[1], size_px[0], 1)) + np.zeros(3))
    ground.paste(colour_bar((size_px[0] - 120, 34)), (60, size_px[1] - 110))
    ground.paste(_ruler(size_px[0] - 120), (60, size_px[1] - 66))
    return [_laid(ground, picture, (round(size_px[0] * 0.6), round(size_px[1] * 0.56))) for picture in contents]


def _ruler(width_px: int) -> Image.Image:
    ruler = Image.new("RGB", (width_px, 30), (250, 250, 246))
    draw = ImageDraw.Draw(ruler)
    for mark, across in enumerate(range(0, width_px, 6)):
        draw.line((across, 0, across, 18 if mark % 10 == 0 else 12 if mark % 5 == 0 else 7), fill=_INK)
    return ruler


def _laid(ground: Image.Image, picture: Image.Image, most_px: tuple[int, int]) -> Image.Image:
    """In the middle of the place above the bar, as large as fits."""
    sheet, work = ground.copy(), ImageOps.contain(picture, most_px, Image.Resampling.LANCZOS)
    sheet.paste(work, ((ground.width - work.width) // 2, (ground.height - 120 - work.height) // 2))
    return sheet


def diptychs(_: np.random.Generator, contents: Contents) -> list[Image.Image]:
    """The left and the right half of each of the contents, twice as many works."""
    halves = [(cropped(picture, 0, 0, 0.5, 0), cropped(picture, 0.5, 0, 0, 0)) for picture in contents]
    return [scaled(part, 600 / max(part.size)) for pair in halves for part in pair]


# --- families


def _mounts() -> tuple[Sheets, ...]:
    kinds = [
        *((share, "plain", 1.0) for share in (0.15, 0.16, 0.25, 0.4)),
        *((share, style, 1.0) for share, style in ((0.16, "bevel"), (0.25, "title"), (0.16, "textured"))),
        *((share, style, 0.2) for share, style in ((0.16, "plain"), (0.25, "bevel"), (0.4, "textured"))),
    ]
    return tuple(
        Sheets(
            f"mount-{round(share * 100)}-{style}{'' if contrast == 1 else '-faint'}",
            partial(in_one_mount, share=share, style=style, contrast=contrast),
        )
        for share, style, contrast in kinds
    )


NEGATIVE = (
    *_mounts(),
    Sheets("frame-ornate", in_one_frame),
    Sheets("frame-ornate-wide", partial(in_one_frame, edge_share=0.28)),
    Sheets("text-one-column", partial(pages_of_text, letter_px=16), is_text=True),
    Sheets("text-one-column-small", partial(pages_of_text, letter_px=10), is_text=True),
    Sheets("text-two-columns", partial(pages_of_text, letter_px=13, columns=2), is_text=True),
    Sheets("text-large", partial(pages_of_text, letter_px=30), is_text=True),
    Sheets("text-ragged", partial(pages_of_text, letter_px=16, density=0.6), is_text=True),
    Sheets("engraving-texts", one_engraving_above_texts),
    Sheets("nearly-empty", nearly_empty),
    Sheets("hatched", partial(in_lines, screen=hatched, pitch_px=5)),
    Sheets("halftone", partial(in_lines, screen=halftone, pitch_px=6)),
    Sheets("bar-and-ruler", with_bar_and_ruler),
    Sheets("diptych", diptychs, works_each=2),
)


def _recoloured(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    return with_gamma(pictured(leveled(picture) * rng.uniform(0.88, 1.0, 3)), float(rng.choice([0.8, 1.25])))


def _trimmed(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """3 % of each axis."""
    before = rng.uniform(0, 0.03, 2)
    return cropped(picture, *before, *(0.03 - before))


SAVED_AGAIN = (
    Transform("saved", "reencoded", lambda picture, _: picture, (60, 85)),
    Transform("halved", "resized", lambda picture, _: scaled(picture, 0.5)),
    Transform("retoned", "recoloured", _recoloured),
    Transform("trimmed", "cropped", _trimmed),
)
"""What one sheet goes through: copies that must be found, or at least bound."""
