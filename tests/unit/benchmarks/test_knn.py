"""The benchmark of neighbours: its vectors, its sides, and that it notices a wrong neighbour."""

import numpy as np
import pytest

from benchmarks import knn
from tasks.core.evaluate.recognition.neighbours import nearest_neighbours


def test_vectors_are_of_length_1_and_the_same_each_time(monkeypatch):
    monkeypatch.setattr(knn, "_AT_ONCE", 7)
    vectors = knn.unit_vectors(30, 8, 1)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert np.array_equal(vectors, knn.unit_vectors(30, 8, 1))


def test_a_wrong_neighbour_is_noticed():
    gallery, queries = knn.unit_vectors(100, 8, 1), knn.unit_vectors(7, 8, 2)
    found = nearest_neighbours(gallery, queries, 5)
    assert knn.is_exact(gallery, queries, found)
    assert not knn.is_exact(gallery, queries, found._replace(similarities=found.similarities[:, ::-1]))


def test_both_sides_are_measured():
    product, ours = knn.measured(300, 5, 8, 3, 2)
    assert (product["side"], ours["side"], ours["exact"]) == ("product alone", "bilderatlas", True)
    assert len(product["seconds"]) == len(ours["seconds"]) == 2
