"""The benchmark of FID: both sides have one answer, and features are the same each time."""

import numpy as np
import pytest

from benchmarks import generation


def test_features_are_the_same_each_time(monkeypatch):
    table = generation.features(12, 5, 1)
    assert table.dtype == np.float32
    assert np.array_equal(table, generation.features(12, 5, 1))
    assert not np.array_equal(table, generation.features(12, 5, 2))
    monkeypatch.setattr(generation, "_AT_ONCE", 12)
    assert np.array_equal(table, generation.features(13, 5, 1)[:12])


def test_both_sides_have_one_distance():
    one, other = generation.features(300, 16, 1), generation.features(300, 16, 2)
    assert generation.ours(one, other)["fid"] == pytest.approx(generation.peer(one, other)["fid"], rel=1e-9)


@pytest.mark.parametrize("name", generation.SIDES)
def test_each_side_says_its_scores_and_what_they_cost(name):
    found = generation.side(name, 60, 4)
    assert found["seconds"] > 0
    assert found["scores"]
    row = generation._row(name, [found], 60, 4)
    assert row["images"] == ("2 x 12" if name == "manifold" else "2 x 60")
