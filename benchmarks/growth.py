"""How a cost grows, as a plot on two logarithmic axes."""

import math
from collections.abc import Sequence

from tasks.core.drawing import Axis, circle, legend_below, line, on_paper, path, pen, text, x_axis, y_axis

Points = Sequence[tuple[float, float]]


def plot(points: Points, told: str, x_label: str, law: Points = (), law_told: str = "") -> str:
    """An SVG: seconds over sizes, as measured; law: beside it dashed, what another way would take.

    Both ascend in size.
    """
    powers = [math.log10(seconds) for _, seconds in (*points, *law)]
    x = Axis(points[0][0], points[-1][0], 100, 590, is_log=True)
    y = Axis(10.0 ** math.floor(min(powers)), 10.0 ** math.ceil(max(powers)), 350, 20, is_log=True)
    lines = [(told, points), (law_told, law)] if law else [(told, points)]
    sizes = [10.0**power for power in range(math.ceil(math.log10(x.low)), math.floor(math.log10(x.high)) + 1)]
    body = [x_axis(x, y.stop, y.start, [f"{size:.0e}".replace("e+0", "e") for size in sizes], sizes)]
    body.append(y_axis(y, x.start, x.stop, "{:g} s".format))
    body += [path("line", line(drawn, x, y), pen(place)) for place, (_, drawn) in enumerate(lines)]
    body += [circle("dot", x.at(size), y.at(seconds), 3.5) for size, seconds in points]
    body += [text(x.at(size), y.at(seconds) + 18, said(seconds), "mid") for size, seconds in points]
    body += [text(x.middle, 392, x_label, "mid"), *legend_below(106, 36, [name for name, _ in lines], 1)]
    return on_paper(640, 400, told, body)


def said(seconds: float) -> str:
    """Seconds in a few digits."""
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"
