"""How a cost grows, as a plot on two logarithmic axes."""

import math
from collections.abc import Sequence

Points = Sequence[tuple[float, float]]
_LEFT, _RIGHT, _TOP, _BOTTOM = 100.0, 590.0, 20.0, 340.0


def plot(points: Points, told: str, x_label: str, law: Points = (), law_told: str = "") -> str:
    """An SVG: seconds over sizes, as measured; law: beside it dashed, what another way would take.

    Both ascend in size.
    """
    every = [*points, *law]
    low, high = (math.floor(math.log10(min(s for _, s in every))), math.ceil(math.log10(max(s for _, s in every))))
    first, last = math.log10(points[0][0]), math.log10(points[-1][0])

    def at(size: float, seconds: float) -> tuple[float, float]:
        x = _LEFT + (math.log10(size) - first) / (last - first) * (_RIGHT - _LEFT)
        return x, _BOTTOM - (math.log10(seconds) - low) / (high - low) * (_BOTTOM - _TOP)

    def line(drawn: Points) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in drawn))

    lines = []
    for power in range(low, high + 1):
        y = at(points[0][0], 10.0**power)[1]
        lines.append(f'<path d="M80 {y:.1f}H610" stroke="#e4e4e4"/>')
        lines.append(f'<text x="74" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>')
    for power in range(math.ceil(first), math.floor(last) + 1):
        x = at(10.0**power, 1.0)[0]
        lines.append(f'<path d="M{x:.1f} {_TOP}V360" stroke="#e4e4e4"/>')
        lines.append(f'<text x="{x:.1f}" y="376" text-anchor="middle">1e{power}</text>')
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in (at(*point) for point in points))
    labels = "".join(
        f'<text x="{at(*point)[0]:.1f}" y="{at(*point)[1] + 18:.1f}" text-anchor="middle">{said(point[1])}</text>'
        for point in points
    )
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif" font-size="12" '
            'fill="#222">',
            '<rect width="640" height="400" fill="#fff"/>',
            *lines,
            f'<polyline points="{line(law)}" fill="none" stroke="#999" stroke-width="2" stroke-dasharray="6 4"/>'
            if law
            else "",
            f'<polyline points="{line(points)}" fill="none" stroke="#1f5fa8" stroke-width="2"/>',
            f'<g fill="#1f5fa8">{dots}</g>',
            labels,
            f'<text x="345" y="392" text-anchor="middle">{x_label}</text>',
            f'<text x="90" y="36" fill="#1f5fa8">{told}</text>',
            f'<text x="90" y="52" fill="#777">{law_told}</text>' if law_told else "",
            "</svg>",
            "",
        ]
    )


def said(seconds: float) -> str:
    """Seconds in a few digits."""
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"
