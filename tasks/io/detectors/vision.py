"""torchvision's detectors on a GPU or a CPU: batches on canvases, in bfloat16 on a GPU, with one way out of each of its faults.

On a CPU pictures go through one by one and on one thread, in float32: what is found in one depends on nothing but it.
"""

import contextlib
import copy
import functools
import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from schemas.detect import Detect
from schemas.errors import BadInput
from tasks.io.detectors import decoding, devices
from tasks.io.detectors.batches import BatchSize, filled
from tasks.io.detectors.canvases import Size
from tasks.io.detectors.decoding import Picture
from tasks.io.detectors.found import Found, Pixels
from tasks.io.detectors.heads import limit, with_full_outputs
from tasks.io.detectors.laying import Laid, Laying
from tasks.io.detectors.read_out import Places, host_of, limited, rows_of
from tasks.io.detectors.stream import Results

_LOG = logging.getLogger("bilderatlas.detect")
_FIRST_BATCH = 4
_DECODERS = 16


class Staged(NamedTuple):
    """A batch: its pictures, and, unless memory did not suffice, what they look like on their canvas, from `ready` on."""

    pictures: list[Picture]
    canvas: Size
    laid: Laid | None = None
    ready: "torch.cuda.Event | None" = None


@dataclass(frozen=True)
class Manner:
    """How a model is run; what is None is bfloat16 and threads on a GPU, float32 and none on a CPU. The benchmark compares."""

    precision: torch.dtype | None = None
    pictures: int | None = None  # of a batch, always; None: as many as pay on a GPU, 1 on a CPU
    is_compiled: bool = False
    decodes_on_gpu: bool = False  # nvJPEG and libjpeg differ in pixels by a few of 255 levels
    decoders: int | None = None


class _Open(NamedTuple):
    """The model on its device."""

    model: nn.Module
    laying: Laying
    device: torch.device
    copying: "torch.cuda.Stream | None"


