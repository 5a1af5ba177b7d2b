"""Detections that are stored: in a file of COCO's results format, or in a release."""

from collections.abc import Collection, Mapping
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
    name: str,
    data: bytes,
    images: pa.Table,
    others: Collection[Id],
    category_ids: Mapping[str, Id],
    *,
    any_score: bool = False,
) -> tuple[dict[str, Detections], tuple[str, ...]]:
    """The boxes of each category in these images, and notes: how many boxes or images were passed over.

    Boxes are clipped to their pictures and rounded as `detect` does before it stores them (tasks/core/detect/boxes.py):
    a detector has the same scores, whether it runs here or its results come in a file. A box of which nothing is left
    in its picture is left out.

    images: ANNOTATED. others: ids of the truth's other images, whose boxes are passed over. category_ids: by name.
    any_score: scores may be any finite numbers, such as margins, and stay as they are: rounded, boxes that a detector
    tells apart would be one. Raises BadInput for what is no list of results (see `read_results`), and for ids of images
    that the truth does not have, and for boxes of which none is of these categories and in these images.
    """
    results = read_results(name, data, any_score=any_score)
    row_of = {number: row for row, number in enumerate(images["image_id"].to_pylist())}
    ids = {detection.image_id for detection in results.detections}
    if unknown := sorted(ids - row_of.keys() - set(others), key=id_order):
        raise BadInput(f"{name}: expected the truth's image ids, got {count_with_examples(unknown, 'other id')}")
    notes = []
    if results.empty_boxes:
        notes.append(f"{name}: left out {results.empty_boxes} boxes with a side of 0")
    wanted = {*category_ids.values()}
    other = sum(detection.category_id not in wanted for detection in results.detections)
    if other:
        notes.append(f"{name}: left out {counted(other, 'box', 'boxes')} of other categories")
    if passed_over := len(ids - row_of.keys()):
        notes.append(f"{name}: left out boxes in {passed_over} images that are not compared")
    boxes = [
        detection
        for detection in results.detections
        if detection.image_id in row_of and detection.category_id in wanted
    ]
    if results.detections and not boxes:
        raise BadInput(
            f"{name}: expected boxes of the category {' or '.join(map(quoted, category_ids.values()))} in the images "
            f"that are compared, got "
            f"{counted(len(results.detections), 'box', 'boxes')}, {other:,} of them of other categories"
        )
    row = np.array([row_of[cast(int, detection.image_id)] for detection in boxes], np.int64)
    xywh = _as_stored(np.array([detection.xywh_px for detection in boxes], np.float32).reshape(-1, 4), images, row)
    score = np.array([detection.score if any_score else _as_stored_score(detection.score) for detection in boxes])
    is_inside = (xywh[:, 2:] > 0).all(axis=1)
    if outside := int((~is_inside).sum()):
        notes.append(f"{name}: left out {outside} boxes of which nothing, or less than 0.1 px, is in the picture")
    of_category = {}
    for category, number in category_ids.items():
        is_own = is_inside & np.array([detection.category_id == number for detection in boxes], np.bool_)
        of_category[category] = sort_detections(row[is_own], xywh[is_own], score.astype(np.float64)[is_own])
    return of_category, tuple(notes)


def detections_of_release(
    images: pa.Table, annotations: pa.Table, category_ids: Mapping[str, Id]
) -> dict[str, dict[str, Detections]]:
    """The boxes that a release's own detectors have stored for these images, by the name of each and by category."""
    boxes = annotations.filter(pc.equal(annotations["origin"], "detector")).sort_by("annotation_id")
    # all names, also of a detector without a box in these images
    names = pc.unique(boxes["origin_name"]).to_pylist()
    boxes = boxes.filter(pc.is_in(boxes["image_id"], value_set=images["image_id"]))
    return {
        str(name): {
            category: _detections(
                images,
                boxes.filter(pc.and_(pc.equal(boxes["origin_name"], name), pc.equal(boxes["category_id"], number))),
            )
            for category, number in category_ids.items()
        }
        for name in sorted(names)
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
