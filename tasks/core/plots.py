"""Small plots as inline SVG: no script, nothing from elsewhere, one line of markup each, text that reads on dark and
on paper.

Every plot is a <figure> with a caption; its drawing has a name and a description for who can't see it. What was before
is grey, dashed or hollow, what is after full and in the report's red, so that they differ without colours too.
"""

import html
import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

STYLE = """
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(30rem,100%),1fr));gap:1.5rem;align-items:start}
figure.plot{width:auto;font-size:.85rem;break-inside:avoid}figure.plot figcaption{margin-top:.3rem;max-width:40rem}
figure.plot svg{background:none;max-width:40rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.plot text{font:11px system-ui,sans-serif;fill:currentColor}.plot .end{text-anchor:end}.plot .mid{text-anchor:middle}
.plot .grid{stroke:currentColor;stroke-opacity:.15;fill:none}
.plot .axis{stroke:currentColor;stroke-opacity:.5;fill:none}
.plot .before{stroke:#7d8590;stroke-width:1.5;stroke-dasharray:4 2;fill:none}
.plot .after{stroke:#b5532a;stroke-width:2;fill:none}
.plot .dot-before{fill:none;stroke:#7d8590;stroke-width:1.5}.plot .dot-after{fill:#b5532a}
.plot .area{fill:#b5532a;fill-opacity:.5;stroke:none}.plot .outline{fill:none;stroke:#7d8590}
.plot .bar-before{fill:#7d8590;fill-opacity:.35;stroke:#7d8590;stroke-dasharray:3 2}
.plot .bar-after{fill:#b5532a;fill-opacity:.85}
"""

ROWS = 22
"""Styles in one plot (PoPArt has so many); the rest is counted."""

_WIDTH = 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 16.0, 24.0, 36.0
_NAMES_LEFT = 154.0
_ROW = 20.0
_LONGEST_NAME = 22
_VISIBLE_PX = 0.5
_RADIUS = {"before": 5, "after": 3}  # so that both are seen where they are equal

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold, not even as a reference (XML 1.0, production 2): an SVG with it can't be read."""

Points = Sequence[tuple[float, float]]
Pair = Mapping[str, Points]
"""Points by name of the series: the first is drawn as what was before, the second as what is after."""


class PlotLabels(NamedTuple):
    """The words of a plot: a key that is unique on the page, a title, a sentence on what is to be seen, labels of the
    axes.
    """

    plot_id: str
    title: str
    description: str
    x_label: str
    y_label: str = ""


