"""Confusion matrices and the scores of classes, by hand."""

import numpy as np
import pytest

from tasks.core.evaluate.classification.confusion import class_scores, confusion_cells, divide, row_shares
from tasks.core.evaluate.classification.predictions import Predictions


def predictions(true: list[int], predicted: list[int], classes: str = "abc") -> Predictions:
    """Of an image for each pair of places in the classes, which are letters."""
    images = tuple(str(place) for place in range(len(true)))
    return Predictions(images, tuple(classes), np.array(true, np.int64), np.array(predicted, np.int64), None)


HAND = predictions([0, 0, 0, 1, 1], [0, 0, 1, 1, 2])


def test_rows_are_true_classes_and_columns_predicted_ones_and_empty_cells_are_left_out():
    cells = confusion_cells(HAND)
    assert [column.tolist() for column in cells] == [[0, 0, 1, 1], [0, 1, 1, 2], [2, 1, 1, 1]]


def test_no_images_and_no_classes():
    for classes in ("ab", ""):
        none = predictions([], [], classes)
        assert [len(column) for column in confusion_cells(none)] == [0] * 3
        assert row_shares(none).shape == (len(classes),) * 2
        assert class_scores(none).images.tolist() == [0] * len(classes)


def test_shares_of_rows_add_up_to_1_where_there_are_images():
    shares = row_shares(HAND)
    assert shares[:2].tolist() == [[2 / 3, 1 / 3, 0], [0, 0.5, 0.5]]
    assert np.isnan(shares[2]).all()


def test_scores_of_classes():
    got = class_scores(HAND)
    assert got.precision.tolist() == [1, 0.5, 0]
    assert got.recall.tolist() == pytest.approx([2 / 3, 0.5, np.nan], nan_ok=True)
    assert got.f1.tolist() == pytest.approx([0.8, 0.5, 0])
    assert (got.images.tolist(), got.predictions.tolist(), got.right.tolist()) == ([3, 2, 0], [2, 2, 1], [2, 1, 0])


def test_an_image_counts_as_often_as_it_is_said():
    got = class_scores(HAND, np.array([0, 3, 1, 0, 2]))
    assert (got.images.tolist(), got.predictions.tolist(), got.right.tolist()) == ([4, 2, 0], [3, 1, 2], [3, 0, 0])


@pytest.mark.parametrize(
    ("of", "precision", "recall", "f1"),
    [
        pytest.param(predictions([0, 1], [1, 1], "ab"), np.nan, 0.0, 0.0, id="never predicted"),
        pytest.param(predictions([1, 1], [0, 1], "ab"), 0.0, np.nan, 0.0, id="never there"),
        pytest.param(predictions([1], [1], "ab"), np.nan, np.nan, np.nan, id="neither"),
    ],
)
def test_a_class_without_images_or_without_predictions(of: Predictions, precision: float, recall: float, f1: float):
    got = class_scores(of)
    assert [got.precision[0], got.recall[0], got.f1[0]] == pytest.approx([precision, recall, f1], nan_ok=True)


def test_nothing_divided_by_nothing_is_not_defined():
    assert divide(np.array([1, 0]), np.array([2, 0])).tolist() == pytest.approx([0.5, np.nan], nan_ok=True)
