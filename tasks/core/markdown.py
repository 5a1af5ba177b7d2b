"""Texts and tables in Markdown: on Prefect's page, in the terminal, in cards."""

import math
import re
from collections.abc import Sequence
from html import escape

SIGNS = r"([\\`*_{}\[\]<>#|!~&])"
"""What Markdown may take for more than text."""
_SIGNS = re.compile(SIGNS)
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Signs that turn the direction of what is written after them (Unicode's bidirectional algorithm, UAX 9)."""
_DIRECTION = re.compile(f"[{DIRECTIONS}]")
_LONGEST = 1000
_LIST = re.compile(r"^(\d*)([-+=.)])")
"""What makes a list or a heading of a line that begins with it."""
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f]+")
_CONTROL = re.compile(r"[^\S\n]|[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_ESCAPED = str.maketrans({"|": "\\|", "[": "\\[", "\\": "\\\\"})
"""With it, no text is a link, a picture or the end of a cell."""


def as_text(text: str) -> str:
    r"""The text as one line, which Markdown takes for nothing but text: no link, picture, HTML or end of a cell.

    Of a text of more than 1,000 characters the first stand there, and how many it has; signs that would turn what
    follows them are named in their place.

    >>> as_text("![x](http://a.example/b.png)" + chr(10) + "<b>")
    '\\!\\[x\\](http://a.example/b.png) \\<b\\>'
    """
    return _SIGNS.sub(r"\\\1", one_line(text))


def one_line(text: str) -> str:
    """The text in one line, as `as_text` shortens it, with all signs of Markdown."""
    line = " ".join(visible(text).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}... ({len(line):,} characters)"


def visible(text: str) -> str:
    """The text with blanks for control characters but line ends, and with the names of signs that would turn what
    follows them.

    >>> visible("a" + chr(0x202E) + "b" + chr(27))
    'a(U+202E)b '
    """
    return _DIRECTION.sub(lambda sign: f"(U+{ord(sign[0]):04X})", _CONTROL.sub(" ", text))


def paragraphs(text: str) -> list[str]:
    r"""Lines of a text of several paragraphs, each as text, with an empty line after each; nothing of an empty one.

    >>> paragraphs("One\ntwo.\n\n*Three*.")
    ['One two.', '', '\\*Three\\*.', '']
    """
    found = (as_text(paragraph) for paragraph in re.split(r"\n\s*\n", text.strip()))
    return [line for paragraph in found if paragraph for line in (_LIST.sub(r"\1\\\2", paragraph), "")]


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
