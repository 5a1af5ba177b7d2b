"""What the report says of strata that have no image in some split: all of them."""

from collections.abc import Sequence

from tasks.core.plots import escape
from tasks.core.split.gaps import Gap


def section(gaps: Sequence[Gap]) -> str:
    """HTML of a table with a row for each such stratum; nothing where there are none."""
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
