"""Training of a torchvision detector: initial weights, steps, the whole state as bytes, checkpoints in the store."""

import contextlib
import copy
import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import safetensors
import safetensors.torch
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from schemas.detect import Detect
from schemas.errors import BadInput, DamagedFile
from schemas.phrases import error_line, quoted
from schemas.train import TrainDetector
from tasks.io.detectors import devices, loading, torchvision_detector
from tasks.io.detectors import torchvision_models as models
from tasks.io.store.layout import CHECKPOINT_SUFFIX
from tasks.io.store.store import Store
from tasks.io.training.samples import TrainingSample

_FILLING: Any = torch.utils.deterministic  # a module whose one attribute is a property, which has no type
_METADATA = "progress"
_NO_MEMORY = "can't allocate memory"  # as torch says it of a CPU's
_HEAD_PREFIXES = ("roi_heads.box_predictor.", "head.classification_head.")
"""The new head of PoPArt: the layers that score classes. In Faster R-CNN the same predictor places boxes too."""


@contextlib.contextmanager
def deterministic(threads: int, device: torch.device) -> Iterator[None]:
    """While it lasts, results on a CPU are the same to the bit: a fixed number of threads, deterministic algorithms."""
    with contextlib.ExitStack() as as_before:
        as_before.callback(torch.set_num_threads, torch.get_num_threads())
        as_before.callback(torch.use_deterministic_algorithms, torch.are_deterministic_algorithms_enabled())
        as_before.callback(setattr, _FILLING, "fill_uninitialized_memory", _FILLING.fill_uninitialized_memory)
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(device.type == "cpu")
        # filling takes a third of the time, and nothing reads memory before it is written
        _FILLING.fill_uninitialized_memory = False
        yield


def initial_model(settings: TrainDetector, start: bytes | None, seed: int) -> nn.Module:
    """The model before its first step: random by the seed, or a file's. Raises BadInput for another model's weights."""
    torch.manual_seed(seed)
    model = models.build(settings.model, 1, settings.least_side_px, settings.most_side_px)
    if start is not None:
        _load_start(model, start, settings)
    return model


def _load_start(model: nn.Module, start: bytes, settings: TrainDetector) -> None:
    source, metadata = models.load(settings.model, start, "start")
    if not settings.new_head and metadata.categories not in {(), (settings.category,)}:
        expected = f"start: expected a head of {quoted(settings.category)} alone"
        raise BadInput(f"{expected}, got {', '.join(metadata.categories)}")
    new = _HEAD_PREFIXES if settings.new_head else ()
    weights = {name: value for name, value in source.state_dict().items() if not name.startswith(new)}
    models.fill_weights(model, {**model.state_dict(), **weights}, "start")
    for own, theirs in zip(_norms(model), _norms(source), strict=True):
        # torchvision's published weights have norms of epsilon 0; the weights that we save are read with the usual one
        cast("Tensor", own.running_var).add_(theirs.eps - own.eps)


def _norms(model: nn.Module) -> list[nn.BatchNorm2d]:
    return [layer for layer in model.modules() if isinstance(layer, nn.BatchNorm2d)]


