"""A detector's raw output as figures: decoding, suppression, back to the picture's own pixels, rounding.

Boxes are (x_min, y_min, x_max, y_max) inside this module, and (x_min, y_min, width, height) in what leaves it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
STRIDES = (8, 16, 32)
_CANDIDATES = 1000  # boxes of a class that enter suppression, best first: it is quadratic in them


def boxes_from_yolox(raw: Floats, height_px: int, width_px: int) -> tuple[Floats, Floats]:
    """YOLOX's output for one picture as boxes and class scores.

    raw: (N, 5 + C), one row per cell of strides 8, 16, 32, row by row: cx, cy (relative to the cell, in strides), w, h
    (logarithms, in strides), objectness, C class scores. N = sum of (H / s) (W / s). Returns xyxy (N, 4) in input px and
    scores (N, C) = objectness x class score. Raises ValueError if N does not fit the input's size.
    (Ge et al., "YOLOX: Exceeding YOLO Series in 2021", section 2.1, and its ONNX demo.)
    """
    cells = [_cells(height_px // stride, width_px // stride, stride) for stride in STRIDES]
    grid, stride = np.concatenate([xy for xy, _ in cells]), np.concatenate([s for _, s in cells])[:, None]
    if len(grid) != len(raw):
        raise ValueError(f"expected {len(grid)} rows for an input of {width_px} x {height_px} px, got {len(raw)}")
    centre = (raw[:, :2] + grid) * stride
    half = np.exp(np.minimum(raw[:, 2:4], 20)) * stride / 2
    return np.concatenate([centre - half, centre + half], axis=1), raw[:, 4:5] * raw[:, 5:]


def boxes_from_plain(raw: Floats, classes: int) -> tuple[Floats, Floats]:
    """The plain layout's output for one picture as boxes and class scores.

    raw: (N, 6): x_min, y_min, x_max, y_max in input px, score, class index. Returns xyxy (N, 4) and scores (N, classes),
    0 in other classes. Rows of a class index outside 0..classes-1 score 0.
    """
    if raw.ndim != 2 or raw.shape[1] != 6:
        raise ValueError(f"expected rows of 6 numbers, got shape {raw.shape}")
    scores = np.zeros((len(raw), classes), np.float32)
    known = np.flatnonzero((raw[:, 5] >= 0) & (raw[:, 5] < classes))  # compared as they come: NaN has no whole number
    scores[known, raw[known, 5].astype(np.int64)] = raw[known, 4]
    return raw[:, :4], scores


def kept_by_nms(xyxy: Floats, scores: Floats, most_iou: float) -> NDArray[np.int64]:
    """Indices that greedy suppression keeps, best first: of two that overlap by more than `most_iou`, the weaker goes.

    xyxy: (N, 4), scores: (N,). Ties go to the smaller index. Empty in, empty out.

    >>> kept_by_nms(np.array([[0, 0, 2, 2], [0, 0, 2, 2], [4, 4, 5, 5]], np.float32), np.array([.3, .9, .5], np.float32), .5)
    array([1, 2])
    """
    order = np.argsort(-scores, kind="stable")[:_CANDIDATES]
    kept: list[int] = []
    while len(order):
        best, order = order[0], order[1:]
        kept.append(int(best))
        order = order[_ious(xyxy[best], xyxy[order]) <= most_iou]
    return np.array(kept, np.int64)


def figures(
    xyxy: Floats,
    scores: Floats,
    scale: float,
    size_px: tuple[int, int],
    classes: Mapping[str, int],
    least_score: float,
    nms_iou: float,
    at_most: int,
) -> list[dict[str, Any]]:
    """Figures of one picture, best first, in its own pixels: boxes rounded to 0.1 px, scores to 0.001.

    xyxy: (N, 4) in input px, scores: (N, C), scale: by which the picture was multiplied, size_px: its (width, height).
    Boxes are clipped to the picture, and those of no area left out. Rounding makes a stored measurement of what no two
    machines compute alike to the last bit.
    """
    found = []
    for category, index in sorted(classes.items(), key=lambda entry: entry[1]):
        strong = np.flatnonzero(scores[:, index] >= least_score)
        picked = strong[kept_by_nms(xyxy[strong], scores[strong, index], nms_iou)]
        inside = np.clip(xyxy[picked] / scale, 0, np.array([*size_px, *size_px], np.float32)).astype(np.float64)
        for (x_min, y_min, x_max, y_max), score in zip(
            inside.round(1).tolist(), scores[picked, index].tolist(), strict=True
        ):
            if x_max > x_min and y_max > y_min:
                xywh = [x_min, y_min, round(x_max - x_min, 1), round(y_max - y_min, 1)]
                found.append(
                    {
                        "category": category,
                        "xywh_px": xywh,
                        "is_crowd": False,
                        "keypoints_xyv": None,
                        "score": round(score, 3),
                    }
                )
    return sorted(found, key=lambda figure: (-figure["score"], figure["category"], figure["xywh_px"]))[:at_most]


def _cells(rows: int, columns: int, stride: int) -> tuple[Floats, Floats]:
    y, x = np.divmod(np.arange(rows * columns), columns)
    return np.stack([x, y], axis=1).astype(np.float32), np.full(rows * columns, stride, np.float32)


def _ious(one: Floats, many: Floats) -> Floats:
    overlap = np.clip(np.minimum(one[2:], many[:, 2:]) - np.maximum(one[:2], many[:, :2]), 0, None).prod(axis=1)
    area = (one[2:] - one[:2]).prod() + (many[:, 2:] - many[:, :2]).prod(axis=1) - overlap
    return np.where(area > 0, overlap / np.where(area > 0, area, 1), 0).astype(np.float32)
