"""The report: one HTML page without anything from elsewhere: what stages did, some of what is in, copies."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import ReleaseManifest, Step
from schemas.reasons import MEANING, Reason
from tasks.core.report import choice, copies
from tasks.core.report.clusters import ReviewSelection
from tasks.core.report.copies import POLICY, SCRIPT, Facts, Thumbnails
from tasks.core.report.thumbnails import drawing
from tasks.core.statistics.choice import Statistics

MOST_IMAGES = 24
"""Images on the page: enough to see what a dataset is like, few enough to send by mail."""

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}th,td{text-align:left;padding:.25rem .8rem;border-bottom:1px solid #ddd}
td.n{text-align:right;font-variant-numeric:tabular-nums}h1{margin-bottom:0}code{font-size:.9em}
.bar{background:#b5532a;height:.7em;display:inline-block}
@media(max-width:45rem){.bar{display:none}}
.sheet{display:flex;flex-wrap:wrap;gap:.8rem}
figure{margin:0;width:10.5rem;font-size:.75rem;line-height:1.3}
figure svg{width:100%;height:auto;display:block;background:#eee}
"""


def sample_records(ledger: pa.Table) -> list[str]:
    """The kept records of LEDGER that the page shows: those with the smallest image_ids, which is a random choice."""
    kept = ledger.select(["record_id", "image_id"]).filter(ledger["kept"])
    first = pc.sort_indices(kept["image_id"])[:MOST_IMAGES]
    return list(kept["record_id"].take(first).to_pylist())


def report(
    title: str,
    manifest: ReleaseManifest,
    steps: Sequence[Step],
    images: Sequence[Mapping[str, Any]],
    boxes: Mapping[int, Sequence[Sequence[float]]],
    selection: ReviewSelection,
    facts: Facts,
    thumbnails: Thumbnails,
    statistics: Statistics | None = None,
    detector: str = "",
    attributes: str = "",
    groups: str = "",
) -> str:
    """The page as HTML.

    images: rows of the images table to show; boxes: xywh_px by image_id; selection: of clusters.select_for_review;
    facts: what copies.section needs of its records; thumbnails: by SHA-256, of all of these; detector, attributes,
    groups: HTML of sections.
    """
    counts = manifest.counts
    chosen = choice.section(statistics) if statistics else ""
    review = copies.section(selection, facts, thumbnails)
    parts = [
        head(title, f"{choice.STYLE if chosen else ''}{copies.STYLE if review else ''}", POLICY),
        f"<h1>{escape(title)}</h1><p>Version <code>{manifest.version}</code>, lineage {manifest.lineage}: "
        f"{counts['records']} records listed, <b>{counts['kept']}</b> images kept, {counts['dropped']} dropped.</p>",
        "<h2>What the stages did</h2>",
        _stages(steps),
        "<h2>Some of the images</h2><div class=sheet>",
        *(_figure(row, boxes.get(row["image_id"], ()), thumbnails) for row in images),
        "</div>",
        attributes,
        chosen,
        groups,
        detector,
    ]
    if review:
        parts += [review, f"<script>{SCRIPT}</script>"]
    return "\n".join([*parts, "</html>\n"])


def head(title: str, style: str, policy: str) -> str:
    """How a page begins. style: what it has besides STYLE; policy: its Content-Security-Policy."""
    return f"""<!doctype html><html lang=en><meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content="{policy}">
<meta name=viewport content='width=device-width,initial-scale=1'>
<title>{escape(title)}</title><style>{STYLE}{style}</style>"""


def _stages(steps: Sequence[Step]) -> str:
    most = max([1, *(step.kept + sum(step.dropped.values()) for step in steps)])
    rows = ["<table><tr><th>stage<th>kept<th><th>dropped<th>why"]
    for step in steps:
        why = "<br>".join(
            f"{count} {escape(reason)} ({escape(MEANING[Reason(reason)])})" for reason, count in step.dropped.items()
        )
        bar = f"<span class=bar style='width:{12 * step.kept / most:.2f}rem'></span>"
        lost = sum(step.dropped.values())
        rows.append(f"<tr><td>{escape(step.label)}<td class=n>{step.kept}<td>{bar}<td class=n>{lost}<td>{why}")
    return "\n".join([*rows, "</table>"])


def _figure(row: Mapping[str, Any], boxes: Sequence[Sequence[float]], thumbnails: Thumbnails) -> str:
    label = ", ".join(str(row[name]) for name in ("artist", "title", "date_text") if row[name])
    caption = f"<b>{escape(str(row['split']))}</b> {escape(str(row['style'] or ''))}<br>{escape(label)}"
    return f"<figure>{drawing(thumbnails[row['sha256']], boxes, label)}<figcaption>{caption}</figcaption></figure>"
