"""Lessons: the images that a detector learns from, each with its boxes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.core.coco.document import annotation_entry, result_entry


class Lesson(NamedTuple):
    """An image to learn from: its blob, upright size (width, height), figures and crowds as corners (N, 4) in px."""

    image_id: int
    sha256: str
    size_px: tuple[int, int]
    figures_xyxy_px: NDArray[np.float32]
    crowds_xyxy_px: NDArray[np.float32]


def lessons_from_tables(images: pa.Table, figures: pa.Table) -> list[Lesson]:
    """A lesson of each image (ANNOTATED and ANNOTATED_FIGURES); boxes cut at its edges, empty ones left out."""
    boxes: dict[tuple[int, bool], list[list[float]]] = {}
    for row in figures.select(["image_id", "xywh_px", "is_crowd"]).to_pylist():
        box = row["xywh_px"]
        xywh = [float(value) for value in (box.values() if isinstance(box, dict) else box)]
        boxes.setdefault((row["image_id"], bool(row["is_crowd"])), []).append(xywh)
    learnt = []
    for row in images.select(["image_id", "sha256", "width_px", "height_px"]).to_pylist():
        size = (row["width_px"], row["height_px"])
        drawn, crowds = (corners_inside(boxes.get((row["image_id"], is_crowd), []), size) for is_crowd in (False, True))
        learnt.append(Lesson(row["image_id"], row["sha256"], size, drawn, crowds))
    return learnt


def corners_inside(xywh_px: Sequence[Sequence[float]], size_px: tuple[int, int]) -> NDArray[np.float32]:
    """(N, 4) x_min, y_min, x_max, y_max of boxes within (width, height), without those that have no area there.

    >>> corners_inside([[-2, 0, 6, 5], [9, 0, 5, 5], [3, 3, 0, 2]], (9, 9)).tolist()
    [[0.0, 0.0, 4.0, 5.0]]
    """
    boxes = np.asarray(xywh_px, np.float64).reshape(-1, 4)
    limits = np.array([*size_px, *size_px], np.float64)
    corners = np.clip(np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]), 0, limits)
    return corners[((corners[:, 2:] - corners[:, :2]) > 0).all(axis=1)].astype(np.float32)


def truth_document(images: pa.Table, figures: pa.Table, category: str) -> dict[str, Any]:
    """The images and their figures as a COCO document for `evaluate`."""
    sizes = images.select(["image_id", "width_px", "height_px"]).rename_columns(["id", "width", "height"])
    annotations = [
        annotation_entry(number, row["image_id"], 1, row["xywh_px"], row["area_px2"], is_crowd=bool(row["is_crowd"]))
        for number, row in enumerate(figures.to_pylist(), 1)
    ]
    return {"images": sizes.to_pylist(), "annotations": annotations, "categories": [{"id": 1, "name": category}]}


def detection_results(images: pa.Table, figures: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The figures that a detector found in each blob, by its SHA-256, as COCO results by the images' ids."""
    return [
        result_entry(row["image_id"], 1, figure["xywh_px"], figure["score"])
        for row in images.select(["image_id", "sha256"]).to_pylist()
        for figure in figures[row["sha256"]]
    ]
