"""Pieces of a page: texts from outside, tables that scroll in a box of their own."""

from collections.abc import Collection, Sequence
from html import escape as escape_whole

from tasks.core.drawing import escape

LONGEST = 300
"""Letters of a text from outside that a page shows."""

CAPTION = 100
"""Letters of each text in a caption: more would leave holes in a row of pictures."""

STYLE = """
.scroll{overflow-x:auto;margin:1rem 0}.scroll table{margin:0}.scroll:focus-visible{outline:2px solid var(--link)}
.scroll td{overflow-wrap:anywhere;min-width:8.5rem;max-width:24rem}
.scroll td.n{white-space:nowrap;min-width:0}.scroll th.n{text-align:right}
bdi{overflow-wrap:anywhere}
"""


def outside(text: str, most: int = LONGEST) -> str:
    r"""A text from outside as HTML: no markup, and nothing that turns around what stands beside it.

    Cut after 300 letters. Isolated by <bdi>, which also ends what U+202A .. U+202E and U+2066 .. U+2069 have begun
    (Unicode, UAX 9).

    >>> outside("<b>"), outside("abc", 2), outside("a\x00") == "<bdi>a\ufffd</bdi>"
    ('<bdi>&lt;b&gt;</bdi>', '<bdi>ab…</bdi>', True)
    """
    return f"<bdi>{escape(text if len(text) <= most else f'{text[:most]}…')}</bdi>"


def record_name(record_id: str) -> str:
    """A record_id as HTML, whole and isolated: `purge` looks for it to see whether a page shows the record."""
    return f"<bdi>{escape_whole(record_id)}</bdi>"


def as_row(cells: Sequence[str]) -> str:
    """HTML of a row: the first cell has words, the others have numbers. cells: HTML.

    >>> as_row(["a", "1"])
    '<tr><td>a<td class=n>1'
    """
    first, *numbers = cells
    return f"<tr><td>{first}" + "".join(f"<td class=n>{number}" for number in numbers)


def wide_table(
    label: str, headings: Sequence[str], rows: Sequence[str], words: Collection[str] = (), kind: str = ""
) -> str:
    """HTML of a table in a box that scrolls by itself and that the keyboard reaches; nothing without rows.

    label: what the box is called for who can't see it, no HTML; headings: HTML; words: those above words, as the first
    is; the others are above numbers; rows: HTML of each, from <tr> on; kind: a class of the table.
    """
    if not rows:
        return ""
    of_words = {*headings[:1], *words}
    head = "".join(f"<th>{text}" if text in of_words else f"<th class=n>{text}" for text in headings)
    return "\n".join(
        [
            f"<div class=scroll role=group tabindex=0 aria-label='{escape(label)}'>"
            f"<table{f' class={kind}' if kind else ''}><tr>{head}",
            *rows,
            "</table></div>",
        ]
    )
