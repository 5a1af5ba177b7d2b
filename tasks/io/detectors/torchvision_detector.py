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
from tasks.io.detectors.batch_size import MOST, BatchSize, filled
from tasks.io.detectors.canvas_transform import Laid
from tasks.io.detectors.canvases import Size
from tasks.io.detectors.decoding import Picture
from tasks.io.detectors.detector import Floats, Found, Pixels
from tasks.io.detectors.loading import USUAL, Manner, Open
from tasks.io.detectors.outputs import Places, host_of, limited, rows_of
from tasks.io.detectors.stream import Results

_LOG = logging.getLogger("bilderatlas.detect")
_FIRST_BATCH = 4
_DECODERS = 16
_PARTS = 2
"""At once on a GPU: while one writes its rows or waits for its last batch, the other has it."""
_MOST_PX = 2**27
"""Of a batch: its finest maps (256 channels at a sixteenth of its px) then have 2**31 values, which torchvision's
kernels count in 32 bits."""


@dataclass(eq=False)
class Staged:
    """A batch: its pictures, and, unless memory did not suffice, what they look like on their canvas, from `ready` on.

    Its results hold on to it until they are read: streams of the device read from it until then.
    """

    pictures: list[Picture]
    canvas: Size
    laid: Laid | None = None
    ready: "torch.cuda.Event | None" = None
    host: "Callable[[], list[Floats]] | None" = None


