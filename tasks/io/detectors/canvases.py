"""Canvases: the few sizes in which pictures reach a model. A picture's canvas depends on its own aspect alone.

If a batch were padded to its largest picture, a picture's detections would depend on the others of its batch, since a
model sees the padding, and each batch would have another shape. So each picture is placed top-left on one of a few
canvases.
"""

import math
from typing import NamedTuple

MULTIPLE_PX = 32
"""Sides of a canvas are multiples of it: the coarsest stride of torchvision's feature pyramids."""

_STEP = 2**0.2
"""Factor by which one side grows from a canvas to the next."""
_NARROWEST = 1 / 8
"""Width of the narrowest canvas as a share of the shorter side: hardly any painting is narrower."""


class Size(NamedTuple):
    """Sides in px."""

    height_px: int
    width_px: int


class Canvases(NamedTuple):
    """The canvases of a model: it scales the shorter side to `least_side_px`, but the longer to at most
    `most_side_px`.

    fixed: the one size of a model that scales every picture to it, whatever its aspect.
    """

    least_side_px: int
    most_side_px: int
    fixed: Size | None = None

    def scaled_size(self, picture: Size) -> Size:
        """Size of a picture on its canvas: torchvision's own rule, but at least 1 px a side.

        >>> Canvases(800, 1333).scaled_size(Size(400, 600)), Canvases(800, 1333).scaled_size(Size(20_000, 200))
        (Size(height_px=800, width_px=1200), Size(height_px=1333, width_px=13))
        """
        if self.fixed is not None:
            return self.fixed
        scale = min(self.least_side_px / min(picture), self.most_side_px / max(picture))
        return Size(max(1, math.floor(picture.height_px * scale)), max(1, math.floor(picture.width_px * scale)))

    def canvas_for(self, picture: Size) -> Size:
        """The canvas of a picture: the smallest that holds it, landscape or portrait as the picture is.

        >>> Canvases(800, 1333).canvas_for(Size(600, 400))
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
        """Longer and shorter side of each canvas: from the square to the longest in even steps, then narrower ones."""
        least, most = _round_up(self.least_side_px), _round_up(self.most_side_px)
        ratio = self.most_side_px / self.least_side_px
        steps = round(math.log(ratio, _STEP))
        longs = [_round_up(self.least_side_px * ratio ** (step / max(1, steps))) for step in range(steps)]
        halved = round(math.log(1 / _NARROWEST, _STEP))
        shorts = [_round_up(self.least_side_px / _STEP**step) for step in range(1, halved + 1)]
        return sorted({*((long, least) for long in longs), (most, least), *((most, short) for short in shorts)})


def _round_up(side_px: float) -> int:
    return math.ceil(round(side_px, 6) / MULTIPLE_PX) * MULTIPLE_PX
