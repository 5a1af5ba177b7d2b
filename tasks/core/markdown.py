"""Texts and tables in Markdown: on Prefect's page, in the terminal, in cards."""

import math
import re
from collections.abc import Sequence
from html import escape

SIGNS = r"([\\`*_{}\[\]<>#|!~&])"
"""What Markdown may take for more than text."""
_SIGNS = re.compile(SIGNS)
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f]+")
_ESCAPED = str.maketrans({"|": "\\|", "[": "\\[", "\\": "\\\\"})
"""With it, no text is a link, a picture or the end of a cell."""


def as_text(text: str) -> str:
    r"""The text as one line, which Markdown takes for nothing but text: no link, picture, HTML or end of a cell.

    >>> as_text("![x](http://a.example/b.png)" + chr(10) + "<b>")
    '\\!\\[x\\](http://a.example/b.png) \\<b\\>'
    """
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


def cell(text: str) -> str:
    """Any text as a part of one line, or as a cell of a table, for a terminal too: no more signs than needed.

    >>> cell("<i>") + cell("one" + chr(10) + "two")
    '&lt;i&gt;one two'
    """
    return escape(_NO_TEXT.sub(" ", text), quote=False).translate(_ESCAPED)


def number(value: float | None) -> str:
    """The number with three decimals; empty text for None and NaN."""
    return "" if value is None or math.isnan(value) else f"{value:.3f}"


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table; the cells of the first column to the left, all others to the right."""
    rule = "|".join(["---", *["---:"] * (len(header) - 1)])
    return [f"| {' | '.join(header)} |", f"|{rule}|", *(f"| {' | '.join(line)} |" for line in lines)]
