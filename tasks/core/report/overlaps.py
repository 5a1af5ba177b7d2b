"""What two datasets have in common as one HTML page: some pairs of each kind, pictured."""

from collections.abc import Mapping
from html import escape

import pyarrow as pa

from schemas.phrases import and_more
from tasks.core.report.page import head
from tasks.core.report.side_by_side import POLICY, STYLE, cut, figure, sides
from tasks.core.report.thumbnails import Thumbnail

MOST_PAIRS = 120
"""Few enough to send the page by mail."""
NEAR = "near"
"""What a pair is called whose pictures nobody could look at."""


def page(title: str, text: str, shown: pa.Table, more: int, pictures: Mapping[tuple[str, str], Thumbnail]) -> str:
    """The page as HTML. text: the summary; shown: OVERLAPS in their order, and `more` pairs that are not shown.
    pictures: by the dataset's name ("" for the release itself) and the image's; those that are at hand.
    """
    parts = [head(title, STYLE, POLICY), f"<h1>What other datasets have, too</h1><p>{escape(title)}</p>"]
    parts.append(f"<pre>{escape(text)}</pre><div class=pairs>")
    for row in shown.to_pylist():
        mine = figure(pictures.get(("", row["record_id"])), row["split"], row["record_id"])
        its_split = row["other_split"] or "no split"
        its = figure(pictures.get((row["other"], row["other_image"])), its_split, row["other_image"])
        score = "" if row["score"] is None else f", score {row['score']:.2f}"
        found = f"<b>{row['relation'] or NEAR}</b>, {row['distance_bits']} bits apart{score}, in {cut(row['other'])}"
        parts.append(f"<article>{sides(mine, its)}<p>{found}</p></article>")
    return "\n".join([*parts, "</div>", f"<p>...{and_more(more)}</p>" if more > 0 else "", "</main></html>\n"])
