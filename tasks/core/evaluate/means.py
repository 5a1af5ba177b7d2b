"""Means over what is defined: what has no value counts neither above nor below."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mean_of_defined(values: Floats, times: NDArray[np.int64] | Floats | None = None) -> float:
    """The mean of the values that are not NaN; NaN of none.

    values: (N,). times: (N,) how often each counts, 0 or more; once by default.

    >>> mean_of_defined(np.array([1.0, np.nan, 4.0])), mean_of_defined(np.array([1.0, 4.0]), np.array([2, 1]))
    (2.5, 2.0)
    """
    counts = ~np.isnan(values) * (1.0 if times is None else np.asarray(times, np.float64))
    number = counts.sum()
    return float((np.nan_to_num(values, nan=0.0) * counts).sum() / number) if number else math.nan


def means_along(values: Floats | NDArray[np.bool_], axis: int = 0) -> Floats:
    """The means of what is not NaN along an axis, by default of each column; NaN where nothing is.

    >>> means_along(np.array([[1.0, np.nan], [0.0, np.nan]])).tolist()
    [0.5, nan]
    """
    is_defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):  # 0 / 0
        return np.asarray(np.where(is_defined, values, 0.0).sum(axis=axis) / is_defined.sum(axis=axis))
