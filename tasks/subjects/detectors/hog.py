"""HOG as a detector: margins turned into scores, overlapping windows suppressed."""

import math
from collections.abc import Sequence

import numpy as np

from schemas.detect import Detect
from tasks.core.detect import boxes
from tasks.io.detectors.hog import Windows
from tasks.io.detectors.stream import PictureDetections, Pixels


class HogDetector:
    """See stream.Detector. Score = 1 / (1 + e^-margin): 0.5 is OpenCV's own threshold for a person."""

    batch = 1

    def __init__(self, windows: Windows, settings: Detect) -> None:
        """windows: OpenCV's detector, loaded."""
        self._windows, self._settings = windows, settings
        (self._person,) = settings.classes.values()

    def detect(self, pictures: Sequence[Pixels]) -> list[PictureDetections]:
        """The detections of each picture, in their order."""
        return [self._one(pixels) for pixels in pictures]

    def _one(self, pixels: Pixels) -> PictureDetections:
        settings = self._settings
        floor = min(max(settings.least_score, 1e-6), 1 - 1e-6)
        xyxy, margins = self._windows.detect(pixels, math.log(floor / (1 - floor)))
        scores = np.asarray(1 / (1 + np.exp(-margins[:, None])), np.float32)
        rows, _ = boxes.select_boxes(xyxy, scores, settings.least_score, settings.nms_iou)
        return PictureDetections(xyxy[rows], scores[rows, 0], np.full(len(rows), self._person))
