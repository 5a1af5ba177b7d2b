"""Confusion matrices and the scores of classes, by hand."""

import numpy as np
import pytest

from tasks.core.evaluate.classification.confusion import class_scores, confusion_matrix, divide, row_shares
from tasks.core.evaluate.classification.predictions import Predictions

THREE = Predictions(
    ("1", "2", "3", "4", "5"), ("a", "b", "c"), np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2]), None
)
MATRIX = np.array([[2, 1, 0], [0, 1, 1], [0, 0, 0]])


def test_rows_are_true_classes_and_columns_predicted_ones():
    assert confusion_matrix(THREE).tolist() == MATRIX.tolist()


def test_an_image_counts_as_often_as_it_is_said():
    assert confusion_matrix(THREE, np.array([0, 3, 1, 0, 2])).tolist() == [[3, 1, 0], [0, 0, 2], [0, 0, 0]]


def test_no_images_and_no_classes():
    none = np.zeros(0, np.int64)
    assert confusion_matrix(Predictions((), ("a", "b"), none, none, None)).tolist() == [[0, 0], [0, 0]]
    assert confusion_matrix(Predictions((), (), none, none, None)).shape == (0, 0)
    assert row_shares(np.zeros((0, 0), np.int64)).shape == (0, 0)


def test_shares_of_rows_add_up_to_1_where_there_are_images():
    shares = row_shares(MATRIX)
    assert shares[:2].tolist() == [[2 / 3, 1 / 3, 0], [0, 0.5, 0.5]]
    assert np.isnan(shares[2]).all()


def test_scores_of_classes():
    got = class_scores(MATRIX)
    assert got.precision.tolist() == [1, 0.5, 0]
    assert got.recall.tolist() == pytest.approx([2 / 3, 0.5, np.nan], nan_ok=True)
    assert got.f1.tolist() == pytest.approx([0.8, 0.5, 0])
    assert (got.images.tolist(), got.predictions.tolist()) == ([3, 2, 0], [2, 2, 1])


@pytest.mark.parametrize(
    ("matrix", "precision", "recall", "f1"),
    [
        pytest.param([[0, 2], [0, 3]], np.nan, 0.0, 0.0, id="never predicted"),
        pytest.param([[0, 0], [2, 3]], 0.0, np.nan, 0.0, id="never there"),
        pytest.param([[0, 0], [0, 3]], np.nan, np.nan, np.nan, id="neither"),
    ],
)
def test_a_class_without_images_or_without_predictions(matrix: list, precision: float, recall: float, f1: float):
    got = class_scores(np.array(matrix))
    assert [got.precision[0], got.recall[0], got.f1[0]] == pytest.approx([precision, recall, f1], nan_ok=True)


def test_nothing_divided_by_nothing_is_not_defined():
    assert divide(np.array([1, 0]), np.array([2, 0])).tolist() == pytest.approx([0.5, np.nan], nan_ok=True)
