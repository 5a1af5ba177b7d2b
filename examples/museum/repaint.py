"""Works of a series: an earlier work's motif, painted anew by the same hand at another hour."""

from typing import TypeAlias, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from examples.museum.catalogue import ending, label_again
from examples.museum.colours import Colour, Image, mixed, picked
from examples.museum.figures import PosedFigure
from examples.museum.grounds import paint_ground
from examples.museum.holdings import Holding, holding
from examples.museum.light import lit
from examples.museum.paint import BACK_LIGHT, Sketch, Work, finish_canvas, make_sketch, paint, sign_work
from examples.museum.scene import Scene, cast, draw_scene
from examples.museum.seeds import generator
from examples.museum.shapes import Points, reshaped
from examples.museum.style import Style
from examples.museum.things import Thing

Item = TypeVar("Item", Thing, PosedFigure)
Field: TypeAlias = NDArray[np.float32]

# of the things of the motif
LEFT_OUT_FRACTION = 0.15
# how far a motif is from its first painting, from the closest to the freest work of a series; most are close
CLOSEST, FREEST = 0.35, 1.0

_LEAST_LONGER_PX = 160
_HOURS: tuple[Colour, ...] = ((255, 196, 120), (120, 150, 210), (190, 190, 190), (240, 214, 170), (90, 100, 120))
_WAVES = 5


def work_of(seed: int, held: Holding) -> Work:
    """The work that a row shows: its own, or the one that it copies."""
    shown = held if held.original is None else holding(seed, held.original)
    return paint(seed, shown.row) if shown.first is None else paint_again(seed, shown.first, shown.row)


def sketch_of(seed: int, held: Holding) -> Sketch:
    """The sketch of `work_of`."""
    shown = held if held.original is None else holding(seed, held.original)
    return make_sketch(seed, shown.row) if shown.first is None else sketch_again(seed, shown.first, shown.row)


def sketch_again(seed: int, first: int, number: int) -> Sketch:
    """The sketch of `first` with another size and date, and another end of its title.

    A tiny one becomes a proper work.
    """
    rng, sketch = generator(seed, "again", number), make_sketch(seed, first)
    size = np.array([sketch.height, sketch.width], dtype=np.float64)
    if rng.uniform() < 0.6:
        size *= rng.uniform(0.8, 1.2) * np.exp(rng.uniform(-0.02, 0.02, 2))
    height, width = np.rint(size * max(1.0, _LEAST_LONGER_PX / size.max())).astype(int).tolist()
    caption = label_again(rng, sketch.caption)
    return sketch._replace(caption=caption, height=height, width=width, title_end=ending(rng))


def paint_again(seed: int, first: int, number: int) -> Work:
    """A work of that number with the motif of `first`: the same pixels in any process, order and company.

    It shows the same things and people, each a little elsewhere, on the same ground, whose contours are drawn anew;
    light, shades and brushwork are others.
    """
    sketch, rng = sketch_again(seed, first, number), generator(seed, "series", number)
    unlike = CLOSEST + (FREEST - CLOSEST) * float(rng.uniform()) ** 2
    style = _at_another_hour(rng, sketch.caption.style, unlike)
    scene = Scene(style, sketch.ground, sketch.height, sketch.width, sketch.horizon)
    canvas = np.zeros((scene.height, scene.width, 3), dtype=np.uint8)
    paint_ground(generator(seed, "ground", first), style, scene.ground, canvas, scene.horizon)
    sway = _sway(rng, scene, 0.03 * unlike)
    canvas = lit(generator(seed, "light", first), _drawn_anew(canvas, sway), BACK_LIGHT)
    canvas = lit(rng, canvas, 0.12 * unlike)
    people = generator(seed, "people", first)
    things, sitters = (_elsewhere(rng, group, sway, 0.06 * unlike) for group in cast(people, scene))
    figures = draw_scene(people, scene, canvas, [one for one in things if rng.uniform() > LEFT_OUT_FRACTION], sitters)
    pixels = finish_canvas(generator(seed, "brush", number), style, canvas)
    return sign_work(sketch, pixels, figures)


def _at_another_hour(rng: np.random.Generator, style: Style, unlike: float) -> Style:
    """The style with its palette in another light, every colour mixed anew."""
    hour, share = _HOURS[int(rng.integers(len(_HOURS)))], unlike * rng.uniform(0.05, 0.4)

    def mixed_anew(colours: tuple[Colour, ...]) -> tuple[Colour, ...]:
        return tuple(picked(rng, [mixed(colour, hour, share)], 12.0 * unlike) for colour in colours)

    light, earth, dark, bright = (mixed_anew(group) for group in (style.light, style.earth, style.dark, style.bright))
    return style._replace(light=light, earth=earth, dark=dark, bright=bright)


def _sway(rng: np.random.Generator, scene: Scene, share: float) -> Field:
    """How far every pixel's content is to be moved, smoothly varying: (height, width, 2) of x, y in px.

    share: of the longer side, one standard deviation.
    """
    rough = rng.normal(0.0, share * max(scene.height, scene.width), (_WAVES, _WAVES, 2)).astype(np.float32)
    return np.asarray(cv2.resize(rough, (scene.width, scene.height), interpolation=cv2.INTER_CUBIC))


def _drawn_anew(canvas: Image, sway: Field) -> Image:
    """The canvas with every contour where the sway takes it."""
    height, width = canvas.shape[:2]
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    across, down = columns - sway[:, :, 0], rows - sway[:, :, 1]
    return np.asarray(cv2.remap(canvas, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), dtype=np.uint8)


def _elsewhere(rng: np.random.Generator, items: list[Item], sway: Field, share: float) -> list[Item]:
    """Everything drawn anew a little elsewhere: moved by some `share` of the picture's sides, seldom by much less."""
    height, width = sway.shape[:2]
    found = []
    for item in items:
        steps = rng.choice([-1.0, 1.0], 2) * (0.4 + np.abs(rng.normal(0.0, 0.8, 2)))
        found.append(_moved(item, steps * share * [width, 0.5 * height], sway))
    return found


def _moved(item: Item, move_px: Points, sway: Field) -> Item:
    height, width = sway.shape[:2]

    def change(points: Points) -> Points:
        columns, rows = (np.clip(points[:, axis], 0, end - 1).astype(int) for axis, end in ((0, width), (1, height)))
        return np.asarray(points + move_px + 0.5 * sway[rows, columns])

    shapes, base_px = reshaped(item.shapes, change), item.base_px + float(move_px[1])
    if isinstance(item, PosedFigure):
        return item._replace(shapes=shapes, base_px=base_px, joints_px=change(item.joints_px))
    return item._replace(shapes=shapes, base_px=base_px)
