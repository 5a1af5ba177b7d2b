"""The interface of detectors, and whether each that runs here keeps it: shapes, types, order, pictures left alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from schemas.detect import Detect
from tasks.io.detectors.stream import Detector, PictureDetections
from tasks.io.detectors.torchvision_detector import InferenceOptions, TorchvisionDetector
from tasks.subjects.detectors.hog import HogDetector
from tests.support.models import SETTINGS, small


class OneWindow:
    """One window, which is the whole picture; none in a black one."""

    def detect(self, pixels: Any, _least_margin: float) -> tuple[np.ndarray, np.ndarray]:
        boxes = np.array([[0, 0, pixels.shape[1], pixels.shape[0]]], np.float32)[: int(pixels.any())]
        return boxes, np.ones(len(boxes), np.float32)


def hog() -> Detector:
    return HogDetector(OneWindow(), Detect(model="hog"))


def torchvision(least_score: float = SETTINGS.least_score) -> Detector:
    settings = SETTINGS.model_copy(update={"least_score": least_score})
    return TorchvisionDetector(small(), settings, torch.device("cpu"), InferenceOptions())


def onnx() -> Detector:
    """A model of one picture a batch and 32 x 64 px, which returns two boxes, of classes 0 and 1, in any picture."""
    pytest.importorskip("onnxruntime")
    library = pytest.importorskip("onnx", reason="the model of this test is drawn with onnx")
    from tasks.io.detectors.onnx import Model
    from tasks.subjects.detectors.onnx import OnnxDetector

    rows = np.array([[[0, 0, 16, 32, 0.9, 0], [0, 0, 8, 8, 0.8, 1]]], np.float32)
    helper, kind = library.helper, library.TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("Identity", ["rows"], ["out"])],
        "drawn",
        [helper.make_tensor_value_info("pixels", kind, (1, 3, 32, 64))],
        [helper.make_tensor_value_info("out", kind, (1, 2, 6))],
        [library.numpy_helper.from_array(rows, "rows")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    settings = Detect(model="plain", classes={"person": 0})
    return OnnxDetector(Model(made.SerializeToString(), "plain", "cpu"), settings)


DETECTORS = [hog, torchvision, onnx]
each_detector = pytest.mark.parametrize("make", DETECTORS)


def noise(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 256, (height, width, 3), dtype=np.uint8)


def test_a_model_without_joints_says_nothing_about_them():
    empty = np.zeros(0, np.float32)
    assert PictureDetections(empty.reshape(0, 4), empty, empty.astype(np.int64)).keypoints_xyv is None
    assert PictureDetections._fields == (
        "xyxy_px",
        "scores",
        "labels",
        "keypoints_xyv",
    )  # the engine passes them by place


@pytest.mark.parametrize(
    "make",
    [
        hog,
        torchvision,
        onnx,
    ],
)
def test_no_picture_has_no_detections(make):
    assert make().detect([]) == []


@each_detector
@pytest.mark.parametrize("sides", [(1, 1), (1, 200), (200, 1), (90, 120)], ids=str)
def test_shapes_and_types_are_those_of_the_interface(make, sides):
    (found,) = make().detect([noise(*sides)])
    count = len(found.scores)
    assert count > 0
    assert (found.xyxy_px.shape, found.scores.shape, found.labels.shape) == ((count, 4), (count,), (count,))
    assert (found.xyxy_px.dtype, found.scores.dtype, found.labels.dtype) == (np.float32, np.float32, np.int64)
    assert (found.xyxy_px[:, 2:] >= found.xyxy_px[:, :2]).all()
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
    assert found.keypoints_xyv is None


@pytest.mark.parametrize(
    ("make", "picture"),
    [
        pytest.param(hog, np.zeros((20, 30, 3), np.uint8), id="hog"),
        pytest.param(lambda: torchvision(least_score=1.0), noise(20, 30), id="torchvision"),
    ],
)
def test_a_picture_without_boxes_has_arrays_of_the_same_types(make, picture):
    (found,) = make().detect([picture])
    assert (found.xyxy_px.shape, found.scores.shape, found.labels.shape) == ((0, 4), (0,), (0,))
    assert (found.xyxy_px.dtype, found.scores.dtype, found.labels.dtype) == (np.float32, np.float32, np.int64)


def test_boxes_are_in_px_of_the_picture_and_not_of_the_models_input():
    """120 x 240 px on an input of 32 x 64: the box (0, 0, 16, 32) is 60 px wide and 120 high."""
    (found,) = onnx().detect([noise(120, 240)])
    np.testing.assert_allclose(found.xyxy_px, [[0, 0, 60, 120]])
    assert (found.labels.tolist(), found.scores.tolist()) == ([0], [pytest.approx(0.9)])


@pytest.mark.parametrize("make", [hog, torchvision])
def test_detections_come_in_the_order_of_the_pictures_and_do_not_depend_on_them(make: Callable[[], Detector]):
    detector, pictures = make(), [noise(40, 60), noise(60, 40, 1), noise(50, 50, 2)]
    together, alone = detector.detect(pictures), [detector.detect([one])[0] for one in pictures]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one.xyxy_px, other.xyxy_px)
        np.testing.assert_array_equal(one.scores, other.scores)
    assert not np.array_equal(alone[0].xyxy_px, alone[1].xyxy_px)


@each_detector
def test_pictures_are_read_and_not_changed(make):
    picture, same = noise(90, 120), noise(90, 120)
    picture.flags.writeable = False  # as they come from a decoder
    make().detect([picture])
    assert np.array_equal(picture, same)
