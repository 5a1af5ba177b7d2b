"""The comparison as one HTML page without anything from elsewhere: some changes of each kind and reason, pictured."""

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.diff import KINDS, MEANING, ChangeReason, Kind
from tasks.core.columns import Column
from tasks.core.report.page import head
from tasks.core.report.thumbnails import Thumbnail, drawing

MOST_OF_EACH, MOST_ROWS = 6, 90
"""Changes of one kind and reason, and of all, that the page shows: it stays small enough to send by mail."""

Pictures = Mapping[str, Thumbnail]
_LONGEST = 300
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'none'; base-uri 'none'; "
    "form-action 'none'"
)
_STYLE = """
.changes{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(22rem,100%),1fr));gap:1rem}
.changes article{border:1px solid #ddd;border-radius:6px;padding:.8rem;font-size:.85rem;overflow-wrap:anywhere}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:.6rem}.sides figure{width:auto}
.sides svg{height:9rem;background:#f4f2ef;border-radius:3px}.none{color:#777;padding:1rem 0}
.changes p{margin:.4rem 0}del{background:#fbe3df}ins{background:#dff2e1;text-decoration:none}
pre{white-space:pre-wrap;background:#f7f5f2;padding:.8rem;border-radius:6px}
"""


def sample(changes: pa.Table, hidden: Column) -> pa.Table:
    """The CHANGES that the page shows: the first of each kind and reason. hidden: records that somebody wants gone."""
    left = changes.filter(pc.invert(pc.is_in(changes["record_id"], value_set=hidden)))
    names = pc.binary_join_element_wise(left["kind"], left["reason"], " ").combine_chunks().dictionary_encode()
    codes = np.asarray(names.indices)
    order = np.argsort(codes, kind="stable")
    place = np.arange(len(codes)) - np.searchsorted(codes[order], codes[order])
    chosen = np.sort(order[place < MOST_OF_EACH])[:MOST_ROWS]
    return left.take(pa.array(chosen))


def page(facts: Mapping[str, Any], text: str, shown: pa.Table, before: Pictures, after: Pictures) -> str:
    """The page as HTML. facts, text: of the summary; shown: `sample`; before, after: by record_id."""
    title = f"{facts['before']['name']} {facts['before']['version']} and {facts['after']['version']}"
    rows = shown.to_pylist()
    parts = [head(title, _STYLE, _POLICY), f"<h1>What changed</h1><p>{escape(title)}</p><pre>{escape(text)}</pre>"]
    for kind in Kind:
        if mine := [row for row in rows if row["kind"] == kind]:
            shown_of = f"Shown: {len(mine):,} of {facts['kinds'][kind]['rows']:,}."
            parts.append(f"<h2>{kind}</h2><p>{escape(KINDS[kind])} {shown_of}</p><div class=changes>")
            parts += [*(_article(row, before, after) for row in mine), "</div>"]
    return "\n".join([*parts, "</html>\n"])


def _article(row: Mapping[str, Any], before: Pictures, after: Pictures) -> str:
    name, meaning, values = row["record_id"], MEANING[ChangeReason(row["reason"])], ""
    if row["field"] is not None:
        values = f"<p>{_cut(row['field'])}: <del>{_cut(row['before'])}</del> <ins>{_cut(row['after'])}</ins></p>"
    return (
        f"<article><code>{_cut(name)}</code><div class=sides>"
        f"{_figure(before.get(name), 'before', row['split_before'])}"
        f"{_figure(after.get(name), 'after', row['split_after'])}</div>{values}"
        f"<p><b>{escape(row['reason'])}</b> {escape(meaning)}</p><p>{_cut(row['detail'] or '')}</p></article>"
    )


def _figure(picture: Thumbnail | None, side: str, split: str | None) -> str:
    shown = drawing(picture, (), side) if picture else "<div class=none>no picture</div>"
    return f"<figure>{shown}<figcaption>{side}{': ' + _cut(split) if split else ''}</figcaption></figure>"


def _cut(text: str | None) -> str:
    if text is None:
        return "nothing"
    return escape(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
