"""Colours as RGB triples, and the few things that a palette needs of them."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Colour: TypeAlias = tuple[int, int, int]
Image: TypeAlias = NDArray[np.uint8]


def colour(red: float, green: float, blue: float) -> Colour:
    """The nearest colour of whole numbers 0..255; values outside are clipped."""
    return (
        min(255, max(0, round(red))),
        min(255, max(0, round(green))),
        min(255, max(0, round(blue))),
    )


def colours_from_hex(text: str) -> tuple[Colour, ...]:
    """Colours from words of six hex digits: `"ff0000 0000ff"` is red and blue."""
    return tuple((int(word[:2], 16), int(word[2:4], 16), int(word[4:], 16)) for word in text.split())


def mixed(first: Colour, second: Colour, share: float) -> Colour:
    """The first colour with `share` (0..1) of the second stirred in."""
    return colour(*(a + (b - a) * share for a, b in zip(first, second, strict=True)))


def picked(rng: np.random.Generator, colours: Sequence[Colour], jitter: float = 12.0) -> Colour:
    """One of the colours, each channel moved by a normal draw of `jitter` levels."""
    red, green, blue = colours[int(rng.integers(len(colours)))]
    move = rng.normal(0.0, jitter, 3)
    tone = rng.normal(0.0, jitter)
    return colour(red + move[0] + tone, green + move[1] + tone, blue + move[2] + tone)


def darker(base: Colour, share: float) -> Colour:
    """The colour with `share` (0..1) of black."""
    return mixed(base, (0, 0, 0), share)


def lighter(base: Colour, share: float) -> Colour:
    """The colour with `share` (0..1) of white."""
    return mixed(base, (255, 255, 255), share)
