"""A comparison as charts: SVG on white that needs no other file, and can be read without colours."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.core import drawing, plots
from tasks.core.drawing import Axis, Points, circle, path, pen, text
from tasks.core.evaluate.systems import Ranking, rank_systems

Row = dict[str, Any]
_LONGEST_NAME, _END = 24, 7
_ROW = 30.0
_PANEL, _HIGH, _GAP = 300, 250, 46
MOST_CELLS = 60
"""A matrix of more classes can't be seen."""
_ROOM, _LEAST_WRITTEN = 26, 0.005
"""Px of a cell that has room for a number, and the least share that is written."""
_LEAST_LINE, _LETTER, _LEAST_WIDTH = 16, 0.75, 600
"""Px of a cell below which turned names would overlap; how large they are then, as a share of it; px for the title."""


def plot_systems(scores: pa.Table, ranking: Ranking, label: str) -> str:
    """A metric of each system with its 95 % interval, and a pale dot for each group of the first attribute; best first.

    scores: SYSTEM_SCORES. label: what the metric is called. Empty where it is defined for no system.
    """
    rows = [row for row in scores.to_pylist() if row["metric"] == ranking.metric and row["ahead_of"] is None]
    attribute = next((row["attribute"] for row in rows if row["attribute"] is not None), None)
    points = [row for row in rows if row["value"] is not None and row["attribute"] in {None, attribute}]
    names = rank_systems(points, ranking)
    return _plot_dots(points, names, label, attribute or "") if names else ""


def _plot_dots(rows: Sequence[Row], names: Sequence[str], metric: str, attribute: str) -> str:
    """rows: system, group (null: all units), value, low and high."""
    top, height = 34.0, round(34 + _ROW * len(names) + 40)
    ends = [end for row in rows for end in (row["value"], row["low"] if row["group"] is None else None, row["high"])]
    defined = [end for end in ends if end is not None]
    x = Axis(min([0.0, *defined]), max([0.1, *defined]), 190, 616)
    body = [drawing.x_axis(x, top, height - 40.0), text(x.middle, height - 8, metric, "mid")]
    for place, name in enumerate(names):
        middle = top + _ROW * (place + 0.5)
        body.append(text(180, middle + 4, _short(name), "end"))
        mine = [row for row in rows if row["system"] == name]
        body += [circle("pale", x.at(row["value"]), middle + 7, 3) for row in mine if row["group"] is not None]
        body += [_dot(row, x, middle - 3) for row in mine if row["group"] is None]
    has_intervals = any(row["low"] is not None for row in rows if row["group"] is None)
    title = f"{metric}{' with 95 % intervals' * has_intervals}" + (
        f"; pale dots: each {attribute}" if any(r["group"] is not None for r in rows) else ""
    )
    return drawing.on_paper(640, height, title, [*body, text(12, 20, title, "title")])


def plot_thresholds(thresholds: pa.Table, names: Sequence[str]) -> str:
    """Kept share, image-level recall and precision against the threshold, a line for each detector in their order."""
    body: list[str] = []
    for number, column in enumerate(_PANELS):
        left = 40 + number * (_PANEL + _GAP)
        body += _threshold_panel(thresholds, names, column, Axis(0, 1, left, left + _PANEL))
    body += drawing.legend_below(40, _HIGH + 98, [_short(name) for name in names], 4)
    width, height = 40 + 3 * _PANEL + 2 * _GAP + 20, _HIGH + 96 + drawing.legend_height(names, 4)
    return drawing.on_paper(width, height, "What a threshold keeps and what it misses", body)


def threshold_figures(thresholds: pa.Table, names: Sequence[str]) -> list[str]:
    """HTML of the same panels, each a plot of a page, as wide as these are."""
    height = round(_HIGH + 90 + drawing.legend_height(names, 1))
    legend = [*drawing.legend_below(24, _HIGH + 96, [_short(name) for name in names], 1)]
    x = Axis(0, 1, 40.0, plots.WIDTH - 12.0)
    return [
        plots.framed(
            plots.PlotLabels(f"threshold-{column}", f"{title[:1].upper()}{title[1:]}", _BY_THRESHOLD, ""),
            height,
            [*_threshold_panel(thresholds, names, column, x), *legend],
        )
        for column, title in _PANELS.items()
    ]


_PANELS = {
    "kept_share": "kept share of all images",
    "recall": "recall of images with a figure",
    "precision": "precision of images kept",
}
_BY_THRESHOLD = "By the lowest score with which a box counts as a figure."


def _threshold_panel(thresholds: pa.Table, names: Sequence[str], column: str, x: Axis) -> Iterator[str]:
    y = Axis(0, 1, 40.0 + _HIGH, 40.0)
    yield from _frame(x, y, _PANELS[column], "lowest score of a box")
    whole = thresholds.filter(pc.is_null(thresholds["attribute"])).to_pylist()
    for place, name in enumerate(names):
        points = [(row["threshold"], row[column]) for row in whole if row["system"] == name and row[column] is not None]
        if points:
            yield path("line", drawing.line(points, x, y), pen(place))


