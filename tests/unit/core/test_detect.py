"""A detector's raw output as figures: numbers worked out by hand. The loops that it must agree with are in tests/parity."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core import detect

F = np.float32


def figures(
    boxes: list[list[float]],
    scores: list[list[float]],
    scale: float = 1.0,
    size_px: tuple[int, int] = (100, 100),
    **changed: Any,
) -> list[dict[str, Any]]:
    settings = {"classes": {"person": 0}, "least_score": 0.01, "nms_iou": 0.65, "at_most": 100, **changed}
    width = len(scores[0]) if scores else 1
    return detect.figures(
        np.array(boxes, F).reshape(-1, 4), np.array(scores, F).reshape(-1, width), scale, size_px, **settings
    )


# --- YOLOX


def raw_yolox(height: int, width: int, classes: int = 1) -> np.ndarray:
    return np.zeros((sum((height // s) * (width // s) for s in (8, 16, 32)), 5 + classes), F)


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
    xyxy, scores = detect.boxes_from_yolox(raw, 32, 64)
    centre = ((cell[0] + 0.5) * stride, (cell[1] + 0.25) * stride)
    assert xyxy[row] == pytest.approx(
        [centre[0] - stride, centre[1] - 2 * stride, centre[0] + stride, centre[1] + 2 * stride], abs=1e-4
    )
    assert scores[row] == pytest.approx([0.4])


def test_a_size_that_would_overflow_is_held():
    raw = raw_yolox(32, 32)
    raw[:, 2:4] = 1e30
    xyxy, _ = detect.boxes_from_yolox(raw, 32, 32)
    assert np.isfinite(xyxy).all()


@pytest.mark.parametrize("rows", [0, 20, 22])
def test_another_number_of_rows_is_refused(rows: int):
    with pytest.raises(ValueError, match=f"expected 21 rows for an input of 32 x 32 px, got {rows}"):
        detect.boxes_from_yolox(np.zeros((rows, 6), F), 32, 32)


# --- plain


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        pytest.param(0.0, [0.9, 0, 0], id="the first class"),
        pytest.param(2.0, [0, 0, 0.9], id="the last class"),
        pytest.param(3.0, [0, 0, 0], id="one too many"),
        pytest.param(-1.0, [0, 0, 0], id="-1, which must not be the last class"),
        pytest.param(-0.5, [0, 0, 0], id="a bit below 0, which must not be cut to 0"),
        pytest.param(math.nan, [0, 0, 0], id="NaN"),
        pytest.param(math.inf, [0, 0, 0], id="infinity"),
        pytest.param(-math.inf, [0, 0, 0], id="minus infinity"),
        pytest.param(1e30, [0, 0, 0], id="more than a whole number holds"),
    ],
)
def test_a_class_index_outside_the_models_classes_scores_nothing(index: float, expected: list[float]):
    xyxy, scores = detect.boxes_from_plain(np.array([[1, 2, 3, 4, 0.9, index]], F), 3)
    assert scores.tolist() == [pytest.approx(expected)]
    assert xyxy.tolist() == [[1, 2, 3, 4]]


def test_no_rows_no_boxes():
    xyxy, scores = detect.boxes_from_plain(np.zeros((0, 6), F), 2)
    assert xyxy.shape == (0, 4)
    assert scores.shape == (0, 2)


@pytest.mark.parametrize("shape", [(3, 5), (3, 7), (6,), (1, 3, 6)], ids=str)
def test_rows_of_another_shape_are_refused(shape: tuple[int, ...]):
    with pytest.raises(ValueError, match="expected rows of 6 numbers, got shape"):
        detect.boxes_from_plain(np.zeros(shape, F), 1)


# --- suppression


@pytest.mark.parametrize(
    ("boxes", "scores", "most_iou", "kept"),
    [
        pytest.param([], [], 0.5, [], id="no boxes"),
        pytest.param([[0, 0, 1, 1]], [0.0], 0.5, [0], id="one box, whatever its score"),
        pytest.param([[0, 0, 2, 1], [1, 0, 3, 1]], [0.9, 0.8], 0.34, [0, 1], id="an overlap of a third below the line"),
        pytest.param([[0, 0, 2, 1], [1, 0, 3, 1]], [0.9, 0.8], 0.33, [0], id="an overlap of a third above it"),
        pytest.param([[0, 0, 2, 1], [0, 0, 1, 1]], [0.8, 0.9], 0.5, [1, 0], id="an overlap on the line stays"),
        pytest.param([[0, 0, 2, 2], [0, 0, 2, 2]], [0.5, 0.5], 0.9, [0], id="of equal scores the first stays"),
        pytest.param([[0, 0, 4, 1], [1, 0, 5, 1], [2, 0, 6, 1]], [0.9, 0.8, 0.7], 0.5, [0, 2], id="what is suppressed suppresses nothing"),
        pytest.param([[1, 1, 1, 1], [1, 1, 1, 1]], [0.9, 0.8], 0.5, [0, 1], id="boxes of no area overlap nothing"),
        pytest.param([[0, 0, 1, 1], [1, 0, 2, 1]], [0.9, 0.8], 0.0, [0, 1], id="neighbours that touch do not overlap"),
        pytest.param([[0, 0, 2, 2], [0, 0, 2, 2]], [0.9, 0.8], 1.0, [0, 1], id="at 1 nothing goes"),
    ],
)  # fmt: skip
def test_of_two_that_overlap_too_much_the_weaker_goes(
    boxes: list[list[float]], scores: list[float], most_iou: float, kept: list[int]
):
    got = detect.kept_by_nms(np.array(boxes, F).reshape(-1, 4), np.array(scores, F), most_iou)
    assert got.tolist() == kept


# --- figures


def test_boxes_come_back_in_the_pictures_pixels_to_a_tenth_and_scores_to_a_thousandth():
    (got,) = figures([[10.02, 20.03, 30.0, 41.49]], [[0.98765]], scale=0.5)
    assert got == {
        "category": "person",
        "xywh_px": [20.0, 40.1, 40.0, 42.9],
        "is_crowd": False,
        "keypoints_xyv": None,
        "score": 0.988,
    }


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        pytest.param([-5, -6, 10, 10], [[0.0, 0.0, 10.0, 10.0]], id="clipped at the left and the top"),
        pytest.param([70, 40, 90, 60], [[70.0, 40.0, 10.0, 10.0]], id="clipped at the right and the bottom, width before height"),
        pytest.param([90, 10, 95, 20], [], id="wholly outside"),
        pytest.param([-9, -9, 0, 0], [], id="only its corner touches"),
        pytest.param([10, 10, 10.04, 20], [], id="no width once it is rounded"),
        pytest.param([10, 10, 20, 10.04], [], id="no height"),
        pytest.param([20, 20, 10, 10], [], id="inside out"),
        pytest.param([math.nan, 0, 10, 10], [], id="a corner that is no number"),
        pytest.param([-math.inf, -math.inf, math.inf, math.inf], [[0.0, 0.0, 80.0, 50.0]], id="without end"),
    ],
)  # fmt: skip
def test_boxes_are_clipped_to_the_picture_and_empty_ones_left_out(box: list[float], expected: list[list[float]]):
    assert [figure["xywh_px"] for figure in figures([box], [[0.9]], size_px=(80, 50))] == expected


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        pytest.param(0.01, 1, id="on the floor"),
        pytest.param(0.0099, 0, id="below it"),
        pytest.param(math.nan, 0, id="no number"),
    ],
)
def test_boxes_below_the_floor_are_not_stored(score: float, expected: int):
    assert len(figures([[0, 0, 9, 9]], [[score]])) == expected


def test_figures_come_best_first_then_by_category_then_by_place():
    boxes = [[40, 0, 50, 9], [0, 0, 10, 9], [20, 0, 30, 9], [60, 0, 70, 9]]
    scores = [[0.5, 0.0], [0.5, 0.0], [0.0, 0.5], [0.0, 0.7]]
    got = figures(boxes, scores, classes={"person": 0, "dog": 1})
    assert [(figure["category"], figure["xywh_px"][0]) for figure in got] == [
        ("dog", 60.0), ("dog", 20.0), ("person", 0.0), ("person", 40.0),
    ]  # fmt: skip


def test_the_order_of_the_recipes_classes_changes_nothing():
    boxes, scores = [[0, 0, 9, 9], [1, 1, 9, 9]], [[0.9, 0.2], [0.3, 0.8]]
    assert figures(boxes, scores, classes={"a": 0, "b": 1}) == figures(boxes, scores, classes={"b": 1, "a": 0})


def test_boxes_of_different_classes_do_not_suppress_each_other():
    got = figures([[0, 0, 10, 10], [0, 0, 10, 10]], [[0.9, 0.0], [0.0, 0.8]], classes={"person": 0, "dog": 1})
    assert [figure["category"] for figure in got] == ["person", "dog"]


def test_one_box_may_be_of_two_classes():
    got = figures([[0, 0, 10, 10]], [[0.9, 0.8]], classes={"person": 0, "dog": 1})
    assert [figure["score"] for figure in got] == [0.9, 0.8]


def test_classes_that_the_recipe_does_not_name_are_left_out():
    assert [f["category"] for f in figures([[0, 0, 9, 9]], [[0.9, 0.8, 0.7]], classes={"cup": 2})] == ["cup"]


def test_the_best_of_all_classes_together_are_kept():
    boxes = [[0, 0, 9, 9], [20, 0, 29, 9], [40, 0, 49, 9]]
    got = figures(boxes, [[0.3, 0.0], [0.0, 0.9], [0.5, 0.0]], classes={"person": 0, "dog": 1}, at_most=2)
    assert [figure["score"] for figure in got] == [0.9, 0.5]


def test_suppression_happens_before_boxes_are_counted():
    got = figures([[0, 0, 9, 9], [0, 0, 9, 9], [50, 0, 59, 9]], [[0.9], [0.8], [0.1]], at_most=2)
    assert [figure["score"] for figure in got] == [0.9, 0.1]


corner = st.floats(-500, 500, width=32)


@given(
    st.lists(st.tuples(corner, corner, corner, corner, st.floats(0, 1, width=32)), max_size=12),
    st.floats(0.1, 8),
    st.integers(1, 400),
    st.integers(1, 400),
    st.integers(1, 6),
)
def test_all_that_leaves_lies_in_the_picture_rounded_and_in_order(
    found: list[tuple[float, ...]], scale: float, width: int, height: int, at_most: int
):
    boxes, scores = [list(row[:4]) for row in found], [[row[4]] for row in found]
    got = figures(boxes, scores, scale=scale, size_px=(width, height), at_most=at_most)
    assert len(got) <= at_most
    assert [figure["score"] for figure in got] == sorted((figure["score"] for figure in got), reverse=True)
    for figure in got:
        x, y, w, h = figure["xywh_px"]
        assert min(x, y) >= 0
        assert min(w, h) > 0
        assert x + w <= width + 1e-6
        assert y + h <= height + 1e-6
        assert [round(value, 1) for value in figure["xywh_px"]] == figure["xywh_px"]
        assert round(figure["score"], 3) == figure["score"]


def test_nothing_found_is_an_empty_list():
    assert figures([], []) == []
