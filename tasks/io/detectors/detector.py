"""The interface of every detector, and the detections that it returns."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""One picture: (height, width, 3), RGB, 0..255, upright."""
Floats = NDArray[np.float32]


class Detections(NamedTuple):
    """A detector's boxes in one picture, in the picture's own pixels.

    In no particular order; boxes may reach beyond the picture.

    xyxy_px: (N, 4), x_min, y_min, x_max, y_max. scores: (N,), 0..1. labels: (N,), the model's class indices.
    keypoints_xyv: (N, K, 3) x, y, visibility (2: visible, 0: not), or None if the model has no keypoints.
    """

    xyxy_px: Floats
    scores: Floats
    labels: NDArray[np.int64]
    keypoints_xyv: Floats | None = None


class Detector(Protocol):
    """One model, loaded on one device."""

    batch: int
    """Most pictures of one call. On a CPU the detections of a picture never depend on the others of its batch."""

    def detect(self, pictures: Sequence[Pixels]) -> list[Detections]:
        """The detections of each of at most `batch` pictures, in their order."""
