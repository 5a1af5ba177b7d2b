"""Histograms as points to draw: works by rank, images by decade, shapes."""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.core.statistics.choice import ASPECT_EDGES

Row = Mapping[str, Any]
_OLDEST = 0.01
"""So many of the images, the oldest, the plot of years may leave out: a few would press all others together."""


def by_rank(bins: Sequence[Row]) -> list[tuple[float, float]]:
    """(rank, works) at both ends of each run of artists with equally many works."""
    points, before = [], 0
    for row in reversed(bins):
        points += [(before + 1, row["least"]), (before + row["count"], row["least"])]
        before += row["count"]
    return points


def first_decade(bins: Sequence[Row]) -> float:
    """The first decade to show: of what lies in the bins, in any order, at most _OLDEST is older."""
    ordered = sorted(bins, key=lambda row: float(row["least"]))
    left = _OLDEST * sum(row["count"] for row in ordered)
    for row in ordered:
        left -= row["count"]
        if left < 0:
            return float(row["least"])
    return float(ordered[-1]["least"])


def steps_since(bins: Sequence[Row], since: float) -> list[tuple[float, float]]:
    """(beginning, count) of each bin from `since` on, with 0 where one ends and none follows."""
    shown = [row for row in bins if row["least"] >= since]
    begins = {row["least"] for row in shown}
    points: list[tuple[float, float]] = []
    for row in shown:
        points.append((row["least"], row["count"]))
        if row["below"] not in begins:
            points.append((row["below"], 0))
    return points


def shares_by_edge(bins: Sequence[Row]) -> list[tuple[float, float]]:
    """(edge, share) of each of ASPECT_EDGES, also of empty bins; the last has 0."""
    total = sum(row["count"] for row in bins)
    share = {row["least"]: row["count"] / total for row in bins}
    *edges, last = (float(edge) for edge in ASPECT_EDGES)
    return [*((edge, share.get(edge, 0.0)) for edge in edges), (last, 0.0)]


def scaled(bins: Sequence[Row], whole: float) -> list[Row]:
    """The bins with shares in place of counts, so that those of `whole` things would make it up.

    >>> scaled([{"least": 0, "below": 1, "count": 3}], 12)
    [{'least': 0, 'below': 1, 'count': 0.25}]
    """
    return [{**row, "count": row["count"] / whole} for row in bins]
