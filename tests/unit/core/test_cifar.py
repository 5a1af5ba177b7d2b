"""CIFAR's batches: planes, even sizes, both forms."""

import pickle

import numpy as np
import pytest

from tasks.core.cifar import batch_sizes, binary_batch, planes, python_batch, python_meta

PICTURES = np.random.default_rng(7).integers(0, 256, (3, 32, 32, 3), np.uint8)


@pytest.mark.parametrize(
    ("images", "batches", "expected"),
    [(0, 5, [0] * 5), (4, 5, [1, 1, 1, 1, 0]), (5, 1, [5]), (50_000, 5, [10_000] * 5), (11, 5, [3, 2, 2, 2, 2])],
)
def test_sizes(images: int, batches: int, expected: list[int]):
    assert batch_sizes(images, batches) == expected


def test_a_picture_is_red_then_green_then_blue_row_by_row():
    data = planes(PICTURES[0])
    assert len(data) == 3072
    assert data[0] == PICTURES[0, 0, 0, 0]
    assert data[1] == PICTURES[0, 0, 1, 0]
    assert data[32] == PICTURES[0, 1, 0, 0]
    assert data[1024] == PICTURES[0, 0, 0, 1]
    assert data[2048] == PICTURES[0, 0, 0, 2]


@pytest.mark.parametrize("odd", [PICTURES[0, :31], PICTURES[0].astype(float), PICTURES[0, ..., :1]])
def test_another_picture_is_refused(odd: np.ndarray):
    with pytest.raises(ValueError, match=r"^expected \(32, 32, 3\) uint8, got"):
        planes(odd)


def test_pythons_form_is_read_as_torchvision_does():
    entry = pickle.loads(python_batch([planes(each) for each in PICTURES], [2, 0, 255]), encoding="latin1")
    assert entry["labels"] == [2, 0, 255]
    assert entry["data"].dtype == np.uint8
    assert np.array_equal(entry["data"].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), PICTURES)
    meta = pickle.loads(python_meta(["baroque", "浮世絵"], 10_000))
    assert meta == {"num_cases_per_batch": 10_000, "styles": ["baroque", "浮世絵"], "num_vis": 3072}


def test_in_the_binary_form_a_label_stands_before_its_picture():
    data = binary_batch([planes(each) for each in PICTURES], [2, 0, 255])
    rows = np.frombuffer(data, np.uint8).reshape(3, 3073)
    assert rows[:, 0].tolist() == [2, 0, 255]
    assert rows[1, 1:].tobytes() == planes(PICTURES[1])
