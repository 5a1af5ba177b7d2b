"""The curves of a training as one SVG: the loss above, the scores below, by step; no times."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from tasks.core.plots import Axis, escape

_WIDTH, _PANEL_HEIGHT = 640, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 130.0, 30.0, 30.0
_LABEL_PX = 13.0
_COLOURS = ("#b5532a", "#4a6fa5", "#7d8590", "#5b8c5a", "#8e6c8a")
_STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#57606a}path,circle{stroke-width:1.8}.grid{stroke:#d0d7de;stroke-width:1}"
)
_SCORES = ("AP50", "AP", "AR100")

_FEW = 30
"""Points that are shown as dots too."""

Line = Sequence[tuple[float, float]]


def curves_svg(rows: pa.Table, title: str) -> str:
    """The SVG of a table of schema CURVES; without evaluations there is no lower panel. No rows: an empty frame.

    Lines are named at their right ends; loss and its parts share an axis that begins at 0, scores one from 0 to 1.
    """
    lines = _lines(rows.to_pylist())
    losses = {name: line for name, line in lines.items() if name == "loss" or name.startswith("loss/")}
    scores = {name: lines[name] for name in _SCORES if name in lines}
    last = max((step for line in (*losses.values(), *scores.values()) for step, _ in line), default=1.0)
    highest = max((value for line in losses.values() for _, value in line), default=1.0)
    panels = [_panel(0, "loss (mean since the point before)", losses, last, max(highest, 1e-9))]
    if scores:
        panels.append(_panel(1, "on the images of the evaluation", scores, last, 1.0))
    height = _PANEL_HEIGHT * len(panels) + 18
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height}' role='img' "
        f"aria-label='{escape(title)}'>"
        f"<style>{_STYLE}</style><rect width='{_WIDTH}' height='{height}' fill='#fff'/>{''.join(panels)}"
        f"<text x='{_LEFT:g}' y='{height - 6}'>step of {escape(title)}</text></svg>\n"
    )


def _lines(rows: Sequence[dict[str, Any]]) -> dict[str, list[tuple[float, float]]]:
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        lines.setdefault(row["name"], []).append((float(row["step"]), float(row["value"])))
    return lines


def _panel(number: int, label: str, lines: dict[str, list[tuple[float, float]]], last: float, highest: float) -> str:
    top = number * _PANEL_HEIGHT
    x = Axis(0, last, _LEFT, _WIDTH - _RIGHT)
    y = Axis(0, highest, top + _PANEL_HEIGHT - _BOTTOM, top + _TOP)
    body = [f"<text x='{_LEFT:g}' y='{top + 18}'>{escape(label)}</text>"]
    body += [
        _grid_line(f"M{x.start:g} {y.at(at)}H{x.stop:g}", x.start - 5, y.at(at) + 4, "end", at) for at in y.ticks()
    ]
    body += [
        _grid_line(f"M{x.at(at)} {y.start:g}v4", x.at(at), y.start + 16, "middle", at)
        for at in x.ticks()
        if at == int(at)
    ]
    named = _spread_labels([y.at(line[-1][1]) for line in lines.values()], y.start)
    for place, ((name, line), high) in enumerate(zip(lines.items(), named, strict=True)):
        body.append(_curve(line, x, y, _COLOURS[place % len(_COLOURS)]))
        word = escape(name.removeprefix("loss/"))
        body.append(f"<text x='{x.at(line[-1][0]) + 6:g}' y='{high + 4:g}'>{word}</text>")
    return "".join(body)


def _spread_labels(heights_px: Sequence[float], lowest_px: float) -> list[float]:
    """The heights moved, in their order, so that labels at them do not overlap, none below `lowest_px`.

    >>> _spread_labels([50.0, 10.0, 12.0], 60.0)
    [50.0, 10.0, 23.0]
    """
    moved = list(heights_px)
    places = sorted(range(len(moved)), key=lambda place: moved[place])
    for above, below in pairwise(places):
        moved[below] = max(moved[below], moved[above] + _LABEL_PX)
    room = lowest_px
    for place in reversed(places):
        moved[place] = min(moved[place], room)
        room = moved[place] - _LABEL_PX
    return moved


def _grid_line(path: str, x_px: float, y_px: float, anchor: str, value: float) -> str:
    word = f"<text x='{x_px:g}' y='{y_px:g}' text-anchor='{anchor}'>{value:,.10g}</text>"
    return f"<path class='grid' d='{path}'/>{word}"


def _curve(line: Line, x: Axis, y: Axis, colour: str) -> str:
    points = [(x.at(step), y.at(value)) for step, value in line]
    path = "M" + "L".join(f"{left:g} {high:g}" for left, high in points)
    dots = "".join(f"<circle cx='{left:g}' cy='{at:g}' r='2.5' fill='{colour}'/>" for left, at in points)
    return f"<path d='{path}' fill='none' stroke='{colour}'/>{dots if len(points) <= _FEW else ''}"
