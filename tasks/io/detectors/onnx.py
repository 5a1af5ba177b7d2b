"""ONNX detectors through onnxruntime, on the CPU or with CUDA: pixels in, the model's raw output out.

tasks/core/detect/layouts.py turns the output into boxes.

| layout | float32 B x 3 x H x W | how a picture is placed in it |
|---|---|---|
| yolox | BGR, 0..255 | scaled by min(H/h, W/w), top-left; the rest 114 |
| yolov5, yolov8, plain | RGB, 0..1 | likewise |
| nanodet | BGR, less NanoDet's mean, by its deviation | like yolox, the rest 114 before that |
| fastestdet | BGR, 0..1 | scaled to W x H, whatever its aspect |
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.io.files import inputs as files_in

_PAD = 114
# if the model leaves it open; fixed and padded, so that a row never depends on how many pictures are in a batch
_BATCH = 8
# a larger input would take all memory
_MOST_SIDE_PX, _MOST_BATCH = 4096, 256
# of a file: the limit of protobuf, and so of ONNX
_MOST_BYTES = 2**31 - 1
_CUDA = "CUDAExecutionProvider"
# where weights outside the file would be looked for
_NOWHERE = "/dev/null/no-folder"
cv2.setNumThreads(1)  # the workers are the parallelism, and resizing gives the same bits on any machine


class Layout(NamedTuple):
    """How a model expects its pixels."""

    is_bgr: bool
    highest: float  # value of a channel
    is_letterboxed: bool
    # of each channel, subtracted, and what it is then divided by; None: nothing
    mean_and_deviation: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
    is_in_one_output: bool = True


_NANODET = ((103.53, 116.28, 123.675), (57.375, 57.12, 58.395))  # its authors' configurations
LAYOUTS = {
    "yolox": Layout(is_bgr=True, highest=255, is_letterboxed=True),
    **dict.fromkeys(("yolov5", "yolov8", "plain"), Layout(is_bgr=False, highest=1, is_letterboxed=True)),
    "fastestdet": Layout(is_bgr=True, highest=1, is_letterboxed=False),
    "nanodet": Layout(
        is_bgr=True, highest=255, is_letterboxed=True, mean_and_deviation=_NANODET, is_in_one_output=False
    ),
}


class Model:
    """One model in one layout. Runs on the calling thread alone: results do not depend on the number of cores."""

    def __init__(self, weights: bytes, layout: str, device: str = "cpu") -> None:
        """Raises BadInput if it is no ONNX model with one float32 input B x 3 x H x W, H and W fixed, or can't run."""
        self._session = _session(weights, device)
        self._layout = LAYOUTS[layout]
        entry, *others = self._session.get_inputs() or [None]
        if entry is None or others or entry.type != "tensor(float)":
            kind = f", the first a {entry.type}" if entry else ""
            raise BadInput(f"weights: expected one float32 input, got {len(self._session.get_inputs())}{kind}")
        shape = list(entry.shape)
        has_sides = all(isinstance(side, int) and 0 < side <= _MOST_SIDE_PX for side in shape[2:])
        if len(shape) != 4 or shape[1] != 3 or not has_sides:
            expected = f"an input of B x 3 x H x W with fixed H and W of at most {_MOST_SIDE_PX}"
            raise BadInput(f"weights: expected {expected}, got {str(shape)[:80]}")
        self._input = entry.name
        self.height_px, self.width_px = int(shape[2]), int(shape[3])
        self.batch = shape[0] if isinstance(shape[0], int) and shape[0] > 0 else _BATCH
        if self.batch > _MOST_BATCH:
            raise BadInput(f"weights: expected a batch of at most {_MOST_BATCH}, got {self.batch}")
        self.grey_outputs, self.output_shapes = self._run_on_grey()

    def _run_on_grey(self) -> tuple[list[NDArray[np.float32]], list[tuple[int, ...]]]:
        """Outputs for a grey picture, as a test, and shapes of all. Raises BadInput for an error, or without a row."""
        grey, _ = self.prepare_picture(np.full((self.height_px, self.width_px, 3), _PAD, np.uint8))
        try:
            outputs = self._run(self._batch_of([grey]))
            read = [self._rows_of(output, 1) for output in self._select(outputs)]
        except Exception as problem:  # see _session; and an output that is no tensor of numbers
            raise BadInput(f"weights: expected a model that runs, got {_one_line(problem)}") from problem
        for output in read:
            if output.ndim < 2 or len(output) != 1:
                expected = f"an output with a row for each of {self.batch} pictures"
                raise BadInput(f"weights: expected {expected}, got {output.shape}")
        shapes = [tuple(getattr(output, "shape", ())) for output in outputs]
        return [np.asarray(output[0]) for output in read], [shape[1:] for shape in shapes]

    def prepare_picture(self, pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(3, H, W) input from one RGB picture (h, w, 3), and the scales by which x and y were multiplied."""
        canvas, scales = self._letterboxed(pixels) if self._layout.is_letterboxed else self._stretched(pixels)
        channels = canvas[:, :, ::-1] if self._layout.is_bgr else canvas
        tensor = np.ascontiguousarray(channels.transpose(2, 0, 1)).astype(np.float32)
        if self._layout.highest != 255:
            tensor *= np.float32(self._layout.highest / 255)
        if self._layout.mean_and_deviation is not None:
            mean, deviation = (np.array(one, np.float32)[:, None, None] for one in self._layout.mean_and_deviation)
            tensor = (tensor - mean) / deviation
        return tensor, np.array(scales, np.float32)

    def _letterboxed(self, pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], tuple[float, float]]:
        height, width = pixels.shape[:2]
        scale = min(self.height_px / height, self.width_px / width)
        inner = (max(1, int(width * scale)), max(1, int(height * scale)))
        canvas = np.full((self.height_px, self.width_px, 3), _PAD, np.uint8)
        canvas[: inner[1], : inner[0]] = cv2.resize(pixels, inner, interpolation=cv2.INTER_LINEAR)
        return canvas, (scale, scale)

    def _stretched(self, pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], tuple[float, float]]:
        height, width = pixels.shape[:2]
        canvas = cv2.resize(pixels, (self.width_px, self.height_px), interpolation=cv2.INTER_AREA)
        return np.asarray(canvas, np.uint8), (self.width_px / width, self.height_px / height)

    def run_all(self, inputs: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
        """The outputs that the layout has, each with a row for each of at most `batch` inputs."""
        outputs = self._select(self._run(self._batch_of(inputs)))
        return [self._rows_of(output, len(inputs)) for output in outputs]

    def _select(self, outputs: Sequence[Any]) -> Sequence[Any]:
        return outputs[:1] if self._layout.is_in_one_output else outputs

    def _rows_of(self, output: Any, count: int) -> NDArray[np.float32]:
        rows = np.asarray(output, np.float32)
        return rows[:count] if rows.ndim and len(rows) == self.batch else rows

    def _batch_of(self, inputs: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        if self.batch == 1:
            return inputs[0][None]
        batch = np.zeros((self.batch, 3, self.height_px, self.width_px), np.float32)
        batch[: len(inputs)] = inputs
        return batch

    def _run(self, batch: NDArray[np.float32]) -> Any:
        try:
            return self._session.run(None, {self._input: batch})
        except Exception as problem:
            if self._session.get_providers()[0] == _CUDA:  # may be temporary: the part is tried again
                raise OSError(f"expected the CUDA device to respond, got {_one_line(problem)}") from problem
            raise


def load(name: str, url: str, layout: str, device: str = "cpu") -> Model:
    """The model of a bound file. Raises BadInput if there is no file at the URL, or it can't be used."""
    return Model(files_in.read(f"binding '{name}'", url, _MOST_BYTES), layout, device)


def _session(weights: bytes, device: str) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", _NOWHERE)
    providers = _providers(device)
    try:
        session = onnxruntime.InferenceSession(weights, options, providers=providers)
    except Exception as problem:  # onnxruntime's own exceptions share no public base class
        if "External data" in str(problem):
            raise BadInput("weights: expected a model in one file, got one whose weights lie in another") from problem
        raise BadInput(f"weights: expected an ONNX model, got {_one_line(problem)}") from problem
    if device.startswith("cuda") and session.get_providers()[0] != _CUDA:
        raise BadInput(f"expected a CUDA device that onnxruntime can use for device {quoted(device)}, got none")
    return session


def _providers(device: str) -> list[Any]:
    """Onnxruntime's providers for a device: auto takes CUDA if there is one. Raises BadInput if cuda is not there."""
    if device.partition(":")[0] not in {"auto", "cpu", "cuda"}:
        raise BadInput(f"device: expected auto, cpu, cuda or cuda:<number>, got {quoted(device)}")
    has_cuda = _CUDA in onnxruntime.get_available_providers()
    if device.startswith("cuda") and not has_cuda:
        raise BadInput(f"expected an onnxruntime with CUDA for device {quoted(device)}, got one without")
    if device == "cpu" or not has_cuda:
        return ["CPUExecutionProvider"]
    return [(_CUDA, {"device_id": device.partition(":")[2] or "0"}), "CPUExecutionProvider"]


def _one_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:160] or type(problem).__name__
