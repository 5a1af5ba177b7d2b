"""An ONNX model as a detector: its raw output is read by the rules of its layout."""

from collections.abc import Sequence

import numpy as np

from schemas.detect import Detect
from schemas.errors import BadInput
from tasks.core.detect import boxes, layouts
from tasks.io.detectors import onnx
from tasks.io.detectors.detector import Detections, Pixels


class OnnxDetector:
    """See tasks.io.detectors.detector.Detector."""

    def __init__(self, model: onnx.Model, settings: Detect) -> None:
        """Raises BadInput if the model's output has another layout, or lacks a class that the recipe names."""
        self._model, self._settings, self.batch = model, settings, model.batch
        self._classes = sorted({*settings.classes.values()})
        self._read = layouts.READERS[settings.model]
        try:
            self._one(model.grey_output, np.ones(2, np.float32))
        except ValueError as problem:
            raise BadInput(f"weights for {settings.model}: {problem}") from problem

    def detect(self, pictures: Sequence[Pixels]) -> list[Detections]:
        """The detections of each of at most `batch` pictures, in their order."""
        if not pictures:
            return []
        inputs = [self._model.prepare_picture(pixels) for pixels in pictures]
        outputs = self._model.run([pixels for pixels, _ in inputs])
        return [self._one(raw, scales) for raw, (_, scales) in zip(outputs, inputs, strict=True)]

    def _one(self, raw: layouts.Floats, scales: layouts.Floats) -> Detections:
        settings, model = self._settings, self._model
        xyxy, scores = self._read(raw, model.height_px, model.width_px, self._classes, settings.least_score)
        rows, columns = boxes.select_boxes(xyxy, scores, settings.least_score, settings.nms_iou)
        labels = np.array(self._classes, np.int64)[columns]
        return Detections(xyxy[rows] / np.concatenate([scales, scales]), scores[rows, columns], labels)
