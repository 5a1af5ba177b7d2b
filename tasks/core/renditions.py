"""How a picture is drawn anew (schemas.renditions): which part of it, in which size, by which filter."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.renditions import EWA, Fit, Rendition
from tasks.core.ewa import centre_crop, resize

Size = tuple[int, int]
"""(width, height)."""
Pixels = NDArray[Any]


def render(pixels: Pixels, rendition: Rendition, resample: Callable[[Pixels, Size, str], Pixels]) -> Pixels:
    """(height, width, 3) uint8: the picture, of the same form, drawn anew. resample: gives a picture in another size by
    the filters that are not of EWA.
    """
    height_px, width_px = pixels.shape[:2]
    size_px = fitted((width_px, height_px), rendition.side_px, rendition.fit)
    if rendition.fit == "centre_crop":
        pixels = np.ascontiguousarray(centre_crop(pixels))
    elif size_px == (width_px, height_px):
        return pixels
    if rendition.filter not in EWA:
        return resample(pixels, size_px, rendition.filter)
    is_sharp, is_linear = rendition.filter == "robidoux_sharp", rendition.light == "linear"
    return resize(pixels, size_px, is_sharp=is_sharp, is_linear=is_linear)


def fitted(size_px: Size, side_px: int, fit: Fit) -> Size:
    """(width, height) of what a picture of this size becomes, at least 1 on each side; its own where it stays.

    longest_side: the other side keeps the proportions, halves up; a picture that is no longer than side_px stays.

    >>> fitted((1000, 401), 500, "longest_side"), fitted((300, 20), 500, "longest_side")
    ((500, 201), (300, 20))
    >>> fitted((1000, 401), 32, "centre_crop")
    (32, 32)
    """
    if fit != "longest_side":
        return side_px, side_px
    width_px, height_px = size_px
    if (longest_px := max(size_px)) <= side_px:
        return size_px
    return _share(width_px, side_px, longest_px), _share(height_px, side_px, longest_px)


def _share(side_px: int, most_px: int, longest_px: int) -> int:
    return max(1, (2 * side_px * most_px + longest_px) // (2 * longest_px))
