"""Canvases, the few sizes in which pictures reach a model, and how many pictures form a batch.

A model sees the padding of a batch: if it were padded to its largest picture, a picture's detections would depend on
the others, and each batch would have another shape. So each has a canvas, top-left, by its own aspect alone.
"""

import math
import threading
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
    """The canvases of a model: it scales the shorter side to `least_side_px`, but the longer to at most `most_side_px`.
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


MAX_PICTURES = 64
_MAX_PX = 2**27
"""Of a batch: its finest maps (256 channels, a sixteenth of its px) have 2**31 values; kernels count in 32 bits."""
_STEP_BITS = 3
"""Of the number of pictures: a batch is padded to the next number whose other bits are 0. Each empty picture costs as
much as a full one; each new shape costs time too, in which cuDNN chooses its kernels."""


class BatchLimit:
    """The largest batch, in pictures and in px, whatever the canvas. Several threads may share one."""

    def __init__(self, most: int = MAX_PICTURES) -> None:
        self._most, self._px, self._lock = most, _MAX_PX, threading.Lock()

    def pictures_on(self, canvas: Size) -> int:
        """Pictures of a full batch on that canvas: at least one."""
        return max(1, min(self._most, self._px // math.prod(canvas)))

    def halve(self, canvas: Size, pictures: int) -> None:
        """A batch of so many pictures did not fit: from now on at most half of its px."""
        with self._lock:
            self._px = min(self._px, pictures // 2 * math.prod(canvas))


def padded_size(pictures: int, most: int) -> int:
    """Size to which a batch of so many pictures is padded: by less than a quarter, and not beyond `most`.

    >>> [padded_size(pictures, 60) for pictures in (1, 7, 9, 17, 33, 58)]
    [1, 7, 10, 20, 40, 60]
    """
    step = 1 << max(0, (pictures - 1).bit_length() - _STEP_BITS)
    return max(pictures, min(-(-pictures // step) * step, most))