class Trainer:
    """A model and its optimizer."""

    def __init__(self, model: nn.Module, settings: TrainDetector, device: torch.device, *, is_frozen: bool) -> None:
        """is_frozen: whether the batch norms keep their statistics and scales."""
        loading.fix_pooling_scales(model.eval())  # else those of the first batch, another one after an interruption
        self.model = model.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.device, self.batch, self._clip, self._is_frozen = device, settings.batch, settings.clip, is_frozen
        self.is_bfloat16 = settings.precision == "bfloat16" or (settings.precision == "auto" and device.type == "cuda")
        loading.cast_outputs_to_float32(model)
        if is_frozen:
            for layer in _norms(model):
                layer.requires_grad_(False)
        self._parameters = [weights for weights in model.parameters() if weights.requires_grad]
        self._optimizer = _optimizer(self._parameters, settings)

    def step(self, samples: Sequence[TrainingSample], rate: float, seed: int) -> dict[str, float]:
        """One step from the samples, at most `batch` in memory; returns each part of the loss, the mean of the samples.
        If memory is short, `batch` is halved for good; for one sample, BadInput is raised, as for a failing GPU and a
        loss that is not finite.
        """
        while True:
            try:
                return self._step(samples, rate, seed)
            except RuntimeError as problem:
                self._handle_error(problem)
            if self.device.type == "cuda":  # here, since the error keeps the memory alive
                torch.cuda.empty_cache()

    def _handle_error(self, problem: RuntimeError) -> None:
        """Halve the batch if memory is short. Raises BadInput for a batch of 1 and a failed GPU; other errors again."""
        if devices.is_device_failure(problem):
            raise _gpu_failure(self.device, problem) from problem
        if not (devices.is_out_of_memory(problem) or _NO_MEMORY in str(problem)):
            raise problem
        if self.batch == 1:
            expected = f"training: expected memory for one image on {self.device}"
            raise BadInput(f"{expected}, got too little; lower most_side_px") from problem
        self.batch = -(-self.batch // 2)

    def _step(self, samples: Sequence[TrainingSample], rate: float, seed: int) -> dict[str, float]:
        torch.manual_seed(seed)  # random draws depend on the step alone, so that checkpoints need no generator's state
        self.model.train()
        for layer in _norms(self.model) if self._is_frozen else ():
            layer.eval()
        self._optimizer.zero_grad(set_to_none=True)
        parts: dict[str, float] = {}
        for first in range(0, len(samples), self.batch):
            chunk = samples[first : first + self.batch]
            share = len(chunk) / len(samples)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.is_bfloat16):
                losses: dict[str, Tensor] = self.model([self._image(one.pixels) for one in chunk], self._targets(chunk))
            (sum(losses.values(), torch.zeros((), device=self.device)) * share).backward()  # type: ignore[no-untyped-call]
            for name, value in losses.items():
                parts[name] = parts.get(name, 0.0) + float(value.detach()) * share
        if not all(math.isfinite(value) for value in parts.values()):
            got = ", ".join(f"{name} {value:.3g}" for name, value in parts.items())
            raise BadInput(f"training: expected a finite loss, got {got}: lower learning_rate")
        nn.utils.clip_grad_norm_(self._parameters, self._clip)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        return parts

    def state(self, progress: dict[str, Any]) -> bytes:
        """The weights, the optimizer's state and the progress as one safetensors file."""
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        for place, memory in self._optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{place}.{name}": value for name, value in memory.items() if value is not None}
        plain = {name: value.detach().cpu().contiguous() for name, value in sorted(tensors.items())}
        return safetensors.torch.save(plain, {_METADATA: json.dumps(progress)})

    def restore(self, data: bytes) -> dict[str, Any]:
        """Restore a state; the progress stored with it. Raises DamagedFile for what is no state of this model."""
        try:
            return self._restore(data)
        except (safetensors.SafetensorError, ValueError, KeyError, IndexError, TypeError, RuntimeError) as problem:
            line = error_line(problem)
            raise DamagedFile(f"expected a checkpoint of this training, got another's ({line})") from problem

    def _restore(self, data: bytes) -> dict[str, Any]:
        tensors = safetensors.torch.load(data)
        memory: dict[int, dict[str, Tensor]] = {}
        for name, value in tensors.items():
            kind, _, rest = name.partition(".")
            if kind == "optimizer":
                place, _, what = rest.partition(".")
                weights = self._parameters[int(place)]
                if value.shape == weights.shape:  # in the weights' memory format, which fused optimizers expect
                    value = torch.empty_like(weights).copy_(value).detach()
                memory.setdefault(int(place), {})[what] = value
        self.model.load_state_dict({name[6:]: value for name, value in tensors.items() if name.startswith("model.")})
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": memory})
        length = int.from_bytes(data[:8], "little")
        progress: dict[str, Any] = json.loads(json.loads(data[8 : 8 + length])["__metadata__"][_METADATA])
        return progress

    def _image(self, pixels: NDArray[np.uint8]) -> Tensor:
        image = torch.from_numpy(np.array(pixels)).permute(2, 0, 1)
        if self.device.type == "cuda":
            image = image.pin_memory().to(self.device, non_blocking=True)
        return image.float() / 255

    def _targets(self, samples: Sequence[TrainingSample]) -> list[dict[str, Tensor]]:
        boxes = [torch.from_numpy(one.xyxy_px.copy()).to(self.device) for one in samples]
        labels = [torch.ones(len(one), dtype=torch.int64, device=self.device) for one in boxes]
        return [{"boxes": xyxy, "labels": ones} for xyxy, ones in zip(boxes, labels, strict=True)]


