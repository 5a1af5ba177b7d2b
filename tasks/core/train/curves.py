"""The curves of a training as one SVG: the loss above, the scores below, by step; no times."""

from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa

from tasks.core import drawing
from tasks.core.drawing import Axis, circle, path, pen, text

_WIDTH, _PANEL_HEIGHT = 640, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 130.0, 30.0, 30.0
_LABEL_PX = 13.0
_SCORES = ("AP50", "AP", "AR100")
_FEW = 30
"""Points that are shown as dots too."""


def curves_svg(rows: pa.Table, title: str) -> str:
    """The SVG of CURVES: losses on an axis from 0, below them scores, if any, on one to 1. No rows: an empty frame."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows.to_pylist():
        lines.setdefault(row["name"], []).append((float(row["step"]), float(row["value"])))
    losses = {name: line for name, line in lines.items() if name == "loss" or name.startswith("loss/")}
    scores = {name: lines[name] for name in _SCORES if name in lines}
    last = max((step for line in (*losses.values(), *scores.values()) for step, _ in line), default=1.0)
    highest = max((value for line in losses.values() for _, value in line), default=1.0)
    panels = [_panel(0, "loss (mean since the point before)", losses, last, max(highest, 1e-9))]
    if scores:
        panels.append(_panel(1, "on the images of the evaluation", scores, last, 1.0))
    height = _PANEL_HEIGHT * len(panels) + 18
    panels.append(text(_LEFT, height - 6, f"step of {title}"))
    return drawing.on_paper(_WIDTH, height, title, panels)


def _panel(number: int, label: str, lines: dict[str, list[tuple[float, float]]], last: float, highest: float) -> str:
    top = number * _PANEL_HEIGHT
    x = Axis(0, last, _LEFT, _WIDTH - _RIGHT)
    y = Axis(0, highest, top + _PANEL_HEIGHT - _BOTTOM, top + _TOP)
    body = [text(_LEFT, top + 18, label, "title"), drawing.y_axis(y, x.start, x.stop)]
    body.append(drawing.x_axis(x, y.stop, y.start, at=[step for step in x.ticks() if step == int(step)]))
    named = _spread_labels([y.at(line[-1][1]) for line in lines.values()], y.start)
    for place, ((name, line), high) in enumerate(zip(lines.items(), named, strict=True)):
        body.append(path("line", drawing.line(line, x, y), pen(place)))
        if len(line) <= _FEW:
            body += [circle("ring", x.at(step), y.at(value), 2, pen(place)) for step, value in line]
        body.append(text(x.at(line[-1][0]) + 6, high + 4, name.removeprefix("loss/")))
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
