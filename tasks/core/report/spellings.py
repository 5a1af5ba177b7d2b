"""What the report says of names that sources spell in several ways: all of them, with their spellings."""

from collections.abc import Sequence

from schemas.phrases import quoted
from tasks.core.names.spellings import Name
from tasks.core.plots import escape


def section(names: Sequence[Name]) -> str:
    """HTML of a table with a row for each name; nothing where there are none. The most frequent spelling first."""
    if not names:
        return ""
    rows = [
        f"<tr><td>{escape(name.field)}<td>"
        + escape(", ".join(f"{quoted(text)} ({count:,})" for text, count in name.spellings))
        for name in sorted(names, key=lambda name: (name.field, name.text))
    ]
    return "\n".join(
        [
            "<h2>Names in several spellings</h2><p>Each of these counts as one name where works are drawn and divided: "
            "the spellings differ only in case, accents, width, hyphens, quotes, apostrophes, dots, blanks or "
            "invisible signs. In brackets: records with that spelling, of those that the draw chose from.</p>",
            "<div class=wide><table><tr><th>field<th>spellings",
            *rows,
            "</table></div>",
        ]
    )
