"""Geometry: how a picture is stretched, turned, seen from aside and cut on its way to a copy."""

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from benchmarks.dedup_variants import cropped

_GROUNDS = ((255, 255, 255), (0, 0, 0), (128, 124, 118), (214, 206, 190))
"""White, black, grey, a wall."""
_INWARDS = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])


def a_ground(rng: np.random.Generator) -> tuple[int, int, int]:
    """The colour of what lies behind a picture."""
    return _GROUNDS[int(rng.integers(len(_GROUNDS)))]


def stretched(picture: Image.Image, share: float, rng: np.random.Generator) -> Image.Image:
    """One axis, any, longer by the share."""
    sides = [picture.width, picture.height]
    axis = int(rng.integers(2))
    sides[axis] = max(1, round(sides[axis] * (1 + share)))
    return picture.resize((sides[0], sides[1]), Image.Resampling.LANCZOS)


def turned(picture: Image.Image, degrees: float, rng: np.random.Generator) -> Image.Image:
    """By the angle, either way, all of it on a ground of one colour."""
    signed = degrees * float(rng.choice([-1, 1]))
    return picture.rotate(signed, Image.Resampling.BICUBIC, expand=True, fillcolor=a_ground(rng))


def turned_and_trimmed(picture: Image.Image, degrees: float, rng: np.random.Generator) -> Image.Image:
    """By the angle, either way, cut to the largest upright rectangle of its own shape without ground."""
    around = picture.rotate(degrees * float(rng.choice([-1, 1])), Image.Resampling.BICUBIC)
    kept = share_kept(picture.width, picture.height, degrees)
    return cropped(around, *((1 - kept) / 2,) * 4)


def share_kept(width_px: int, height_px: int, degrees: float) -> float:
    """Share of the sides of the largest rectangle of this shape within one turned by the angle (0 to 90 degrees).

    >>> round(share_kept(100, 100, 45), 3)
    0.707
    """
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return min(
        width_px / (width_px * cosine + height_px * sine),
        height_px / (width_px * sine + height_px * cosine),
    )


def right_turned(picture: Image.Image, quarters: int) -> Image.Image:
    """Counterclockwise by so many right angles."""
    turns = (Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270)
    return picture.transpose(turns[quarters - 1])


def from_aside(picture: Image.Image, least: float, most: float, rng: np.random.Generator) -> Image.Image:
    """In perspective, trimmed: each corner of what is seen lies inside by a share of both sides between these two."""
    frame = corners_of(picture)
    seen = frame + _INWARDS * rng.uniform(least, most, (4, 2)) * picture.size
    return picture.transform(
        picture.size, Image.Transform.PERSPECTIVE, projection(frame, seen), Image.Resampling.BICUBIC
    )


def on_a_wall(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """In perspective, all of it, with wall around: each corner of the picture lies inside by 1 to 6 % of both sides."""
    frame = corners_of(picture)
    seen = frame + _INWARDS * rng.uniform(0.01, 0.06, (4, 2)) * picture.size
    return picture.transform(
        picture.size,
        Image.Transform.PERSPECTIVE,
        projection(seen, frame),
        Image.Resampling.BICUBIC,
        fillcolor=a_ground(rng),
    )


def corners_of(picture: Image.Image) -> NDArray[np.float64]:
    """(4, 2): x and y of the upper left, upper right, lower right and lower left corner, in px."""
    width_px, height_px = picture.size
    return np.array([(0, 0), (width_px, 0), (width_px, height_px), (0, height_px)], np.float64)


def projection(before: NDArray[np.float64], after: NDArray[np.float64]) -> tuple[float, ...]:
    """Eight numbers that take the four points of `before` to those of `after`, (4, 2) each.

    Pillow asks for them from the places of what comes out to those of what goes in.
    """
    rows, wanted = [], []
    for (x, y), (u, v) in zip(before, after, strict=True):
        rows += [(x, y, 1, 0, 0, 0, -u * x, -u * y), (0, 0, 0, x, y, 1, -v * x, -v * y)]
        wanted += [u, v]
    return tuple(np.linalg.solve(np.array(rows), np.array(wanted)))


def half(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """The left, upper, right or lower half, any."""
    lost = [0.0, 0.0, 0.0, 0.0]
    lost[int(rng.integers(4))] = 0.5
    return cropped(picture, *lost)


def a_detail(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """A box of 15 to 30 % of the area, of the picture's own shape, anywhere."""
    side = math.sqrt(rng.uniform(0.15, 0.3))
    left, top = rng.uniform(0, 1 - side, 2)
    return cropped(picture, left, top, max(0.0, 1 - side - left), max(0.0, 1 - side - top))


def mirrored_and_cropped(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """The mirror image, of which each axis has lost 10 %."""
    before = rng.uniform(0, 0.1, 2)
    return cropped(ImageOps.mirror(picture), *before, *(0.1 - before))
