"""Detections of another program, as a measure: each blob is looked up in its files, and no detector runs."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.detect import Detect
from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.file_names import canonical_name
from tasks.core.coco.imported import ImportedDetections, import_detections
from tasks.core.detect import boxes
from tasks.io.files import inputs
from tasks.io.images import decode

MAX_FILE_BYTES = 2**30
"""Of each of both files."""

BLOB_NAMES = pa.schema([("sha256", pa.string()), ("names", pa.list_(pa.string())), ("bases", pa.list_(pa.string()))])
"""Blobs, and the names that records have for them. bases: last parts of names that only one record has."""


@functools.lru_cache(maxsize=2)
def load(
    name: str, url: str, images_name: str, images_url: str, classes: tuple[int, ...], _sha256: str
) -> ImportedDetections:
    """Both files, once per process; `_sha256` parts files that changed under one path. Raises BadInput for bad ones."""
    document = inputs.read(f"binding '{images_name}'", images_url, MAX_FILE_BYTES)
    return import_detections(document, inputs.read(f"binding '{name}'", url, MAX_FILE_BYTES), classes)


def rows(
    imported: ImportedDetections, settings: Detect, blobs: pa.Table, read: Callable[[str], bytes]
) -> Iterator[dict[str, Any]]:
    """DETECT rows of blobs (BLOB_NAMES, or sha256 alone); figures null for one not in the files; a drop if damaged."""
    for blob in blobs.to_pylist():
        image_id = imported.find_image(blob["sha256"], blob.get("names") or (), blob.get("bases") or ())
        if image_id is None:
            yield {"sha256": blob["sha256"], "figures": None}
            continue
        try:
            picture = decode.picture(read(blob["sha256"]), HIGHEST_MAX_PIXELS)
        except decode.UnreadableImage as problem:
            yield {"sha256": blob["sha256"], "reason": problem.reason, "detail": problem.detail}
            continue
        detections = imported.boxes_of(image_id)
        if settings.nms_iou != 1:
            of_class = detections.labels[:, None] == sorted({*settings.classes.values()})
            scores = np.where(of_class, detections.scores[:, None], np.float32(-1))
            kept, _ = boxes.select_boxes(detections.xyxy_px, scores, settings.least_score, settings.nms_iou)
            detections = detections.select(kept)
        size_px = (picture.width_px, picture.height_px)
        yield {"sha256": blob["sha256"], "figures": boxes.figures(*detections, size_px, settings)}


def blob_names(blobs: pa.Array, record_blobs: Sequence[str], locators: Sequence[str]) -> pa.Table:
    """BLOB_NAMES of the blobs, in order. record_blobs, locators: each record's blob, and where its image was found."""
    bases: dict[str, set[str]] = {}
    names: dict[str, set[str]] = {}
    for sha256, locator in zip(record_blobs, locators, strict=True):
        names.setdefault(sha256, set()).add(locator)
        bases.setdefault(canonical_name(locator.rsplit("/", 1)[-1]), set()).add(locator)
    rows = []
    for sha256 in blobs.to_pylist():
        own = sorted(names.get(sha256, ()))
        lasts = sorted({locator.rsplit("/", 1)[-1] for locator in own})
        unique = [last for last in lasts if len(bases[canonical_name(last)]) == 1]
        rows.append({"sha256": sha256, "names": own, "bases": unique})
    return pa.Table.from_pylist(rows, schema=BLOB_NAMES)
