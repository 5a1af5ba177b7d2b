"""How plots are drawn, as SVG: axes with ticks, lines, steps, dots, bars, legends and text.

No script, nothing from elsewhere, and all can be read without colours: lines differ in dashes, dots in size and place.
"""

import html
import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

STYLE = (
    ".plot text{font:11px system-ui,sans-serif;fill:currentColor}"
    ".plot .end{text-anchor:end}.plot .mid{text-anchor:middle}.plot .title{font-weight:600}"
    ".plot .grid{stroke:currentColor;stroke-opacity:.15;fill:none}"
    ".plot .axis{stroke:currentColor;stroke-opacity:.5;fill:none}"
    ".plot .line,.plot .ring{stroke-width:2;fill:none}"
    ".plot .reach{stroke:#b5532a;stroke-width:2;fill:none}.plot .dot{fill:#b5532a}"
    ".plot .pale{fill:#7d8590;fill-opacity:.45}"
    "svg.paper{color:#222;max-width:100%;height:auto}.paper text{font-size:12px}"
)
"""Its rules apply to plots only, also where they are in a page with other things."""

COLOURS = ("#b5532a", "#1f5a8a", "#3a7d44", "#7b4b94", "#8a6d1f", "#444444")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""Six colours by four dashes: 12 lines that differ in both before any two are alike. Those of paper."""

_VISIBLE_PX = 0.5
_LETTER_PX = 6.2
_LEGEND_COLUMN, _LEGEND_ROW = 240, 18

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold, not even as a reference (XML 1.0, production 2): an SVG with it can't be read."""

Points = Sequence[tuple[float, float]] | Any
"""(P, 2) numbers, as an array or as pairs."""
Mark = Callable[[float, float], str]
"""What stands before a name in a legend: drawn around a place in px."""


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

    @property
    def middle(self) -> float:
        """Px of the middle."""
        return (self.start + self.stop) / 2

    def ticks(self) -> list[float]:
        """Round values inside: powers of ten (with their doubles and fives, if few), or about five steps of 1, 2, 5."""
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


def short(name: str, longest: int, end: int = 0) -> str:
    """A name that has room beside a plot: its beginning, and `end` letters of its end, where numbers may stand.

    >>> short("Follower of the Master of the Legend, 1", 24, 7), short("Mannerism (Late Renaissance)", 22)
    ('Follower of the…gend, 1', 'Mannerism (Late Renai…')
    """
    if len(name) <= longest:
        return name
    return f"{name[: longest - 1 - end].rstrip()}…{name[len(name) - end :].lstrip()}"


def fitting(name: str, width_px: float) -> str:
    """A name that has so much room beside a plot, at 11 px: its beginning, by how wide its letters are in a wide font.

    >>> fitting("Mannerism (Late Renaissance)", 128), fitting("Op Art", 128), fitting("WWWW", 30)
    ('Mannerism (Late…', 'Op Art', 'W…')
    """
    ends = list(itertools.accumulate(map(_width_px, name)))
    if not ends or ends[-1] <= width_px:
        return name
    return f"{name[: sum(end <= width_px - _width_px('…') for end in ends)].rstrip()}…"


def _width_px(letter: str) -> float:
    """Of a letter of 11 px, in a font as wide as DejaVu Sans."""
    if unicodedata.east_asian_width(letter) in "WF" or letter in _WIDE or not letter.isprintable():
        return 11.5
    if unicodedata.combining(letter):
        return 0.0
    return 4.6 if letter in _SLIM else 8.6 if letter.isupper() else 7.1


_SLIM, _WIDE = frozenset("ijlftrI.,:;'|!()[]- "), frozenset("mwMWQ@%&…—\ufffd")


def text(x: float, y: float, words: str, kind: str = "", more: str = "") -> str:
    """Words from x on, or by their kind around it (mid) or up to it (end). more: further attributes."""
    css = f" class='{kind}'" if kind else ""
    return f"<text{css} x='{x:g}' y='{y:g}'{more}>{escape(words)}</text>"


def path(kind: str, drawn: str, more: str = "") -> str:
    """What a pen draws. more: further attributes, such as `pen` gives."""
    return f"<path class='{kind}'{more} d='{drawn}'/>"


def circle(kind: str, x: float, y: float, radius: float, more: str = "") -> str:
    """A dot."""
    return f"<circle class='{kind}'{more} cx='{x:g}' cy='{y:g}' r='{radius:g}'/>"


