"""Raw outputs of ONNX models, by layout: boxes and scores of the requested classes.

Each reader takes the output for one picture, the input's height and width in px, class indices (K) and a least score.
It returns boxes (M, 4) as x_min, y_min, x_max, y_max in px of the input, and scores (M, K), a column for each class in
the given order; rows that reach the least score in no class are left out early, since most of the many thousand cells
are empty. Each raises ValueError if the output has another layout, or no class of a given index.
"""

import functools
import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
STRIDES = (8, 16, 32)


@functools.lru_cache(maxsize=8)
def grid_cells(
    height_px: int, width_px: int, of_strides: tuple[int, ...], *, is_rounded_up: bool = False
) -> tuple[Floats, Floats]:
    """(N, 2) column and row of each cell, and (N, 1) its stride in px."""
    grids, strides = [], []
    for stride in of_strides:
        more = stride - 1 if is_rounded_up else 0
        rows, columns = (height_px + more) // stride, (width_px + more) // stride
        y, x = np.divmod(np.arange(rows * columns), columns or 1)
        grids.append(np.stack([x, y], axis=1).astype(np.float32))
        strides.append(np.full((rows * columns, 1), stride, np.float32))
    return np.concatenate(grids), np.concatenate(strides)


def cell_counts(height_px: int, width_px: int, strides: Sequence[int]) -> list[int]:
    """How many cells each stride has, whole or not."""
    return [-(-height_px // stride) * -(-width_px // stride) for stride in strides]


def class_columns(classes: Sequence[int], first: int, end: int) -> list[int]:
    """The columns of these classes' scores."""
    if classes and max(classes) >= end - first:
        raise ValueError(f"expected class {max(classes)}, got a model of {end - first} classes 0..{end - first - 1}")
    return [first + index for index in classes]


def strong_rows(scores: Floats, least_score: float) -> NDArray[np.int64]:
    """Rows of scores (N, K) that reach the least score in any class."""
    return np.flatnonzero((scores >= least_score).any(axis=1))


def shape_text(shape: tuple[int, ...]) -> str:
    """An output's shape."""
    return " x ".join(map(str, shape)) or "one number"


def shapes_text(shapes: Sequence[tuple[int, ...]]) -> str:
    """How many outputs there are, and of which shapes."""
    first = ", ".join(map(shape_text, shapes[:6]))
    return f"{len(shapes)} ({first}{', ...' if len(shapes) > 6 else ''})"


def _expect(is_fit: bool, expected: str, raw: Floats) -> None:
    if not is_fit:
        raise ValueError(f"expected {expected}, got an output of {shape_text(raw.shape)} for a picture")


Reader = Callable[[Floats, int, int, Sequence[int], float], tuple[Floats, Floats]]
_MOST_NEGATIVE = 0.01
# heads of YOLO models: two or more neighbours of these strides, and so many boxes for each cell
_ALL_STRIDES = (4, 8, 16, 32, 64, 128)
_MOST_ANCHORS = 9
_LEAST_CENTRE_PX = 4
_SLACK = 1e-3
_MOST_LOG = np.float32(20)  # e^20 strides are beyond any picture; without a limit, nonsense would overflow


def boxes_from_yolox(
    raw: Floats, height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """YOLOX. Score = objectness x class score.

    raw: (N, 5 + C), one row per cell of strides 8, 16, 32, row by row: cx, cy (relative to the cell, in strides), w, h
    (logarithms, in strides), objectness, C class scores. N = sum of (H / s) (W / s).
    (Ge et al., "YOLOX: Exceeding YOLO Series in 2021", section 2.1, and its ONNX demo.)
    """
    grid, stride = grid_cells(height_px, width_px, STRIDES)
    expected = f"{len(grid)} rows of 5 numbers and class scores for an input of {width_px} x {height_px} px"
    _expect(raw.ndim == 2 and len(raw) == len(grid) and raw.shape[1] >= 6, expected, raw)
    scores = raw[:, 4:5] * raw[:, class_columns(classes, 5, raw.shape[1])]
    strong = strong_rows(scores, least_score)
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
    _expect(raw.ndim == 3 and len(raw) >= 6, "5 numbers and class scores for each cell of a grid", raw)
    rows, columns = raw.shape[1:]
    cells = raw.reshape(len(raw), -1)
    objectness, likeness = np.maximum(cells[0], 0), np.maximum(cells[class_columns(classes, 5, len(raw))], 0)
    scores = np.asarray(objectness ** np.float32(0.6) * likeness ** np.float32(0.4), np.float32).T
    strong = strong_rows(scores, least_score)
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
    _expect(raw.ndim == 2 and 6 <= raw.shape[1] < len(raw), "rows of 5 numbers and class scores", raw)
    scores = raw[:, 4:5] * raw[:, class_columns(classes, 5, raw.shape[1])]
    strong = strong_rows(scores, least_score)
    return _corners(raw[:, :4], strong), scores[strong]


def boxes_from_yolov8(
    raw: Floats, height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """YOLOv8, YOLO11 and their like without their suppression. Score = class score.

    raw: (4 + C, N), a column for each box: centre x, y, width and height in px of the input, C class scores.
    """
    _expect(raw.ndim == 2 and 5 <= len(raw) < raw.shape[1], "columns of 4 numbers and class scores", raw)
    scores = raw[class_columns(classes, 4, len(raw))].T
    strong = strong_rows(scores, least_score)
    return _corners(raw[:4].T, strong), scores[strong]


def boxes_from_plain(
    raw: Floats, height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """Boxes as they are, each of one class.

    raw: (N, 6): x_min, y_min, x_max, y_max in px of the input, score, class index. Unknown classes match no row.
    """
    _expect(raw.ndim == 2 and raw.shape[1] == 6, "rows of 6 numbers", raw)
    is_of = raw[:, 5:6] == np.array(classes, np.float32)
    scores = np.where(is_of, raw[:, 4:5], np.float32(-1))  # below any floor
    strong = strong_rows(scores, least_score)
    return raw[strong, :4], scores[strong]


READERS: dict[str, Reader] = {
    "yolox": boxes_from_yolox,
    "fastestdet": boxes_from_fastestdet,
    "yolov5": boxes_from_yolov5,
    "yolov8": boxes_from_yolov8,
    "plain": boxes_from_plain,
}


def read_boxes(
    layout: str, outputs: Sequence[Floats], height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """Boxes and scores out of a model's outputs for one picture; READERS are those of layouts with one output."""
    if layout == "nanodet":
        return boxes_from_nanodet(outputs, height_px, width_px, classes, least_score)
    return READERS[layout](outputs[0], height_px, width_px, classes, least_score)


def check_outputs(
    layout: str, outputs: Sequence[Floats], shapes: Sequence[tuple[int, ...]], height_px: int, width_px: int
) -> None:
    """Raise ValueError unless a model's outputs for one picture can be of that layout. outputs: those that are read.

    shapes: of all. Others may only have another number of dimensions, as raw heads that YOLOv5 exports beside boxes.
    """
    if layout == "nanodet":
        _check_nanodet(outputs, height_px, width_px)
        return
    if sum(len(shape) == len(shapes[0]) for shape in shapes) > 1:
        raise ValueError(f"expected one output for a picture, got {shapes_text(shapes)}")
    if layout == "yolox" and outputs[0].ndim == 2 and not _are_scores(outputs[0][:, 5:]):
        raise ValueError("expected class scores of 0 to 1, got other numbers, as another layout has")
    if layout in {"yolov5", "yolov8"}:
        _check_heads(outputs[0] if layout == "yolov5" else outputs[0].T, height_px, width_px)


def _check_heads(rows: Floats, height_px: int, width_px: int) -> None:
    """Raise ValueError unless there is a row for each box of YOLO's heads, with its centre in px of the input."""
    if rows.ndim != 2 or not 5 <= rows.shape[1] < len(rows):
        return  # the reader has a sentence for it
    cells = cell_counts(height_px, width_px, _ALL_STRIDES)
    spans = itertools.combinations(range(len(cells) + 1), 2)
    heads = [sum(cells[start:end]) for start, end in spans if end - start > 1]
    if not any(len(rows) == anchors * head for head in heads for anchors in range(1, _MOST_ANCHORS + 1)):
        usual = sum(cell_counts(height_px, width_px, STRIDES))
        raise ValueError(
            f"expected a box for each cell of strides 8, 16 and 32 of {width_px} x {height_px} px, {usual} or three "
            f"times as many, got {len(rows)}"
        )
    if rows[:, :2].max() < _LEAST_CENTRE_PX:
        raise ValueError(f"expected centres of boxes in px of the input, got none beyond {rows[:, :2].max():.3g}")


def _are_scores(values: Floats) -> bool:
    return bool(((values >= -_SLACK) & (values <= 1 + _SLACK)).all())


def _corners(centred: Floats, strong: NDArray[np.int64]) -> Floats:
    """Corners of these of the boxes (N, 4) that are given by centre and sides.

    Raises ValueError if many sides are negative: YOLOX's output has yolov5's shape, but logarithms of the sides.
    """
    if (centred[:, 2:] < 0).mean() > _MOST_NEGATIVE:
        raise ValueError("expected sides of boxes in px, got negative numbers, as another layout has")
    middle, half = centred[strong, :2], centred[strong, 2:] / 2
    return np.concatenate([middle - half, middle + half], axis=1)


NANODET_STRIDES = ((8, 16, 32), (8, 16, 32, 64))  # of NanoDet, and of NanoDet-Plus
_BINS = 8  # its authors export 0..7; where all is one output, it does not say so itself
_LEAST_BINS, _MOST_BINS = 2, 33


def boxes_from_nanodet(
    outputs: Sequence[Floats], height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """NanoDet and NanoDet-Plus: distances to the four sides, each a distribution over 0..reg_max strides.

    outputs: one of (N, C + 4 (reg_max + 1)), with reg_max 7; or for each stride one of (n, C) and one of
    (n, 4 (reg_max + 1)), in any order of strides, the scores first. Rows are cells of strides 8, 16, 32 (NanoDet) or
    8, 16, 32, 64 (NanoDet-Plus), row by row; N = sum of n = ceil(H / s) ceil(W / s). Score = class score, 0..1. A
    distance is the mean of the softmax of its numbers, in strides, from the cell's middle (NanoDet) or its upper left
    corner (NanoDet-Plus). (Li et al., "Generalized Focal Loss", 2020, section 3.2; github.com/RangiLyu/nanodet,
    gfl_head.py and nanodet_plus_head.py.)
    """
    strides, likeness, logits = _parts(outputs, height_px, width_px)
    scores = likeness[:, class_columns(classes, 0, likeness.shape[1])]
    strong = strong_rows(scores, least_score)
    grid, stride = grid_cells(height_px, width_px, strides, is_rounded_up=True)
    sides = logits[strong].reshape(len(strong), 4, logits.shape[1] // 4)
    shares = np.exp(sides - sides.max(axis=2, keepdims=True, initial=-np.inf))
    distances = (shares @ np.arange(sides.shape[2], dtype=np.float32)) / shares.sum(axis=2) * stride[strong]
    start = np.float32(0.5 if strides == NANODET_STRIDES[0] else 0)
    centre = (grid[strong] + start) * stride[strong]
    xyxy = np.concatenate([centre - distances[:, :2], centre + distances[:, 2:]], axis=1)
    return np.asarray(xyxy, np.float32), scores[strong]


def _check_nanodet(outputs: Sequence[Floats], height_px: int, width_px: int) -> None:
    _, likeness, _ = _parts(outputs, height_px, width_px)
    if not ((likeness >= 0) & (likeness <= 1)).all():
        raise ValueError(
            f"expected class scores of 0 to 1, got {likeness.min():.3g} to {likeness.max():.3g}: a model without "
            "its sigmoid, or of another reg_max than 7"
        )


def _parts(outputs: Sequence[Floats], height_px: int, width_px: int) -> tuple[tuple[int, ...], Floats, Floats]:
    """Strides, class scores (N, C) and the numbers of the distances (N, 4 (reg_max + 1)), by stride and cell."""
    for strides in NANODET_STRIDES:
        counts = cell_counts(height_px, width_px, strides)
        if len(outputs) == 1 and outputs[0].ndim == 2 and len(outputs[0]) == sum(counts):
            classes = outputs[0].shape[1] - 4 * _BINS
            if classes >= 1:
                return strides, outputs[0][:, :classes], outputs[0][:, classes:]
        if len(outputs) == 2 * len(strides) and all(output.ndim == 2 for output in outputs):
            # of one stride as of all: the scores stand before the distances
            levels = [[output for output in outputs if len(output) == count] for count in counts]
            if _are_levels(levels):
                likeness, logits = (np.concatenate(column) for column in zip(*levels, strict=True))
                return strides, likeness, logits
    rows = " or ".join(str(sum(cell_counts(height_px, width_px, strides))) for strides in NANODET_STRIDES)
    raise ValueError(
        f"expected one output of {rows} rows of class scores and {4 * _BINS} numbers, or for each stride one of scores "
        f"and one of numbers, got {shapes_text([output.shape for output in outputs])}"
    )


def _are_levels(levels: Sequence[Sequence[Floats]]) -> bool:
    if any(len(level) != 2 for level in levels):
        return False
    widths = {tuple(output.shape[1] for output in level) for level in levels}
    _, numbers = next(iter(widths))
    return len(widths) == 1 and numbers % 4 == 0 and _LEAST_BINS <= numbers // 4 <= _MOST_BINS
