"""Detections that are stored: in a file of COCO's results format, or in a release."""

from collections.abc import Collection, Mapping
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.phrases import counted, quoted
from tasks.core.coco.ids import Id, count_with_examples, id_order
from tasks.core.coco.results import read_results
from tasks.core.evaluate.matching import Detections, rows_of_images, sort_detections, xywh_array


def detections_of_results(
    name: str, data: bytes, images: pa.Table, others: Collection[Id], category_ids: Mapping[str, Id]
) -> tuple[dict[str, Detections], tuple[str, ...]]:
    """The boxes of each category in these images, as given, and notes: how many boxes or images were passed over.

    Equal scores are in the order of the file, as pycocotools does. images: ANNOTATED. others: ids of the truth's other
    images, whose boxes are passed over. category_ids: by name. Raises BadInput for what is no list of results
    (`read_results`), for ids of images that the truth does not have, and for boxes of which none is compared.
    """
    detections = read_results(name, data, as_given=True).detections
    row_of = {number: row for row, number in enumerate(images["image_id"].to_pylist())}
    ids, wanted = {detection.image_id for detection in detections}, {*category_ids.values()}
    if unknown := sorted(ids - row_of.keys() - set(others), key=id_order):
        raise BadInput(f"{name}: expected the truth's image ids, got {count_with_examples(unknown, 'other id')}")
    notes = []
    other = sum(detection.category_id not in wanted for detection in detections)
    if other:
        notes.append(f"{name}: left out {counted(other, 'box', 'boxes')} of other categories")
    if passed_over := len(ids - row_of.keys()):
        notes.append(f"{name}: left out boxes in {passed_over} images that are not compared")
    boxes = [detection for detection in detections if detection.image_id in row_of and detection.category_id in wanted]
    if detections and not boxes:
        expected = f"boxes of the category {' or '.join(map(quoted, category_ids.values()))}"
        got = f"{counted(len(detections), 'box', 'boxes')}, {other:,} of them of other categories"
        raise BadInput(f"{name}: expected {expected} in the images that are compared, got {got}")
    row = np.array([row_of[cast(int, detection.image_id)] for detection in boxes], np.int64)
    xywh = np.array([detection.xywh_px for detection in boxes], np.float64).reshape(-1, 4)
    score = np.array([detection.score for detection in boxes], np.float64)
    number = np.array([detection.category_id for detection in boxes], dtype=object)
    order = np.lexsort((-score, row))  # stable
    own = {category: order[number[order] == wanted_id] for category, wanted_id in category_ids.items()}
    return {category: Detections(row[at], xywh[at], score[at]) for category, at in own.items()}, tuple(notes)


def detections_of_release(
    images: pa.Table, boxes: pa.Table, category_ids: Mapping[str, Id]
) -> dict[str, dict[str, Detections]]:
    """Those of BOXES that a release's own detectors have found in these images, by the name of each and by category."""
    boxes = boxes.filter(pc.equal(boxes["origin"], "detector")).sort_by("annotation_id")
    # all names, also of a detector without a box in these images
    names = pc.unique(boxes["origin_name"]).to_pylist()
    boxes = boxes.filter(pc.is_in(boxes["image_id"], value_set=images["image_id"]))
    found: dict[str, dict[str, Detections]] = {}
    for name in sorted(names):
        of_name = boxes.filter(pc.equal(boxes["origin_name"], name))
        own = {
            category: of_name.filter(pc.equal(of_name["category_id"], number))
            for category, number in category_ids.items()
        }
        found[str(name)] = {
            category: sort_detections(
                np.asarray(rows_of_images(images, one), np.int64),
                xywh_array(one["xywh_px"]),
                np.asarray(one["score"], np.float64),
            )
            for category, one in own.items()
        }
    return found
