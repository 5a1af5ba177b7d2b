"""Painted works as a detector's input, and the average precision of its answers by pycocotools."""

import contextlib
import io
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from examples.museum.colours import Image
from examples.museum.paint import Work
from examples.museum.truth import ImageTruth, coco_from_images

_FILL = 114


def letterbox(pixels: Image, side_px: int) -> tuple[Image, float]:
    """The picture as large as it goes in the top left of a grey square, and the scale that it took."""
    height, width = pixels.shape[:2]
    scale = min(side_px / height, side_px / width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    smaller = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    square = np.full((side_px, side_px, 3), _FILL, dtype=np.uint8)
    square[: size[1], : size[0]] = smaller
    return square, scale


def average_precision_50(works: Sequence[Work], detections: NDArray[np.float32], side_px: int) -> float:
    """AP at an intersection over union of 0.5, 0..1.

    detections: (works, N, 6) of x_min, y_min, x_max, y_max, score, class, in pixels of the letterboxed square.
    """
    truth = coco_from_images(
        (
            ImageTruth(str(number), str(number), work.pixels.shape[1], work.pixels.shape[0], work.figures)
            for number, work in enumerate(works)
        ),
        "works to score on",
    )
    results = [
        result
        for number, (work, found) in enumerate(zip(works, detections, strict=True), 1)
        for result in _results(number, work, found, side_px)
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        scorer = COCOeval(_indexed(truth), _indexed({**truth, "annotations": results}), "bbox")
        scorer.evaluate()
        scorer.accumulate()
        scorer.summarize()
    return float(scorer.stats[1])


def _indexed(document: dict[str, Any]) -> COCO:
    coco = COCO()
    coco.dataset = document
    coco.createIndex()
    return coco


def _results(image_id: int, work: Work, found: NDArray[np.float32], side_px: int) -> list[dict[str, Any]]:
    height, width = work.pixels.shape[:2]
    scale = min(side_px / height, side_px / width)
    boxes = np.clip(found[:, :4] / scale, 0, [width, height, width, height])
    return [
        {
            "id": 1000 * image_id + rank,
            "image_id": image_id,
            "category_id": 1,
            "bbox": [float(x0), float(y0), float(x1 - x0), float(y1 - y0)],
            "area": float((x1 - x0) * (y1 - y0)),
            "iscrowd": 0,
            "score": float(score),
        }
        for rank, ((x0, y0, x1, y1), score) in enumerate(zip(boxes, found[:, 4], strict=True))
        if score > 0.01
    ]
