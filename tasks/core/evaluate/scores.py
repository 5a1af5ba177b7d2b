"""COCO's scores, computed by faster-coco-eval, whose numbers are pycocotools' own (tests/parity/test_evaluate.py)."""

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from faster_coco_eval import COCO, COCOeval_faster
from numpy.typing import NDArray

from schemas.keypoints import CocoCategory
from tasks.core.coco.document import split_document, split_results
from tasks.core.columns import whole

Document = Mapping[str, Any]
NAMES = ("AP", "AP50", "AP75", "APS", "APM", "APL", "AR1", "AR10", "AR100", "ARS", "ARM", "ARL")
"""pycocotools' twelve numbers: IoU .50:.95 except AP50 and AP75; sizes by area; AR by boxes per image."""
Scores = dict[str, float | int | None]


def release_scores(
    documents: Iterable[tuple[Document, list[dict[str, Any]]]], looked_at: Collection[int], looked_for: Collection[int]
) -> Scores | None:
    """`box_scores` of a release's own detector, over the annotated images that it has looked at.

    documents: COCO documents and results of its splits.
    looked_at: ids of the images that it has looked at, with or without a box; looked_for: ids of the categories that it
    knows. None without a detector, or without an annotated image that it has looked at.
    """
    pairs = [(_part_of(document, looked_at, looked_for), sort_results(results)) for document, results in documents]
    if not looked_for or not any(
        image.get("is_annotated", True) for document, _ in pairs for image in document["images"]
    ):
        return None
    return box_scores(pairs)


def detector_scores(
    images: pa.Table,
    annotations: pa.Table,
    detections: pa.Table,
    categories: Sequence[CocoCategory],
    looked_for: Collection[str],
) -> Scores | None:
    """`release_scores` of a release's tables. images: those that its detector has looked at; annotations, detections:
    those of other images do not count. looked_for: names of the categories that it knows.
    """
    drawn, detected = (
        table.filter(pc.is_in(table["image_id"], value_set=whole(images["image_id"])))
        for table in (annotations, detections)
    )
    truth = split_document(images, drawn, categories, {})
    numbers = {number for number, category in enumerate(categories, 1) if category.name in looked_for}
    return release_scores([(truth, split_results(detected))], set(images["image_id"].to_pylist()), numbers)


def sort_results(results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """COCO results by image, falling score, and box: numbers go by the order of boxes of equal scores, so it must not
    depend on where the boxes come from.
    """
    return sorted(results, key=lambda box: (box["image_id"], -box["score"], box["bbox"]))


def _part_of(document: Document, image_ids: Collection[int], category_ids: Collection[int]) -> Document:
    boxes = document["annotations"]
    return {
        **document,
        "images": [image for image in document["images"] if image["id"] in image_ids],
        "annotations": [box for box in boxes if box["image_id"] in image_ids and box["category_id"] in category_ids],
        "categories": [category for category in document["categories"] if category["id"] in category_ids],
    }


def box_scores(documents: Iterable[tuple[Document, list[dict[str, Any]]]], at_most: int = 100) -> Scores:
    """AP and AR of detections against people's boxes, over the annotated images of all documents together.

    documents: pairs of a COCO document (`images[].is_annotated`; without that field an image counts) and a list in
    COCO's results format. Returns NAMES in 0..1 (None where no figure of that size exists; 0 where figures exist and
    none was found), `images` and `figures` (without crowds). at_most: boxes per image that count (maxDets).
    """
    truth: dict[str, Any] = {"info": {}, "images": [], "annotations": [], "categories": []}
    results: list[dict[str, Any]] = []
    for document, detections in documents:
        annotated = {image["id"] for image in document["images"] if image.get("is_annotated", True)}
        truth["images"] += [image for image in document["images"] if image["id"] in annotated]
        truth["annotations"] += [box for box in document["annotations"] if box["image_id"] in annotated]
        truth["categories"] = list(document["categories"])
        results += [box for box in detections if box["image_id"] in annotated]
    counts = {"images": len(truth["images"]), "figures": sum(not box["iscrowd"] for box in truth["annotations"])}
    if not truth["annotations"]:
        return {**dict.fromkeys(NAMES), **counts}
    return {**dict(zip(NAMES, _summary(truth, results, at_most), strict=True)), **counts}


def _summary(truth: dict[str, Any], results: list[dict[str, Any]], at_most: int) -> list[float | None]:
    """The twelve numbers, None for what is not defined. What is given is copied: the library writes into it."""
    counts = sorted({1, 10, at_most})
    loaded = [  # as by `loadRes`, which can't read an empty list: numbered, and as large as their boxes
        {**box, "id": number, "area": box["bbox"][2] * box["bbox"][3], "iscrowd": 0}
        for number, box in enumerate(results, 1)
    ]
    found = COCO({**truth, "annotations": loaded})
    evaluation = COCOeval_faster(COCO(copy.deepcopy(truth)), found, "bbox", extra_calc=False)
    evaluation.params.maxDets = counts
    evaluation.evaluate()
    evaluation.accumulate()
    most = counts.index(at_most)
    precision, recall = evaluation.eval["precision"][..., most], evaluation.eval["recall"][..., most]  # TxRxKxA, TxKxA
    whole, *by_area = (_mean(precision[..., area]) for area in range(4))
    at = (int(np.flatnonzero(np.isclose(evaluation.params.iouThrs, iou))[0]) for iou in (0.5, 0.75))
    by_count = (_mean(evaluation.eval["recall"][..., 0, counts.index(count)]) for count in (1, 10, at_most))
    recalls = (_mean(recall[..., area]) for area in range(1, 4))
    return [whole, *(_mean(precision[place, ..., 0]) for place in at), *by_area, *by_count, *recalls]


def _mean(values: NDArray[np.float64]) -> float | None:
    """Mean of what is defined; None where nothing is, for which the library says -1."""
    defined = values[values > -1]
    return float(defined.mean()) if defined.size else None
