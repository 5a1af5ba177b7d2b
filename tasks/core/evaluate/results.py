"""Detections that are stored: in a file of COCO's results format, or in a release."""

from collections.abc import Collection
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import counted, quoted
from tasks.core.coco.ids import Id, count_with_examples, id_order
from tasks.core.coco.results import read_results
from tasks.core.evaluate.matching import Detections, sort_detections


def detections_of_results(
    name: str, data: bytes, images: pa.Table, others: Collection[Id], category_id: Id, *, any_score: bool = False
) -> tuple[Detections, tuple[str, ...]]:
    """The boxes of one category in these images, and notes: how many boxes or images were passed over.

    Boxes are clipped to their pictures and rounded as `detect` does before it stores them (tasks/core/detect/boxes.py):
    a detector has the same scores, whether it runs here or its results come in a file. A box of which nothing is left
    in its picture is left out.

    images: ANNOTATED. others: ids of the truth's other images, whose boxes are passed over. any_score: scores may be
    any finite numbers, such as margins, and stay as they are: rounded, boxes that a detector tells apart would be one.
    Raises BadInput for what is no list of results (see `read_results`), and for ids of images that the truth does not
    have, and for boxes of which none is of this category and in these images.
    """
    results = read_results(name, data, any_score=any_score)
    row_of = {number: row for row, number in enumerate(images["image_id"].to_pylist())}
    ids = {detection.image_id for detection in results.detections}
    if unknown := sorted(ids - row_of.keys() - set(others), key=id_order):
        raise BadInput(f"{name}: expected the truth's image ids, got {count_with_examples(unknown, 'other id')}")
    notes = []
    if results.empty_boxes:
        notes.append(f"{name}: left out {results.empty_boxes} boxes with a side of 0")
    other = sum(detection.category_id != category_id for detection in results.detections)
    if other:
        notes.append(f"{name}: left out {counted(other, 'box', 'boxes')} of other categories")
    if passed_over := len(ids - row_of.keys()):
        notes.append(f"{name}: left out boxes in {passed_over} images that are not compared")
    boxes = [
        detection
        for detection in results.detections
        if detection.image_id in row_of and detection.category_id == category_id
    ]
    if results.detections and not boxes:
        raise BadInput(
            f"{name}: expected boxes of the category {quoted(category_id)} in the images that are compared, got "
            f"{counted(len(results.detections), 'box', 'boxes')}, {other:,} of them of other categories"
        )
    row = np.array([row_of[cast(int, detection.image_id)] for detection in boxes], np.int64)
    xywh = _as_stored(np.array([detection.xywh_px for detection in boxes], np.float32).reshape(-1, 4), images, row)
    score = np.array([detection.score if any_score else _as_stored_score(detection.score) for detection in boxes])
    is_inside = (xywh[:, 2:] > 0).all(axis=1)
    if outside := int((~is_inside).sum()):
        notes.append(f"{name}: left out {outside} boxes of which nothing, or less than 0.1 px, is in the picture")
    return sort_detections(row[is_inside], xywh[is_inside], score.astype(np.float64)[is_inside]), tuple(notes)


def detections_of_release(images: pa.Table, annotations: pa.Table, category_id: Id) -> dict[str, Detections]:
    """The boxes that a release's own detectors have stored for these images, by the name of each."""
    is_detection = pc.and_(
        pc.and_(pc.equal(annotations["origin"], "detector"), pc.equal(annotations["category_id"], category_id)),
        pc.is_in(annotations["image_id"], value_set=images["image_id"]),
    )
    # all names, also of a detector without a box in these images
    names = pc.unique(annotations.filter(pc.equal(annotations["origin"], "detector"))["origin_name"]).to_pylist()
    boxes = annotations.filter(is_detection).sort_by("annotation_id")
    return {
        str(name): _detections(images, boxes.filter(pc.equal(boxes["origin_name"], name))) for name in sorted(names)
    }


def _as_stored(xywh_px: NDArray[np.float32], images: pa.Table, row: NDArray[np.int64]) -> NDArray[np.float64]:
    """(D, 4) boxes, clipped to the pictures of these rows and rounded to 0.1 px; sides of 0 where nothing is left.

    In 32 bits up to there, as in `detect`: half a tenth may be rounded up or down.
    """
    sides = [images[name].to_numpy().astype(np.float32)[row] for name in ("width_px", "height_px")]
    size_px = np.nan_to_num(np.stack(sides, axis=1), nan=np.inf)
    low, high = (
        np.clip(corner, 0, size_px).astype(np.float64).round(1)
        for corner in (xywh_px[:, :2], xywh_px[:, :2] + xywh_px[:, 2:])
    )
    return np.concatenate([low, (high - low).round(1)], axis=1)


def _as_stored_score(score: float) -> float:
    return round(float(np.float32(score)), 3)


def _detections(images: pa.Table, boxes: pa.Table) -> Detections:
    rows = np.asarray(pc.index_in(boxes["image_id"], value_set=images["image_id"].combine_chunks()), np.int64)
    xywh = np.array(boxes["xywh_px"].to_pylist(), np.float64).reshape(-1, 4)
    return sort_detections(rows, xywh, np.asarray(boxes["score"], np.float64))
