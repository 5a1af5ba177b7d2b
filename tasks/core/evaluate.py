"""Scores by COCO's protocol, computed by pycocotools itself; here it only gets values in and gives values out."""

import contextlib
import copy
import io
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

Document = Mapping[str, Any]
NAMES = ("AP", "AP50", "AP75", "APS", "APM", "APL", "AR1", "AR10", "AR100", "ARS", "ARM", "ARL")
"""pycocotools' twelve numbers: IoU .50:.95 except AP50 and AP75; sizes by area; AR by boxes per image."""


def box_scores(
    documents: Iterable[tuple[Document, list[dict[str, Any]]]], at_most: int = 100
) -> dict[str, float | int | None]:
    """AP and AR of detections against people's boxes, over the annotated images of all documents together.

    documents: pairs of a COCO document (`images[].is_annotated`; without that field an image counts) and a list in COCO's
    results format. Returns NAMES in 0..1 (None where no box of that size exists), `images` and `figures` (crowds, which
    are neither hit nor missed, apart). No annotated image: all None. `at_most`: boxes per image that count (maxDets).
    """
    truth: dict[str, Any] = {"info": {}, "images": [], "annotations": [], "categories": []}
    results: list[dict[str, Any]] = []
    for document, found in documents:
        looked_at = {image["id"] for image in document["images"] if image.get("is_annotated", True)}
        truth["images"] += [image for image in document["images"] if image["id"] in looked_at]
        truth["annotations"] += [box for box in document["annotations"] if box["image_id"] in looked_at]
        truth["categories"] = list(document["categories"])
        results += [box for box in found if box["image_id"] in looked_at]
    counted = {"images": len(truth["images"]), "figures": sum(not box["iscrowd"] for box in truth["annotations"])}
    if not truth["annotations"] or not results:
        return {**dict.fromkeys(NAMES), **counted}
    stats = _summary(truth, results, at_most)
    return {**{name: None if value < 0 else float(value) for name, value in zip(NAMES, stats, strict=True)}, **counted}


def _summary(truth: dict[str, Any], results: list[dict[str, Any]], at_most: int) -> np.ndarray:
    """The stats of pycocotools, which writes into what it gets and prints, and so gets copies and a deaf ear."""
    with contextlib.redirect_stdout(io.StringIO()):
        reference = COCO()
        reference.dataset = copy.deepcopy(truth)
        reference.createIndex()
        evaluation = COCOeval(reference, reference.loadRes(copy.deepcopy(results)), "bbox")
        evaluation.params.maxDets = [1, 10, at_most]
        evaluation.evaluate()
        evaluation.accumulate()
        if at_most == 100:
            evaluation.summarize()
            return np.asarray(evaluation.stats)
    places = [evaluation.params.maxDets.index(count) for count in (1, 10, at_most)]  # evaluate() has sorted them
    precision, recall = (evaluation.eval[name][..., places[-1]] for name in ("precision", "recall"))  # TxRxKxA, TxKxA
    areas = [_mean(precision[..., area]) for area in range(4)]
    at = {iou: int(np.flatnonzero(np.isclose(evaluation.params.iouThrs, iou))[0]) for iou in (0.5, 0.75)}
    by_count = [_mean(evaluation.eval["recall"][..., 0, count]) for count in places]
    return np.array([
        areas[0], _mean(precision[at[0.5], ..., 0]), _mean(precision[at[0.75], ..., 0]), *areas[1:], *by_count,
        *(_mean(recall[..., area]) for area in range(1, 4)),
    ])  # fmt: skip


def _mean(values: np.ndarray) -> float:
    """Mean of what is defined; -1, pycocotools' own word for nothing, where nothing is."""
    defined = values[values > -1]
    return float(defined.mean()) if defined.size else -1.0
