"""A torchvision detector that learns: pictures held ready, steps, boxes found, and all of its state as bytes."""

import contextlib
import json
import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import cv2
import numpy as np
import safetensors.torch
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from schemas.errors import BadInput
from schemas.train import TrainDetector
from tasks.io import torchvision_models as models
from tasks.io.images import picture

NO_LIMIT = 1_000_000_000
CACHE_BYTES = 4 * 2**30
"""Of reduced pictures that are held ready; 300,000 of 100 x 140 px, 1,300 of PoPArt's 1,333 x 800. Others are decoded each time."""
_FILLING: Any = torch.utils.deterministic  # a module whose one attribute is a property, which has no type
_AHEAD = 2
_LOADERS = 2
_METADATA = "progress"
_HEADS = (
    "roi_heads.box_predictor.", "head.classification_head.", "head.regression_head.",
)  # fmt: skip
"""What a head that is begun afresh leaves out of the weights to start from."""


class Sample(NamedTuple):
    """A picture as it is learnt from: RGB (H, W, 3), 8-bit, and the corners (N, 4) of its figures in px of it."""

    pixels: NDArray[np.uint8]
    xyxy_px: NDArray[np.float32]


class Pictures:
    """Blobs, decoded once, reduced, and held as long as there is room."""

    def __init__(self, read: Callable[[str], bytes], most_bytes: int = CACHE_BYTES) -> None:
        self._read, self._room = read, most_bytes
        self._held: dict[tuple[str, tuple[int, int]], NDArray[np.uint8]] = {}
        self._lock = threading.Lock()

    def reduced(self, sha256: str, size_px: tuple[int, int]) -> NDArray[np.uint8]:
        """Upright pixels, brought to (width, height). Raises Unreadable, Damaged as reading and decoding do."""
        key = (sha256, size_px)
        if (held := self._held.get(key)) is not None:
            return held
        pixels = picture(self._read(sha256), NO_LIMIT).pixels()
        if (pixels.shape[1], pixels.shape[0]) != size_px:
            # as torchvision's models reduce what they are shown later: between four neighbours, even where many px become one
            pixels = np.asarray(cv2.resize(pixels, size_px, interpolation=cv2.INTER_LINEAR), np.uint8)
        with self._lock:
            if key not in self._held and pixels.nbytes <= self._room:
                self._room -= pixels.nbytes
                self._held[key] = pixels
        return pixels


def ahead(make: Callable[[int, int], Sample], groups: Iterable[tuple[int, Sequence[int]]]) -> Iterator[list[Sample]]:
    """The samples make(epoch, place) of each group (epoch, places), in order; a few groups are made ahead by threads."""
    waiting: deque[list[Future[Sample]]] = deque()
    with ThreadPoolExecutor(_LOADERS) as pool:
        try:
            for epoch, places in groups:
                waiting.append([pool.submit(make, epoch, place) for place in places])
                if len(waiting) > _AHEAD:
                    yield [one.result() for one in waiting.popleft()]
            while waiting:
                yield [one.result() for one in waiting.popleft()]
        finally:
            pool.shutdown(cancel_futures=True)


def device_of(asked: str) -> str:
    """Which it is, cpu or cuda. Raises BadInput where cuda is asked for and there is none."""
    has_cuda = torch.cuda.is_available()
    if asked == "cuda" and not has_cuda:
        raise BadInput("device: expected a GPU that torch can use, got none; use cpu or auto")
    return "cuda" if has_cuda and asked != "cpu" else "cpu"


@contextlib.contextmanager
def deterministic(threads: int, device: str) -> Iterator[None]:
    """On a CPU, the same bits each time: so many threads, no algorithm whose order is open. What was set before is set again after."""
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    filled = _FILLING.fill_uninitialized_memory
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(device == "cpu")
    # everything is written before it is read, and filling takes a third of the time
    _FILLING.fill_uninitialized_memory = False
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])
        _FILLING.fill_uninitialized_memory = filled


def started(settings: TrainDetector, start: bytes | None, seed: int) -> nn.Module:
    """The model before its first step: of random weights by the seed, or of those of a file, with a fresh head if so asked.

    Raises BadInput if the file's are not this model's.
    """
    torch.manual_seed(seed)
    sides = settings.least_side_px, settings.most_side_px
    if start is not None and not settings.new_head:
        model, told = models.loaded(settings.model, start, "start", *sides)
        if told.categories not in {(), (settings.category,)}:
            raise BadInput(f"start: expected a head of '{settings.category}' alone, got {', '.join(told.categories)}")
        return model
    model = models.built(settings.model, 1, *sides)
    if start is not None:
        state, said = models.read(start, "start")
        if said is not None and said.model != settings.model:
            raise BadInput(f"start: expected weights of {settings.model}, got {said.model}'s")
        mine = model.state_dict()
        fresh = {name: value for name, value in mine.items() if name.startswith(_HEADS)}
        models.fill(
            model, {name: value for name, value in state.items() if not name.startswith(_HEADS)} | fresh, "start"
        )
    return model


