"""A model's outputs: rows of a batch, and detections in each picture's own pixels, by hand."""

import numpy as np
import pytest
import torch

from tasks.io.detectors.canvases import Size
from tasks.io.detectors.outputs import (
    OutputRows,
    detections_from_rows,
    rows_from_outputs,
    start_copy_to_host,
)

SAME = (Size(10, 10), Size(10, 10))


def output(boxes: list[list[float]], scores: list[float], labels: list[int]) -> dict[str, torch.Tensor]:
    return {
        "boxes": torch.tensor(boxes).reshape(-1, 4),
        "scores": torch.tensor(scores),
        "labels": torch.tensor(labels, dtype=torch.int64),
    }


# --- rows


def test_a_picture_without_boxes_has_no_row_wherever_it_comes():
    none, two = output([], [], []), output([[1, 2, 3, 4], [5, 6, 7, 8]], [0.5, 0.25], [1, 90])
    rows = rows_from_outputs([none, two, none])
    assert rows.counts == [0, 2, 0]
    assert rows.values.tolist() == [[1, 2, 3, 4, 0.5, 1], [5, 6, 7, 8, 0.25, 90]]
    assert [one.tolist() for one in start_copy_to_host(rows)()] == [[], rows.values.tolist(), []]


def test_a_batch_without_any_box_has_an_empty_table_for_each_picture():
    rows = rows_from_outputs([output([], [], [])] * 3)
    assert rows.values.shape == (0, 6)
    assert [one.shape for one in start_copy_to_host(rows)()] == [(0, 6)] * 3


def test_one_picture_has_all_rows():
    (rows,) = start_copy_to_host(rows_from_outputs([output([[0, 0, 1, 1]], [1.0], [1])]))()
    assert rows.tolist() == [[0, 0, 1, 1, 1, 1]]
    assert rows.dtype == np.float32


def test_joints_follow_the_label_each_with_its_heatmap_value():
    joints = {
        "keypoints": torch.tensor([[[11.0, 12.0, 1.0], [13.0, 14.0, 1.0]]]),  # torchvision's third is always 1
        "keypoints_scores": torch.tensor([[-3.5, 9.0]]),
    }
    rows = rows_from_outputs([output([[1, 2, 3, 4]], [0.5], [1]) | joints])
    assert rows.values.tolist() == [[1, 2, 3, 4, 0.5, 1, 11, 12, -3.5, 13, 14, 9]]


def test_bfloat16_outputs_become_float32_rows_of_the_same_values():
    half = {
        name: value.bfloat16() if name != "labels" else value
        for name, value in output([[1, 2, 3, 4]], [0.5], [7]).items()
    }
    rows = rows_from_outputs([half])
    assert rows.values.dtype == torch.float32
    assert rows.values.tolist() == [[1, 2, 3, 4, 0.5, 7]]


def test_rows_are_cut_by_their_counts():
    values = torch.arange(18.0).reshape(3, 6)
    first, second, third = start_copy_to_host(OutputRows(values, [1, 0, 2]))()
    assert (first[:, 0].tolist(), second.tolist(), third[:, 0].tolist()) == ([0], [], [6, 12])


# --- detections


def test_no_picture_has_no_detections():
    assert detections_from_rows([], [], [1]) == []


def test_a_picture_without_rows_has_empty_detections_of_the_right_types():
    (one,) = detections_from_rows([np.zeros((0, 6), np.float32)], [SAME], [1])
    assert (one.xyxy_px.shape, one.scores.shape, one.labels.shape) == ((0, 4), (0,), (0,))
    assert (one.xyxy_px.dtype, one.scores.dtype, one.labels.dtype) == (np.float32, np.float32, np.int64)
    assert one.keypoints_xyv is None


@pytest.mark.parametrize("labels", [[], [2.0]], ids=["no row", "rows of other classes alone"])
def test_a_picture_without_people_has_no_joints_in_a_model_that_has_17(labels):
    rows = np.zeros((len(labels), 6 + 3 * 17), np.float32)
    rows[:, 5] = labels
    (one,) = detections_from_rows([rows], [SAME], [1])
    assert one.keypoints_xyv.shape == (0, 17, 3)


def test_boxes_are_scaled_by_each_sides_own_ratio():
    rows = np.array([[10, 20, 30, 40, 0.5, 1]], np.float32)
    sizes = (Size(height_px=50, width_px=300), Size(height_px=100, width_px=100))
    (one,) = detections_from_rows([rows], [sizes], [1])
    assert one.xyxy_px.tolist() == [[30, 10, 90, 20]]


def test_each_picture_has_its_own_size():
    rows = np.array([[1, 1, 2, 2, 0.5, 1]], np.float32)
    double = (Size(20, 20), Size(10, 10))
    same, doubled = detections_from_rows([rows, rows], [SAME, double], [1])
    assert (same.xyxy_px.tolist(), doubled.xyxy_px.tolist()) == ([[1, 1, 2, 2]], [[2, 2, 4, 4]])


def test_boxes_beyond_the_picture_stay_as_the_model_returned_them():
    rows = np.array([[-5, -1, 12, 11, 0.5, 1]], np.float32)
    (one,) = detections_from_rows([rows], [SAME], [1])
    assert one.xyxy_px.tolist() == [[-5, -1, 12, 11]]


@pytest.mark.parametrize(
    ("classes", "scores"),
    [
        pytest.param([1], [0.75, 0.25], id="one"),
        pytest.param([1, 90], [0.75, 0.5, 0.25], id="several, in the model's order"),
        pytest.param([3], [], id="one that is not there"),
        pytest.param([], [], id="none"),
    ],
)
def test_only_boxes_of_the_named_classes_stay(classes, scores):
    rows = np.array([[0, 0, 1, 1, 0.75, 1], [0, 0, 1, 1, 0.5, 90], [0, 0, 1, 1, 0.25, 1]], np.float32)
    (one,) = detections_from_rows([rows], [SAME], classes)
    assert one.scores.tolist() == scores
    assert len(one.xyxy_px) == len(one.labels) == len(scores)


def test_joints_are_found_from_a_stated_value_on_and_scaled_as_boxes_are():
    row = [10, 20, 30, 40, 0.5, 1, 5, 6, 2.0, 7, 8, 1.9]
    other = [0, 0, 1, 1, 0.9, 2, 0, 0, 9.0, 0, 0, 9.0]
    (one,) = detections_from_rows([np.array([row, other], np.float32)], [(Size(50, 300), Size(100, 100))], [1])
    assert one.xyxy_px.tolist() == [[30, 10, 90, 20]]
    assert one.keypoints_xyv.tolist() == [[[15, 3, 2], [21, 4, 0]]]
    assert one.labels.tolist() == [1]


def test_detections_share_no_memory_with_the_rows():
    """Rows may lie in pinned memory, of which there is little."""
    rows = np.array([[1, 2, 3, 4, 0.5, 1, 5, 6, 9]], np.float32)
    (one,) = detections_from_rows([rows], [SAME], [1])
    rows[:] = 0
    assert (one.xyxy_px.tolist(), one.scores.tolist(), one.labels.tolist()) == ([[1, 2, 3, 4]], [0.5], [1])
    assert one.keypoints_xyv.tolist() == [[[5, 6, 2]]]


def test_rows_and_sizes_of_different_numbers_of_pictures_are_an_error():
    with pytest.raises(ValueError, match="shorter"):
        detections_from_rows([np.zeros((0, 6), np.float32)] * 2, [SAME], [1])
