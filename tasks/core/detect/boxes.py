"""Detections as figures: suppression, clipping to the picture, rounding. tasks/core/detect/layouts.py reads raw output.

Boxes are (x_min, y_min, x_max, y_max) inside this module, and (x_min, y_min, width, height) in the figures it returns.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.detect import Detect

Floats = NDArray[np.float32]
_CANDIDATES = 1000  # boxes of a class that enter suppression, best first: it is quadratic in them


def nms_indices(xyxy: Floats, scores: Floats, most_iou: float) -> NDArray[np.int64]:
    """Indices that greedy suppression keeps, best first: of two boxes of more than `most_iou`, the one of higher score.

    xyxy: (N, 4), scores: (N,). Ties go to the smaller index. Empty in, empty out.

    >>> boxes = np.array([[0, 0, 2, 2], [0, 0, 2, 2], [4, 4, 5, 5]], np.float32)
    >>> nms_indices(boxes, np.array([.3, .9, .5], np.float32), .5)
    array([1, 2])
    """
    order = np.argsort(-scores, kind="stable")[:_CANDIDATES]
    kept: list[int] = []
    while len(order):
        best, order = order[0], order[1:]
        kept.append(int(best))
        order = order[_ious(xyxy[best], xyxy[order]) <= most_iou]
    return np.array(kept, np.int64)


def select_boxes(
    xyxy: Floats, scores: Floats, least_score: float, nms_iou: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns (M,) of scores (N, K) high enough whose boxes (N, 4) no better one of the class suppresses."""
    rows, columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for column in range(scores.shape[1]):
        strong = np.flatnonzero(scores[:, column] >= least_score)
        kept = strong[nms_indices(xyxy[strong], scores[strong, column], nms_iou)]
        rows.append(kept)
        columns.append(np.full(len(kept), column))
    return np.concatenate(rows), np.concatenate(columns)


def figures(
    xyxy_px: Floats,
    scores: Floats,
    labels: NDArray[np.int64],
    keypoints_xyv: Floats | None,
    size_px: tuple[int, int],
    settings: Detect,
) -> list[dict[str, Any]]:
    """Figures of one picture, best first, in its own pixels: boxes and keypoints rounded to 0.1 px, scores to 0.001.

    xyxy_px: (N, 4), scores: (N,), labels: (N,) class indices, keypoints_xyv: (N, K, 3), NaN for a box without, or None;
    size_px: (width, height). Boxes are clipped to the picture; those of no area, of other classes or below the least
    score are left out. Rounded, since no two machines compute the same last bits.
    """
    width, height = size_px
    names = {index: name for name, index in settings.classes.items()}
    inside = np.clip(xyxy_px, 0, np.array([width, height, width, height], np.float32)).astype(np.float64).round(1)
    is_strong = (scores >= settings.least_score).tolist()  # compared in float32
    kept = []
    for place, ((x_min, y_min, x_max, y_max), score, label) in enumerate(
        zip(inside.tolist(), scores.tolist(), labels.tolist(), strict=True)
    ):
        if label in names and is_strong[place] and x_max > x_min and y_max > y_min:
            kept.append(
                {
                    "category": names[label],
                    "xywh_px": [x_min, y_min, round(x_max - x_min, 1), round(y_max - y_min, 1)],
                    "is_crowd": False,
                    "keypoints_xyv": None if keypoints_xyv is None else _flat(keypoints_xyv[place]),
                    "score": round(score, 3),
                }
            )
    return sorted(kept, key=lambda figure: (-figure["score"], figure["category"], figure["xywh_px"]))[
        : settings.at_most
    ]


def _flat(keypoints_xyv: Floats) -> list[float] | None:
    if not np.isfinite(keypoints_xyv).all():
        return None
    return [round(value, 1) for value in keypoints_xyv.reshape(-1).tolist()]


def _ious(one: Floats, many: Floats) -> Floats:
    overlap = np.clip(np.minimum(one[2:], many[:, 2:]) - np.maximum(one[:2], many[:, :2]), 0, None).prod(axis=1)
    area = (one[2:] - one[:2]).prod() + (many[:, 2:] - many[:, :2]).prod(axis=1) - overlap
    return np.where(area > 0, overlap / np.where(area > 0, area, 1), 0).astype(np.float32)
