"""How far from 1 a sum of probabilities may be."""

import numpy as np
import pytest

from tasks.core.evaluate.table_columns import TOLERANCE


@pytest.mark.parametrize("classes", [2, 10, 1000])
@pytest.mark.parametrize("width", [0.1, 3.0, 30.0])
def test_a_softmax_of_16_bits_is_within_and_what_is_none_is_not(classes, width):
    weights = np.exp(np.random.default_rng(0).normal(0, width, size=(500, classes)))
    narrow = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float16)
    assert np.abs(narrow.astype(np.float64).sum(axis=1) - 1).max() < TOLERANCE < 0.05