class Vision:
    """A torchvision detector. Several threads may share one: they take turns at a GPU, batch by batch, and at a CPU go side by side."""

    batch = 1

    def __init__(self, model: nn.Module, settings: Detect, device: torch.device, manner: Manner = Manner()) -> None:
        """Around a model on the CPU, which stays as it is."""
        self._master, self._settings, self._device, self._manner = model, settings, device, manner
        self._opening = threading.Lock()
        self._sizes: dict[Size, BatchSize] = {}
        self._is_open: _Open | None = None
        self._opened()

    @property
    def device(self) -> torch.device:
        """Where it runs now."""
        return self._device

    @property
    def decoders(self) -> int:
        """See Overlapping."""
        most = min(_DECODERS, os.cpu_count() or 2) if self._device.type == "cuda" else 0
        return most if self._manner.decoders is None else self._manner.decoders

    def decoded(self, data: bytes) -> Picture:
        """See Overlapping."""
        device = self._device
        if device.type != "cuda":
            return decoding.decoded(data)
        with self._watched(), _upon(device):
            on_gpu = decoding.on_gpu(data, device) if self._manner.decodes_on_gpu else None
            return on_gpu or decoding.decoded(data, is_pinned=True)

    def canvas(self, size: Size) -> Size:
        """See Overlapping."""
        with self._watched():
            return self._opened().laying.canvases.canvas(size)

    def at_once(self, canvas: Size) -> int:
        """See Overlapping."""
        return self._size(canvas).pictures

    def found(self, pictures: Sequence[Pixels]) -> list[Found]:
        """See Detector."""
        held = [Picture(torch.from_numpy(pixels.copy())) for pixels in pictures]
        return [self.begun(self.staged([one], self.canvas(one.size)))()[0] for one in held]

    def staged(self, pictures: Sequence[Picture], canvas: Size) -> Staged:
        """See Overlapping."""
        try:
            with self._watched():
                return self._staged(pictures, canvas)
        except torch.OutOfMemoryError:
            return Staged(list(pictures), canvas)

    def begun(self, staged: Staged) -> Results:
        """See Overlapping. A batch that does not fit into memory goes in halves. Raises BadInput if one picture does not."""
        try:
            with self._watched():
                return self._begun(staged)
        except torch.OutOfMemoryError:
            pass  # out of here first: the error holds on to the memory
        pictures, half = staged.pictures, len(staged.pictures) // 2
        if not half:
            raise BadInput(
                f"device: expected {self._device} to have memory for one picture of {staged.canvas.width_px} x "
                f"{staged.canvas.height_px} px, got too little; smaller sides or another device need less"
            )
        self._size(staged.canvas).halve(len(pictures))
        del staged
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        return self._in_halves(pictures, half)

    def _in_halves(self, pictures: list[Picture], half: int) -> Results:
        canvas = self.canvas(pictures[0].size)
        parts = [self.begun(Staged(some, canvas)) for some in (pictures[:half], pictures[half:])]
        return lambda: [found for part in parts for found in part()]

    def _size(self, canvas: Size) -> BatchSize:
        if canvas not in self._sizes:
            fixed = self._manner.pictures or (1 if self._device.type == "cpu" else None)
            first = min((size.pictures for size in list(self._sizes.values())), default=_FIRST_BATCH)
            self._sizes.setdefault(canvas, BatchSize(fixed, fixed) if fixed else BatchSize(first))
        return self._sizes[canvas]

    def _staged(self, pictures: Sequence[Picture], canvas: Size) -> Staged:
        opened, places = self._opened(), filled(len(pictures), max(len(pictures), self.at_once(canvas)))
        pixels = [picture.pixels for picture in pictures]
        with _upon(opened.device), torch.inference_mode():
            if opened.copying is None:
                return Staged(list(pictures), canvas, opened.laying.laid(pixels, canvas, places))
            with torch.cuda.stream(opened.copying):
                laid = opened.laying.laid(pixels, canvas, places)
                for one in pixels:
                    if one.is_cuda:
                        one.record_stream(opened.copying)
                return Staged(list(pictures), canvas, laid, opened.copying.record_event())

    def _begun(self, staged: Staged) -> Results:
        opened = self._opened()
        if staged.laid is None or staged.laid.canvas.device != opened.device:
            if len(staged.pictures) > self.at_once(staged.canvas):
                return self._in_halves(staged.pictures, len(staged.pictures) // 2)
            staged = self._staged(staged.pictures, staged.canvas)
        laid = staged.laid
        assert laid is not None
        with _turn(opened.device), _upon(opened.device), torch.inference_mode():
            if staged.ready is not None:
                torch.cuda.current_stream().wait_event(staged.ready)
                laid.canvas.record_stream(torch.cuda.current_stream())
            began_s = time.perf_counter()
            rows = rows_of(self._forward(opened, laid)[: laid.pictures])
            self._size(staged.canvas).took(len(staged.pictures), time.perf_counter() - began_s)
            host = host_of(rows)
        places = [Places(*pair) for pair in zip([one.size for one in staged.pictures], laid.sizes, strict=False)]
        return lambda: self._results(host, places)

    def _forward(self, opened: _Open, laid: Laid) -> list[dict[str, Tensor]]:
        kind = opened.device.type
        precision = self._manner.precision or (torch.bfloat16 if kind == "cuda" else torch.float32)
        with torch.autocast(kind, torch.bfloat16, enabled=precision is torch.bfloat16):
            return list(opened.model(laid))

    def _results(self, host: Any, places: list[Places]) -> list[Found]:
        with self._watched():
            return limited(host(), places, sorted(self._settings.classes.values()))

    def _opened(self) -> _Open:
        """The model on its device; anew, and on the CPU if need be, where the device was lost."""
        with self._opening:
            if self._is_open is None:
                if not devices.answers(self._device):
                    _LOG.warning("%s does not answer any more in this process: going on on the CPU", self._device)
                    self._device = torch.device("cpu")
                    self._sizes = {}
                self._is_open = _open(self._master, self._device, self._settings, self._manner)
            return self._is_open

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """A device that fails raises DeviceLost, and is opened again by whoever asks next."""
        try:
            yield
        except RuntimeError as problem:
            if devices.is_full(problem):
                raise torch.OutOfMemoryError(str(problem)) from None  # without what the frames below hold
            if not devices.is_lost(problem):
                raise
            with self._opening:
                self._is_open = None
            line = str(problem).splitlines()[0][:200]
            raise devices.DeviceLost(f"expected {self._device} to go on, got {line}") from problem


def _open(master: nn.Module, device: torch.device, settings: Detect, manner: Manner) -> _Open:
    model: Any = copy.deepcopy(master).eval().requires_grad_(False)
    laying = Laying(model.transform)
    model.transform = laying
    limit(model, settings)
    with_full_outputs(model)
    with _upon(device):
        model = model.to(device).to(memory_format=torch.channels_last)
        if manner.is_compiled:
            model.backbone = torch.compile(model.backbone, dynamic=False)
        if device.type != "cuda":
            return _Open(model, laying, device, None)
        torch.backends.cudnn.benchmark = True  # shapes are few
        return _Open(model, laying, device, torch.cuda.Stream(device))  # type: ignore[no-untyped-call]


@functools.lru_cache
def _turn_at(_device: torch.device) -> threading.Lock:
    """Whoever holds it has the device: models that share one would only make each other wait for memory."""
    return threading.Lock()


def _turn(device: torch.device) -> "contextlib.AbstractContextManager[Any]":
    return _turn_at(device) if device.type == "cuda" else contextlib.nullcontext()


def _upon(device: torch.device) -> "contextlib.AbstractContextManager[Any]":
    """CUDA calls go to this device; sums on a CPU to this thread."""
    return torch.cuda.device(device) if device.type == "cuda" else devices.one_thread()
