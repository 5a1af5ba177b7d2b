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
from tasks.core.report.side_by_side import POLICY, STYLE, cut, figure, sides
from tasks.core.report.thumbnails import Thumbnail

MOST_OF_EACH, MOST_ROWS = 6, 90
"""Changes of one kind and reason, and of all, that the page shows: it stays small enough to send by mail."""

Pictures = Mapping[str, Thumbnail]


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
    parts = [head(title, STYLE, POLICY), f"<h1>What changed</h1><p>{escape(title)}</p><pre>{escape(text)}</pre>"]
    for kind in Kind:
        if mine := [row for row in rows if row["kind"] == kind]:
            shown_of = f"Shown: {len(mine):,} of {facts['kinds'][kind]['rows']:,}."
            parts.append(f"<h2>{kind}</h2><p>{escape(KINDS[kind])} {shown_of}</p><div class=pairs>")
            parts += [*(_article(row, before, after) for row in mine), "</div>"]
    return "\n".join([*parts, "</main></html>\n"])


def _article(row: Mapping[str, Any], before: Pictures, after: Pictures) -> str:
    name, meaning, values = row["record_id"], MEANING[ChangeReason(row["reason"])], ""
    both = ((before, "before"), (after, "after"))
    if row["field"] is not None:
        values = f"<p>{cut(row['field'])}: <del>{cut(row['before'])}</del> <ins>{cut(row['after'])}</ins></p>"
    return (
        f"<article><code>{cut(name)}</code>"
        f"{sides(*(figure(of.get(name), side, row[f'split_{side}']) for of, side in both))}{values}"
        f"<p><b>{escape(row['reason'])}</b> {escape(meaning)}</p><p>{cut(row['detail'] or '')}</p></article>"
    )
