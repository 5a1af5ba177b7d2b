"""torchvision's detection models by name: built, loaded from a file, saved to a file.

A file is a safetensors file whose metadata describe the model (`weights_bytes`), or a state dict as torch writes it,
which is read without running any code in it. Classes count from 1: 0 is torchvision's background.
"""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torchvision
from torch import Tensor, nn
from torchvision.models import detection, get_model_weights

from schemas.detect import TORCHVISION, Detect
from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.io.detectors import devices, torchvision_detector
from tasks.io.detectors.loading import count_classes
from tasks.io.detectors.small_detector import fcos_small
from tasks.io.files import inputs

MODELS: dict[str, Callable[..., nn.Module]] = {
    name: fcos_small if name == "fcos_small" else getattr(detection, name) for name in TORCHVISION
}
"""Functions that build a model from weights, weights_backbone and num_classes."""

VERSION = f"torch {torch.__version__}, torchvision {torchvision.__version__}"
"""Part of cache keys: other versions give other last bits."""
_METADATA = "bilderatlas"
_PERSON_ONLY = frozenset({"keypointrcnn_resnet50_fpn"})
"""Models with the class person alone; the others have COCO's 90 ids."""
_FIXED_SIDES = frozenset({"ssd300_vgg16", "ssdlite320_mobilenet_v3_large"})
"""Models that scale every picture to one size: a recipe's sides do not apply to them."""

_MOST_SIDE_PX = 8192  # the most that a recipe can set
_BATCH_COUNT = "num_batches_tracked"
_ZERO_EPSILON_NORMS = {f"{name}_resnet50_fpn" for name in ("fasterrcnn", "maskrcnn", "keypointrcnn", "retinanet")}
"""Models whose published weights were trained with frozen norms of epsilon 0 (torchvision's overwrite_eps)."""
_CLASS_SCORE_LAYERS = ("roi_heads.box_predictor.cls_score.weight", "head.classification_head.cls_logits.weight")
"""Layers with a row for each class; RetinaNet's have one for each of nine anchors (scales x aspects) and class."""


class WeightsMetadata(NamedTuple):
    """The description in a file of weights: its model, categories and picture size."""

    model: str
    categories: tuple[str, ...]  # of classes 1, 2, ...
    least_side_px: int
    most_side_px: int


def build(name: str, classes: int, least_side_px: int = 800, most_side_px: int = 1333) -> nn.Module:
    """The model with random weights, for `classes` classes and the background. Raises BadInput on an unknown name."""
    if name not in MODELS:
        raise BadInput(f"model: expected one of {', '.join(sorted(MODELS))}, got {quoted(name)}")
    sides = {} if name in _FIXED_SIDES else {"min_size": least_side_px, "max_size": most_side_px}
    return MODELS[name](weights=None, weights_backbone=None, num_classes=classes + 1, **sides)


def load(
    name: str, data: bytes, what: str, least_side_px: int = 800, most_side_px: int = 1333
) -> tuple[nn.Module, WeightsMetadata]:
    """The model with the weights of a file, and the file's metadata, whose sides replace those given. Of a state dict,
    which has none, classes have no names, and are as many as its head scores (COCO's if the head is unknown). Raises
    BadInput, which `what` begins, if the bytes are not weights, or another model's.
    """
    state, metadata = read_weights(data, what)
    if metadata is None:
        classes = _classes_of(name, state) or (2 if name in _PERSON_ONLY else 91)
        categories = ("person",) if name in _PERSON_ONLY and classes == 2 else ()
        metadata = WeightsMetadata(name, categories, least_side_px, most_side_px)
    else:
        classes = len(metadata.categories) + 1
    if metadata.model != name:
        raise BadInput(f"{what}: expected weights of {name}, got {metadata.model}'s")
    model = build(name, classes - 1, metadata.least_side_px, metadata.most_side_px)
    fill_weights(model, state, what)
    if name in _ZERO_EPSILON_NORMS and not any(key.endswith(_BATCH_COUNT) for key in state):
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eps = 0.0
    return model, metadata


def fill_weights(model: nn.Module, state: dict[str, Tensor], what: str) -> None:
    """Put weights into a model; names of layers may be torchvision's earlier ones, and counts of batches, which only
    training needs, may lack. Raises BadInput, with the first that does not fit, if they are another model's.
    """
    own = model.state_dict()
    unlike = [name for name in own if name in state and state[name].shape != own[name].shape]
    wrong = [f"{name} of shape {tuple(state[name].shape)} and not {tuple(own[name].shape)}" for name in unlike]
    expected = f"{what}: expected weights that fit the model"
    if not wrong:
        try:
            missing, unknown = model.load_state_dict(state, strict=False)
        except RuntimeError as problem:  # a wrong shape under a layer name of an earlier version
            raise BadInput(f"{expected}, got {str(problem).split(chr(10))[-1]}") from problem
        wrong = [f"no {name}" for name in missing if not name.endswith(_BATCH_COUNT)]
        wrong += [f"{name} that it does not have" for name in unknown]
    if wrong:
        raise BadInput(f"{expected}, got {wrong[0]} ({len(wrong)} do not fit)")


