"""How many pictures form a batch: as many as memory has sufficed for so far."""

import threading

from tasks.io.detectors.canvases import Size

MAX_PICTURES = 64
_MAX_PX = 2**27
"""Of a batch: its finest maps (256 channels at a sixteenth of its px) then have 2**31 values, which torchvision's
kernels count in 32 bits."""
_STEP_BITS = 3
"""Of the number of pictures: a batch is padded to the next number whose other bits are 0. Each empty picture costs as
much as a full one; each new shape costs time too, in which cuDNN chooses its kernels."""


class BatchLimit:
    """The largest batch, in pictures and in px, whatever the canvas. Several threads may share one."""

    def __init__(self, most: int = MAX_PICTURES) -> None:
        self._most, self._px, self._lock = most, _MAX_PX, threading.Lock()

    def pictures_on(self, canvas: Size) -> int:
        """Pictures of a full batch on that canvas: at least one."""
        return max(1, min(self._most, self._px // _area_px(canvas)))

    def halve(self, canvas: Size, pictures: int) -> None:
        """A batch of so many pictures did not fit: from now on at most half of its px."""
        with self._lock:
            self._px = min(self._px, pictures // 2 * _area_px(canvas))


def _area_px(canvas: Size) -> int:
    return canvas.height_px * canvas.width_px


def padded_size(pictures: int, most: int) -> int:
    """Size to which a batch of so many pictures is padded: by less than a quarter, and not beyond `most`.

    >>> [padded_size(pictures, 60) for pictures in (1, 7, 9, 17, 33, 58)]
    [1, 7, 10, 20, 40, 60]
    """
    step = 1 << max(0, (pictures - 1).bit_length() - _STEP_BITS)
    return max(pictures, min(-(-pictures // step) * step, most))