@contextlib.contextmanager
def detector_of(
    model: nn.Module, settings: Detect, sides_px: tuple[int, int], device: torch.device
) -> Iterator[torchvision_detector.TorchvisionDetector]:
    """A copy of the model in training, with these sides, as `detect` loads it. Raises BadInput if the GPU fails."""
    before = torch.backends.cudnn.benchmark
    detecting: Any = copy.deepcopy(model)
    detecting.transform.min_size, detecting.transform.max_size = (sides_px[0],), sides_px[1]
    try:
        yield torchvision_detector.TorchvisionDetector(detecting, settings, device)
    except devices.DeviceLost as problem:
        raise _gpu_failure(device, problem) from problem
    finally:
        torch.backends.cudnn.benchmark = before  # the evaluation may change it


def _gpu_failure(device: torch.device, problem: Exception) -> BadInput:
    expected = f"device: expected {device} to answer"
    return BadInput(f"{expected}, got {error_line(problem)}; the same command continues from the last checkpoint")


def _optimizer(parameters: list[nn.Parameter], settings: TrainDetector) -> torch.optim.Optimizer:
    rate, decay = settings.learning_rate, settings.weight_decay
    if settings.optimizer == "sgd":
        return torch.optim.SGD(parameters, rate, settings.momentum, weight_decay=decay, fused=True)
    kind = torch.optim.Adam if settings.optimizer == "adam" else torch.optim.AdamW
    return kind(parameters, rate, weight_decay=decay, fused=True)


_CHECKPOINTS_KEPT = 2


def write_checkpoint(store: Store, folder: str, step: int, data: bytes) -> None:
    """Store a step's checkpoint, whole or not at all, and remove all but the newest two."""
    store.write_bytes(f"{folder}/{step:09d}-{hashlib.sha256(data).hexdigest()}{CHECKPOINT_SUFFIX}", data)
    for name in _names(store, folder)[_CHECKPOINTS_KEPT:]:
        store.remove(f"{folder}/{name}")


def intact_checkpoints(store: Store, folder: str) -> Iterator[bytes]:
    """Bytes of each intact checkpoint, newest first; damaged ones are removed."""
    for name in _names(store, folder):
        with contextlib.suppress(DamagedFile):
            data = store.read_bytes(f"{folder}/{name}")
            if name == f"{name[:9]}-{hashlib.sha256(data).hexdigest()}{CHECKPOINT_SUFFIX}":
                yield data
            else:
                store.remove(f"{folder}/{name}")


def clear_checkpoints(store: Store, folder: str) -> None:
    """Remove all checkpoints, once the training has ended."""
    for name in _names(store, folder):
        store.remove(f"{folder}/{name}")


def _names(store: Store, folder: str) -> list[str]:
    return [name for name in reversed(store.list_folder(folder)) if name.endswith(CHECKPOINT_SUFFIX)]