def pen(place: int) -> str:
    """Colour and dash of the line that is drawn as number `place`."""
    dash = _DASHES[place % len(_DASHES)]
    return f" stroke='{COLOURS[place % len(COLOURS)]}'" + (f" stroke-dasharray='{dash}'" if dash else "")


def line(points: Points, x: Axis, y: Axis) -> str:
    """The path through all points; those that nobody could tell from the one before are left out, but for the last."""
    drawn: list[tuple[float, float]] = []
    for place, (left, high) in enumerate(points, 1):
        here = x.at(left), y.at(high)
        is_seen = not drawn or max(abs(here[0] - drawn[-1][0]), abs(here[1] - drawn[-1][1])) >= _VISIBLE_PX
        if is_seen or place == len(points):
            drawn.append(here)
    return "M" + "L".join(f"{left:g} {high:g}" for left, high in drawn) if drawn else ""


def stairs(bins: Points) -> list[tuple[float, float]]:
    """Corners of steps: from 0 up to each bin's height at its edge, level to the next edge."""
    corners, high = [], 0.0
    for edge, share in bins:
        corners += [(edge, high), (edge, share)]
        high = share
    return corners


def bar(left: float, right: float, bottom: float, top: float) -> str:
    """The path of a bar, in px."""
    return f"M{left:g} {bottom:g}V{top:g}H{right:g}V{bottom:g}z"


def x_axis(
    x: Axis,
    top: float,
    bottom: float,
    words: Sequence[str] | None = None,
    at: Sequence[float] | None = None,
    *,
    has_lines: bool = True,
) -> str:
    """An axis at the bottom, with lines up to the top and words at ticks, by default the axis' own and their values."""
    places = x.ticks() if at is None else at
    lines = "".join(f"M{x.at(tick):g} {top:g}V{bottom:g}" for tick in places if has_lines)
    named = [f"{tick:,.10g}" for tick in places] if words is None else words
    texts = (text(x.at(tick), bottom + 15, word, "mid") for tick, word in zip(places, named, strict=True))
    return path("grid", lines) + path("axis", f"M{x.start:g} {bottom:g}H{x.stop:g}") + "".join(texts)


def y_axis(y: Axis, left: float, right: float, words: Callable[[float], str] = "{:,.10g}".format) -> str:
    """A fine line from left to right at each tick, and words before it."""
    lines = "".join(f"M{left:g} {y.at(tick):g}H{right:g}" for tick in y.ticks())
    texts = (text(left - 5, y.at(tick) + 4, words(tick), "end") for tick in y.ticks())
    return path("grid", lines) + "".join(texts)


def legend_line(kind: str, more: str = "") -> Mark:
    """The mark of a line."""
    return lambda x, y: path(kind, f"M{x - 24:g} {y:g}H{x - 5:g}", more)


def legend_dot(kind: str, radius: float) -> Mark:
    """The mark of dots."""
    return lambda x, y: circle(kind, x - 10, y, radius)


def legend_box(kind: str) -> Mark:
    """The mark of bars and areas."""
    return lambda x, y: path(kind, bar(x - 16, x - 5, y + 4, y - 5))


def legend_above(right: float, marks: Sequence[tuple[str, Mark]]) -> str:
    """Names with their marks in one row at the top, which ends at `right`."""
    drawn = []
    for name, mark in reversed(marks):
        left = right - _LETTER_PX * len(name)
        drawn.append(mark(left, 7) + text(left, 11, name))
        right = left - 34
    return "".join(drawn)


def legend_below(left: float, top: float, names: Sequence[str], columns: int) -> Iterator[str]:
    """Names with the lines that `pen` draws for them, in so many columns."""
    for place, name in enumerate(names):
        x, y = left + 34 + _LEGEND_COLUMN * (place % columns), top + _LEGEND_ROW * (place // columns)
        yield legend_line("line", pen(place))(x, y) + text(x, y + 4, name)


def legend_height(names: Sequence[str], columns: int) -> int:
    """Px that `legend_below` takes."""
    return _LEGEND_ROW * -(-len(names) // columns)


def on_paper(width: int, height: int, title: str, body: Sequence[str]) -> str:
    """A plot on white that needs no page around it."""
    return (
        f"<svg class='plot paper' xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' "
        f"height='{height}' role='img'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style><rect width='{width}' height='{height}' "
        f"fill='#fff'/>{''.join(body)}</svg>\n"
    )


def _step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9))
