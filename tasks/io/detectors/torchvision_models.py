"""torchvision's detection models by name: built, loaded from a file, written to one.

A file is a safetensors file, whose metadata say which model it is (`saved`), or a state dict as torch writes it, which
is read without running anything in it. The classes of a model count from 1: 0 is torchvision's background.
"""

import io
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torchvision
from torch import Tensor, nn
from torchvision.models import detection

from schemas.errors import BadInput
from tasks.io.detectors.small_detector import fcos_small

MODELS: dict[str, Callable[..., nn.Module]] = {
    name: getattr(detection, name)
    for name in (
        "fasterrcnn_resnet50_fpn",
        "fasterrcnn_resnet50_fpn_v2",
        "fasterrcnn_mobilenet_v3_large_fpn",
        "fasterrcnn_mobilenet_v3_large_320_fpn",
        "retinanet_resnet50_fpn",
        "retinanet_resnet50_fpn_v2",
        "fcos_resnet50_fpn",
        "ssd300_vgg16",
        "ssdlite320_mobilenet_v3_large",
        "maskrcnn_resnet50_fpn",
        "maskrcnn_resnet50_fpn_v2",
        "keypointrcnn_resnet50_fpn",
    )
} | {"fcos_small": fcos_small}
"""Builders that take weights, weights_backbone and num_classes."""

VERSION = f"torch {torch.__version__}, torchvision {torchvision.__version__}"
"""Other versions give other last bits."""
_METADATA = "bilderatlas"
_PERSON_ONLY = frozenset({"keypointrcnn_resnet50_fpn"})
"""Models of people alone; the others know COCO's 90 ids."""
_FIXED_SIDES = frozenset({"ssd300_vgg16", "ssdlite320_mobilenet_v3_large"})
"""Models that see every picture at one size: the sides of a recipe say nothing to them."""

_MOST_SIDE_PX = 8192  # as a recipe may ask for
_BATCH_COUNT = "num_batches_tracked"
_ZERO_EPSILON_NORMS = frozenset(
    {
        "fasterrcnn_resnet50_fpn",
        "maskrcnn_resnet50_fpn",
        "keypointrcnn_resnet50_fpn",
        "retinanet_resnet50_fpn",
    }
)
"""Models whose published weights have frozen norms of epsilon 0 (torchvision's overwrite_eps)."""
_CLASS_SCORE_LAYERS = ("roi_heads.box_predictor.cls_score.weight", "head.classification_head.cls_logits.weight")
"""Layers with a row for each class; RetinaNet's has one for each of nine anchors, too (scales x aspects)."""


class WeightsMetadata(NamedTuple):
    """What a file of weights says of itself."""

    model: str
    categories: tuple[str, ...]  # of classes 1, 2, ...
    least_side_px: int
    most_side_px: int


def build(name: str, classes: int, least_side_px: int = 800, most_side_px: int = 1333) -> nn.Module:
    """The model with random weights, for `classes` classes and the background. Raises BadInput on an unknown name."""
    if name not in MODELS:
        raise BadInput(f"model: expected one of {', '.join(sorted(MODELS))}, got '{name}'")
    sides = {} if name in _FIXED_SIDES else {"min_size": least_side_px, "max_size": most_side_px}
    return MODELS[name](weights=None, weights_backbone=None, num_classes=classes + 1, **sides)


def load(
    name: str, data: bytes, what: str, least_side_px: int = 800, most_side_px: int = 1333
) -> tuple[nn.Module, WeightsMetadata]:
    """The model with the weights of a file, and what the file says of itself.

    A state dict says nothing: classes have no names then, and are as many as its head scores (COCO's where that can't
    be told). `what` names the file in errors. A file that knows its model must be of this one; its sides outrank those
    given. Raises BadInput where the bytes are no weights, or not this model's.
    """
    state, told = read_weights(data, what)
    if told is not None:
        if told.model != name:
            raise BadInput(f"{what}: expected weights of {name}, got {told.model}'s")
        model = build(name, len(told.categories), told.least_side_px, told.most_side_px)
    else:
        classes = _classes_of(name, state) or (2 if name in _PERSON_ONLY else 91)
        told = WeightsMetadata(
            name, ("person",) if name in _PERSON_ONLY and classes == 2 else (), least_side_px, most_side_px
        )
        model = build(name, classes - 1, least_side_px, most_side_px)
    fill_weights(model, state, what)
    if name in _ZERO_EPSILON_NORMS and not any(key.endswith(_BATCH_COUNT) for key in state):
        _set_norm_epsilon_to_zero(model)
    return model, told


