"""One work of the museum, painted from its seed and number alone."""

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np

from examples.museum.brushes import brushed
from examples.museum.catalogue import Label, label, title
from examples.museum.colours import Image
from examples.museum.figures import Figure
from examples.museum.grounds import horizon, paint_ground
from examples.museum.light import lit
from examples.museum.scene import Scene, draw_people
from examples.museum.seeds import generator
from examples.museum.style import Ground, Style

# relative brightness of the broad patches of light, behind the people and over everything: enough that no two works
# of 20,000 come near each other in a perceptual hash
BACK_LIGHT = 0.18
FRONT_LIGHT = 0.08


@dataclass(frozen=True)
class Work:
    """A painted work and all that is true of it.

    pixels: upright RGB, uint8, height x width x 3. year None: the museum does not say. figures: front to back in no
    order; boxes and joints in pixels of `pixels`.
    """

    pixels: Image
    title: str
    artist: str
    style: str
    date_text: str
    year: int | None
    figures: tuple[Figure, ...]
    is_grey: bool


class Sketch(NamedTuple):
    """What is settled of a work before any paint. words: where the title comes from, once it is known who is there."""

    caption: Label
    ground: Ground
    height: int
    width: int
    horizon: float
    words: np.random.Generator
    title_end: str = ""


def make_sketch(seed: int, number: int) -> Sketch:
    """The sketch of that work."""
    rng = generator(seed, "work", number)
    caption = label(seed, rng)
    height, width = size_of_work(rng)
    ground = caption.style.grounds[int(rng.integers(len(caption.style.grounds)))]
    return Sketch(caption, ground, height, width, horizon(rng, ground), rng)


def paint(seed: int, number: int) -> Work:
    """The work of that number in the museum of that seed: the same pixels in any process, order and company."""
    sketch = make_sketch(seed, number)
    scene = Scene(sketch.caption.style, sketch.ground, sketch.height, sketch.width, sketch.horizon)
    canvas = np.zeros((scene.height, scene.width, 3), dtype=np.uint8)
    paint_ground(generator(seed, "ground", number), scene.style, scene.ground, canvas, scene.horizon)
    canvas = lit(generator(seed, "light", number), canvas, BACK_LIGHT)
    figures = draw_people(generator(seed, "people", number), scene, canvas)
    pixels = finish_canvas(generator(seed, "brush", number), scene.style, canvas)
    return sign_work(sketch, pixels, figures)


def sign_work(sketch: Sketch, pixels: Image, figures: tuple[Figure, ...]) -> Work:
    """The painted work with all that its label says."""
    style, caption = sketch.caption.style, sketch.caption
    people = sum(not figure.is_crowd for figure in figures)
    words = title(sketch.words, sketch.ground, people) + sketch.title_end
    return Work(pixels, words, caption.artist, style.name, caption.date_text, caption.year, figures, style.is_grey)


def size_of_work(rng: np.random.Generator) -> tuple[int, int]:
    """Height and width: the longer side 160 to 420 px, a few elongated to 1:4, one in fifty tiny."""
    kind = rng.uniform()
    longer = int(rng.integers(40, 61)) if kind < 0.02 else int(rng.integers(160, 421))
    aspect = rng.uniform(2.0, 4.0) if kind > 0.95 else 2.0 ** rng.uniform(0.0, 1.0)
    shorter = max(24, round(longer / aspect))
    return (longer, shorter) if rng.uniform() < 0.5 else (shorter, longer)


def finish_canvas(rng: np.random.Generator, style: Style, canvas: Image) -> Image:
    """The canvas under the last light and brush."""
    picture = brushed(rng, style, lit(rng, canvas, FRONT_LIGHT))
    if style.is_grey:
        grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
        sheet = grey[:, :, None] * np.array([1.0, 0.985, 0.95])
        picture = sheet.astype(np.uint8)
    return picture