class Trainer:
    """A model, its optimizer and where they stand."""

    def __init__(self, model: nn.Module, settings: TrainDetector, device: str, *, is_frozen: bool) -> None:
        """is_frozen: whether batch statistics stay as they are."""
        self.model = model.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.device, self.batch, self._clip, self._is_frozen = device, settings.batch, settings.clip, is_frozen
        self.is_bfloat16 = settings.precision == "bfloat16" or (settings.precision == "auto" and device == "cuda")
        if is_frozen:
            for layer in self._norms():
                layer.requires_grad_(False)
        self._parameters = [weights for weights in model.parameters() if weights.requires_grad]
        self._optimizer = _optimizer(self._parameters, settings)

    def step(self, samples: Sequence[Sample], rate: float, seed: int) -> dict[str, float]:
        """Learn from the samples at once, at most `batch` in memory; each part of the loss, its mean over the samples.

        On a GPU without room for them `batch` is halved for good. Raises BadInput if there is no room for one, or if the loss
        is not a number any more.
        """
        while True:
            try:
                return self._step(samples, rate, seed)
            except torch.OutOfMemoryError as problem:
                if self.batch == 1:
                    raise BadInput(
                        "training: expected room for one image on the GPU, got none; lower most_side_px"
                    ) from problem
                self.batch = -(-self.batch // 2)
            torch.cuda.empty_cache()

    def _step(self, samples: Sequence[Sample], rate: float, seed: int) -> dict[str, float]:
        torch.manual_seed(seed)  # whatever is drawn in a step depends on the step alone: nothing of chance to be kept
        self._learning()
        self._optimizer.zero_grad(set_to_none=True)
        parts: dict[str, float] = {}
        for first in range(0, len(samples), self.batch):
            some = samples[first : first + self.batch]
            share = len(some) / len(samples)
            with self._autocast():
                losses: dict[str, Tensor] = self.model([self._image(one.pixels) for one in some], self._targets(some))
            (sum(losses.values(), torch.zeros((), device=self.device)) * share).backward()  # type: ignore[no-untyped-call]
            for name, value in losses.items():
                parts[name] = parts.get(name, 0.0) + float(value.detach()) * share
        if not all(math.isfinite(value) for value in parts.values()):
            raise BadInput(f"training: expected a finite loss, got {_told(parts)}: lower learning_rate")
        nn.utils.clip_grad_norm_(self._parameters, self._clip)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        return parts

    def found(self, pictures: Sequence[NDArray[np.uint8]]) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Corners (N, 4) in px of each picture, and scores (N,), of class 1."""
        self.model.eval()
        with torch.inference_mode(), self._autocast() if self.device == "cuda" else contextlib.nullcontext():
            answers = self.model([self._image(pixels) for pixels in pictures])
        found = []
        for answer in answers:
            is_ours = answer["labels"] == 1
            found.append(tuple(answer[name][is_ours].float().cpu().numpy() for name in ("boxes", "scores")))
        return found

    def state(self, progress: dict[str, Any]) -> bytes:
        """Weights, what the optimizer remembers, and where the training stands, as one safetensors file."""
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        for place, memory in self._optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{place}.{name}": value for name, value in memory.items() if value is not None}
        plain = {name: value.detach().cpu().contiguous() for name, value in sorted(tensors.items())}
        return safetensors.torch.save(plain, {_METADATA: json.dumps(progress)})

    def restore(self, data: bytes) -> dict[str, Any]:
        """Go back to a state; the progress that was stored with it."""
        tensors = safetensors.torch.load(data)
        memory: dict[int, dict[str, Tensor]] = {}
        for name, value in tensors.items():
            kind, _, rest = name.partition(".")
            if kind == "optimizer":
                place, _, what = rest.partition(".")
                memory.setdefault(int(place), {})[what] = _laid_out_as(self._parameters[int(place)], value)
        weights = {name[6:]: value for name, value in tensors.items() if name.startswith("model.")}
        self.model.load_state_dict(weights)
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": memory})
        length = int.from_bytes(data[:8], "little")
        said: dict[str, Any] = json.loads(json.loads(data[8 : 8 + length])["__metadata__"][_METADATA])
        return said

    def _learning(self) -> None:
        self.model.train()
        if self._is_frozen:
            for layer in self._norms():
                layer.eval()

    def _norms(self) -> list[nn.Module]:
        return [layer for layer in self.model.modules() if isinstance(layer, nn.BatchNorm2d)]

    def _autocast(self) -> contextlib.AbstractContextManager[Any]:
        return torch.autocast(self.device, torch.bfloat16, enabled=self.is_bfloat16)

    def _image(self, pixels: NDArray[np.uint8]) -> Tensor:
        image = torch.from_numpy(np.array(pixels)).permute(2, 0, 1)
        if self.device == "cuda":
            image = image.pin_memory().to("cuda", non_blocking=True)
        return image.float() / 255

    def _targets(self, samples: Sequence[Sample]) -> list[dict[str, Tensor]]:
        return [
            {
                "boxes": torch.from_numpy(one.xyxy_px.copy()).to(self.device),
                "labels": torch.ones(len(one.xyxy_px), dtype=torch.int64, device=self.device),
            }
            for one in samples
        ]


def _laid_out_as(weights: Tensor, memory: Tensor) -> Tensor:
    """What the optimizer remembers of weights, in their order in memory: fused steps go through both side by side."""
    return torch.empty_like(weights).copy_(memory).detach() if memory.shape == weights.shape else memory


def _optimizer(parameters: list[nn.Parameter], settings: TrainDetector) -> torch.optim.Optimizer:
    if settings.optimizer == "adamw":
        return torch.optim.AdamW(parameters, settings.learning_rate, weight_decay=settings.weight_decay, fused=True)
    return torch.optim.SGD(
        parameters, settings.learning_rate, settings.momentum, weight_decay=settings.weight_decay, fused=True
    )


def _told(parts: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in parts.items())
