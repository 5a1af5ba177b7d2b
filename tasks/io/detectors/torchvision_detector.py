"""torchvision's detectors on a GPU or a CPU: batches on canvases, in bfloat16 on a GPU, with one way out of each of
its faults.

On a CPU pictures go through one by one and on one thread, in float32: what is found in one depends on nothing but it.
"""

import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from schemas.detect import Detect
from schemas.errors import BadInput
from tasks.io.detectors import decoding, devices, loading
from tasks.io.detectors.batch_size import MAX_PICTURES, BatchSize, padded_size
from tasks.io.detectors.canvas_transform import CanvasBatch
from tasks.io.detectors.canvases import Size
from tasks.io.detectors.decoding import Picture
from tasks.io.detectors.detector import Detections, Floats, Pixels
from tasks.io.detectors.loading import DEFAULT_OPTIONS, InferenceOptions, LoadedModel
from tasks.io.detectors.outputs import PictureSizes, detections_from_rows, rows_from_outputs, start_copy_to_host
from tasks.io.detectors.stream import PendingDetections

_LOG = logging.getLogger("bilderatlas.detect")
_FIRST_BATCH_SIZE = 4
_DECODERS = 16
_PARTS = 2
"""At once on a GPU: while one writes its rows or waits for its last batch, the other has it."""
_MOST_PX = 2**27
"""Of a batch: its finest maps (256 channels at a sixteenth of its px) then have 2**31 values, which torchvision's
kernels count in 32 bits."""


@dataclass(eq=False)
class StagedBatch:
    """A batch: its pictures, and, unless memory did not suffice, what they look like on their canvas, from `ready` on.

    Its results hold on to it until they are read: streams of the device read from it until then.
    """

    pictures: list[Picture]
    canvas: Size
    batch: CanvasBatch | None = None
    ready: "torch.cuda.Event | None" = None
    rows_on_host: "Callable[[], list[Floats]] | None" = None


