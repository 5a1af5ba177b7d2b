"""The papers' figures of several truths, as SVG on white: a line for each truth, and a thin one for what it came from.

PoPArt's Figs. 6 and 7; ArtBench-10's Figs. 4 and 5 (right); of the Met dataset Figs. 5 and 10.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tasks.core import drawing
from tasks.core.drawing import Axis, path, pen, text
from tasks.core.plots import WIDTH, PlotLabels, framed
from tasks.core.statistics.points import by_rank, first_decade, scaled, shares_by_edge, steps_since
from tasks.core.statistics.side_by_side import AFTER, OVERLAPS, TruthTables

Row = Mapping[str, Any]
Pairs = list[tuple[float, float]]
_BOTTOM, _TOP = 260.0, 40.0
_LONGEST = 30


class TruthPlot(NamedTuple):
    """A plot. statistic: which histogram it shows. points: of its bins. x, y: what is along its axes. is_log: of each
    axis. has_steps: it shows bins, not points.
    """

    statistic: str
    points: Callable[[Sequence[Row]], Pairs]
    title: str
    x: str
    y: str
    is_log: tuple[bool, bool] = (False, False)
    has_steps: bool = True


def _per_image(bins: Sequence[Row]) -> Pairs:
    """Percent of images with figures."""
    return _percent([row for row in bins if row["least"] >= 1])


def _percent(bins: Sequence[Row]) -> Pairs:
    total = sum(row["count"] for row in bins) / 100
    return steps_since(scaled(bins, total), -math.inf)


def _of_years(bins: Sequence[Row]) -> Pairs:
    """Without the oldest 1 %: a few would press all others together."""
    since = first_decade(bins)
    return [point for point in _percent(bins) if point[0] >= since]


def _of_aspects(bins: Sequence[Row]) -> Pairs:
    return [(edge, 100 * share) for edge, share in shares_by_edge(bins)]


_OF_IMAGES = "% of images with figures"
_PLOTS = {
    "figures": TruthPlot("figures_per_image", _per_image, "Figures per image", "figures", _OF_IMAGES),
    "overlaps": TruthPlot(OVERLAPS, _percent, "Overlaps per image", "overlapping pairs", _OF_IMAGES),
    "works": TruthPlot(
        *("works_per_artist", by_rank, "Works per artist", "artists, most works first", "works"),
        is_log=(True, True),
        has_steps=False,
    ),
    "years": TruthPlot("year", _of_years, "Works by decade", "year", "% of works"),
    "aspects": TruthPlot(
        "aspect_ratio", _of_aspects, "Aspect ratios", "width : height", "% of images", is_log=(True, False)
    ),
    "classes": TruthPlot("classes", _percent, "Images a class", "images", "% of classes"),
}


def plots(tables: TruthTables) -> dict[str, str]:
    """SVG of each plot that has something to show, by name. A release's line of before its draw is called so."""
    found = {}
    for word, lines in _lines(tables).items():
        height, body = _draw(_PLOTS[word], lines, _PAPER)
        title = text(12, 20, f"{_PLOTS[word].title}: {_PLOTS[word].y}", "title")
        found[word] = drawing.on_paper(_PAPER.width, height, _PLOTS[word].title, [*body, title])
    return found


def figures(tables: TruthTables, words: Sequence[str]) -> list[str]:
    """HTML of those of the plots `words` that have something to show, as wide as all plots of a page."""
    lines, found = _lines(tables), []
    for word in words:
        if word in lines:
            plot = _PLOTS[word]
            height, body = _draw(plot, lines[word], _PAGE)
            labels = PlotLabels(f"statistic-{word}", plot.title, f"{plot.y[:1].upper()}{plot.y[1:]}.", plot.x)
            found.append(framed(labels, height, [*body, text(2, 20, plot.y)]))
    return found


def _lines(tables: TruthTables) -> dict[str, dict[str, Pairs]]:
    """Points of each plot that has any, by its word and the name of each line."""
    bins: defaultdict[str, defaultdict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in tables.histograms.to_pylist():
        if row["stratum"] is None and row["least"] is not None:
            name = row["truth"] if row["moment"] == AFTER else f"{row['truth']}, {row['moment']}"
            bins[row["statistic"]][name].append(row)
    for row in tables.classes.to_pylist():
        name = f"{row['truth']}, {row['split'] or 'all'}"
        bins["classes"][name].append({"least": row["images"], "below": row["images"] + 1, "count": row["classes"]})
    found = {
        word: {name: plot.points(rows) for name, rows in bins[plot.statistic].items()} for word, plot in _PLOTS.items()
    }
    return {word: lines for word, lines in found.items() if any(lines.values())}


class _Sheet(NamedTuple):
    """What a plot is drawn on, in px. columns: of its legend."""

    width: int
    left: float
    right: float
    columns: int


_PAPER, _PAGE = _Sheet(640, 60.0, 20.0, 2), _Sheet(WIDTH, 46.0, 12.0, 1)


def _draw(plot: TruthPlot, lines: Mapping[str, Pairs], sheet: _Sheet) -> tuple[int, list[str]]:
    """The height and what is drawn of at least one point."""
    points = [point for line in lines.values() for point in line]
    lows = [1.0 if is_log else 0.0 for is_log in plot.is_log]
    first = min(x for x, _ in points) if plot.statistic in {"year", "aspect_ratio"} else lows[0]
    last = max(first + 1, *(x for x, _ in points))
    x = Axis(first, last, sheet.left, sheet.width - sheet.right, plot.is_log[0])
    y = Axis(lows[1], max(lows[1] + 1, *(y for _, y in points)), _BOTTOM, _TOP, plot.is_log[1])
    words = None if plot.statistic != "year" else [f"{tick:.0f}" for tick in x.ticks()]
    body = [drawing.y_axis(y, x.start, x.stop), drawing.x_axis(x, _TOP, _BOTTOM, words)]
    for place, line in enumerate(lines.values()):
        drawn = drawing.stairs(line) if plot.has_steps else line
        body.append(path("line", drawing.line(drawn, x, y), pen(place)))
    body.append(text(x.middle, _BOTTOM + 34, plot.x, "mid"))
    names = [drawing.short(name, _LONGEST) for name in lines]
    body += drawing.legend_below(sheet.left - 20, _BOTTOM + 56, names, sheet.columns)
    return round(_BOTTOM + 70 + drawing.legend_height(names, sheet.columns)), body
