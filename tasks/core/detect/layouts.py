"""Raw outputs of ONNX models, by layout: boxes and scores of the requested classes.

Each reader takes the output for one picture, the input's height and width in px, class indices (K) and a least score.
It returns boxes (M, 4) as x_min, y_min, x_max, y_max in px of the input, and scores (M, K), a column for each class in
the given order; rows that reach the least score in no class are left out early, since most of the many thousand cells
are empty. Each raises ValueError if the output has another layout, or no class of a given index.
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Reader = Callable[[Floats, int, int, Sequence[int], float], tuple[Floats, Floats]]
STRIDES = (8, 16, 32)
_MOST_NEGATIVE = 0.01
_MOST_LOG = np.float32(20)  # e^20 strides are beyond any picture; without a limit, nonsense would overflow


def boxes_from_yolox(
    raw: Floats, height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """YOLOX. Score = objectness x class score.

    raw: (N, 5 + C), one row per cell of strides 8, 16, 32, row by row: cx, cy (relative to the cell, in strides), w, h
    (logarithms, in strides), objectness, C class scores. N = sum of (H / s) (W / s).
    (Ge et al., "YOLOX: Exceeding YOLO Series in 2021", section 2.1, and its ONNX demo.)
    """
    grid, stride = _cells(height_px, width_px)
    if raw.ndim != 2 or len(raw) != len(grid) or raw.shape[1] < 6:
        expected = f"{len(grid)} rows of 5 numbers and class scores for an input of {width_px} x {height_px} px"
        raise ValueError(f"expected {expected}, got an output of {_shape(raw)} for a picture")
    scores = raw[:, 4:5] * raw[:, _columns(classes, 5, raw.shape[1])]
    strong = _strong(scores, least_score)
    rows, step = raw[strong], stride[strong]
    centre = (rows[:, :2] + grid[strong]) * step
    half = np.exp(np.minimum(rows[:, 2:4], _MOST_LOG)) * step / 2
    return np.concatenate([centre - half, centre + half], axis=1), scores[strong]


def boxes_from_fastestdet(
    raw: Floats, height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """FastestDet. Score = objectness^0.6 x class score^0.4.

    raw: (5 + C, rows, columns), for each cell of the grid that covers the picture: objectness, dx, dy (their tanh is
    the centre's distance from the cell's corner, in cells), w, h (their sigmoid is the share of the picture's sides), C
    class scores. (github.com/dog-qiuqiu/FastestDet, its ONNX demo.)
    """
    if raw.ndim != 3 or len(raw) < 6:
        expected = "5 numbers and class scores for each cell of a grid"
        raise ValueError(f"expected {expected}, got an output of {_shape(raw)} for a picture")
    rows, columns = raw.shape[1:]
    cells = raw.reshape(len(raw), -1)
    objectness, likeness = np.maximum(cells[0], 0), np.maximum(cells[_columns(classes, 5, len(raw))], 0)
    scores = np.asarray(objectness ** np.float32(0.6) * likeness ** np.float32(0.4), np.float32).T
    strong = _strong(scores, least_score)
    y, x = np.divmod(strong, columns)
    place = np.stack([x, y], axis=1).astype(np.float32)
    sides, grid = np.array([width_px, height_px], np.float32), np.array([columns, rows], np.float32)
    centre = (place + np.tanh(cells[1:3, strong].T)) / grid * sides
    half = sides / (1 + np.exp(np.clip(-cells[3:5, strong].T, -_MOST_LOG, _MOST_LOG))) / 2
    return np.concatenate([centre - half, centre + half], axis=1), scores[strong]


def boxes_from_yolov5(
    raw: Floats, height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """YOLOv5, v6 and v7 without their suppression. Score = objectness x class score.

    raw: (N, 5 + C): centre x, y, width and height in px of the input, objectness, C class scores. There are more boxes
    than numbers for each: in the next layout it is the other way round.
    """
    if raw.ndim != 2 or not 6 <= raw.shape[1] < len(raw):
        raise ValueError(f"expected rows of 5 numbers and class scores, got an output of {_shape(raw)} for a picture")
    scores = raw[:, 4:5] * raw[:, _columns(classes, 5, raw.shape[1])]
    strong = _strong(scores, least_score)
    return _corners(raw[:, :4], strong), scores[strong]


def boxes_from_yolov8(
    raw: Floats, height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """YOLOv8, YOLO11 and their like without their suppression. Score = class score.

    raw: (4 + C, N), a column for each box: centre x, y, width and height in px of the input, C class scores.
    """
    if raw.ndim != 2 or not 5 <= len(raw) < raw.shape[1]:
        raise ValueError(
            f"expected columns of 4 numbers and class scores, got an output of {_shape(raw)} for a picture"
        )
    scores = raw[_columns(classes, 4, len(raw))].T
    strong = _strong(scores, least_score)
    return _corners(raw[:4].T, strong), scores[strong]


def boxes_from_plain(
    raw: Floats, height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """Boxes as they are, each of one class.

    raw: (N, 6): x_min, y_min, x_max, y_max in px of the input, score, class index. The number of classes is unknown, so
    an index that the model does not have simply matches no row.
    """
    if raw.ndim != 2 or raw.shape[1] != 6:
        raise ValueError(f"expected rows of 6 numbers, got an output of {_shape(raw)} for a picture")
    is_of = raw[:, 5:6] == np.array(classes, np.float32)
    scores = np.where(is_of, raw[:, 4:5], np.float32(-1))  # below any floor
    strong = _strong(scores, least_score)
    return raw[strong, :4], scores[strong]


READERS: dict[str, Reader] = {
    "yolox": boxes_from_yolox,
    "fastestdet": boxes_from_fastestdet,
    "yolov5": boxes_from_yolov5,
    "yolov8": boxes_from_yolov8,
    "plain": boxes_from_plain,
}
"""By layout."""


def _corners(centred: Floats, strong: NDArray[np.int64]) -> Floats:
    """Corners of these of the boxes (N, 4) that are given by centre and sides.

    Raises ValueError if many sides are negative: YOLOX's output has yolov5's shape, but logarithms of the sides.
    """
    if (centred[:, 2:] < 0).mean() > _MOST_NEGATIVE:
        raise ValueError("expected sides of boxes in px, got negative numbers, as another layout has")
    middle, half = centred[strong, :2], centred[strong, 2:] / 2
    return np.concatenate([middle - half, middle + half], axis=1)


def _columns(classes: Sequence[int], first: int, end: int) -> list[int]:
    """The columns of these classes' scores."""
    if classes and max(classes) >= end - first:
        raise ValueError(f"expected class {max(classes)}, got a model of {end - first} classes 0..{end - first - 1}")
    return [first + index for index in classes]


def _strong(scores: Floats, least_score: float) -> NDArray[np.int64]:
    return np.flatnonzero((scores >= least_score).any(axis=1))


def _shape(raw: Floats) -> str:
    return " x ".join(map(str, raw.shape)) or "one number"


@functools.lru_cache(maxsize=8)
def _cells(height_px: int, width_px: int) -> tuple[Floats, Floats]:
    """(N, 2) column and row of each cell, and (N, 1) its stride in px."""
    grids, strides = [], []
    for stride in STRIDES:
        rows, columns = height_px // stride, width_px // stride
        y, x = np.divmod(np.arange(rows * columns), columns or 1)
        grids.append(np.stack([x, y], axis=1).astype(np.float32))
        strides.append(np.full((rows * columns, 1), stride, np.float32))
    return np.concatenate(grids), np.concatenate(strides)
