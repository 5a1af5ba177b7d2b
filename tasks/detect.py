"""detect (measure): the boxes that an ONNX detector finds in each blob, with all scores above a low floor."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import BadInput
from schemas.manifests import Context, State, Step
from schemas.stages import Detect
from schemas.tables import DETECT
from tasks import caching
from tasks.core import detect as core
from tasks.io import detectors, folders, images
from tasks.io.store import Store
from tasks.keys import code_of, key_of

CODE = code_of(core, detectors, images)
NO_LIMIT = 1_000_000_000


@task(cache_policy=NO_CACHE, **caching.RETRIED)
def detect_part(blobs: pa.Table, asked: tuple[Detect, str], into: str, context: Context) -> None:
    """Detect in one batch of blobs and store what was found; an unreadable blob is a row with a reason."""
    settings, weights_sha256 = asked
    store = caching.opened(context)
    detector = detectors.opened(settings.weights, context.bindings[settings.weights], weights_sha256, settings.layout)
    rows: list[dict[str, Any]] = []
    for start in range(0, blobs.num_rows, detector.batch):
        rows.extend(_rows(store, blobs["sha256"].slice(start, detector.batch).to_pylist(), detector, settings))
    store.write_table(into, pa.Table.from_pylist(rows, schema=DETECT))


def detect(settings: Detect, state: State, context: Context) -> Step:
    """What the detector finds for each kept record; only blobs that these weights have not seen are computed."""
    sha256 = weights_sha256(settings, context)
    measure = settings.model_dump(exclude={"label", "weights", "weights_sha256"})
    key = key_of(settings=measure, weights=sha256, code=CODE)
    folder = f"measures/detect/{key}"
    return caching.measured(detect_part, settings, state, context, folder, DETECT, asked=(settings, sha256))


def check_detector(settings: Detect, context: Context) -> None:
    """Raise BadInput if the bound weights are missing, not those that the recipe pins, or no model."""
    sha256 = weights_sha256(settings, context)
    detectors.opened(settings.weights, context.bindings[settings.weights], sha256, settings.layout)


def weights_sha256(settings: Detect, context: Context) -> str:
    """Digest of the bound weights. Raises BadInput if there are none, or not those that the recipe pins."""
    sha256 = folders.file_sha256(settings.weights, context.bindings[settings.weights])
    if settings.weights_sha256 not in {None, sha256}:
        raise BadInput(
            f"binding '{settings.weights}': expected weights of SHA-256 {settings.weights_sha256}, got {sha256}"
        )
    return sha256


def _rows(store: Store, blobs: list[str], detector: detectors.Detector, settings: Detect) -> Iterator[dict[str, Any]]:
    """DETECT rows of at most one model batch of blobs."""
    inputs, seen = [], []
    for sha256 in blobs:
        try:
            picture = images.picture(store.read_blob(sha256), NO_LIMIT)
        except images.Unreadable as problem:
            yield {"sha256": sha256, "reason": problem.reason, "detail": problem.detail}
            continue
        pixels, scale = detector.letterboxed(picture.pixels())
        inputs.append(pixels)
        seen.append((sha256, scale, (picture.width_px, picture.height_px)))
    outputs = list(detector.raw(inputs)) if inputs else []
    for (sha256, scale, size_px), raw in zip(seen, outputs, strict=True):
        boxes = (
            core.boxes_from_yolox(raw, detector.height_px, detector.width_px)
            if settings.layout == "yolox"
            else core.boxes_from_plain(raw, max(settings.classes.values()) + 1)
        )
        figures = core.figures(
            *boxes, scale, size_px, settings.classes, settings.least_score, settings.nms_iou, settings.at_most
        )
        yield {"sha256": sha256, "figures": figures}
