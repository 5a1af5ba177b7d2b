"""Krippendorff's alpha: how far raters agree beyond chance (Krippendorff, "Content analysis", 1980; Hayes &
Krippendorff, 2007).
"""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Metric = Literal["nominal", "ordinal", "interval", "ratio"]
METRICS: tuple[Metric, ...] = get_args(Metric)


def krippendorff_alpha(values: Floats, metric: Metric, times: Integers | None = None) -> float:
    """1 - observed over expected disagreement: 1 where all agree, 0 as by chance, below 0 worse than that.

    values: (R, U) what each rater said of each unit, NaN where nothing. metric: how far two values are apart: nominal 0
    or 1; ordinal by their ranks; interval by their difference; ratio by difference over sum, for values of at least 0.
    times: (U,) how often each unit counts, once by default. A unit with one value only has no pair, and does not count.
    NaN where it is not defined: without a pair, or where all values of pairs are the same.

    Raises BadInput for what is no table of finite numbers, or, for ratio, for numbers below 0.

    >>> round(krippendorff_alpha(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 2.0]]), "interval"), 4)
    0.7059
    """
    check_values(values, metric)
    domain, counts = _count_values(values)
    weights = np.ones(counts.shape[0], np.int64) if times is None else times
    size = counts.sum(axis=1)
    weight = weights * (size > 1) / np.maximum(size - 1, 1)
    coincidences = counts.T @ (weight[:, None] * counts) - np.diag(weight @ counts)
    marginal = coincidences.sum(axis=0)
    distance = _DISTANCES[metric](domain, marginal)
    expected = (np.outer(marginal, marginal) - np.diag(marginal)) * distance
    total = expected.sum()
    if not total > 0:
        return float("nan")
    return float(1 - (marginal.sum() - 1) * (coincidences * distance).sum() / total)


def alpha_scorer(values: Floats) -> Callable[[Integers], dict[str, float]]:
    """alpha_nominal, alpha_ordinal and alpha_interval as a function of how often each unit counts, (U,)."""
    names: tuple[Metric, ...] = ("nominal", "ordinal", "interval")
    return lambda times: {f"alpha_{name}": krippendorff_alpha(values, name, times) for name in names}


def check_values(values: Floats, metric: Metric) -> None:
    """Raise BadInput for what alpha can't be computed of."""
    if values.ndim != 2:
        raise BadInput(f"expected values of raters (R, U), got an array of shape {values.shape}")
    if np.isinf(values).any():
        raise BadInput(
            f"expected finite values, or NaN where there is none, got {quoted(float(values[np.isinf(values)][0]))}"
        )
    if metric == "ratio" and (values < 0).any():
        raise BadInput(f"expected values of at least 0 for the ratio metric, got {quoted(float(np.nanmin(values)))}")


def _count_values(values: Floats) -> tuple[Floats, Floats]:
    """(V,) the different values, ascending, and (U, V) how many raters said each of each unit.

    Values are divided by a power of two, which is exact and makes no difference: no square is beyond any number.
    """
    is_given = ~np.isnan(values)
    domain, place = np.unique(values[is_given], return_inverse=True)
    counts = np.zeros((values.shape[1], len(domain)))
    np.add.at(counts, (np.nonzero(is_given)[1], place), 1.0)
    largest = np.abs(domain).max(initial=0.0)
    return np.ldexp(domain, -int(np.frexp(largest)[1])), counts


def _nominal(domain: Floats, marginal: Floats) -> Floats:
    return 1.0 - np.eye(len(domain))


def _ordinal(domain: Floats, marginal: Floats) -> Floats:
    """Squared number of values between two, both ends counted half."""
    middle = np.cumsum(marginal) - marginal / 2
    return np.asarray((middle[:, None] - middle) ** 2)


def _interval(domain: Floats, marginal: Floats) -> Floats:
    return np.asarray((domain[:, None] - domain) ** 2)


def _ratio(domain: Floats, marginal: Floats) -> Floats:
    total = domain[:, None] + domain
    return np.asarray(((domain[:, None] - domain) / np.where(total > 0, total, 1.0)) ** 2)


_DISTANCES: dict[Metric, Callable[[Floats, Floats], Floats]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
