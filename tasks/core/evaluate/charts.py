"""A comparison as charts: SVG on white that needs no other file, and can be read without colours."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.core.evaluate.systems import Ranking, rank_systems
from tasks.core.plots import Axis, escape

Row = dict[str, Any]
Points = Any
"""(P, 2) numbers, as an array or as pairs."""
_STYLE = (
    ".compared text{font:12px system-ui,sans-serif;fill:#222}.compared .end{text-anchor:end}.compared "
    ".mid{text-anchor:middle}"
    ".compared .grid{stroke:#ddd;fill:none}.compared .axis{stroke:#777;fill:none}.compared "
    ".line,.compared .ring{stroke-width:2;fill:none}"
    ".compared .reach{stroke:#b5532a;stroke-width:2;fill:none}.compared .dot{fill:#b5532a}.compared "
    ".title{font-weight:600}"
    ".compared .style{fill:#7d8590;fill-opacity:.45}svg.compared{max-width:100%;height:auto}"
)
"""Its rules apply to these charts only, also where they are in a page with others."""
_COLOURS = ("#b5532a", "#1f5a8a", "#3a7d44", "#7b4b94", "#8a6d1f", "#444444")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""Six colours by four dashes: 12 lines that differ in both before any two are alike."""
_LONGEST_NAME, _END = 24, 7
_ROW = 30.0
_PANEL, _HIGH, _GAP = 300, 250, 46
MOST_CELLS = 60
"""A matrix of more classes can't be seen."""

_ROOM, _LEAST_WRITTEN = 26, 0.005
"""Px of a cell that has room for a number, and the least share that is written."""

_LEAST_LINE, _LETTER, _LEAST_WIDTH = 16, 0.75, 600
"""Px of a cell below which names turned by 50 degrees would overlap; how large they are then, as a share of its side;
px for the title.
"""


def plot_systems(scores: pa.Table, ranking: Ranking, label: str) -> str:
    """A metric of each system with its 95 % interval, and a pale dot for each group of the first attribute; best first.

    scores: SYSTEM_SCORES. label: what the metric is called. Empty where it is defined for no system.
    """
    rows = [row for row in scores.to_pylist() if row["metric"] == ranking.metric and row["ahead_of"] is None]
    attribute = next((row["attribute"] for row in rows if row["attribute"] is not None), None)
    points = [row for row in rows if row["value"] is not None and row["attribute"] in {None, attribute}]
    names = rank_systems(points, ranking)
    return _plot_dots(points, names, label, label, attribute or "") if names else ""


def _plot_dots(rows: Sequence[Row], names: Sequence[str], label: str, metric: str, attribute: str) -> str:
    """rows: system, group (null: all units), value, low and high."""
    top, height = 34.0, round(34 + _ROW * len(names) + 40)
    ends = [end for row in rows for end in (row["value"], row["low"] if row["group"] is None else None, row["high"])]
    defined = [end for end in ends if end is not None]
    x = Axis(min([0.0, *defined]), max([0.1, *defined]), 190, 616)
    body = [_columns(x, top, height - 40.0), f"<text class='mid' x='403' y='{height - 8}'>{escape(label)}</text>"]
    for place, name in enumerate(names):
        middle = top + _ROW * (place + 0.5)
        body.append(f"<text class='end' x='180' y='{middle + 4:g}'>{escape(_short(name))}</text>")
        mine = [row for row in rows if row["system"] == name]
        body += [
            f"<circle class='style' cx='{x.at(row['value'])}' cy='{middle + 7:g}' r='3'/>"
            for row in mine
            if row["group"] is not None
        ]
        body += [_dot(row, x, middle - 3) for row in mine if row["group"] is None]
    has_intervals = any(row["low"] is not None for row in rows if row["group"] is None)
    title = f"{metric}{' with 95 % intervals' * has_intervals}" + (
        f"; pale dots: each {attribute}" if any(r["group"] is not None for r in rows) else ""
    )
    return _svg(640, height, title, [*body, f"<text class='title' x='12' y='20'>{escape(title)}</text>"])


