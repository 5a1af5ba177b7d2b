"""What the report says of groups, all of them: strata that have no image in some split, names in several spellings."""

from collections.abc import Sequence

from schemas.phrases import quoted
from tasks.core.drawing import escape
from tasks.core.names.spellings import Name
from tasks.core.split.drift import Gap


def empty_splits(gaps: Sequence[Gap]) -> str:
    """HTML of a table with a row for each stratum that has no image in some split; nothing where there are none."""
    if not gaps:
        return ""
    splits = list(gaps[0].images)
    rows = [
        f"<tr><td>{escape(gap.stratum)}" + "".join(f"<td class=n>{gap.images[split]:,}" for split in splits)
        for gap in gaps
    ]
    head = "".join(f"<th>{escape(split)}" for split in splits)
    return "\n".join(
        [
            "<h2>Strata without an image in some split</h2><p>Nothing can be chosen or scored by these there.</p>",
            f"<div class=wide><table><tr><th>stratum{head}",
            *rows,
            "</table></div>",
        ]
    )


def spellings(names: Sequence[Name]) -> str:
    """HTML of a table with a row for each name that sources spell in several ways; nothing where there are none. The
    most frequent spelling first.
    """
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
