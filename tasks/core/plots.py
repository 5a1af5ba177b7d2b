"""Small plots as inline SVG: one line of markup each, by day and by night, and read on a phone as on a screen.

Every plot is a <figure> with a caption; its drawing has a name and a description for who can't see it. What was before
is grey, dashed or hollow, what is after full and in the report's red. A plot of nothing is empty text. Colours are
those of the page (report/theme.py); a plot is as wide as a phone, so that its letters stay as high as they are drawn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from tasks.core import drawing
from tasks.core.drawing import Axis, Mark, Points, escape

STYLE = f"""
.plots{{columns:21rem;column-gap:1.5rem}}
figure.plot{{width:auto;margin:0 0 1.5rem;font-size:.85rem;break-inside:avoid}}
figure.plot figcaption{{margin-top:.3rem;max-width:34rem}}
figure.plot svg{{background:none;max-width:34rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}}
{drawing.STYLE}
.plot .before{{stroke:var(--faint);stroke-width:1.5;stroke-dasharray:4 2;fill:none}}
.plot .after{{stroke:var(--mark);stroke-width:2;fill:none}}
.plot .dot-before{{fill:none;stroke:var(--faint);stroke-width:1.5}}.plot .dot-after{{fill:var(--mark)}}
.plot .area{{fill:var(--mark);fill-opacity:.5;stroke:none}}.plot .outline{{fill:none;stroke:var(--faint)}}
.plot .bar-before{{fill:var(--faint);fill-opacity:.35;stroke:var(--faint);stroke-dasharray:3 2}}
.plot .bar-after{{fill:var(--mark);fill-opacity:.85}}
"""

ROWS = 22
"""Styles in one plot (PoPArt has so many); the rest is counted."""

WIDTH = 360
"""Px of a plot: as wide as a phone, where its letters of 11 px are 10 px high or more."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 12.0, 24.0, 36.0
_NAMES_LEFT = 136.0
_ROW = 20.0
_MOST_NAMES = 12
"""Of bars, that have room beside each other."""
_RADIUS = {"before": 5, "after": 3}  # so that both are seen where they are equal
_WORDS = ("before", "after")

PointPair = Mapping[str, Points]
"""Points by name of the series: the first is drawn as what was before, the second as what is after."""


class PlotLabels(NamedTuple):
    """The words of a plot."""

    plot_id: str
    """Unique on the page."""
    title: str
    description: str
    x_label: str
    y_label: str = ""


def rank_plot(labels: PlotLabels, series: PointPair) -> str:
    """Curves on two logarithmic axes. Points are (x, y) >= 1, x ascending."""
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    height = 260
    x = Axis(1, max(2.0, *(x for x, _ in points)), _LEFT, WIDTH - _RIGHT, True)
    y = Axis(1, max(2.0, *(y for _, y in points)), height - _BOTTOM, _TOP, True)
    axes = [drawing.y_axis(y, x.start, x.stop, "{:,.0f}".format), drawing.x_axis(x, _TOP, y.start)]
    return _curves(labels, height, x, y, axes, series)


def step_plot(labels: PlotLabels, series: PointPair, marks: Mapping[float, str]) -> str:
    """Histograms as steps, x logarithmic. Points: (left edge of a bin, share 0..1), ascending, the last with 0.

    marks: what is written below the x axis, by value; the first and the last are the axis' ends.
    """
    most = max((share for line in series.values() for _, share in line), default=0)
    if not most:
        return ""
    height = 240
    x = Axis(min(marks), max(marks), _LEFT, WIDTH - _RIGHT, True)
    y = Axis(0, most, height - _BOTTOM, _TOP)
    axes = [_percent_axis(y, x), drawing.x_axis(x, _TOP, y.start, list(marks.values()), list(marks))]
    return _curves(labels, height, x, y, axes, {name: drawing.stairs(line) for name, line in series.items()})


def bar_plot(labels: PlotLabels, series: Mapping[str, Sequence[float]], names: Sequence[str]) -> str:
    """Bars side by side; of many names each second is written, and the last.

    series: for each of the names a share, 0..1, by name of the series.
    """
    most = max((share for shares in series.values() for share in shares), default=0)
    if not most:
        return ""
    height = 240
    x = Axis(0, len(names), _LEFT, WIDTH - _RIGHT)
    y = Axis(0, most, height - _BOTTOM, _TOP)
    every = 1 if len(names) <= _MOST_NAMES else 2
    middles = [place + 0.5 for place in range(len(names))][(len(names) - 1) % every :: every]
    named = names[(len(names) - 1) % every :: every]
    body = [_percent_axis(y, x), drawing.x_axis(x, _TOP, y.start, named, middles, has_lines=False)]
    for word, shares, left in zip(_WORDS, series.values(), (0.12, 0.5), strict=True):
        bars = [(x.at(at + left), x.at(at + left + 0.38), y.at(share)) for at, share in enumerate(shares) if share]
        drawn = [drawing.bar(start, stop, y.start, top) for start, stop, top in bars]
        body.append(drawing.path(f"bar-{word}", "".join(drawn)))
    return _figure(labels, height, x, body, _legend(series, lambda word: drawing.legend_box(f"bar-{word}")))


