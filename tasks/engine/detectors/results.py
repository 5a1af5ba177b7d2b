"""Boxes that another program has found, as a measure: each blob is looked up in the files instead of being looked
at.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.detect import Detect
from schemas.stages import HIGHEST_MAX_PIXELS
from tasks.core.coco import results
from tasks.core.detect import boxes
from tasks.io.files import inputs
from tasks.io.images import decode

MAX_FILE_BYTES = 2**30
"""Of each of both files."""

NAMED = pa.schema([("sha256", pa.string()), ("names", pa.list_(pa.string())), ("bases", pa.list_(pa.string()))])
"""Blobs, and how records call them. bases: last parts of names that only one record has."""


@functools.lru_cache(maxsize=2)
def loaded(
    name: str, url: str, images_name: str, images_url: str, classes: tuple[int, ...], _sha256: str
) -> results.Elsewhere:
    """Both files, once per process.

    Raises BadInput if one is missing, or none. `_sha256` parts files that changed under one path.
    """
    document = inputs.read(f"binding '{images_name}'", images_url, MAX_FILE_BYTES)
    return results.elsewhere(document, inputs.read(f"binding '{name}'", url, MAX_FILE_BYTES), classes)


def rows(
    elsewhere: results.Elsewhere, settings: Detect, blobs: pa.Table, read: Callable[[str], bytes]
) -> Iterator[dict[str, Any]]:
    """DETECT rows of the blobs (NAMED, or their sha256 alone): figures null for an image that the files do not list.

    Its bytes are decoded all the same where it is listed: boxes must lie in the picture, and what can't be read is a
    drop.
    """
    for blob in blobs.to_pylist():
        number = elsewhere.image_id(blob["sha256"], blob.get("names") or (), blob.get("bases") or ())
        if number is None:
            yield {"sha256": blob["sha256"], "figures": None}
            continue
        try:
            picture = decode.picture(read(blob["sha256"]), HIGHEST_MAX_PIXELS)
        except decode.UnreadableImage as problem:
            yield {"sha256": blob["sha256"], "reason": problem.reason, "detail": problem.detail}
            continue
        found = _suppressed(elsewhere.found(number), settings)
        size_px = (picture.width_px, picture.height_px)
        yield {"sha256": blob["sha256"], "figures": boxes.figures(*found, size_px, settings)}


def named(blobs: pa.Array, record_blobs: Sequence[str], locators: Sequence[str]) -> pa.Table:
    """NAMED row of each blob, in order. record_blobs, locators: of each record, its blob and where its image was
    found.
    """
    bases: dict[str, set[str]] = {}
    names: dict[str, set[str]] = {}
    for sha256, locator in zip(record_blobs, locators, strict=True):
        names.setdefault(sha256, set()).add(locator)
        bases.setdefault(locator.rsplit("/", 1)[-1], set()).add(locator)
    found = []
    for sha256 in blobs.to_pylist():
        own = sorted(names.get(sha256, ()))
        lasts = sorted({locator.rsplit("/", 1)[-1] for locator in own})
        found.append({"sha256": sha256, "names": own, "bases": [last for last in lasts if len(bases[last]) == 1]})
    return pa.Table.from_pylist(found, schema=NAMED)


def _suppressed(found: results.Boxes, settings: Detect) -> results.Boxes:
    """Without the boxes that overlap too much, if the recipe asks for that."""
    if settings.nms_iou == 1:
        return found
    classes = sorted({*settings.classes.values()})
    scores = np.where(found.labels[:, None] == classes, found.scores[:, None], np.float32(-1))
    kept, _ = boxes.select_boxes(found.xyxy_px, scores, settings.least_score, settings.nms_iou)
    return found.taken(kept)