class TorchvisionDetector:
    """A torchvision detector.

    Several threads may share one: they take turns at a GPU, batch by batch, and at a CPU go side by side.
    """

    batch = 1

    def __init__(
        self, model: nn.Module, settings: Detect, device: torch.device, options: InferenceOptions = DEFAULT_OPTIONS
    ) -> None:
        """Around a model on the CPU, which stays as it is."""
        self._model, self._settings, self._device, self.manner = model, settings, device, options
        self.slots = threading.Semaphore(_PARTS)
        self._loading_lock = threading.Lock()
        self._batch_sizes: dict[Size, BatchSize] = {}
        self._loaded: LoadedModel | None = None
        self._in_flight: weakref.WeakSet[StagedBatch] = weakref.WeakSet()
        self._load()

    @property
    def device(self) -> torch.device:
        """Where it runs now."""
        return self._device

    @property
    def decoder_threads(self) -> int:
        """See Overlapping."""
        most = min(_DECODERS, os.cpu_count() or 2) if self._device.type == "cuda" else 0
        return most if self.manner.decoder_threads is None else self.manner.decoder_threads

    def decode(self, data: bytes) -> Picture:
        """See Overlapping."""
        device = self._device
        if device.type != "cuda":
            return decoding.decode_on_cpu(data)
        try:
            with self._translate_errors(), devices.use_device(device):
                on_gpu = decoding.decode_on_gpu(data, device) if self.manner.decodes_on_gpu else None
                return on_gpu or decoding.decode_on_cpu(data, is_pinned=True)
        except torch.OutOfMemoryError:  # of the host: some machines let few pages be pinned
            return decoding.decode_on_cpu(data)

    def canvas_for(self, size: Size) -> Size:
        """See Overlapping."""
        with self._translate_errors():
            return self._load().transform.canvases.canvas_for(size)

    def batch_size(self, canvas: Size) -> int:
        """See Overlapping."""
        return self._batch_size_on(canvas).pictures

    def detect(self, pictures: Sequence[Pixels]) -> list[Detections]:
        """See Detector."""
        held = [Picture(torch.from_numpy(pixels.copy())) for pixels in pictures]
        return [self.start(self.stage([one], self.canvas_for(one.size)))()[0] for one in held]

    def stage(self, pictures: Sequence[Picture], canvas: Size) -> StagedBatch:
        """See Overlapping."""
        staged = StagedBatch(list(pictures), canvas)
        try:
            with self._translate_errors():
                self._stage(staged)
        except torch.OutOfMemoryError:
            pass  # in smaller batches, then
        return staged

    def start(self, staged: StagedBatch) -> PendingDetections:
        """See Overlapping.

        A batch that does not fit into memory goes in halves. Raises BadInput if one picture does not.
        """
        try:
            with self._translate_errors():
                return self._start(staged)
        except torch.OutOfMemoryError:
            pass  # out of here first: the error holds on to the memory
        pictures, half = staged.pictures, len(staged.pictures) // 2
        if not half:
            raise BadInput(
                f"device: expected {self._device} to have memory for one picture of {staged.canvas.width_px} x "
                f"{staged.canvas.height_px} px, got too little; smaller sides or another device need less"
            )
        self._batch_size_on(staged.canvas).halve(len(pictures))
        staged.batch = None  # whoever staged it holds it too
        with self._translate_errors():
            if self._device.type == "cuda":
                torch.cuda.empty_cache()
        return self._in_halves(staged, half)

    def _in_halves(self, staged: StagedBatch, half: int) -> PendingDetections:
        """Each read out before the next: memory is short."""
        halves = staged.pictures[:half], staged.pictures[half:]
        found = [one for some in halves for one in self.start(StagedBatch(some, staged.canvas))()]
        return lambda: found

    def _batch_size_on(self, canvas: Size) -> BatchSize:
        if canvas not in self._batch_sizes:
            fixed = self.manner.batch_size or (1 if self._device.type == "cpu" else None)
            first = min((size.pictures for size in list(self._batch_sizes.values())), default=_FIRST_BATCH_SIZE)
            most = max(1, min(MAX_PICTURES, _MOST_PX // (canvas.height_px * canvas.width_px)))
            self._batch_sizes.setdefault(canvas, BatchSize(fixed, fixed) if fixed else BatchSize(first, most))
        return self._batch_sizes[canvas]

    def _stage(self, staged: StagedBatch) -> None:
        opened, pictures = self._load(), len(staged.pictures)
        places = padded_size(pictures, max(pictures, self.batch_size(staged.canvas)))
        with self._loading_lock:
            self._in_flight.add(staged)
        with devices.use_device(opened.device), _use_stream(opened.copy_stream), torch.inference_mode():
            pixels = [picture.pixels for picture in staged.pictures]
            staged.batch = opened.transform.batch_of(pixels, staged.canvas, places)
            staged.ready = None if opened.copy_stream is None else opened.copy_stream.record_event()

    def _start(self, staged: StagedBatch) -> PendingDetections:
        opened = self._load()
        if staged.batch is None or staged.batch.canvas.device != opened.device:
            if len(staged.pictures) > self.batch_size(staged.canvas):
                return self._in_halves(staged, len(staged.pictures) // 2)
            self._stage(staged)
        laid = staged.batch
        assert laid is not None
        with _gpu_lock(opened.device), devices.use_device(opened.device), torch.inference_mode():
            if staged.ready is not None:
                torch.cuda.current_stream().wait_event(staged.ready)
            began_s = time.perf_counter()
            rows = rows_from_outputs(self._forward(opened, laid)[: laid.pictures])
            self._batch_size_on(staged.canvas).record_time(len(staged.pictures), time.perf_counter() - began_s)
            staged.rows_on_host = start_copy_to_host(rows)
        places = [PictureSizes(*pair) for pair in zip([one.size for one in staged.pictures], laid.sizes, strict=False)]
        return lambda: self._results(staged, places)

    def _forward(self, opened: LoadedModel, laid: CanvasBatch) -> list[dict[str, Tensor]]:
        kind = opened.device.type
        precision = self.manner.precision or (torch.bfloat16 if kind == "cuda" else torch.float32)
        with torch.autocast(kind, torch.bfloat16, enabled=precision is torch.bfloat16):
            return list(opened.model(laid))

    def _results(self, staged: StagedBatch, places: list[PictureSizes]) -> list[Detections]:
        assert staged.rows_on_host is not None
        with self._translate_errors():
            rows = staged.rows_on_host()
        staged.batch = None  # nothing on the device reads from it any more
        return detections_from_rows(rows, places, sorted(self._settings.classes.values()))

    def _load(self) -> LoadedModel:
        """The model on its device; anew, and on the CPU if need be, where the device was lost."""
        with self._loading_lock:
            if self._loaded is None:
                if not devices.is_responsive(self._device):
                    _LOG.warning("%s does not answer any more in this process: going on on the CPU", self._device)
                    self._device = torch.device("cpu")
                    self._batch_sizes = {}
                self._loaded = self._load_on_device()
            return self._loaded

    def _load_on_device(self) -> LoadedModel:
        try:
            return loading.load_on_device(self._model, self._device, self._settings, self.manner)
        except RuntimeError as problem:
            if not devices.is_out_of_memory(problem):
                raise
            raise BadInput(
                f"device: expected {self._device} to have memory for the model, got too little; others may be using it"
            ) from problem

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """A device that fails raises DeviceLost, and is opened again by whoever asks next."""
        try:
            yield
        except RuntimeError as problem:
            if devices.is_out_of_memory(problem):
                raise torch.OutOfMemoryError(str(problem)) from None  # without what the frames below hold
            if not devices.is_device_failure(problem):
                raise
            with self._loading_lock:
                self._loaded = None
                devices.never_free(list(self._in_flight))
            line = str(problem).splitlines()[0][:200]
            raise devices.DeviceLost(f"expected {self._device} to go on, got {line}") from problem


_GPU_LOCKS: dict[torch.device, threading.Lock] = {}
"""Whoever holds a GPU's has the GPU: models that share one would only make each other wait for memory."""


def _gpu_lock(device: torch.device) -> "contextlib.AbstractContextManager[Any]":
    return _GPU_LOCKS.setdefault(device, threading.Lock()) if device.type == "cuda" else contextlib.nullcontext()


def _use_stream(stream: "torch.cuda.Stream | None") -> "contextlib.AbstractContextManager[Any]":
    return contextlib.nullcontext() if stream is None else torch.cuda.stream(stream)
