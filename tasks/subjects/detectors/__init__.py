"""A recipe's detector on this machine, also without Prefect: its weights, the library that runs it, its cache key."""

import functools
import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import pyarrow as pa

from schemas.detect import Detect
from schemas.errors import BadInput
from schemas.keypoints import KeypointScheme
from schemas.manifests import Context
from tasks.core.coco.imported import ImportedDetections, check_schemes
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.io.detectors.stream import Detector
from tasks.io.files import folders
from tasks.orchestration.late_imports import import_one_by_one
from tasks.subjects.detectors import detections, results

_CODE = {
    "onnx": ("tasks.subjects.detectors.detections", "tasks.subjects.detectors.onnx"),
    "hog": ("tasks.subjects.detectors.detections", "tasks.subjects.detectors.hog"),
    "results": ("tasks.subjects.detectors.results",),
    "torchvision": ("tasks.subjects.detectors.detections", "tasks.io.detectors.torchvision_models"),
}
"""By family, the modules of its cache key, alone imported: a machine with torch need not have onnxruntime or OpenCV."""

_NOT_IN_KEY = {"label", "weights", "weights_sha256", "images"}
_TORCHVISION_ONLY = {"least_side_px", "most_side_px"}
_LOADING = threading.Lock()


@functools.lru_cache(maxsize=4)
def _load(settings: str, url: str, _sha256: str, device: str) -> Detector:
    """Once per process. `_sha256` tells files apart that changed under one path."""
    detect = Detect.model_validate_json(settings)
    if detect.family == "torchvision":
        weights: Any = _import_family(detect)[-1]
        detector: Detector = weights.load_detector(detect, str(detect.weights), url, device)
        return detector
    if detect.family == "hog":
        from tasks.io.detectors import hog
        from tasks.subjects.detectors.hog import HogDetector

        return HogDetector(hog.Windows(), detect)
    from tasks.io.detectors import onnx
    from tasks.subjects.detectors.onnx import OnnxDetector

    return OnnxDetector(onnx.load(str(detect.weights), url, detect.model, device), detect)


def load(settings: Detect, context: Context) -> Detector:
    """The detector, loaded once per process. Raises BadInput for weights that are missing, not pinned, or another's."""
    sha256 = weights_sha256(settings, context)
    url = context.bindings[settings.weights] if settings.weights else ""
    with _LOADING:  # parts that start together on a cluster's worker would each load a model onto its GPU
        return _load(settings.model_dump_json(exclude={"label"}), url, sha256, context.device)


def check(settings: Detect, context: Context, schemes: Mapping[str, KeypointScheme | None] | None = None) -> None:
    """Raise BadInput if the detector can't be used. schemes: which keypoints of results must have; None: any."""
    if settings.family == "results":
        imported = _results(settings, context)
        if schemes is not None:
            check_schemes(imported, {number: schemes[name] for name, number in settings.classes.items()})
    else:
        load(settings, context)


def rows(settings: Detect, blobs: pa.Table, context: Context, read: Callable[[str], bytes]) -> Iterator[dict[str, Any]]:
    """DETECT rows of a batch of blobs (column sha256; for results, BLOB_NAMES). `read` returns a blob's bytes."""
    if settings.family == "results":
        return results.rows(_results(settings, context), settings, blobs, read)
    _import_family(settings)
    return detections.rows(load(settings, context), settings, blobs["sha256"].to_pylist(), read)


def measure_key(settings: Detect, context: Context, names: str = "") -> str:
    """Cache key of settings, weights and code, on any machine. names: for results, the digest of records' names."""
    excluded = _NOT_IN_KEY if settings.family == "torchvision" else _NOT_IN_KEY | _TORCHVISION_ONLY
    measure = settings.model_dump(mode="json", exclude=excluded)
    code = code_digest(*_import_family(settings))
    return cache_key(settings=measure, weights=weights_sha256(settings, context), code=code, names=names)


def weights_sha256(settings: Detect, context: Context) -> str:
    """Digest of the bound weights; for results, of both files. Raises BadInput for none, or others than the pinned."""
    if settings.weights is None:
        from tasks.io.detectors import hog

        return hog.Windows().sha256
    url = context.bindings[settings.weights]
    if settings.family == "torchvision":
        weights: Any = _import_family(settings)[-1]
        url = str(weights.weights_file(settings.weights, settings.model, url))
    sha256 = folders.file_sha256(settings.weights, url)
    if settings.weights_sha256 not in {None, sha256}:
        raise BadInput(
            f"binding '{settings.weights}': expected weights of SHA-256 {settings.weights_sha256}, got {sha256}"
        )
    if settings.images is None:
        return sha256
    images_sha256 = folders.file_sha256(settings.images, context.bindings[settings.images])
    return hashlib.sha256(f"{sha256} {images_sha256}".encode()).hexdigest()


def _import_family(settings: Detect) -> list[ModuleType]:
    """The family's own modules, imported while no other part imports any. Raises BadInput where torch is missing."""
    try:
        return import_one_by_one(_CODE[settings.family])
    except ImportError as problem:
        if settings.family != "torchvision":
            raise
        raise BadInput(f"model: expected torch and torchvision (bilderatlas[torch]), got {problem}") from problem


def _results(settings: Detect, context: Context) -> ImportedDetections:
    weights, images = str(settings.weights), str(settings.images)
    sha256, classes = weights_sha256(settings, context), tuple(sorted({*settings.classes.values()}))
    return results.load(weights, context.bindings[weights], images, context.bindings[images], classes, sha256)
