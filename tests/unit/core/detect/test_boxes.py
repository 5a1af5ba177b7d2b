"""What a detector finds as figures: numbers worked out by hand.

The loops that it must agree with are in tests/parity.
"""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.detect import Detect
from tasks.core.detect import boxes as detect

F = np.float32


def figures(
    boxes: list[list[float]],
    scores: list[list[float]],
    scale: float = 1.0,
    size_px: tuple[int, int] = (100, 100),
    **changed: Any,
) -> list[dict[str, Any]]:
    """What is stored of boxes with a score in each class."""
    settings = Detect(model="yolox", **changed)
    classes = sorted(settings.classes.values())
    xyxy = np.array(boxes, F).reshape(-1, 4)
    table = np.array(scores, F).reshape(len(boxes), -1)[:, classes] if boxes else np.zeros((0, len(classes)), F)
    rows, columns = detect.select_boxes(xyxy, table, settings.least_score, settings.nms_iou)
    labels = np.array(classes)[columns]
    return detect.figures(xyxy[rows] / F(scale), table[rows, columns], labels, None, size_px, settings)


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
        pytest.param(
            [[0, 0, 4, 1], [1, 0, 5, 1], [2, 0, 6, 1]],
            [0.9, 0.8, 0.7],
            0.5,
            [0, 2],
            id="what is suppressed suppresses nothing",
        ),
        pytest.param([[1, 1, 1, 1], [1, 1, 1, 1]], [0.9, 0.8], 0.5, [0, 1], id="boxes of no area overlap nothing"),
        pytest.param([[0, 0, 1, 1], [1, 0, 2, 1]], [0.9, 0.8], 0.0, [0, 1], id="neighbours that touch do not overlap"),
        pytest.param([[0, 0, 2, 2], [0, 0, 2, 2]], [0.9, 0.8], 1.0, [0, 1], id="at 1 nothing goes"),
    ],
)
def test_of_two_that_overlap_too_much_the_weaker_goes(
    boxes: list[list[float]], scores: list[float], most_iou: float, kept: list[int]
):
    got = detect.nms_indices(np.array(boxes, F).reshape(-1, 4), np.array(scores, F), most_iou)
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
        pytest.param(
            [70, 40, 90, 60], [[70.0, 40.0, 10.0, 10.0]], id="clipped at the right and the bottom, width before height"
        ),
        pytest.param([90, 10, 95, 20], [], id="wholly outside"),
        pytest.param([-9, -9, 0, 0], [], id="only its corner touches"),
        pytest.param([10, 10, 10.04, 20], [], id="no width once it is rounded"),
        pytest.param([10, 10, 20, 10.04], [], id="no height"),
        pytest.param([20, 20, 10, 10], [], id="inside out"),
        pytest.param([math.nan, 0, 10, 10], [], id="a corner that is no number"),
        pytest.param([-math.inf, -math.inf, math.inf, math.inf], [[0.0, 0.0, 80.0, 50.0]], id="without end"),
    ],
)
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
        ("dog", 60.0),
        ("dog", 20.0),
        ("person", 0.0),
        ("person", 40.0),
    ]


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


# --- keypoints


def test_keypoints_travel_with_their_box_to_a_tenth():
    keypoints = np.array([[[1.04, 2.06, 2.0]], [[3.0, 4.0, 0.0]], [[math.nan, 0.0, 0.0]]], F)
    boxes, scores = np.array([[0, 0, 9, 9], [20, 0, 29, 9], [40, 0, 49, 9]], F), np.array([0.5, 0.9, 0.1], F)
    got = detect.figures(boxes, scores, np.zeros(3, np.int64), keypoints, (100, 100), Detect(model="yolox"))
    assert [figure["keypoints_xyv"] for figure in got] == [[3.0, 4.0, 0.0], [1.0, 2.1, 2.0], None]


def test_boxes_of_a_class_that_is_not_asked_for_are_left_out():
    boxes, scores, labels = np.array([[0, 0, 9, 9]] * 2, F), np.ones(2, F), np.array([1, 0])
    got = detect.figures(boxes, scores, labels, None, (100, 100), Detect(model="yolox", classes={"bicycle": 1}))
    assert [figure["category"] for figure in got] == ["bicycle"]
