"""ONNX detectors through onnxruntime on the CPU: pixels in, the model's raw output out. tasks/core/detect.py reads it.

Both layouts take a picture letterboxed into the model's input: scaled by min(H/h, W/w), placed top-left, the rest 114.
yolox: float32 B x 3 x H x W, BGR, 0..255. plain: float32 B x 3 x H x W, RGB, 0..1.
"""

import functools
from collections.abc import Sequence

import cv2
import fsspec
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from schemas.errors import BadInput

_PAD = 114
_BATCH = 8  # where the model leaves it open; fixed and padded, so that a row never depends on how many came with it
cv2.setNumThreads(1)  # the workers are the parallelism; and resizing gives the same bits on any machine


class Detector:
    """One model in one layout. Runs on the calling thread alone, so that results do not depend on the number of cores."""

    def __init__(self, weights: bytes, layout: str) -> None:
        """Raises BadInput if the bytes are no ONNX model with one float32 input of B x 3 x H x W and fixed H and W."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        except Exception as problem:  # onnxruntime's own exceptions share no public base class
            raise BadInput(f"weights: expected an ONNX model, got {str(problem)[:160]}") from problem
        entry, *others = self._session.get_inputs()
        shape = list(entry.shape)
        if others or entry.type != "tensor(float)":
            raise BadInput(f"weights: expected one float32 input, got {1 + len(others)}, the first a {entry.type}")
        if len(shape) != 4 or shape[1] != 3 or not all(isinstance(side, int) for side in shape[2:]):
            raise BadInput(f"weights: expected an input of B x 3 x H x W with fixed H and W, got {shape}")
        self._input, self.layout = entry.name, layout
        self.height_px, self.width_px = int(shape[2]), int(shape[3])
        self.batch = shape[0] if isinstance(shape[0], int) and shape[0] > 0 else _BATCH

    def letterboxed(self, pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], float]:
        """(3, H, W) input of one RGB picture (h, w, 3), and the scale by which it was multiplied."""
        height, width = pixels.shape[:2]
        scale = min(self.height_px / height, self.width_px / width)
        inner = (max(1, int(width * scale)), max(1, int(height * scale)))
        canvas = np.full((self.height_px, self.width_px, 3), _PAD, np.uint8)
        canvas[: inner[1], : inner[0]] = cv2.resize(pixels, inner, interpolation=cv2.INTER_LINEAR)
        if self.layout == "yolox":
            return np.ascontiguousarray(canvas[:, :, ::-1].transpose(2, 0, 1), dtype=np.float32), scale
        return np.ascontiguousarray(canvas.transpose(2, 0, 1), dtype=np.float32) / np.float32(255), scale

    def raw(self, inputs: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """First output of the model, one row of it for each input, at most `batch` of them."""
        batch = np.zeros((self.batch, 3, self.height_px, self.width_px), np.float32)
        batch[: len(inputs)] = inputs
        output = np.asarray(self._session.run(None, {self._input: batch})[0], np.float32)
        return output[: len(inputs)]


@functools.lru_cache(maxsize=4)
def opened(name: str, url: str, sha256: str, layout: str) -> Detector:
    """The detector of a bound file, loaded once per process. `sha256` parts files that changed under one path."""
    try:
        with fsspec.open(url, "rb") as file:
            return Detector(bytes(file.read()), layout)
    except (OSError, ValueError, ImportError) as problem:
        raise BadInput(f"binding '{name}': expected a file, got '{url}' ({problem})") from problem
