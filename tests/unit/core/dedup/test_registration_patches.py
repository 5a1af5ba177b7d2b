"""Patches freed of rows and columns, and how they correlate."""

import numpy as np
import pytest

from tasks.core.dedup.registration import patch_statistics

COVERED = np.ones((8, 8), np.bool_)
NOISE = np.random.default_rng(1).normal(128, 20, (8, 8)).astype(np.float32)


def test_a_patch_is_freed_of_rows_and_columns():
    """A tilted plane and a cross vanish; a single bright pixel of 64 keeps 49/64 of its power."""
    rows, columns = np.mgrid[:8, :8].astype(np.float32)
    cross = (rows == 3) * 50 + (columns == 5) * np.float32(70)
    for picture in (3 * rows + 2 * columns, cross):
        powers, _ = patch_statistics(picture.astype(np.float32), NOISE, COVERED)
        assert powers[0, 0, 0] == pytest.approx(0, abs=1e-6)
    dot = np.zeros((8, 8), np.float32)
    dot[2, 2] = 64
    powers, correlations = patch_statistics(dot, dot, COVERED)
    assert powers[:, 0, 0].tolist() == pytest.approx([64 * 49 / 64, 64 * 49 / 64])
    assert correlations[0, 0] == pytest.approx(1)


def test_a_patch_that_lies_a_px_off_is_found_where_it_lies():
    picture = np.random.default_rng(2).normal(128, 20, (10, 10)).astype(np.float32)
    moved = np.roll(picture, 1, axis=1)
    _, correlations = patch_statistics(picture, moved, np.ones((10, 10), np.bool_))
    assert correlations.shape == (1, 1)
    assert correlations[0, 0] > 0.99


def test_patches_that_are_not_covered_whole_say_nothing():
    is_covered = COVERED.copy()
    is_covered[0, 7] = False
    powers, correlations = patch_statistics(NOISE, NOISE, is_covered)
    assert np.isnan(correlations).all()
    assert powers.tolist() == [[[0.0]], [[0.0]]]
