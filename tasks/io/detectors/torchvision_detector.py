"""torchvision's detectors on a GPU or a CPU: batches on canvases, in bfloat16 on a GPU, and what to do when it fails.

On a CPU pictures go through one by one, on one thread and in float32: detections depend on their picture alone.
"""

import contextlib
import logging
import os
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from schemas.detect import Detect
from schemas.errors import BadInput
from schemas.phrases import error_line
from tasks.io.detectors import decoding, devices, loading
from tasks.io.detectors.canvases import MAX_PICTURES, BatchLimit, Size, padded_size
from tasks.io.detectors.decoding import PicturePixels
from tasks.io.detectors.loading import DEFAULT_OPTIONS, CanvasBatch, InferenceOptions, LoadedModel
from tasks.io.detectors.outputs import detections_from_rows, rows_from_outputs, start_copy_to_host
from tasks.io.detectors.stream import Floats, PendingDetections, PictureDetections, Pixels

_LOG = logging.getLogger("bilderatlas.detect")
_MAX_DECODER_THREADS = 16
_PARTS_AT_ONCE = 2
"""That share a GPU: while one writes its rows or waits for its last batch, the other uses the GPU."""


@dataclass(eq=False)
class StagedBatch:
    """Pictures and, if memory sufficed, their pixels on the canvas, complete at `ready`; alive until its rows are."""

    pictures: list[PicturePixels]
    canvas: Size
    batch: CanvasBatch | None = None
    ready: "torch.cuda.Event | None" = None
    rows_on_host: "Callable[[], list[Floats]] | None" = None


