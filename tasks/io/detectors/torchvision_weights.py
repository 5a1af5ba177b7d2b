"""Weights for torchvision's models: a bound file, or weights that torchvision publishes, by name."""

from pathlib import Path

import torch
from torch import nn
from torchvision.models import get_model_weights

from schemas.detect import Detect
from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.io.detectors import devices, torchvision_detector, torchvision_models
from tasks.io.detectors.heads import count_classes
from tasks.io.detectors.torchvision_models import WeightsMetadata
from tasks.io.files import inputs

PREFIX = "torchvision:"
MOST_BYTES = 2 * 2**30


def weights_file(name: str, model: str, url: str) -> str:
    """Path or URL of a binding's file; torchvision:DEFAULT, torchvision:COCO_V1 ... are downloaded once and checked.

    Raises BadInput if the model has no such weights, or they can't be downloaded.
    """
    if not url.startswith(PREFIX):
        return url
    try:
        published = {entry.name: entry for entry in get_model_weights(model)} | {
            "DEFAULT": get_model_weights(model).DEFAULT
        }
    except ValueError:
        published = {}
    if (entry := published.get(url.removeprefix(PREFIX))) is None:
        expected = " or ".join(PREFIX + word for word in sorted(published)) or "a file, since torchvision has none"
        raise BadInput(f"binding '{name}': expected {expected} for {model}, got '{url}'")
    file = Path(torch.hub.get_dir()) / "checkpoints" / Path(entry.url).name
    if not file.exists():
        _fetch(name, entry.url, file)
    return str(file)


def _fetch(name: str, url: str, file: Path) -> None:
    """Download into torch's own cache. The file's name ends with the beginning of its SHA-256 (torch.hub)."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.hub.download_url_to_file(url, str(file), file.stem.rpartition("-")[2], progress=False)
    except (OSError, RuntimeError) as problem:
        raise BadInput(
            f"binding '{name}': expected to fetch torchvision's weights from {url}, got {problem}; a file can be "
            "bound instead"
        ) from problem


def load_model(settings: Detect, name: str, url: str) -> tuple[nn.Module, WeightsMetadata]:
    """The model of a recipe with a binding's weights, and their metadata.

    Raises BadInput if they are another model's, or lack a class that the recipe names.
    """
    what = f"binding '{name}'"
    data = inputs.read(what, weights_file(name, settings.model, url), MOST_BYTES)
    model, metadata = torchvision_models.load(settings.model, data, what, settings.least_side_px, settings.most_side_px)
    for category, index in sorted(settings.classes.items()):
        _check_class(what, category, index, count_classes(model), metadata)
    return model, metadata


def _check_class(what: str, category: str, index: int, classes: int, metadata: WeightsMetadata) -> None:
    if metadata.categories and metadata.categories[index - 1 : index] != (category,):
        raise BadInput(
            f"{what}: expected weights whose class {index} is {quoted(category)}, got those of "
            f"{', '.join(metadata.categories)}"
        )
    if not 1 <= index < classes:
        raise BadInput(f"{what}: expected a class index of 1..{classes - 1} for {quoted(category)}, got {index}")


def load_detector(settings: Detect, name: str, url: str, device: str) -> torchvision_detector.TorchvisionDetector:
    """The detector of a recipe on a device. Raises BadInput as `load_model` does, and if there is no such device."""
    chosen = devices.choose_device(device)
    return torchvision_detector.TorchvisionDetector(load_model(settings, name, url)[0], settings, chosen)
