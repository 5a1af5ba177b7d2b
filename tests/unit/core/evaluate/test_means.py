"""Means over what is defined."""

import math

import numpy as np
import pytest

from tasks.core.evaluate.means import mean_of_defined, means_along


@pytest.mark.parametrize(
    ("values", "times", "expected"),
    [
        pytest.param([], None, math.nan, id="nothing"),
        pytest.param([np.nan, np.nan], None, math.nan, id="nothing defined"),
        pytest.param([1.0, np.nan, 4.0], None, 2.5, id="one not defined"),
        pytest.param([1.0, 4.0, np.nan], [2, 1, 9], 2.0, id="times"),
        pytest.param([1.0, np.nan], [0, 3], math.nan, id="what is defined does not count"),
        pytest.param([-1.0, 1.0], [1, 1], 0.0, id="a mean of 0"),
    ],
)
def test_means(values: list[float], times: list[int] | None, expected: float):
    counts = None if times is None else np.array(times, np.int64)
    assert mean_of_defined(np.array(values, np.float64), counts) == pytest.approx(expected, nan_ok=True)


def test_means_of_columns():
    values = np.array([[1.0, np.nan, np.nan], [4.0, 3.0, np.nan]])
    assert means_along(values).tolist() == pytest.approx([2.5, 3.0, math.nan], nan_ok=True)
    assert np.isnan(means_along(np.zeros((0, 2)))).tolist() == [True, True]