class Axis(NamedTuple):
    """How values become px: from low at `start` to high at `stop`."""

    low: float
    high: float
    start: float
    stop: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Px of a value; what lies outside is drawn at the end."""
        low, high, here = (math.log(v) if self.is_log else v for v in (self.low, self.high, max(value, self.low)))
        share = min(1.0, (here - low) / (high - low)) if high > low else 0.0
        return round(self.start + share * (self.stop - self.start), 1)

    def ticks(self) -> list[float]:
        """Round values inside: powers of ten (and twice and five times these, where they are few), or about five steps
        of 1, 2 or 5.
        """
        if self.is_log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            powers = [10.0**power for power in range(first - 1, last + 1)]
            times = (1, 2, 5) if self.high < 200 * self.low else (1,)
            return [tick for power in powers for by in times if self.low <= (tick := by * power) <= self.high]
        step = _step((self.high - self.low) / 5)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [step * place for place in range(first, last + 1)]


def escape(text: str) -> str:
    r"""Any text as the text of HTML and of SVG: no markup, U+FFFD for what XML can't hold.

    >>> escape("Op <Art>\x07") == "Op &lt;Art&gt;\ufffd"
    True
    """
    return html.escape(_NO_XML.sub("\ufffd", text))


def rank_plot(labels: PlotLabels, series: Pair) -> str:
    """Curves on two logarithmic axes. Points are (x, y) >= 1, x ascending. Nothing to show: nothing."""
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    height = 260
    x = Axis(1, max(2.0, *(x for x, _ in points)), _LEFT, _WIDTH - _RIGHT, True)
    y = Axis(1, max(2.0, *(y for _, y in points)), height - _BOTTOM, _TOP, True)
    body = [_grid(x, y, height, [f"{tick:,.0f}" for tick in x.ticks()], [f"{tick:,.0f}" for tick in y.ticks()])]
    body += [
        f"<path class='{place}' d='{_path(line, x, y)}'/>"
        for place, line in zip(("before", "after"), series.values(), strict=True)
    ]
    return _figure(labels, height, [*body, _axis_labels(labels, x, height), _legend(list(series))])


def step_plot(labels: PlotLabels, series: Pair, marks: Mapping[float, str]) -> str:
    """Histograms as steps on a logarithmic x axis.

    Points: (left edge of a bin, share 0..1), ascending, the last with 0.

    marks: what is written below the x axis, by value; the first and the last are the axis' ends.
    """
    if not any(share for line in series.values() for _, share in line):
        return ""
    height = 240
    x = Axis(min(marks), max(marks), _LEFT, _WIDTH - _RIGHT, True)
    y = Axis(0, max(share for line in series.values() for _, share in line), height - _BOTTOM, _TOP)
    body = [_grid(x, y, height, list(marks.values()), _percents(y), at=list(marks))]
    body += [
        f"<path class='{place}' d='{_path(_stairs(line), x, y)}'/>"
        for place, line in zip(("before", "after"), series.values(), strict=True)
    ]
    return _figure(labels, height, [*body, _axis_labels(labels, x, height), _legend(list(series))])


def bar_plot(labels: PlotLabels, series: Mapping[str, Sequence[float]], names: Sequence[str]) -> str:
    """Bars side by side. series: for each of the names a share, 0..1, by name of the series."""
    most = max((share for shares in series.values() for share in shares), default=0)
    if not most:
        return ""
    height = 240
    x = Axis(0, len(names), _LEFT, _WIDTH - _RIGHT)
    y = Axis(0, most, height - _BOTTOM, _TOP)
    body = [
        _grid(x, y, height, list(names), _percents(y), at=[place + 0.5 for place in range(len(names))], is_barred=True)
    ]
    for number, (place, shares) in enumerate(zip(("before", "after"), series.values(), strict=True)):
        left, wide = 0.12 + 0.38 * number, 0.38
        drawn = [
            f"M{x.at(at + left)} {y.start:g}V{y.at(share)}H{x.at(at + left + wide)}V{y.start:g}z"
            for at, share in enumerate(shares)
            if share
        ]
        body.append(f"<path class='bar-{place}' d='{''.join(drawn)}'/>")
    return _figure(labels, height, [*body, _axis_labels(labels, x, height), _legend(list(series), mark="bar")])


def dot_plot(labels: PlotLabels, rows: Sequence[tuple[str, float | None, float | None]], names: Sequence[str]) -> str:
    """For each row (name, before, after; None: not there) two dots on one linear axis from 0, joined by a line."""
    if not rows:
        return ""
    shown = rows[:ROWS]
    height = round(_TOP + _ROW * len(shown) + _BOTTOM)
    most = max(1.0, *(value for _, *values in shown for value in values if value is not None))
    x = Axis(0, most, _NAMES_LEFT, _WIDTH - _RIGHT - 6)
    body = [_columns(x, height, [f"{tick:,.10g}" for tick in x.ticks()], x.ticks())]
    for place, (name, before, after) in enumerate(shown):
        middle = _TOP + _ROW * (place + 0.5)
        body.append(_name(name, middle))
        at = [None if value is None else x.at(value) for value in (before, after)]
        if at[0] is not None and at[1] is not None:
            body.append(f"<path class='axis' d='M{at[0]} {middle:g}H{at[1]}'/>")
        body += [
            f"<circle class='dot-{word}' cx='{here}' cy='{middle:g}' r='{_RADIUS[word]}'/>"
            for word, here in zip(("before", "after"), at, strict=True)
            if here is not None
        ]
    return _figure(
        labels, height, [*body, _axis_labels(labels, x, height), _legend(list(names), mark="dot")], len(rows)
    )


def ridge_plot(labels: PlotLabels, rows: Sequence[tuple[str, Points, Points]], names: Sequence[str]) -> str:
    """For each row (name, before, after) two histograms as steps, each as high as its row.

    Points: see `step_plot`, of any sum.
    """
    shown = rows[:ROWS]
    values = [x for _, *lines in shown for line in lines for x, _ in line]
    if not values:
        return ""
    height = round(_TOP + _ROW * len(shown) + _BOTTOM)
    x = Axis(min(values), max(values), _NAMES_LEFT, _WIDTH - _RIGHT)
    ticks = [tick for tick in x.ticks() if tick == round(tick)]
    body = [_columns(x, height, [f"{tick:.0f}" for tick in ticks], ticks)]
    for place, (name, before, after) in enumerate(shown):
        bottom = _TOP + _ROW * (place + 1) - 1
        body.append(_name(name, bottom - _ROW / 2 + 1))
        body.append(f"<path class='grid' d='M{x.start:g} {bottom:g}H{x.stop:g}'/>")
        for word, line in (("area", after), ("outline", before)):
            y = Axis(0, max((share for _, share in line), default=0), bottom, bottom - _ROW + 3)
            body += [f"<path class='{word}' d='{_path(_stairs(line), x, y)}'/>"] if line else []
    return _figure(
        labels, height, [*body, _axis_labels(labels, x, height), _legend(list(names), mark="ridge")], len(rows)
    )


# --- parts


def _figure(labels: PlotLabels, height: int, body: Sequence[str], rows: int = 0) -> str:
    """The whole figure. rows: how many there are, shown or not."""
    more = f" {rows - ROWS:,} more styles are in the tables." if rows > ROWS else ""
    return (
        f"<figure class=plot><svg viewBox='0 0 {_WIDTH} {height}' role='img' aria-labelledby='{labels.plot_id}-t' "
        f"aria-describedby='{labels.plot_id}-d'>"
        f"<title id='{labels.plot_id}-t'>{escape(labels.title)}</title><desc "
        f"id='{labels.plot_id}-d'>{escape(labels.description)}</desc>{''.join(body)}</svg>"
        f"<figcaption><b>{escape(labels.title)}.</b> {escape(labels.description)}{more}</figcaption></figure>"
    )


def _grid(
    x: Axis,
    y: Axis,
    height: int,
    x_words: Sequence[str],
    y_words: Sequence[str],
    *,
    at: Sequence[float] | None = None,
    is_barred: bool = False,
) -> str:
    rows = "".join(f"M{x.start:g} {y.at(tick)}H{x.stop:g}" for tick in y.ticks())
    words = "".join(
        f"<text class='end' x='{x.start - 5:g}' y='{y.at(tick) + 4:g}'>{word}</text>"
        for tick, word in zip(y.ticks(), y_words, strict=True)
    )
    return f"<path class='grid' d='{rows}'/>{words}" + _columns(
        x, height, x_words, x.ticks() if at is None else at, is_barred=is_barred
    )


def _columns(x: Axis, height: int, words: Sequence[str], at: Sequence[float], *, is_barred: bool = False) -> str:
    bottom = height - _BOTTOM
    lines = "" if is_barred else "".join(f"M{x.at(tick)} {_TOP:g}V{bottom:g}" for tick in at)
    texts = "".join(
        f"<text class='mid' x='{x.at(tick)}' y='{bottom + 14:g}'>{escape(word)}</text>"
        for tick, word in zip(at, words, strict=True)
    )
    return f"<path class='grid' d='{lines}'/><path class='axis' d='M{x.start:g} {bottom:g}H{x.stop:g}'/>{texts}"


def _axis_labels(labels: PlotLabels, x: Axis, height: int) -> str:
    return (
        f"<text class='mid' x='{(x.start + x.stop) / 2:g}' y='{height - 5}'>{escape(labels.x_label)}</text>"
        f"<text x='2' y='11'>{escape(labels.y_label)}</text>"
    )


def _legend(names: Sequence[str], mark: str = "line") -> str:
    """Which is which, at the upper right."""
    drawn, right = [], _WIDTH - _RIGHT
    for word, name in reversed(list(zip(("before", "after"), names, strict=True))):
        left = right - 6.2 * len(name)
        box = f"x='{left - 16:g}' y='2' width='11' height='9'"
        marks = {
            "line": f"<path class='{word}' d='M{left - 24:g} 7H{left - 5:g}'/>",
            "dot": f"<circle class='dot-{word}' cx='{left - 10:g}' cy='7' r='{_RADIUS[word]}'/>",
            "bar": f"<rect class='bar-{word}' {box}/>",
            "ridge": f"<rect class='{'outline' if word == 'before' else 'area'}' {box}/>",
        }
        drawn.append(f"{marks[mark]}<text x='{left:g}' y='11'>{escape(name)}</text>")
        right = left - 34
    return "".join(drawn)


def _name(name: str, middle: float) -> str:
    short = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "…"
    return f"<text class='end' x='{_NAMES_LEFT - 8:g}' y='{middle + 4:g}'>{escape(short)}</text>"


def _path(points: Points, x: Axis, y: Axis) -> str:
    """The line through all points; those that nobody could tell from the one before are left out, but for the last."""
    drawn: list[tuple[float, float]] = []
    for place, (left, high) in enumerate(points, 1):
        here = x.at(left), y.at(high)
        if (
            not drawn
            or place == len(points)
            or max(abs(here[0] - drawn[-1][0]), abs(here[1] - drawn[-1][1])) >= _VISIBLE_PX
        ):
            drawn.append(here)
    return "M" + "L".join(f"{left:g} {high:g}" for left, high in drawn) if drawn else ""


def _stairs(bins: Points) -> list[tuple[float, float]]:
    """Corners of steps: from 0 up to each bin's height at its edge, level to the next edge."""
    corners, high = [], 0.0
    for edge, share in bins:
        corners += [(edge, high), (edge, share)]
        high = share
    return corners


def _percents(y: Axis) -> list[str]:
    return [f"{100 * tick:.3g} %" for tick in y.ticks()]


def _step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9))
