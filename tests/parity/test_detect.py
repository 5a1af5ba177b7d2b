"""detect against the plain way: one loop over the cells, one over all pairs of boxes, with fractions that are exact."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.detect import boxes as detect
from tasks.core.detect import layouts


def decoded(raw: np.ndarray, height: int, width: int) -> tuple[list[list[float]], list[list[float]]]:
    boxes, scores, row = [], [], 0
    for stride in (8, 16, 32):
        for y in range(height // stride):
            for x in range(width // stride):
                cx, cy, log_w, log_h, objectness, *classes = (float(value) for value in raw[row])
                w, h = math.exp(log_w) * stride, math.exp(log_h) * stride
                cx, cy = (cx + x) * stride, (cy + y) * stride
                boxes.append([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2])
                scores.append([objectness * score for score in classes])
                row += 1
    assert row == len(raw)
    return boxes, scores


@pytest.mark.parametrize(
    ("height", "width", "classes"),
    [
        pytest.param(64, 96, 3, id="wider than high"),
        pytest.param(96, 32, 1, id="higher than wide"),
        pytest.param(416, 416, 80, id="YOLOX-tiny's own"),
        pytest.param(40, 72, 2, id="sides that 16 and 32 do not divide"),
    ],
)
def test_yolox_is_decoded_as_by_a_loop_over_its_cells(height: int, width: int, classes: int):
    rows = sum((height // stride) * (width // stride) for stride in (8, 16, 32))
    chance = np.random.default_rng(height)
    raw = np.concatenate([chance.normal(size=(rows, 4)), chance.random((rows, 1 + classes))], axis=1).astype(np.float32)
    boxes, scores = decoded(raw, height, width)
    xyxy, got = layouts.boxes_from_yolox(raw, height, width, range(classes), 0.0)
    np.testing.assert_allclose(xyxy, boxes, rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(got, scores, rtol=1e-6)


def demonstrated(raw: np.ndarray, width: int, height: int) -> list[tuple[list[float], float, int]]:
    """FastestDet's demo, cell by cell: box in px, score, best class."""
    found = []
    channels, rows, columns = raw.shape
    for y in range(rows):
        for x in range(columns):
            objectness, dx, dy, w, h, *classes = (float(value) for value in raw[:, y, x])
            assert len(classes) == channels - 5
            cx, cy = (x + math.tanh(dx)) / columns * width, (y + math.tanh(dy)) / rows * height
            w, h = width / (1 + math.exp(-w)), height / (1 + math.exp(-h))
            score = objectness**0.6 * max(classes) ** 0.4
            found.append(([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], score, classes.index(max(classes))))
    return found


@pytest.mark.parametrize(("rows", "columns", "classes"), [(22, 22, 80), (3, 5, 1), (5, 3, 2)], ids=str)
def test_fastestdet_is_decoded_as_by_its_demo(rows: int, columns: int, classes: int):
    chance = np.random.default_rng(rows)
    raw = np.concatenate(
        [
            chance.random((1, rows, columns)),
            chance.normal(size=(4, rows, columns)),
            chance.random((classes, rows, columns)),
        ]
    )
    raw = raw.astype(np.float32)
    xyxy, scores = layouts.boxes_from_fastestdet(raw, 100, 200, range(classes), 0.0)
    wanted = demonstrated(raw, 200, 100)
    np.testing.assert_allclose(xyxy, [box for box, _, _ in wanted], rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(scores.max(axis=1), [score for _, score, _ in wanted], rtol=1e-5)
    assert scores.argmax(axis=1).tolist() == [best for _, _, best in wanted]


Box = tuple[int, int, int, int]


def iou(one: Box, two: Box) -> Fraction:
    width = min(one[2], two[2]) - max(one[0], two[0])
    height = min(one[3], two[3]) - max(one[1], two[1])
    overlap = max(width, 0) * max(height, 0)
    area = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, two)) - overlap
    return Fraction(overlap, area) if area else Fraction(0)


def survivors(boxes: list[Box], scores: list[float], most_iou: float) -> list[int]:
    """Box by box from the best on: one stays unless it overlaps too much with one that does."""
    kept: list[int] = []
    for index in sorted(range(len(boxes)), key=lambda index: (-scores[index], index)):
        if all(iou(boxes[index], boxes[other]) <= most_iou for other in kept):
            kept.append(index)
    return kept


corners = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), st.integers(0, 6)).map(
    lambda c: (min(c[0], c[2]), min(c[1], c[3]), max(c[0], c[2]), max(c[1], c[3]))
)


@given(
    st.lists(st.tuples(corners, st.sampled_from([0.1, 0.25, 0.5, 0.75])), max_size=25),
    st.sampled_from([0.0123, 0.3141, 0.4321, 0.5, 0.6543, 1.0]),  # none but 0.5 and 1 is an overlap of such boxes
)
def test_suppression_keeps_what_a_loop_over_all_pairs_keeps(found: list[tuple[Box, float]], most_iou: float):
    boxes, scores = [box for box, _ in found], [score for _, score in found]
    got = detect.nms_indices(np.array(boxes, np.float32).reshape(-1, 4), np.array(scores, np.float32), most_iou)
    assert got.tolist() == survivors(boxes, scores, most_iou)


def test_only_the_thousand_best_enter_suppression():
    many = 1200
    boxes = np.array([[10 * n, 0, 10 * n + 5, 5] for n in range(many)], np.float32)  # apart from each other
    scores = np.random.default_rng(1).permutation(many).astype(np.float32)
    got = detect.nms_indices(boxes, scores, 0.5)
    assert got.tolist() == np.argsort(-scores)[:1000].tolist()
