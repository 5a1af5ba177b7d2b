"""The colours of all pages, by day and by night: CSS variables, so that a page follows what its reader prefers."""

from collections.abc import Mapping

from tasks.core.drawing import COLOURS

_PENS = tuple(f"pen-{place}" for place in range(len(COLOURS)))

LIGHT: Mapping[str, str] = {
    "ground": "#ffffff",
    "ink": "#222222",
    "quiet": "#5f5b57",
    "rule": "#dddddd",
    "edge": "#86817b",
    "wash": "#f4f2ef",
    "mark": COLOURS[0],
    "faint": "#6e7681",
    "link": COLOURS[1],
    "heat": COLOURS[1],
    "button": "#2f4b6e",
    "on-button": "#ffffff",
    "stays": "#3c6e47",
    "removed": "#fbe3df",
    "added": "#dff2e1",
    **dict(zip(_PENS, COLOURS, strict=True)),
}
"""By name: ground and ink of the page; quiet: lesser words; rule: lines between rows; edge: of what can be pressed;
wash: behind pictures; mark and faint: what is after and before in plots; heat: of cells, in part; pen-0 ...: lines of
plots in their order, as on paper. Words have 4.5:1 and marks 3:1 against the ground (WCAG 2.2, AA).
"""

DARK: Mapping[str, str] = {
    "ground": "#16181b",
    "ink": "#e8e4de",
    "quiet": "#aaa59e",
    "rule": "#43474d",
    "edge": "#82878e",
    "wash": "#24272b",
    "mark": "#e08a5c",
    "faint": "#9aa3ad",
    "link": "#8ab8e6",
    "heat": "#6fb0e8",
    "button": "#35557d",
    "on-button": "#ffffff",
    "stays": "#8cc79a",
    "removed": "#4a2622",
    "added": "#1f3d25",
    **dict(zip(_PENS, ("#e08a5c", "#6fb0e8", "#7cc58a", "#c79be0", "#d9b95a", "#bbbbbb"), strict=True)),
}
"""The same at night."""


def _variables(colours: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


_LINES = "".join(
    f".plot [stroke='{colour}']{{stroke:var(--{pen})}}" for pen, colour in zip(_PENS, COLOURS, strict=True)
)
"""`drawing.pen` writes the colours of paper: where plots lie on a page, they are the page's."""

STYLE = f"""
:root{{color-scheme:light dark;{_variables(LIGHT)}}}
@media(prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}
body{{color:var(--ink);background:var(--ground)}}a{{color:var(--link)}}{_LINES}
"""
