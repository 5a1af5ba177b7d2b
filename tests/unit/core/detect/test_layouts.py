"""Raw outputs as boxes and scores: numbers worked out by hand.

The loops that they must agree with are in tests/parity.
"""

import math

import numpy as np
import pytest

from tasks.core.detect import layouts

F = np.float32


def raw_yolox(height: int, width: int, classes: int = 1) -> np.ndarray:
    return np.zeros((sum((height // s) * (width // s) for s in (8, 16, 32)), 5 + classes), F)


# --- YOLOX


@pytest.mark.parametrize(
    ("row", "stride", "cell"),
    [
        pytest.param(0, 8, (0, 0), id="the first cell"),
        pytest.param(7, 8, (7, 0), id="the last of the first row: x runs first"),
        pytest.param(8, 8, (0, 1), id="the first of the second row"),
        pytest.param(31, 8, (7, 3), id="the last of stride 8"),
        pytest.param(32, 16, (0, 0), id="stride 16 follows"),
        pytest.param(39, 16, (3, 1), id="its last"),
        pytest.param(40, 32, (0, 0), id="stride 32 follows"),
        pytest.param(41, 32, (1, 0), id="the last of all"),
    ],
)
def test_a_yolox_row_is_a_cell_of_its_stride(row: int, stride: int, cell: tuple[int, int]):
    raw = raw_yolox(32, 64)  # 4 x 8, 2 x 4 and 1 x 2 cells
    raw[row] = [0.5, 0.25, math.log(2), math.log(4), 0.5, 0.8]
    xyxy, scores = layouts.boxes_from_yolox(raw, 32, 64, [0], 0.1)
    centre = ((cell[0] + 0.5) * stride, (cell[1] + 0.25) * stride)
    assert xyxy.shape == (1, 4)
    assert xyxy[0] == pytest.approx(
        [centre[0] - stride, centre[1] - 2 * stride, centre[0] + stride, centre[1] + 2 * stride], abs=1e-4
    )
    assert scores == pytest.approx(np.array([[0.4]]))


def test_a_size_that_would_overflow_is_held():
    raw = raw_yolox(32, 32)
    raw[:, 2:4] = 1e30
    xyxy, _ = layouts.boxes_from_yolox(raw, 32, 32, [0], 0.0)
    assert len(xyxy) == 21
    assert np.isfinite(xyxy).all()


def test_only_the_classes_asked_for_are_read_in_that_order():
    raw = raw_yolox(32, 32, classes=3)
    raw[4, 4:] = [1, 0.1, 0.2, 0.3]
    raw[5, 4:] = [1, 0.9, 0.0, 0.0]
    _, scores = layouts.boxes_from_yolox(raw, 32, 32, [2, 1], 0.15)
    assert scores == pytest.approx(np.array([[0.3, 0.2]]))


@pytest.mark.parametrize(
    ("shape", "got"),
    [
        ((0, 6), "0 x 6"),
        ((20, 6), "20 x 6"),
        ((22, 6), "22 x 6"),
        ((21, 5), "21 x 5"),
        ((21,), "21"),
        ((21, 6, 1), "21 x 6 x 1"),
    ],
    ids=str,
)
def test_an_output_that_is_no_yolox_is_refused(shape: tuple[int, ...], got: str):
    said = f"expected 21 rows of 5 numbers and class scores for an input of 32 x 32 px, got an output of {got} for"
    with pytest.raises(ValueError, match=said):
        layouts.boxes_from_yolox(np.zeros(shape, F), 32, 32, [0], 0.1)


# --- FastestDet


def raw_fastestdet(rows: int = 2, columns: int = 4, classes: int = 2) -> np.ndarray:
    return np.zeros((5 + classes, rows, columns), F)


def test_a_fastestdet_cell_is_a_box_of_the_whole_picture():
    raw = raw_fastestdet()
    raw[:, 1, 2] = [0.5, math.atanh(0.5), math.atanh(-0.5), 0.0, math.log(3), 0.25, 0.0]
    xyxy, scores = layouts.boxes_from_fastestdet(raw, 100, 200, [0, 1], 0.01)
    # centre ((2 + .5) / 4 of 200, (1 - .5) / 2 of 100) = (125, 25); sigmoid(0) = 1/2 of 200, sigmoid(log 3) = 3/4 of
    # 100
    assert xyxy == pytest.approx(np.array([[75.0, -12.5, 175.0, 62.5]]), abs=1e-3)
    assert scores == pytest.approx(np.array([[0.5**0.6 * 0.25**0.4, 0.0]]))


def test_fastestdets_odd_numbers_are_no_boxes_and_no_warnings():
    raw = raw_fastestdet()
    raw[0, 0, :4] = [-1, math.nan, 1, 1]
    raw[5, 0, :4] = [1, 1, -1, 1]
    raw[3:5, 0, 3] = [-1e30, 1e30]
    xyxy, scores = layouts.boxes_from_fastestdet(raw, 100, 200, [0], 0.01)
    assert scores == pytest.approx(np.array([[1.0]]))
    assert xyxy == pytest.approx(np.array([[150.0, -50.0, 150.0, 50.0]]), abs=1e-3)


@pytest.mark.parametrize("shape", [(5, 2, 2), (7, 4), (7,), (1, 7, 2, 2)], ids=str)
def test_an_output_that_is_no_fastestdet_is_refused(shape: tuple[int, ...]):
    with pytest.raises(
        ValueError, match="expected 5 numbers and class scores for each cell of a grid, got an output of"
    ):
        layouts.boxes_from_fastestdet(np.zeros(shape, F), 32, 32, [0], 0.1)


# --- classes


# --- YOLOv5 and YOLOv8


@pytest.mark.parametrize(
    ("reader", "raw"),
    [
        pytest.param(
            layouts.boxes_from_yolov5, np.array([[20, 40, 10, 30, 0.5, 0.2, 0.8]] + [[0] * 7] * 9, F), id="yolov5"
        ),
        pytest.param(
            layouts.boxes_from_yolov8, np.array([[20, 40, 10, 30, 0.1, 0.4]] + [[0] * 6] * 9, F).T, id="yolov8"
        ),
    ],
)
def test_boxes_by_centre_and_sides_become_corners(reader: layouts.Reader, raw: np.ndarray):
    xyxy, scores = reader(raw, 64, 96, [1, 0], 0.2)
    assert xyxy.tolist() == [[15, 25, 25, 55]]
    assert scores == pytest.approx(np.array([[0.4, 0.1]]))


@pytest.mark.parametrize("layout", ["yolov5", "yolov8"])
def test_sides_below_0_are_those_of_another_layout(layout: str):
    raw = np.full((50, 7), -0.5, F)
    with pytest.raises(ValueError, match="expected sides of boxes in px, got negative numbers"):
        layouts.READERS[layout](raw if layout == "yolov5" else raw.T, 32, 32, [0], 0.1)


@pytest.mark.parametrize("shape", [(10,), (10, 5), (4, 10), (6, 10), (1, 10, 6)], ids=str)
def test_an_output_that_is_no_yolov5_is_refused(shape: tuple[int, ...]):
    with pytest.raises(ValueError, match="expected rows of 5 numbers and class scores, got an output of"):
        layouts.boxes_from_yolov5(np.zeros(shape, F), 32, 32, [0], 0.1)


@pytest.mark.parametrize("anchors", [1, 3, 9])
def test_a_head_may_have_up_to_nine_boxes_a_cell(anchors: int):
    cells = (64 // 8) ** 2 + (64 // 16) ** 2 + (64 // 32) ** 2
    rows = np.zeros((anchors * cells, 6), F)
    rows[:, :4] = 32
    boxes, _ = layouts.boxes_from_yolov5(rows, 64, 64, [0], 0.1)[:2]
    assert len(boxes) == 0


@pytest.mark.parametrize("shape", [(10,), (4, 10), (10, 6), (10, 4), (1, 6, 10)], ids=str)
def test_an_output_that_is_no_yolov8_is_refused(shape: tuple[int, ...]):
    with pytest.raises(ValueError, match="expected columns of 4 numbers and class scores, got an output of"):
        layouts.boxes_from_yolov8(np.zeros(shape, F), 32, 32, [0], 0.1)


@pytest.mark.parametrize("layout", ["yolox", "fastestdet"])
@pytest.mark.parametrize(("classes", "asked"), [(80, 80), (1, 1), (3, 7)], ids=str)
def test_a_class_that_the_model_does_not_have_is_refused(layout: str, classes: int, asked: int):
    raw = raw_yolox(32, 32, classes) if layout == "yolox" else raw_fastestdet(classes=classes)
    said = f"expected class {asked}, got a model of {classes} classes 0..{classes - 1}"
    with pytest.raises(ValueError, match=said):
        layouts.READERS[layout](raw, 32, 32, [0, asked], 0.1)


# --- plain


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        pytest.param(0.0, [[0.9, -1, -1]], id="the first class"),
        pytest.param(2.0, [[-1, -1, 0.9]], id="the last class"),
        pytest.param(3.0, [], id="one too many"),
        pytest.param(-1.0, [], id="-1, which must not be the last class"),
        pytest.param(-0.5, [], id="a bit below 0, which must not be cut to 0"),
        pytest.param(math.nan, [], id="NaN"),
        pytest.param(math.inf, [], id="infinity"),
        pytest.param(-math.inf, [], id="minus infinity"),
        pytest.param(1e30, [], id="more than a whole number holds"),
    ],
)
def test_a_row_of_a_class_that_is_not_asked_for_is_no_box(index: float, expected: list[list[float]]):
    xyxy, scores = layouts.boxes_from_plain(np.array([[1, 2, 3, 4, 0.9, index]], F), 9, 9, [0, 1, 2], 0.0)
    assert scores == pytest.approx(np.array(expected).reshape(-1, 3))
    assert xyxy.tolist() == [[1, 2, 3, 4]] * len(expected)


def test_no_rows_no_boxes():
    xyxy, scores = layouts.boxes_from_plain(np.zeros((0, 6), F), 9, 9, [0, 1], 0.1)
    assert xyxy.shape == (0, 4)
    assert scores.shape == (0, 2)


@pytest.mark.parametrize("shape", [(3, 5), (3, 7), (6,), (1, 3, 6)], ids=str)
def test_rows_of_another_shape_are_refused(shape: tuple[int, ...]):
    with pytest.raises(ValueError, match="expected rows of 6 numbers, got an output of"):
        layouts.boxes_from_plain(np.zeros(shape, F), 9, 9, [0], 0.1)


@pytest.mark.parametrize("layout", layouts.READERS)
def test_scores_that_are_no_numbers_reach_no_floor(layout: str):
    shape = {
        "yolox": raw_yolox(32, 32).shape,
        "fastestdet": (7, 2, 4),
        "plain": (3, 6),
        "yolov5": (9, 6),
        "yolov8": (6, 9),
    }
    raw = np.full(shape[layout], np.nan, F)
    xyxy, scores = layouts.READERS[layout](raw, 32, 32, [0], 0.0)
    assert len(xyxy) == len(scores) == 0
