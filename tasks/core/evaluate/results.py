"""What another program has found, in COCO's results format, for images that the truth knows."""

import json
from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from tasks.core.coco.results import check_row
from tasks.core.coco.truth import counted
from tasks.core.evaluate.matching import Found, ordered


def found_of_results(
    name: str, data: bytes, images: pa.Table, others: Collection[int], category_id: int
) -> tuple[Found, tuple[str, ...]]:
    """The boxes of one category in these images, and notes: images of the truth that are not looked at are passed over.

    images: ANNOTATED. others: ids of the truth's other images. Raises BadInput for what is no list of results, for
    boxes that are none, scores outside 0..1, and ids of images that the truth has not.
    """
    rows = _listed(name, data)
    for place, row in enumerate(rows):
        check_row(f"{name}[{place}]", row)
    place_of = {number: place for place, number in enumerate(images["image_id"].to_pylist())}
    strange = sorted({row["image_id"] for row in rows} - place_of.keys() - set(others))
    if strange:
        raise BadInput(f"{name}: expected the truth's image ids, got {counted(strange, 'other id')}")
    passed = len({row["image_id"] for row in rows} - place_of.keys())
    notes = (f"{name}: boxes in {passed} images that are not compared are passed over",) if passed else ()
    meant = [row for row in rows if row["image_id"] in place_of and row["category_id"] == category_id]
    return ordered(
        np.array([place_of[row["image_id"]] for row in meant], np.int64),
        np.array([row["bbox"] for row in meant], np.float64).reshape(-1, 4),
        np.array([row["score"] for row in meant], np.float64),
    ), notes


def found_of_release(images: pa.Table, annotations: pa.Table, category_id: int) -> dict[str, Found]:
    """The boxes that a release's own detectors have stored for these images, by the name of each."""
    is_meant = pc.and_(
        pc.and_(pc.equal(annotations["origin"], "detector"), pc.equal(annotations["category_id"], category_id)),
        pc.is_in(annotations["image_id"], value_set=images["image_id"]),
    )
    # all names, also of a detector that has found nothing in these images
    names = pc.unique(annotations.filter(pc.equal(annotations["origin"], "detector"))["origin_name"]).to_pylist()
    boxes = annotations.filter(is_meant).sort_by("annotation_id")
    return {str(name): _found(images, boxes.filter(pc.equal(boxes["origin_name"], name))) for name in sorted(names)}


def _found(images: pa.Table, boxes: pa.Table) -> Found:
    rows = np.asarray(pc.index_in(boxes["image_id"], value_set=images["image_id"].combine_chunks()), np.int64)
    xywh = np.array(boxes["xywh_px"].to_pylist(), np.float64).reshape(-1, 4)
    return ordered(rows, xywh, np.asarray(boxes["score"], np.float64))


def _listed(name: str, data: bytes) -> list[Any]:
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{name}: expected COCO results, got no JSON ({str(problem)[:120]})") from problem
    if not isinstance(rows, list):
        raise BadInput(f"{name}: expected COCO results, a list of boxes, got {type(rows).__name__}")
    return rows
