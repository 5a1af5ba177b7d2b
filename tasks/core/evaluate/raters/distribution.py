"""How a score is spread over raters: a smoothed density, as in Figures 3 and 8."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
GRID = np.linspace(0.0, 1.0, 201)
"""Where densities are drawn."""


def density(values: Floats, bandwidth: float, at: Floats = GRID) -> Floats:
    """The density of values in 0..1 at some points: the mean of one bell curve for each value.

    bandwidth: the curves' standard deviation, above 0 and at most 0.2. NaN among the values is left out; without any
    value all is 0. What a curve would have beyond 0 or 1 is folded back, so that the area is 1 (Silverman, "Density
    estimation", 1986, section 2.10).

    >>> density(np.array([0.5]), 0.1, np.array([0.4, 0.5])).round(3).tolist()
    [2.42, 3.989]
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return np.zeros(len(at))
    folded = np.concatenate([defined, -defined, 2 - defined])
    bells = np.exp(-(((at[:, None] - folded) / bandwidth) ** 2) / 2) / (bandwidth * np.sqrt(2 * np.pi))
    return np.asarray(bells.sum(axis=1) / len(defined))