def fill_weights(model: nn.Module, state: dict[str, Tensor], what: str) -> None:
    """Put weights into a model. Raises BadInput, with the first that does not fit, if they are another model's.

    Names of layers as earlier versions of torchvision had them are understood, by torchvision, and so are weights of a
    model whose norms were frozen: they lack the count of batches that these were taken from, which nothing but training
    asks for.
    """
    mine = model.state_dict()
    wrong = [
        f"{name} of shape {tuple(state[name].shape)} and not {tuple(mine[name].shape)}"
        for name in mine
        if name in state and state[name].shape != mine[name].shape
    ]
    if not wrong:
        missing, unknown = _load_state(model, state, what)
        wrong = [f"no {name}" for name in missing if not name.endswith(_BATCH_COUNT)]
        wrong += [f"{name} that it does not have" for name in unknown]
    if wrong:
        raise BadInput(f"{what}: expected weights that fit the model, got {wrong[0]} ({len(wrong)} do not fit)")


def _load_state(model: nn.Module, state: dict[str, Tensor], what: str) -> tuple[list[str], list[str]]:
    """Names that are missing, and that the model does not know, once it has taken the others."""
    try:
        found = model.load_state_dict(state, strict=False)
    except RuntimeError as problem:  # a shape under a name of an earlier version
        raise BadInput(
            f"{what}: expected weights that fit the model, got {str(problem).split(chr(10))[-1]}"
        ) from problem
    return list(found.missing_keys), list(found.unexpected_keys)


def _set_norm_epsilon_to_zero(model: nn.Module) -> None:
    """As torchvision does for its own weights of these models: they were trained by norms that add nothing to a
    variance.
    """
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eps = 0.0


def read_weights(data: bytes, what: str) -> tuple[dict[str, Tensor], WeightsMetadata | None]:
    """Tensors by name, and what the file says of itself, if it does. Raises BadInput if the bytes are no weights."""
    if data[8:9] == b"{":  # where a safetensors file's header begins, and no zip file's or pickle's
        library = _safetensors(what)
        try:
            return library.torch.load(data), _metadata_of(data)
        except (library.SafetensorError, ValueError, KeyError, TypeError) as problem:
            said = "a safetensors file that is damaged, or says of itself what can't be"
            raise BadInput(f"{what}: expected a file of weights, got {said}") from problem
    try:
        found = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as problem:  # torch promises no class of errors for bytes that are no file of its own
        raise BadInput(f"{what}: expected a file of weights, got {_describe_bytes(data)}") from problem
    if isinstance(found, dict) and isinstance(found.get("model"), dict):  # as torchvision's own training writes them
        found = found["model"]
    if not isinstance(found, dict) or not all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in found.items()
    ):
        raise BadInput(f"{what}: expected a state dict, got {type(found).__name__}")
    return found, None


def _describe_bytes(data: bytes) -> str:
    """What bytes are that torch does not read as tensors.

    Its own words are of its options, and have colours for a terminal.
    """
    if data.startswith((b"PK", b"\x80")):
        return "a torch file that is damaged or holds more than tensors (save its state_dict())"
    return f"{len(data)} bytes of something else"


def weights_bytes(model: nn.Module, told: WeightsMetadata) -> bytes:
    """The model's weights as a safetensors file that says what they are; the same weights give the same bytes."""
    state = {name: value.detach().cpu().contiguous() for name, value in sorted(model.state_dict().items())}
    saved: bytes = _safetensors(told.model).torch.save(state, {_METADATA: json.dumps(told._asdict(), sort_keys=True)})
    return saved


def _safetensors(what: str) -> Any:
    """The library; a machine that has random weights or a state dict can do without.

    Raises BadInput where it is missing.
    """
    try:
        import safetensors.torch
    except ImportError as problem:
        raise BadInput(f"{what}: expected the library safetensors for a safetensors file, got {problem}") from problem
    return safetensors


def _metadata_of(data: bytes) -> WeightsMetadata | None:
    length = int.from_bytes(data[:8], "little")
    said = json.loads(data[8 : 8 + length]).get("__metadata__", {}).get(_METADATA)
    if said is None:
        return None
    fields: dict[str, Any] = json.loads(said)
    told = WeightsMetadata(
        str(fields["model"]), tuple(fields["categories"]), int(fields["least_side_px"]), int(fields["most_side_px"])
    )
    if not 0 < told.least_side_px <= told.most_side_px <= _MOST_SIDE_PX:
        raise ValueError(f"expected sides of at most {_MOST_SIDE_PX} px, got {told}")
    return told


def _classes_of(name: str, state: dict[str, Tensor]) -> int | None:
    """How many classes, the background among them, a model's head scores; None where the model has no such head."""
    for layer in _CLASS_SCORE_LAYERS:
        if layer in state and state[layer].ndim:
            rows, anchors = int(state[layer].shape[0]), 9 if name.startswith("retinanet") else 1
            return rows // anchors if rows % anchors == 0 else None
    return None