def dot_plot(labels: PlotLabels, rows: Sequence[tuple[str, float | None, float | None]], names: Sequence[str]) -> str:
    """For each row (name, before, after; None: not there) two dots on one linear axis from 0, joined by a line."""
    shown = rows[:ROWS]
    known = [value for _, *values in shown for value in values if value is not None]
    if not known:
        return ""
    height = round(_TOP + _ROW * len(shown) + _BOTTOM)
    x = Axis(0, max(1.0, *known), _NAMES_LEFT, WIDTH - _RIGHT - 6)
    body = [drawing.x_axis(x, _TOP, height - _BOTTOM)]
    for place, (name, *values) in enumerate(shown):
        middle = _TOP + _ROW * (place + 0.5)
        body.append(_name(name, middle))
        dots = [(word, x.at(value)) for word, value in zip(_WORDS, values, strict=True) if value is not None]
        if len(dots) == 2:
            body.append(drawing.path("axis", f"M{dots[0][1]:g} {middle:g}H{dots[1][1]:g}"))
        body += [drawing.circle(f"dot-{word}", at, middle, _RADIUS[word]) for word, at in dots]
    legend = _legend(names, lambda word: drawing.legend_dot(f"dot-{word}", _RADIUS[word]))
    return _figure(labels, height, x, body, legend, len(rows))


def ridge_plot(labels: PlotLabels, rows: Sequence[tuple[str, Points, Points]], names: Sequence[str]) -> str:
    """For each row (name, before, after) two histograms as steps, each as high as its row, of any sum."""
    shown = rows[:ROWS]
    values = [x for _, *lines in shown for line in lines for x, _ in line]
    if not values:
        return ""
    height = round(_TOP + _ROW * len(shown) + _BOTTOM)
    x = Axis(min(values), max(values), _NAMES_LEFT, WIDTH - _RIGHT)
    ticks = [tick for tick in x.ticks() if tick == round(tick)]
    body = [drawing.x_axis(x, _TOP, height - _BOTTOM, [f"{tick:.0f}" for tick in ticks], ticks)]
    for place, (name, before, after) in enumerate(shown):
        bottom = _TOP + _ROW * (place + 1) - 1
        body.append(_name(name, bottom - _ROW / 2 + 1))
        body.append(drawing.path("grid", f"M{x.start:g} {bottom:g}H{x.stop:g}"))
        for word, line in (("area", after), ("outline", before)):
            y = Axis(0, max((share for _, share in line), default=0), bottom, bottom - _ROW + 3)
            body += [drawing.path(word, drawing.line(drawing.stairs(line), x, y))] if line else []
    legend = _legend(names, lambda word: drawing.legend_box("outline" if word == "before" else "area"))
    return _figure(labels, height, x, body, legend, len(rows))


def framed(labels: PlotLabels, height: int, body: Sequence[str], more: str = "") -> str:
    """The <figure> of what is drawn, WIDTH px wide, with its title and description; more: the caption's end."""
    return (
        f"<figure class=plot><svg viewBox='0 0 {WIDTH} {height}' role='img' aria-labelledby='{labels.plot_id}-t' "
        f"aria-describedby='{labels.plot_id}-d'>"
        f"<title id='{labels.plot_id}-t'>{escape(labels.title)}</title><desc "
        f"id='{labels.plot_id}-d'>{escape(labels.description)}</desc>{''.join(body)}</svg>"
        f"<figcaption><b>{escape(labels.title)}.</b> {escape(labels.description)}{more}</figcaption></figure>"
    )


# --- parts


def _curves(labels: PlotLabels, height: int, x: Axis, y: Axis, axes: Sequence[str], series: PointPair) -> str:
    drawn = [drawing.path(word, drawing.line(line, x, y)) for word, line in zip(_WORDS, series.values(), strict=True)]
    return _figure(labels, height, x, [*axes, *drawn], _legend(series, drawing.legend_line))


def _figure(labels: PlotLabels, height: int, x: Axis, body: Sequence[str], legend: str, rows: int = 0) -> str:
    """The whole figure. rows: how many there are, shown or not."""
    more = f" {rows - ROWS:,} more styles are in the tables." if rows > ROWS else ""
    axes = drawing.text(x.middle, height - 5, labels.x_label, "mid") + drawing.text(2, 11, labels.y_label)
    return framed(labels, height, [*body, axes, legend], more)


def _legend(names: Iterable[str], mark: Callable[[str], Mark]) -> str:
    """Which is which, at the upper right. mark: that of "before" and of "after"."""
    return drawing.legend_above(WIDTH - _RIGHT, [(name, mark(word)) for word, name in zip(_WORDS, names, strict=True)])


def _name(name: str, middle: float) -> str:
    return drawing.text(_NAMES_LEFT - 8, middle + 4, drawing.fitting(name, _NAMES_LEFT - 8), "end")


def _percent_axis(y: Axis, x: Axis) -> str:
    return drawing.y_axis(y, x.start, x.stop, lambda share: f"{100 * share:.3g} %")