def plot_thresholds(thresholds: pa.Table, names: Sequence[str]) -> str:
    """Kept share, image-level recall and precision against the threshold, one line for each detector, in the order of
    names.
    """
    whole = thresholds.filter(pc.is_null(thresholds["attribute"])).to_pylist()
    panels = (
        ("kept_share", "kept share of all images"),
        ("recall", "recall of images with a figure"),
        ("precision", "precision of images kept"),
    )
    body: list[str] = []
    for place, (column, title) in enumerate(panels):
        left = 40 + place * (_PANEL + _GAP)
        body += _panel(left, title, [_points(whole, name, column) for name in names])
    body += _legend(names, 40, _HIGH + 98)
    width = 40 + 3 * _PANEL + 2 * _GAP + 20
    return _svg(width, _HIGH + 96 + 18 * -(-len(names) // 4), "What a threshold keeps and what it misses", body)


def _points(rows: Sequence[Row], name: str, column: str) -> list[tuple[float, float]]:
    return [(row["threshold"], row[column]) for row in rows if row["system"] == name and row[column] is not None]


def plot_curves(
    lines: Mapping[str, Points], bests: Mapping[str, Points], dots: Mapping[str, Points], of: str = ""
) -> str:
    """Precision against recall: a line for each system, a ring at its best F, and dots for people.

    Points are (recall, precision), 0..1. of: whose figures they are. Empty where there is neither a line nor a dot.
    """
    names = [name for name in lines if len(lines[name]) or len(bests[name])]
    if not names and not any(len(points) for points in dots.values()):
        return ""
    x, y = Axis(0, 1, 60.0, 460.0), Axis(0, 1, 340.0, 40.0)
    heading = f"precision against recall: {escape(_short(of))}" if of else "precision against recall"
    body = [*_frame(x, y, heading, "recall"), *_people(dots, x, y)]
    for place, name in enumerate(names):
        body.append(f"<path class='line' {_pen(place)} d='{_path(lines[name], x, y)}'/>")
        body += [
            f"<circle class='ring' {_pen(place)} cx='{x.at(recall)}' cy='{y.at(precision)}' r='5'/>"
            for recall, precision in bests[name]
        ]
    body += _legend(names, 40, 398, 2)
    height = 408 + 18 * -(-len(names) // 2)
    title = "Precision against recall; rings: best F" + ("; dots: people" if any(map(len, dots.values())) else "")
    return _svg(560, height, title, body)


def plot_densities(title: str, lines: Mapping[str, Points]) -> str:
    """Densities of a score, 0..1, one line each: points are (score, density). Empty without a line."""
    most = max((float(value) for points in lines.values() for _, value in points), default=0.0)
    return _plot_lines(title, "score", lines, Axis(0, 1, 60.0, 460.0), Axis(0, most or 1.0, 240.0, 40.0))


def plot_means(title: str, label: str, lines: Mapping[str, Points]) -> str:
    """Means against a number of things, one line each, with a dot at each number: points are (number, mean).

    label: what the things are called. Both axes reach to 0. Empty without a line; a line has at least one point.
    """
    points = np.array([point for line in lines.values() for point in line], np.float64).reshape(-1, 2)
    (far, high), low = points.max(axis=0, initial=0.0), float(points[:, 1].min(initial=0.0))
    x = Axis(0, far or 1.0, 60.0, 460.0)
    y = Axis(low, high if high > low else low + 1.0, 240.0, 40.0)
    dots = [
        f"<circle class='ring' {_pen(place)} cx='{x.at(here)}' cy='{y.at(value)}' r='3'/>"
        for place, line in enumerate(lines.values())
        for here, value in line
    ]
    return _plot_lines(title, label, lines, x, y, dots)


def _plot_lines(title: str, label: str, lines: Mapping[str, Points], x: Axis, y: Axis, more: Sequence[str] = ()) -> str:
    """more: what is drawn above the lines."""
    if not lines:
        return ""
    body = [*_frame(x, y, escape(title), escape(label))]
    body += [
        f"<path class='line' {_pen(place)} d='{_path(points, x, y)}'/>" for place, points in enumerate(lines.values())
    ]
    body += [*more, *_legend([*lines], 40, 298, 2)]
    return _svg(560, 308 + 18 * -(-len(lines) // 2), title, body)


def plot_matrix(title: str, names: Sequence[str], shares: NDArray[np.float64]) -> str:
    """A matrix of shares as a heat map, the darker the larger, with numbers in per cent where there is room.

    shares: (N, N) 0..1, NaN where there is nothing: a blank row. Empty without names or with more than can be seen.
    """
    if not 0 < len(names) <= MOST_CELLS:
        return ""
    side = max(10, min(44, 620 // len(names)))
    left, top = 190, 170
    size = side * len(names)
    small = f" style='font-size:{_LETTER * side:g}px'" if side < _LEAST_LINE else ""
    body = [f"<text class='title' x='12' y='20'>{escape(title)}</text>"]
    for row, name in enumerate(names):
        middle = top + side * (row + 0.5)
        across = left + side * (row + 0.5)
        body.append(f"<text class='end'{small} x='{left - 8}' y='{middle + 4:g}'>{escape(_short(name))}</text>")
        turn = f"rotate(-50 {across:g} {top - 8})"
        body.append(f"<text{small} x='{across:g}' y='{top - 8}' transform='{turn}'>{escape(_short(name))}</text>")
        body += [_cell(share, left + side * column, top + side * row, side) for column, share in enumerate(shares[row])]
    return _svg(max(left + size + 110, _LEAST_WIDTH), top + size + 20, title, body)


def _cell(share: float, x: int, y: int, side: int) -> str:
    if math.isnan(share):
        return ""
    drawn = f"<rect x='{x}' y='{y}' width='{side}' height='{side}' fill='#1f5a8a' fill-opacity='{share:.3f}'/>"
    if side < _ROOM or share < _LEAST_WRITTEN:
        return drawn
    colour = " style='fill:#fff'" if share > 0.5 else ""
    return f"{drawn}<text class='mid'{colour} x='{x + side / 2:g}' y='{y + side / 2 + 4:g}'>{100 * share:.0f}</text>"


def _people(dots: Mapping[str, Points], x: Axis, y: Axis) -> Iterator[str]:
    for points in dots.values():
        for recall, precision in points:
            yield f"<circle class='style' cx='{x.at(recall)}' cy='{y.at(precision)}' r='4'/>"


def _path(points: Points, x: Axis, y: Axis) -> str:
    return "M" + "L".join(f"{x.at(here)} {y.at(value)}" for here, value in points)


def _panel(left: float, title: str, lines: Sequence[Sequence[tuple[float, float]]]) -> Iterator[str]:
    x, y = Axis(0, 1, left, left + _PANEL), Axis(0, 1, 40.0 + _HIGH, 40.0)
    yield from _frame(x, y, title, "lowest score of a box")
    for place, points in enumerate(lines):
        if points:
            yield f"<path class='line' {_pen(place)} d='{_path(points, x, y)}'/>"


def _frame(x: Axis, y: Axis, title: str, label: str) -> Iterator[str]:
    yield f"<text class='title' x='{x.start:g}' y='24'>{title}</text>{_columns(x, y.stop, y.start)}"
    rules = "".join(f"M{x.start:g} {y.at(tick)}H{x.stop:g}" for tick in y.ticks())
    yield f"<path class='grid' d='{rules}'/>"
    for tick in y.ticks():
        yield f"<text class='end' x='{x.start - 6:g}' y='{y.at(tick) + 4:g}'>{tick:.3g}</text>"
    yield f"<text class='mid' x='{(x.start + x.stop) / 2:g}' y='{y.start + 34:g}'>{label}</text>"


def _legend(names: Sequence[str], left: int, top: int, columns: int = 4) -> Iterator[str]:
    for place, name in enumerate(names):
        x, y = left + 240 * (place % columns), top + 18 * (place // columns)
        yield (
            f"<path class='line' {_pen(place)} d='M{x} {y}h28'/><text x='{x + 34}' "
            f"y='{y + 4}'>{escape(_short(name))}</text>"
        )


def _pen(place: int) -> str:
    dash = _DASHES[place % len(_DASHES)]
    return f"stroke='{_COLOURS[place % len(_COLOURS)]}'" + (f" stroke-dasharray='{dash}'" if dash else "")


def _dot(row: Row, x: Axis, middle: float) -> str:
    reach = ""
    if row["low"] is not None:
        ends = x.at(row["low"]), x.at(row["high"])
        caps = "".join(f"M{end} {middle - 4:g}v8" for end in ends)
        reach = f"<path class='reach' d='M{ends[0]} {middle:g}H{ends[1]}{caps}'/>"
    return f"{reach}<circle class='dot' cx='{x.at(row['value'])}' cy='{middle:g}' r='4.5'/>"


def _columns(x: Axis, top: float, bottom: float) -> str:
    rules = "".join(f"M{x.at(tick)} {top:g}V{bottom:g}" for tick in x.ticks())
    words = "".join(f"<text class='mid' x='{x.at(tick)}' y='{bottom + 16:g}'>{tick:.10g}</text>" for tick in x.ticks())
    return f"<path class='grid' d='{rules}'/><path class='axis' d='M{x.start:g} {bottom:g}H{x.stop:g}'/>{words}"


def _short(name: str) -> str:
    """A name that has room beside a chart: its beginning and its end, since numbers stand there.

    >>> _short("Follower of the Master of the Legend, 1"), _short("Follower of the Master of the Legend, 2")
    ('Follower of the…gend, 1', 'Follower of the…gend, 2')
    """
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 1 - _END].rstrip()}…{name[-_END:].lstrip()}"


def _svg(width: int, height: int, title: str, body: Sequence[str]) -> str:
    return (
        f"<svg class='compared' xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' "
        f"height='{height}' role='img'>"
        f"<title>{escape(title)}</title><style>{_STYLE}</style><rect width='{width}' height='{height}' "
        f"fill='#fff'/>{''.join(body)}</svg>\n"
    )
