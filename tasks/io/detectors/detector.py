"""What every detector gives, and what every detector is."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""One picture: (height, width, 3), RGB, 0..255, upright."""
Floats = NDArray[np.float32]


class Detections(NamedTuple):
    """What a detector finds in one picture, in the picture's own pixels.

    In no order, and boxes may reach beyond the picture.

    xyxy_px: (N, 4), x_min, y_min, x_max, y_max. scores: (N,), 0..1. labels: (N,), the model's class index.
    keypoints_xyv: (N, K, 3) x, y, visibility (2: found, 0: not), or None where the model has no keypoints.
    """

    xyxy_px: Floats
    scores: Floats
    labels: NDArray[np.int64]
    keypoints_xyv: Floats | None = None


class Detector(Protocol):
    """One model, loaded, on one device."""

    batch: int
    """Pictures that it takes at once. On a CPU what it finds in one never depends on which others come with it."""

    def detect(self, pictures: Sequence[Pixels]) -> list[Detections]:
        """What it finds in each of at most `batch` pictures, in their order."""