def read_weights(data: bytes, what: str) -> tuple[dict[str, Tensor], WeightsMetadata | None]:
    """Tensors by name, and the metadata if the file has any. Raises BadInput if the bytes are not weights."""
    if data[8:9] == b"{":  # a safetensors header begins so; zip files and pickles do not
        library = _safetensors(what)
        try:
            return library.torch.load(data), _metadata_of(data)
        except (library.SafetensorError, ValueError, KeyError, TypeError) as problem:
            got = "a safetensors file that is damaged or has invalid metadata"
            raise BadInput(f"{what}: expected a file of weights, got {got}") from problem
    try:
        state = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as problem:  # torch documents no error classes for bytes that are not its own files
        # torch's own message is about its options and has colour codes for a terminal
        got = f"{len(data)} bytes of something else"
        if data.startswith((b"PK", b"\x80")):
            got = "a torch file that is damaged or holds more than tensors (save its state_dict())"
        raise BadInput(f"{what}: expected a file of weights, got {got}") from problem
    if isinstance(state, dict) and isinstance(state.get("model"), dict):  # as torchvision's training scripts write them
        state = state["model"]
    entries = state.items() if isinstance(state, dict) else [(None, state)]
    if not all(isinstance(name, str) and isinstance(value, Tensor) for name, value in entries):
        raise BadInput(f"{what}: expected a state dict, got {type(state).__name__}")
    return state, None


def weights_bytes(model: nn.Module, metadata: WeightsMetadata) -> bytes:
    """The model's weights as a safetensors file with metadata; the same weights give the same bytes."""
    state = {name: value.detach().cpu().contiguous() for name, value in sorted(model.state_dict().items())}
    text = json.dumps(metadata._asdict(), sort_keys=True)
    return bytes(_safetensors(metadata.model).torch.save(state, {_METADATA: text}))


def _safetensors(what: str) -> Any:
    """The library safetensors, which state dicts do not need. Raises BadInput if it is not installed."""
    try:
        import safetensors.torch
    except ImportError as problem:
        raise BadInput(f"{what}: expected the library safetensors for a safetensors file, got {problem}") from problem
    return safetensors


def _metadata_of(data: bytes) -> WeightsMetadata | None:
    length = int.from_bytes(data[:8], "little")
    if (text := json.loads(data[8 : 8 + length]).get("__metadata__", {}).get(_METADATA)) is None:
        return None
    fields: dict[str, Any] = json.loads(text)
    sides_px = int(fields["least_side_px"]), int(fields["most_side_px"])
    metadata = WeightsMetadata(str(fields["model"]), tuple(fields["categories"]), *sides_px)
    if not 0 < metadata.least_side_px <= metadata.most_side_px <= _MOST_SIDE_PX:
        raise ValueError(f"expected sides of at most {_MOST_SIDE_PX} px, got {metadata}")
    return metadata


def _classes_of(name: str, state: dict[str, Tensor]) -> int | None:
    for layer in _CLASS_SCORE_LAYERS:
        if layer in state and state[layer].ndim:
            rows, anchors = int(state[layer].shape[0]), 9 if name.startswith("retinanet") else 1
            return rows // anchors if rows % anchors == 0 else None
    return None


PREFIX = "torchvision:"
MOST_BYTES = 2 * 2**30


def weights_file(name: str, model: str, url: str) -> str:
    """Path or URL of a file; torchvision:DEFAULT, torchvision:COCO_V1 ... are downloaded once. Raises BadInput."""
    if not url.startswith(PREFIX):
        return url
    published = {}
    with contextlib.suppress(ValueError):
        entries = get_model_weights(model)
        published = {**{entry.name: entry for entry in entries}, "DEFAULT": entries.DEFAULT}
    if (entry := published.get(url.removeprefix(PREFIX))) is None:
        expected = " or ".join(PREFIX + word for word in sorted(published)) or "a file, since torchvision has none"
        raise BadInput(f"binding '{name}': expected {expected} for {model}, got '{url}'")
    file = Path(torch.hub.get_dir()) / "checkpoints" / Path(entry.url).name
    if not file.exists():
        start_of_sha256 = file.stem.rpartition("-")[2]
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            torch.hub.download_url_to_file(entry.url, str(file), start_of_sha256, progress=False)
        except (OSError, RuntimeError) as problem:
            expected = f"binding '{name}': expected to fetch torchvision's weights from {entry.url}"
            raise BadInput(f"{expected}, got {problem}; a file can be bound instead") from problem
    return str(file)


def load_model(settings: Detect, name: str, url: str) -> tuple[nn.Module, WeightsMetadata]:
    """A recipe's model, and its weights' metadata. Raises BadInput if they are another model's, or lack a class."""
    what = f"binding '{name}'"
    data = inputs.read(what, weights_file(name, settings.model, url), MOST_BYTES)
    model, metadata = load(settings.model, data, what, settings.least_side_px, settings.most_side_px)
    most, known = count_classes(model) - 1, metadata.categories
    for category, index in sorted(settings.classes.items()):
        if known and known[index - 1 : index] != (category,):
            expected = f"weights whose class {index} is {quoted(category)}"
            raise BadInput(f"{what}: expected {expected}, got those of {', '.join(known)}")
        if not 1 <= index <= most:
            raise BadInput(f"{what}: expected a class index of 1..{most} for {quoted(category)}, got {index}")
    return model, metadata


def load_detector(settings: Detect, name: str, url: str, device: str) -> torchvision_detector.TorchvisionDetector:
    """The detector of a recipe on a device. Raises BadInput as `load_model` does, and if there is no such device."""
    chosen = devices.choose_device(device)
    return torchvision_detector.TorchvisionDetector(load_model(settings, name, url)[0], settings, chosen)
