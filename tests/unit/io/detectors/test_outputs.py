"""A model's outputs as detections: of the classes that are asked for, each in the pixels of its own picture."""

import numpy as np
import pytest
import torch

from tasks.io.detectors.canvases import Size
from tasks.io.detectors.outputs import PictureSizes, detections_from_rows, rows_from_outputs, start_copy_to_host

SAME = PictureSizes(Size(10, 10), Size(10, 10))


def output(*boxes: tuple[list[float], float, int]) -> dict[str, torch.Tensor]:
    return {
        "boxes": torch.tensor([box for box, _, _ in boxes], dtype=torch.float32).reshape(-1, 4),
        "scores": torch.tensor([score for _, score, _ in boxes], dtype=torch.float32),
        "labels": torch.tensor([label for _, _, label in boxes], dtype=torch.int64),
    }


ONE, OTHER = ([0.0, 1.0, 2.0, 3.0], 0.5, 1), ([4.0, 5.0, 6.0, 7.0], 0.25, 2)


def test_rows_of_a_batch_are_parted_by_picture_again():
    rows = rows_from_outputs([output(), output(ONE, OTHER), output(), output(OTHER)])
    assert rows.counts == [0, 2, 0, 1]
    parts = start_copy_to_host(rows)()
    assert [len(part) for part in parts] == [0, 2, 0, 1]
    assert parts[1].tolist() == [[0, 1, 2, 3, 0.5, 1], [4, 5, 6, 7, 0.25, 2]]
    assert parts[3].tolist() == [[4, 5, 6, 7, 0.25, 2]]


def test_a_precision_of_fewer_bits_is_widened():
    low = {**output(ONE), "boxes": output(ONE)["boxes"].bfloat16(), "scores": output(ONE)["scores"].bfloat16()}
    assert rows_from_outputs([low]).values.dtype == torch.float32


def test_joints_stand_behind_the_box_each_with_its_value():
    joints = {
        "keypoints": torch.tensor([[[7.0, 8.0, 1.0], [9.0, 10.0, 1.0]]]),
        "keypoints_scores": torch.tensor([[3.0, -1.0]]),
    }
    (rows,) = start_copy_to_host(rows_from_outputs([{**output(ONE), **joints}]))()
    assert rows[0, 6:].tolist() == [7, 8, 3, 9, 10, -1]


@pytest.mark.parametrize(
    ("classes", "labels"), [([], []), ([3], []), ([1], [1]), ([2, 1], [1, 2])], ids=["none", "another", "one", "both"]
)
def test_only_the_classes_that_are_asked_for(classes: list[int], labels: list[int]):
    rows = start_copy_to_host(rows_from_outputs([output(ONE, OTHER)]))()
    (found,) = detections_from_rows(rows, [SAME], classes)
    assert found.labels.tolist() == labels
    assert found.xyxy_px.shape == (len(labels), 4)
    assert found.keypoints_xyv is None


def test_boxes_are_scaled_by_each_side_for_itself():
    """On the canvas 20 high and 5 wide, of a picture 10 high and 10 wide: heights halve, widths double."""
    rows = [np.array([[1, 2, 3, 4, 0.5, 1]], np.float32)]
    (found,) = detections_from_rows(rows, [PictureSizes(Size(10, 10), Size(20, 5))], [1])
    assert found.xyxy_px.tolist() == [[2.0, 1.0, 6.0, 2.0]]
    assert found.scores.tolist() == [0.5]
    assert (found.labels.dtype, found.scores.dtype) == (np.int64, np.float32)


@pytest.mark.parametrize(("value", "visibility"), [(2.0, 2), (1.9999, 0), (-5.0, 0), (9.0, 2)])
def test_a_joint_is_visible_from_a_stated_value_on(value: float, visibility: int):
    rows = [np.array([[0, 0, 1, 1, 0.5, 1, 4, 6, value]], np.float32)]
    (found,) = detections_from_rows(rows, [PictureSizes(Size(10, 10), Size(20, 20))], [1])
    assert found.keypoints_xyv is not None
    assert found.keypoints_xyv.tolist() == [[[2.0, 3.0, visibility]]]


def test_of_a_model_with_joints_no_box_still_has_a_place_for_them():
    (found,) = detections_from_rows([np.empty((0, 12), np.float32)], [SAME], [1])
    assert found.keypoints_xyv is not None
    assert found.keypoints_xyv.size == 0
