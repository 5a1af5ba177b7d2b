"""Accuracy by the number of gallery images of a class, and the gain of one system over another."""

import numpy as np
import pytest

from tasks.core.evaluate.recognition.gallery_sizes import Accuracy, Gain, accuracy_by_size, gain_by_size, gallery_sizes
from tasks.core.evaluate.recognition.scores import Outcomes

GALLERY = np.array([0, 1, 1, 1, 2])
TRUTH = np.array([0, 1, 1, 2, -1])


def outcomes_of(*right: int) -> Outcomes:
    return Outcomes(np.zeros(5), TRUTH >= 0, np.isin(np.arange(5), right))


def test_sizes_of_the_queries_classes():
    assert gallery_sizes(TRUTH, GALLERY).tolist() == [1, 3, 3, 1, 0]
    assert gallery_sizes(np.array([-1]), GALLERY).tolist() == [0]
    assert gallery_sizes(np.array([], np.int64), GALLERY).tolist() == []


def test_accuracy_of_each_size_that_occurs():
    sizes = gallery_sizes(TRUTH, GALLERY)
    assert accuracy_by_size(outcomes_of(0, 1, 2), sizes) == [Accuracy(1, 2, 0.5), Accuracy(3, 2, 1.0)]


def test_the_gain_of_one_system_over_another():
    sizes = gallery_sizes(TRUTH, GALLERY)
    first, second = gain_by_size(outcomes_of(0, 1, 2), outcomes_of(1), sizes)
    assert first[:5] == (1, 2, 0.5, 0.0, 0.5)
    assert np.isnan(first.relative)  # of nothing
    assert second == Gain(3, 2, 1.0, 0.5, 0.5, 1.0)


def test_without_a_met_query_there_is_no_row():
    nothing = Outcomes(np.zeros(1), np.zeros(1, np.bool_), np.zeros(1, np.bool_))
    assert accuracy_by_size(nothing, np.zeros(1, np.int64)) == []
    assert gain_by_size(nothing, nothing, np.zeros(1, np.int64)) == []


@pytest.mark.parametrize("counts", [[1], [1, 2], [10, 1, 3]])
def test_queries_of_all_sizes_add_up(counts: list[int]):
    gallery = np.repeat(np.arange(len(counts)), counts)
    truth = np.arange(len(counts))
    outcomes = Outcomes(np.zeros(len(counts)), truth >= 0, truth >= 0)
    rows = accuracy_by_size(outcomes, gallery_sizes(truth, gallery))
    assert [(row.images, row.queries) for row in rows] == [(count, 1) for count in sorted(counts)]