class Vision:
    """A torchvision detector.

    Several threads may share one: they take turns at a GPU, batch by batch, and at a CPU go side by side.
    """

    batch = 1

    def __init__(self, model: nn.Module, settings: Detect, device: torch.device, manner: Manner = USUAL) -> None:
        """Around a model on the CPU, which stays as it is."""
        self._master, self._settings, self._device, self.manner = model, settings, device, manner
        self.seats = threading.Semaphore(_PARTS)
        self._opening = threading.Lock()
        self._sizes: dict[Size, BatchSize] = {}
        self._is_open: Open | None = None
        self._flying: weakref.WeakSet[Staged] = weakref.WeakSet()
        self._opened()

    @property
    def device(self) -> torch.device:
        """Where it runs now."""
        return self._device

    @property
    def decoders(self) -> int:
        """See Overlapping."""
        most = min(_DECODERS, os.cpu_count() or 2) if self._device.type == "cuda" else 0
        return most if self.manner.decoders is None else self.manner.decoders

    def decoded(self, data: bytes) -> Picture:
        """See Overlapping."""
        device = self._device
        if device.type != "cuda":
            return decoding.decoded(data)
        try:
            with self._watched(), devices.upon(device):
                on_gpu = decoding.on_gpu(data, device) if self.manner.decodes_on_gpu else None
                return on_gpu or decoding.decoded(data, is_pinned=True)
        except torch.OutOfMemoryError:  # of the host: some machines let few pages be pinned
            return decoding.decoded(data)

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
        staged = Staged(list(pictures), canvas)
        try:
            with self._watched():
                self._stage(staged)
        except torch.OutOfMemoryError:
            pass  # in smaller batches, then
        return staged

    def begun(self, staged: Staged) -> Results:
        """See Overlapping.

        A batch that does not fit into memory goes in halves. Raises BadInput if one picture does not.
        """
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
        staged.laid = None  # whoever staged it holds it too
        with self._watched():
            if self._device.type == "cuda":
                torch.cuda.empty_cache()
        return self._in_halves(staged, half)

    def _in_halves(self, staged: Staged, half: int) -> Results:
        """Each read out before the next: memory is short."""
        halves = staged.pictures[:half], staged.pictures[half:]
        found = [one for some in halves for one in self.begun(Staged(some, staged.canvas))()]
        return lambda: found

    def _size(self, canvas: Size) -> BatchSize:
        if canvas not in self._sizes:
            fixed = self.manner.pictures or (1 if self._device.type == "cpu" else None)
            first = min((size.pictures for size in list(self._sizes.values())), default=_FIRST_BATCH)
            most = max(1, min(MOST, _MOST_PX // (canvas.height_px * canvas.width_px)))
            self._sizes.setdefault(canvas, BatchSize(fixed, fixed) if fixed else BatchSize(first, most))
        return self._sizes[canvas]

    def _stage(self, staged: Staged) -> None:
        opened, pictures = self._opened(), len(staged.pictures)
        places = filled(pictures, max(pictures, self.at_once(staged.canvas)))
        with self._opening:
            self._flying.add(staged)
        with devices.upon(opened.device), _on(opened.copying), torch.inference_mode():
            pixels = [picture.pixels for picture in staged.pictures]
            staged.laid = opened.laying.laid(pixels, staged.canvas, places)
            staged.ready = None if opened.copying is None else opened.copying.record_event()

    def _begun(self, staged: Staged) -> Results:
        opened = self._opened()
        if staged.laid is None or staged.laid.canvas.device != opened.device:
            if len(staged.pictures) > self.at_once(staged.canvas):
                return self._in_halves(staged, len(staged.pictures) // 2)
            self._stage(staged)
        laid = staged.laid
        assert laid is not None
        with _turn(opened.device), devices.upon(opened.device), torch.inference_mode():
            if staged.ready is not None:
                torch.cuda.current_stream().wait_event(staged.ready)
            began_s = time.perf_counter()
            rows = rows_of(self._forward(opened, laid)[: laid.pictures])
            self._size(staged.canvas).took(len(staged.pictures), time.perf_counter() - began_s)
            staged.host = host_of(rows)
        places = [Places(*pair) for pair in zip([one.size for one in staged.pictures], laid.sizes, strict=False)]
        return lambda: self._results(staged, places)

    def _forward(self, opened: Open, laid: Laid) -> list[dict[str, Tensor]]:
        kind = opened.device.type
        precision = self.manner.precision or (torch.bfloat16 if kind == "cuda" else torch.float32)
        with torch.autocast(kind, torch.bfloat16, enabled=precision is torch.bfloat16):
            return list(opened.model(laid))

    def _results(self, staged: Staged, places: list[Places]) -> list[Found]:
        assert staged.host is not None
        with self._watched():
            rows = staged.host()
        staged.laid = None  # nothing on the device reads from it any more
        return limited(rows, places, sorted(self._settings.classes.values()))

    def _opened(self) -> Open:
        """The model on its device; anew, and on the CPU if need be, where the device was lost."""
        with self._opening:
            if self._is_open is None:
                if not devices.answers(self._device):
                    _LOG.warning("%s does not answer any more in this process: going on on the CPU", self._device)
                    self._device = torch.device("cpu")
                    self._sizes = {}
                self._is_open = self._brought()
            return self._is_open

    def _brought(self) -> Open:
        try:
            return loading.opened(self._master, self._device, self._settings, self.manner)
        except RuntimeError as problem:
            if not devices.is_full(problem):
                raise
            raise BadInput(
                f"device: expected {self._device} to have memory for the model, got too little; others may be using it"
            ) from problem

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
                devices.keep_for_good(list(self._flying))
            line = str(problem).splitlines()[0][:200]
            raise devices.DeviceLost(f"expected {self._device} to go on, got {line}") from problem


_TURNS: dict[torch.device, threading.Lock] = {}
"""Whoever holds a GPU's has the GPU: models that share one would only make each other wait for memory."""


def _turn(device: torch.device) -> "contextlib.AbstractContextManager[Any]":
    return _TURNS.setdefault(device, threading.Lock()) if device.type == "cuda" else contextlib.nullcontext()


def _on(stream: "torch.cuda.Stream | None") -> "contextlib.AbstractContextManager[Any]":
    return contextlib.nullcontext() if stream is None else torch.cuda.stream(stream)
