"""The report: one HTML page without anything from elsewhere: what stages did, some of what is in, copies."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import ReleaseManifest, Step
from tasks.core import plots
from tasks.core.drawing import escape
from tasks.core.report import copies, pieces, theme
from tasks.core.report.clusters import ReviewSelection
from tasks.core.report.copies import POLICY, SCRIPT, Facts, Thumbnails
from tasks.core.report.pieces import CAPTION, LONGEST, outside, wide_table
from tasks.core.report.thumbnails import picture

MOST_IMAGES = 24
"""Images on the page: enough to see what a dataset is like, few enough to send by mail."""

STYLE = f"""{theme.STYLE}
body{{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}}
table{{border-collapse:collapse;margin:1rem 0}}th,td{{text-align:left;padding:.25rem .8rem;vertical-align:top;
border-bottom:1px solid var(--rule)}}th{{font-weight:600}}
td.n{{text-align:right;font-variant-numeric:tabular-nums}}h1{{margin-bottom:0}}code{{font-size:.9em;overflow-wrap:anywhere}}
h1,h2,h3,p{{overflow-wrap:anywhere}}
.bar{{background:var(--mark);height:.7em;display:inline-block}}
.stages td:last-child{{width:40%;min-width:4rem}}.stages td:first-child{{min-width:0}}
.sheet{{display:flex;flex-wrap:wrap;gap:.8rem}}.sheet::after{{content:"";flex:999 1 0}}
.sheet figure{{flex:var(--ratio,1) 1 calc(var(--ratio,1)*min(10rem,27vw));min-width:0;
max-width:calc(var(--ratio,1)*16rem)}}
.sheet svg{{aspect-ratio:var(--ratio)}}
figure{{margin:0;width:10.5rem;font-size:.75rem;line-height:1.3;overflow-wrap:anywhere}}
figure svg{{width:100%;height:auto;display:block;background:var(--wash)}}
.heat td.n{{background:color-mix(in srgb,var(--heat) calc(var(--share)*35%),transparent)}}
.heat td.empty{{outline:1px dashed var(--edge);outline-offset:-3px;color:var(--quiet)}}
.none{{background:var(--wash);color:var(--quiet);padding:2rem .5rem;text-align:center}}
@media(max-width:45rem){{body{{margin-top:1rem;padding:0 .8rem}}th,td{{padding:.25rem .5rem}}}}
{pieces.STYLE}"""
"""What all pages share. In a sheet each picture is as wide as its shape asks for at the height of its row: the widths
grow by the shapes, so that all pictures of a row are equally high and no hole is left beside a tall one.
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
    dropped: str = "",
    sections: Sequence[str] = (),
) -> str:
    """The page as HTML.

    images: rows of the images table to show; boxes: xywh_px by image_id; selection: of clusters.select_for_review;
    facts: what copies.section needs of its records; thumbnails: by SHA-256, of all of these that may be seen. dropped:
    HTML of the section on drops; sections: of those between the images and the copies, in their order.
    """
    counts = manifest.counts
    review = copies.section(selection, facts, thumbnails)
    parts = [
        head(title, f"{plots.STYLE}{copies.STYLE if review else ''}", POLICY),
        f"<h1>{outside(title)}</h1><p>Version <code>{manifest.version}</code>, lineage {manifest.lineage}: "
        f"{counts['records']} records listed, <b>{counts['kept']}</b> images kept, {counts['dropped']} dropped.</p>",
        "<h2>What the stages did</h2>",
        _stages(steps),
        "<h2>Some of the images</h2><div class=sheet>",
        *(_figure(row, boxes.get(row["image_id"], ()), thumbnails) for row in images),
        "</div>",
        dropped,
        *sections,
        review,
        "</main>",
        f"<script>{SCRIPT}</script>" if review else "",
    ]
    return _each_picture_once("\n".join([*filter(None, parts), "</html>\n"]))


_PICTURE = re.compile(r"<image href='(data:[^']+)'")


def _each_picture_once(text: str) -> str:
    """The page with each picture's bytes where it is shown first, and references to them from where it is again."""
    ids: dict[str, str] = {}

    def once(found: re.Match[str]) -> str:
        uri = found[1]
        if uri in ids:
            return f"<use href='#{ids[uri]}'"
        ids[uri] = f"picture-{len(ids)}"
        return f"<image id='{ids[uri]}' href='{uri}'"

    return _PICTURE.sub(once, text)


def head(title: str, style: str, policy: str) -> str:
    """How a page begins, up to its <main>. style: what it has besides STYLE; policy: its Content-Security-Policy."""
    return f"""<!doctype html><html lang=en><meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content="{policy}">
<meta name=viewport content='width=device-width,initial-scale=1'><meta name=color-scheme content='light dark'>
<title>{escape(title)}</title><style>{STYLE}{style}</style><main>"""


def _stages(steps: Sequence[Step]) -> str:
    most = max([1, *(step.kept + sum(step.dropped.values()) for step in steps)])
    rows = [
        f"<tr><td>{outside(step.label)}<td class=n>{step.kept:,}<td class=n>{sum(step.dropped.values()):,}"
        f"<td><span class=bar style='width:{100 * step.kept / most:.1f}%'></span>"
        for step in steps
    ]
    return wide_table("What the stages did", ["stage", "kept", "dropped", "share"], rows, ["share"], "stages")


def _figure(row: Mapping[str, Any], boxes: Sequence[Sequence[float]], thumbnails: Thumbnails) -> str:
    named = [str(row[name]) for name in ("artist", "title", "date_text") if row[name]]
    words = ", ".join(outside(text, CAPTION) for text in named)
    caption = f"<b>{outside(row['split'])}</b> {outside(row['style'] or '', CAPTION)}<br>{words}"
    return picture(thumbnails[row["sha256"]], boxes, ", ".join(named)[:LONGEST] or "a work without a name", caption)
