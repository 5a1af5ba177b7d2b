"""What stands around a framed copy: a plain margin, or a wooden frame."""

from typing import NamedTuple

import cv2
import numpy as np

from examples.museum.colours import Colour, Image, colours_from_hex, picked

_PLAIN = colours_from_hex("ffffff f4efe2 808080 101010")
_WOOD = colours_from_hex("6b4a2e 8a5a2b 3a2716 b08a3e")


class Border(NamedTuple):
    """The same width on all sides. grain: of which seed the wood is; None for a plain margin."""

    width_px: int
    colour: Colour
    grain: int | None


def border(rng: np.random.Generator, size_px: tuple[int, int]) -> Border:
    """2 to 6 % of the shorter side, plain or of wood."""
    width_px = max(1, round(min(size_px) * rng.uniform(0.02, 0.06)))
    grain = int(rng.integers(2**32))
    if rng.uniform() < 0.5:
        return Border(width_px, picked(rng, _PLAIN, 3.0), None)
    return Border(width_px, picked(rng, _WOOD), grain)


def bordered(picture: Image, around: Border) -> Image:
    """The RGB picture with that around it, and so twice the border's width wider and higher."""
    sides = (around.width_px,) * 4
    whole = np.asarray(cv2.copyMakeBorder(picture, *sides, cv2.BORDER_CONSTANT, value=around.colour), dtype=np.uint8)
    if around.grain is None:
        return whole
    height, width = whole.shape[:2]
    across, down = np.arange(width), np.arange(height)
    inwards_px = np.minimum(np.minimum(across, across[::-1])[None, :], np.minimum(down, down[::-1])[:, None])
    is_frame = inwards_px < around.width_px
    rng = np.random.Generator(np.random.PCG64(around.grain))
    moulding = 1.0 + 0.25 * np.sin(rng.uniform(0, 6) + rng.uniform(2, 7) * np.arange(around.width_px) / around.width_px)
    moulding[-1] *= 0.5
    shade = moulding[inwards_px[is_frame]] + rng.normal(0.0, 0.04, int(is_frame.sum()))
    whole[is_frame] = np.clip(np.array(around.colour) * shade[:, None], 0, 255).astype(np.uint8)
    return whole