class TorchvisionDetector:
    """A torchvision model as both kinds of detector, for several threads: on a GPU batch by batch, on a CPU at once."""

    batch = 1

    def __init__(
        self, model: nn.Module, settings: Detect, device: torch.device, options: InferenceOptions = DEFAULT_OPTIONS
    ) -> None:
        """model: on the CPU; it is copied and stays unchanged."""
        self._model, self._settings, self._device, self.options = model, settings, device, options
        self.slots = threading.Semaphore(_PARTS_AT_ONCE)
        self._loading_lock = threading.Lock()
        self._batch_limit = BatchLimit(options.batch_size or (MAX_PICTURES if device.type == "cuda" else 1))
        self._loaded: LoadedModel | None = None
        self._in_flight: weakref.WeakSet[StagedBatch] = weakref.WeakSet()
        self._load()

    @property
    def device(self) -> torch.device:
        """The device that it runs on now: the CPU after its GPU has failed for good."""
        return self._device

    @property
    def decoder_threads(self) -> int:
        """See PipelinedDetector."""
        most = min(_MAX_DECODER_THREADS, os.cpu_count() or 2) if self._device.type == "cuda" else 0
        return most if self.options.decoder_threads is None else self.options.decoder_threads

    def decode(self, data: bytes) -> PicturePixels:
        """See PipelinedDetector."""
        device = self._load().device  # asked anew after a failure: a lost GPU has no pinned memory to give, either
        if device.type != "cuda":
            return decoding.decode_on_cpu(data)
        try:
            with self._translate_errors(), devices.use_device(device):
                on_gpu = decoding.decode_on_gpu(data, device) if self.options.decodes_on_gpu else None
                return on_gpu or decoding.decode_on_cpu(data, is_pinned=True)
        except torch.OutOfMemoryError:  # of the host: some machines let few pages be pinned
            return decoding.decode_on_cpu(data)

    def canvas_for(self, size: Size) -> Size:
        """See PipelinedDetector."""
        with self._translate_errors():
            return self._load().transform.canvases.canvas_for(size)

    def batch_size(self, canvas: Size) -> int:
        """See PipelinedDetector."""
        return self._batch_limit.pictures_on(canvas)

    def detect(self, pictures: Sequence[Pixels]) -> list[PictureDetections]:
        """See Detector."""
        copies = [PicturePixels(torch.from_numpy(pixels.copy())) for pixels in pictures]
        return [self.start(self.stage([one], self.canvas_for(one.size)))()[0] for one in copies]

    def stage(self, pictures: Sequence[PicturePixels], canvas: Size) -> StagedBatch:
        """See PipelinedDetector."""
        staged = StagedBatch(list(pictures), canvas)
        with contextlib.suppress(torch.OutOfMemoryError), self._translate_errors():
            self._stage(staged)  # else `start` stages it again, in smaller batches
        return staged

    def start(self, staged: StagedBatch) -> PendingDetections:
        """See PipelinedDetector. A batch that does not fit into memory is halved; for one picture, raises BadInput."""
        # what follows a lack of memory stands outside: the error keeps the memory alive
        with contextlib.suppress(torch.OutOfMemoryError), self._translate_errors():
            return self._start(staged)
        if len(staged.pictures) == 1:
            raise BadInput(
                f"device: expected {self._device} to have memory for one picture of {staged.canvas.width_px} x "
                f"{staged.canvas.height_px} px, got too little; set smaller sides or another device"
            )
        self._batch_limit.halve(staged.canvas, len(staged.pictures))
        staged.batch = None  # the caller keeps `staged`, and must not keep its memory
        with self._translate_errors():
            if self._device.type == "cuda":
                torch.cuda.empty_cache()
        return self._start_halves(staged)

    def _start_halves(self, staged: StagedBatch) -> PendingDetections:
        """One half after the other, since memory is short: results of the first are read before the second starts."""
        half = len(staged.pictures) // 2
        halves = staged.pictures[:half], staged.pictures[half:]
        detections = [one for pictures in halves for one in self.start(StagedBatch(pictures, staged.canvas))()]
        return lambda: detections

    def _stage(self, staged: StagedBatch) -> None:
        loaded, count = self._load(), len(staged.pictures)
        size = padded_size(count, max(count, self.batch_size(staged.canvas)))
        with self._loading_lock:
            self._in_flight.add(staged)
        with devices.use_device(loaded.device), torch.cuda.stream(loaded.copy_stream), torch.inference_mode():
            pixels = [picture.pixels for picture in staged.pictures]
            staged.batch = loaded.transform.batch_of(pixels, staged.canvas, size)
            staged.ready = None if loaded.copy_stream is None else loaded.copy_stream.record_event()

    def _start(self, staged: StagedBatch) -> PendingDetections:
        loaded = self._load()
        if staged.batch is None or staged.batch.tensor.device != loaded.device:
            if len(staged.pictures) > self.batch_size(staged.canvas):
                return self._start_halves(staged)
            self._stage(staged)
        batch = staged.batch
        assert batch is not None
        with _gpu_lock(loaded.device), devices.use_device(loaded.device), torch.inference_mode():
            if staged.ready is not None:
                torch.cuda.current_stream().wait_event(staged.ready)
            rows = rows_from_outputs(self._forward(loaded, batch)[: batch.picture_count])
            staged.rows_on_host = start_copy_to_host(rows)
        sizes = [*zip([picture.size for picture in staged.pictures], batch.sizes, strict=False)]
        return lambda: self._read_results(staged, sizes)

    def _forward(self, loaded: LoadedModel, batch: CanvasBatch) -> list[dict[str, Tensor]]:
        kind = loaded.device.type
        precision = self.options.precision or (torch.bfloat16 if kind == "cuda" else torch.float32)
        with torch.autocast(kind, torch.bfloat16, enabled=precision is torch.bfloat16):
            return list(loaded.model(batch))

    def _read_results(self, staged: StagedBatch, sizes: list[tuple[Size, Size]]) -> list[PictureDetections]:
        assert staged.rows_on_host is not None
        with self._translate_errors():
            rows = staged.rows_on_host()
        staged.batch = None  # nothing on the device reads from it any more
        return detections_from_rows(rows, sizes, sorted(self._settings.classes.values()))

    def _load(self) -> LoadedModel:
        """The model on its device: loaded again after a failure, on the CPU if the device does not respond any more."""
        with self._loading_lock:
            if self._loaded is None:
                if not devices.is_responsive(self._device):
                    _LOG.warning("%s does not respond any more in this process: continuing on the CPU", self._device)
                    self._device = torch.device("cpu")
                    self._batch_limit = BatchLimit(self.options.batch_size or 1)
                self._loaded = self._load_on_device()
            return self._loaded

    def _load_on_device(self) -> LoadedModel:
        try:
            return loading.load_on_device(self._model, self._device, self._settings, self.options)
        except RuntimeError as problem:
            if not devices.is_out_of_memory(problem):
                raise
            expected = f"device: expected {self._device} to have memory for the model"
            raise BadInput(f"{expected}, got too little; other programs may be using it") from problem

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raises OutOfMemoryError if memory is short, DeviceLost if the device fails; then the model is loaded anew."""
        try:
            yield
        except RuntimeError as problem:
            if devices.is_out_of_memory(problem):
                traceback.clear_frames(problem.__traceback__)  # they keep the memory, and the next error keeps them
                raise torch.OutOfMemoryError(str(problem)) from None
            if not devices.is_device_failure(problem):
                raise
            with self._loading_lock:
                self._loaded = None
                devices.never_free(list(self._in_flight))
            raise devices.DeviceLost(f"expected {self._device} to answer, got {error_line(problem)}") from problem


_GPU_LOCKS: dict[torch.device, threading.Lock] = {}
"""One model at a time uses a GPU: two at once would only compete for its memory."""


def _gpu_lock(device: torch.device) -> "contextlib.AbstractContextManager[Any]":
    return _GPU_LOCKS.setdefault(device, threading.Lock()) if device.type == "cuda" else contextlib.nullcontext()