def plot_curves(
    lines: Mapping[str, Points], bests: Mapping[str, Points], dots: Mapping[str, Points], of: str = ""
) -> str:
    """Precision against recall, 0..1: a line for each system, a ring at its best F, and dots for people. of: whose
    figures they are. Empty where there is neither a line nor a dot.
    """
    names = [name for name in lines if len(lines[name]) or len(bests[name])]
    if not names and not any(len(points) for points in dots.values()):
        return ""
    x, y = Axis(0, 1, 60.0, 460.0), Axis(0, 1, 340.0, 40.0)
    heading = f"precision against recall: {_short(of)}" if of else "precision against recall"
    body = [*_frame(x, y, heading, "recall")]
    body += [
        circle("pale", x.at(recall), y.at(precision), 4) for points in dots.values() for recall, precision in points
    ]
    for place, name in enumerate(names):
        body.append(path("line", drawing.line(lines[name], x, y), pen(place)))
        body += [circle("ring", x.at(recall), y.at(precision), 5, pen(place)) for recall, precision in bests[name]]
    body += drawing.legend_below(40, 398, [_short(name) for name in names], 2)
    height = 408 + drawing.legend_height(names, 2)
    title = "Precision against recall; rings: best F" + ("; dots: people" if any(map(len, dots.values())) else "")
    return drawing.on_paper(560, height, title, body)


def plot_densities(title: str, lines: Mapping[str, Points]) -> str:
    """Densities of a score, 0..1, one line each: points are (score, density). Empty without a line."""
    most = max((float(value) for points in lines.values() for _, value in points), default=0.0)
    return _plot_lines(title, "score", lines, Axis(0, 1, 60.0, 460.0), Axis(0, most or 1.0, 240.0, 40.0))


def plot_means(title: str, label: str, lines: Mapping[str, Points]) -> str:
    """Means against a number of things, `label`, one line each, with a dot at each number: points are (number, mean).
    Both axes reach to 0. Empty without a line; a line has at least one point.
    """
    points = np.array([point for line in lines.values() for point in line], np.float64).reshape(-1, 2)
    (far, high), low = points.max(axis=0, initial=0.0), float(points[:, 1].min(initial=0.0))
    x = Axis(0, far or 1.0, 60.0, 460.0)
    y = Axis(low, high if high > low else low + 1.0, 240.0, 40.0)
    dots = [
        circle("ring", x.at(here), y.at(value), 3, pen(place))
        for place, line in enumerate(lines.values())
        for here, value in line
    ]
    return _plot_lines(title, label, lines, x, y, dots)


def _plot_lines(title: str, label: str, lines: Mapping[str, Points], x: Axis, y: Axis, more: Sequence[str] = ()) -> str:
    """more: what is drawn above the lines."""
    if not lines:
        return ""
    body = [*_frame(x, y, title, label)]
    body += [path("line", drawing.line(points, x, y), pen(place)) for place, points in enumerate(lines.values())]
    body += [*more, *drawing.legend_below(40, 298, [_short(name) for name in lines], 2)]
    return drawing.on_paper(560, 308 + drawing.legend_height([*lines], 2), title, body)


def plot_matrix(title: str, names: Sequence[str], shares: NDArray[np.float64]) -> str:
    """A matrix of shares as a heat map, the darker the larger, with numbers in per cent where there is room.

    shares: (N, N) 0..1, NaN where there is nothing: a blank row. Empty without names or with more than can be seen.
    """
    if not 0 < len(names) <= MOST_CELLS:
        return ""
    left, top, side = 190, 170, max(10, min(44, 620 // len(names)))
    size = side * len(names)
    small = f" style='font-size:{_LETTER * side:g}px'" if side < _LEAST_LINE else ""
    body = [text(12, 20, title, "title")]
    for row, name in enumerate(names):
        middle, across = top + side * (row + 0.5), left + side * (row + 0.5)
        turn = f"{small} transform='rotate(-50 {across:g} {top - 8})'"
        body.append(text(left - 8, middle + 4, _short(name), "end", small))
        body.append(text(across, top - 8, _short(name), more=turn))
        body += [_cell(share, left + side * column, top + side * row, side) for column, share in enumerate(shares[row])]
    return drawing.on_paper(max(left + size + 110, _LEAST_WIDTH), top + size + 20, title, body)


def _cell(share: float, x: int, y: int, side: int) -> str:
    if math.isnan(share):
        return ""
    drawn = f"<rect x='{x}' y='{y}' width='{side}' height='{side}' fill='#1f5a8a' fill-opacity='{share:.3f}'/>"
    if side < _ROOM or share < _LEAST_WRITTEN:
        return drawn
    colour = " style='fill:#fff'" if share > 0.5 else ""
    return drawn + text(x + side / 2, y + side / 2 + 4, f"{100 * share:.0f}", "mid", colour)


def _frame(x: Axis, y: Axis, title: str, label: str) -> Iterator[str]:
    yield text(x.start, 24, title, "title") + drawing.x_axis(x, y.stop, y.start)
    yield drawing.y_axis(y, x.start, x.stop) + text(x.middle, y.start + 34, label, "mid")


def _dot(row: Row, x: Axis, middle: float) -> str:
    reach = ""
    if row["low"] is not None:
        ends = x.at(row["low"]), x.at(row["high"])
        caps = "".join(f"M{end:g} {middle - 4:g}v8" for end in ends)
        reach = path("reach", f"M{ends[0]:g} {middle:g}H{ends[1]:g}{caps}")
    return reach + circle("dot", x.at(row["value"]), middle, 4.5)


def _short(name: str) -> str:
    return drawing.short(name, _LONGEST_NAME, _END)
