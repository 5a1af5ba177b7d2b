"""An ONNX model as a detector: its raw output is read by the rules of its layout."""

from collections.abc import Sequence

import numpy as np

from schemas.detect import Detect
from schemas.errors import BadInput
from tasks.core.detect import boxes, layouts
from tasks.core.detect.layouts import Floats
from tasks.io.detectors import onnx
from tasks.io.detectors.stream import PictureDetections, Pixels


class OnnxDetector:
    """See tasks.io.detectors.stream.Detector."""

    def __init__(self, model: onnx.Model, settings: Detect) -> None:
        """Raises BadInput if the model's output has another layout, or lacks a class that the recipe names."""
        self._model, self._settings, self.batch = model, settings, model.batch
        self._classes = sorted({*settings.classes.values()})
        try:
            layouts.check_outputs(
                settings.model, model.grey_outputs, model.output_shapes, model.height_px, model.width_px
            )
        except ValueError as problem:
            raise BadInput(f"weights for {settings.model}: {problem}") from problem
        self._one(model.grey_outputs, np.ones(2, np.float32))

    def detect(self, pictures: Sequence[Pixels]) -> list[PictureDetections]:
        """The detections of each of at most `batch` pictures, in their order."""
        if not pictures:
            return []
        inputs = [self._model.prepare_picture(pixels) for pixels in pictures]
        outputs = self._model.run_all([pixels for pixels, _ in inputs])
        return [self._one(raw, scales) for raw, (_, scales) in zip(zip(*outputs, strict=True), inputs, strict=True)]

    def _one(self, raw: Sequence[Floats], scales: Floats) -> PictureDetections:
        settings, model = self._settings, self._model
        try:
            xyxy, scores = layouts.read_boxes(
                settings.model, raw, model.height_px, model.width_px, self._classes, settings.least_score
            )
        except ValueError as problem:  # a layout that a grey picture does not give away
            raise BadInput(f"weights for {settings.model}: {problem}") from problem
        rows, columns = boxes.select_boxes(xyxy, scores, settings.least_score, settings.nms_iou)
        labels = np.array(self._classes, np.int64)[columns]
        return PictureDetections(xyxy[rows] / np.concatenate([scales, scales]), scores[rows, columns], labels)
