"""The report: one HTML page to look at, without anything from elsewhere. What stages did, some of what is in, pairs of copies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from schemas.manifests import ReleaseManifest, Step
from schemas.reasons import MEANING, Reason

SHOWN = 24
"""Images, and pairs of copies, on the page: enough to see what a dataset is like, few enough to send by mail."""

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}th,td{text-align:left;padding:.25rem .8rem;border-bottom:1px solid #ddd}
td.n{text-align:right;font-variant-numeric:tabular-nums}h1{margin-bottom:0}code{font-size:.9em}
.bar{background:#b5532a;height:.7em;display:inline-block}.sheet{display:flex;flex-wrap:wrap;gap:.8rem}
figure{margin:0;width:10.5rem;font-size:.75rem;line-height:1.3}figure svg{width:100%;height:auto;display:block;background:#eee}
.pair{display:flex;gap:.3rem;border:1px solid #ddd;padding:.4rem}
"""


@dataclass(frozen=True)
class Thumbnail:
    """A small picture: a data URI, and the size of the original in px."""

    uri: str
    width_px: int
    height_px: int


def shown_records(ledger: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[Mapping[str, Any]]]:
    """Which records the page shows: kept ones by their image_id (which is chance), and ledger rows of dropped copies."""
    kept = sorted((row for row in ledger if row["kept"]), key=lambda row: row["image_id"])
    copies = sorted((row for row in ledger if row["kept_record_id"]), key=lambda row: row["image_id"])
    return [row["record_id"] for row in kept[:SHOWN]], copies[:SHOWN]


def report(
    title: str,
    manifest: ReleaseManifest,
    steps: Sequence[Step],
    images: Sequence[Mapping[str, Any]],
    boxes: Mapping[int, Sequence[Sequence[float]]],
    copies: Sequence[Mapping[str, Any]],
    stays: Mapping[str, str],
    thumbnails: Mapping[str, Thumbnail],
) -> str:
    """The page as HTML.

    images: rows of the images table to show; boxes: xywh_px by image_id; copies: ledger rows of
    dropped copies; stays: SHA-256 by record_id of what stayed instead; thumbnails: by SHA-256, of all of these.
    """
    counts = manifest.counts
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1><p>Version <code>{manifest.version}</code>, lineage {manifest.lineage}: {counts['records']} "
        f"records seen, <b>{counts['kept']}</b> images kept, {counts['dropped']} dropped.</p>",
        "<h2>What the stages did</h2>", _stages(steps),
        "<h2>Some of what is in it</h2><div class=sheet>",
        *(_figure(row, boxes.get(row["image_id"], ()), thumbnails) for row in images),
        "</div>",
    ]  # fmt: skip
    if copies:
        parts += ["<h2>Copies, and what stayed instead</h2><div class=sheet>"]
        parts += [_pair(row, stays[row["kept_record_id"]], thumbnails) for row in copies]
        parts += ["</div>"]
    return "\n".join([*parts, "</html>\n"])


def _stages(steps: Sequence[Step]) -> str:
    most = max([1, *(step.kept + sum(step.dropped.values()) for step in steps)])
    rows = ["<table><tr><th>stage<th>kept<th><th>dropped<th>why"]
    for step in steps:
        why = "; ".join(
            f"{count} {escape(reason)} ({escape(MEANING[Reason(reason)])})" for reason, count in step.dropped.items()
        )
        bar = f"<span class=bar style='width:{12 * step.kept / most:.2f}rem'></span>"
        rows.append(
            f"<tr><td>{escape(step.label)}<td class=n>{step.kept}<td>{bar}<td class=n>{sum(step.dropped.values())}<td>{why}"
        )
    return "\n".join([*rows, "</table>"])


def _figure(row: Mapping[str, Any], boxes: Sequence[Sequence[float]], thumbnails: Mapping[str, Thumbnail]) -> str:
    said = ", ".join(str(row[name]) for name in ("artist", "title", "date_text") if row[name])
    caption = f"<b>{escape(str(row['split']))}</b> {escape(str(row['style'] or ''))}<br>{escape(said)}"
    return f"<figure>{_picture(thumbnails[row['sha256']], boxes)}<figcaption>{caption}</figcaption></figure>"


def _pair(row: Mapping[str, Any], stays: str, thumbnails: Mapping[str, Thumbnail]) -> str:
    caption = f"{escape(row['record_id'])}: {escape(str(row['reason']))} ({escape(str(row['detail']))}) of {escape(row['kept_record_id'])}"
    pictures = "".join(f"<figure>{_picture(thumbnails[sha256], ())}</figure>" for sha256 in (row["sha256"], stays))
    return f"<div><div class=pair>{pictures}</div><figure style='width:21rem'>{caption}</figure></div>"


def _picture(thumbnail: Thumbnail, boxes: Sequence[Sequence[float]]) -> str:
    """The thumbnail in the original's own pixels, so that boxes need no arithmetic."""
    width, height = thumbnail.width_px, thumbnail.height_px
    drawn = "".join(
        f"<rect x='{x:g}' y='{y:g}' width='{w:g}' height='{h:g}' fill='none' stroke='#ff3b1f' stroke-width='{max(width, height) / 90:.1f}'/>"
        for x, y, w, h in boxes
    )
    return f"<svg viewBox='0 0 {width} {height}'><image href='{thumbnail.uri}' width='{width}' height='{height}'/>{drawn}</svg>"
