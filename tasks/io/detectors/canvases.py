"""The few sizes in which pictures reach a model: which canvas a picture lies on depends on its own aspect alone.

A batch that is padded to its largest picture makes what is found in one depend on which others came with it, since a
model sees the padding, and has another shape each time. So each picture lies top-left on one of a few canvases, whoever
comes with it.
"""

import math
from typing import NamedTuple

MULTIPLE_PX = 32
"""Sides of a canvas are multiples of it: the coarsest stride of torchvision's feature pyramids."""

_STEP = 2**0.2
_NARROWEST = 1 / 8
"""From canvas to canvas one side grows by this; the narrowest is this part of the shorter side wide, rather more than
any painting."""


class Size(NamedTuple):
    """Sides in px."""

    height_px: int
    width_px: int


class Canvases(NamedTuple):
    """How a model wants its pictures: the shorter side scaled to `least_side_px`, but the longer to at most
    `most_side_px`.

    fixed: a model that sees every picture at this one size, whatever its aspect.
    """

    least_side_px: int
    most_side_px: int
    fixed: Size | None = None

    def scaled_size(self, picture: Size) -> Size:
        """Size of a picture on its canvas, at least 1 px a side (torchvision's own rule, which knows no such least).

        >>> Canvases(800, 1333).scaled(Size(400, 600)), Canvases(800, 1333).scaled(Size(20_000, 200))
        (Size(height_px=800, width_px=1200), Size(height_px=1333, width_px=13))
        """
        if self.fixed is not None:
            return self.fixed
        scale = min(self.least_side_px / min(picture), self.most_side_px / max(picture))
        return Size(max(1, math.floor(picture.height_px * scale)), max(1, math.floor(picture.width_px * scale)))

    def canvas_for(self, picture: Size) -> Size:
        """The canvas of a picture: the smallest that holds it, lying or standing as the picture does.

        >>> Canvases(800, 1333).canvas(Size(600, 400))
        Size(height_px=1344, width_px=800)
        """
        if self.fixed is not None:
            return self.fixed
        scaled = self.scaled_size(picture)
        shorter, longer = sorted(scaled)
        fitting = [(long, short) for long, short in self._sides() if long >= longer and short >= shorter]
        long, short = min(fitting, key=math.prod)
        return Size(long, short) if scaled.height_px > scaled.width_px else Size(short, long)

    def _sides(self) -> list[tuple[int, int]]:
        """Longer and shorter side of each canvas: from the square to the longest in even steps, then ever narrower."""
        least, most = _round_up(self.least_side_px), _round_up(self.most_side_px)
        ratio = self.most_side_px / self.least_side_px
        steps = round(math.log(ratio, _STEP))
        longs = [_round_up(self.least_side_px * ratio ** (step / max(1, steps))) for step in range(steps)]
        halved = round(math.log(1 / _NARROWEST, _STEP))
        shorts = [_round_up(self.least_side_px / _STEP**step) for step in range(1, halved + 1)]
        return sorted({*((long, least) for long in longs), (most, least), *((most, short) for short in shorts)})


def _round_up(side_px: float) -> int:
    return math.ceil(round(side_px, 6) / MULTIPLE_PX) * MULTIPLE_PX
