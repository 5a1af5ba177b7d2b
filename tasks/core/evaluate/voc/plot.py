"""What one drawing of precision against recall shows: a line for each detector, a dot for each person."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.voc.curve import Curve

Floats = NDArray[np.float64]
_DIGITS = 3
"""A thousandth of the axis is less than what can be seen."""


class PlotArrays(NamedTuple):
    """Everything in one drawing, as (recall, precision), 0..1.

    lines: by detector (P, 2), from the highest score down. bests: by detector the point of the largest F, (1, 2), or
    (0, 2) without a curve. dots: by name of a group of people (R, 2), or (0, 2).
    """

    lines: dict[str, Floats]
    bests: dict[str, Floats]
    dots: dict[str, Floats]


def plot_arrays(curves: Mapping[str, Curve], people: Mapping[str, tuple[Floats, Floats]]) -> PlotArrays:
    """The arrays of one drawing (Picasso, Fig. 7 and 8), to 0.001; points that are equal then are there once in a row.

    people: by name (R,) recalls and (R,) precisions. A person for whom one of them is NaN has no dot, and a detector
    without figures to find has no line.
    """
    return PlotArrays(
        {name: _thinned(_points(curve)) for name, curve in curves.items()},
        {name: _points(curve)[_best(curve)].round(_DIGITS) for name, curve in curves.items()},
        {name: _defined(recall, precision).round(_DIGITS) for name, (recall, precision) in people.items()},
    )


def _points(curve: Curve) -> Floats:
    return _defined(curve.recall, curve.precision)


def _best(curve: Curve) -> slice:
    at = int(curve.f_measure.argmax()) if curve.figures and len(curve.score) else 0
    return slice(at, at + 1)


def _defined(recall: Floats, precision: Floats) -> Floats:
    points: Floats = np.stack([recall, precision], axis=1)
    return points[~np.isnan(points).any(axis=1)]


def _thinned(points: Floats) -> Floats:
    points = points.round(_DIGITS)
    is_repeated = np.zeros(len(points), np.bool_)
    is_repeated[1:] = (points[1:] == points[:-1]).all(axis=1)
    return points[~is_repeated]
