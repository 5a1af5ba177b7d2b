"""A recipe's detector on this machine: which file it is, what runs it, what it depends on.

No Prefect here: a machine without it can detect.
"""

import functools
import hashlib
import importlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from schemas.detect import Detect
from schemas.errors import BadInput
from schemas.manifests import Context
from tasks.core.coco.imported import ImportedDetections
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.detectors import detections, results
from tasks.io.detectors.detector import Detector
from tasks.io.files import folders

_CODE = {
    "onnx": ("tasks.engine.detectors.detections", "tasks.engine.detectors.onnx"),
    "hog": ("tasks.engine.detectors.detections", "tasks.engine.detectors.hog"),
    "results": ("tasks.engine.detectors.results",),
    "torchvision": ("tasks.engine.detectors.detections", "tasks.io.detectors.vision_weights"),
}
"""By family, the modules that run: another detector's code changes nothing. Only one's own are imported, since a
machine that has torch need not have onnxruntime or OpenCV, and each of them takes its time."""

_UNSAID = {"label", "weights", "weights_sha256", "images"}
_SIDES = {"least_side_px", "most_side_px"}
_OPENING = threading.Lock()


@functools.lru_cache(maxsize=4)
def _opened(settings: str, url: str, _sha256: str, device: str) -> Detector:
    """Once per process. `_sha256` parts files that changed under one path."""
    said = Detect.model_validate_json(settings)
    if said.family == "torchvision":
        seeing: Detector = _vision().opened(said, str(said.weights), url, device)
        return seeing
    if said.family == "hog":
        from tasks.engine.detectors.hog import HogDetector
        from tasks.io.detectors import hog

        return HogDetector(hog.Windows(), said)
    from tasks.engine.detectors.onnx import OnnxDetector
    from tasks.io.detectors import onnx

    return OnnxDetector(onnx.loaded(str(said.weights), url, said.model, device), said)


def opened(settings: Detect, context: Context) -> Detector:
    """The detector, loaded once per process.

    Raises BadInput if the bound weights are missing, not those pinned, or no such model.
    """
    sha256 = weights_sha256(settings, context)
    url = context.bindings[settings.weights] if settings.weights else ""
    with _OPENING:  # parts that begin at once on a cluster's worker would each bring a model to its GPU
        return _opened(settings.model_dump_json(exclude={"label"}), url, sha256, context.device)


def check(settings: Detect, context: Context) -> None:
    """Raise BadInput if the detector can't be used: no such file, not the one pinned, not of the model's kind, no
    class of an index.
    """
    if settings.family == "results":
        _results(settings, context)
    else:
        opened(settings, context)


def rows(settings: Detect, blobs: pa.Table, context: Context, read: Callable[[str], bytes]) -> Iterator[dict[str, Any]]:
    """DETECT rows of a batch of blobs (column sha256.

    For results, detectors.results.BLOB_NAMES). `read` gives a blob's bytes.
    """
    if settings.family == "results":
        return results.rows(_results(settings, context), settings, blobs, read)
    return detections.rows(opened(settings, context), settings, blobs["sha256"].to_pylist(), read)


def key(settings: Detect, context: Context, names: str = "") -> str:
    """What detections depend on: settings, weights, code. Not where the weights lie, nor the machine.

    names: for results, the digest of how records call their blobs, by which images may be known.
    """
    unsaid = _UNSAID if settings.family == "torchvision" else _UNSAID | _SIDES
    measure = settings.model_dump(mode="json", exclude=unsaid)
    code = code_digest(*map(importlib.import_module, _CODE[settings.family]))
    return cache_key(settings=measure, weights=weights_sha256(settings, context), code=code, names=names)


def weights_sha256(settings: Detect, context: Context) -> str:
    """Digest of the bound weights; for results, of both files.

    Raises BadInput if there are none, or not those that the recipe pins.
    """
    if settings.weights is None:
        from tasks.io.detectors import hog

        return hog.Windows().sha256
    sha256 = folders.file_sha256(settings.weights, _file(settings, context.bindings[settings.weights]))
    if settings.weights_sha256 not in {None, sha256}:
        raise BadInput(
            f"binding '{settings.weights}': expected weights of SHA-256 {settings.weights_sha256}, got {sha256}"
        )
    if settings.images is None:
        return sha256
    listed = folders.file_sha256(settings.images, context.bindings[settings.images])
    return hashlib.sha256(f"{sha256} {listed}".encode()).hexdigest()


def _vision() -> Any:
    try:
        return importlib.import_module("tasks.io.detectors.vision_weights")
    except ImportError as problem:
        raise BadInput(f"model: expected torch and torchvision (bilderatlas[torch]), got {problem}") from problem


def _file(settings: Detect, url: str) -> str:
    """Path or URL of the weights that a binding gives: torchvision's own go by their name there."""
    if settings.family != "torchvision":
        return url
    return str(_vision().file_of(str(settings.weights), settings.model, url))


def _results(settings: Detect, context: Context) -> ImportedDetections:
    names = [str(settings.weights), str(settings.images)]
    sha256, classes = weights_sha256(settings, context), tuple(sorted({*settings.classes.values()}))
    files = [text for name in names for text in (name, context.bindings[name])]
    return results.load(files[0], files[1], files[2], files[3], classes, sha256)
