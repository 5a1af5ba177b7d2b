"""The report's section on what was dropped: how many by stage and reason, and a few of them, pictured."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.phrases import counted
from schemas.reasons import MEANING, PICTURED, Reason
from tasks.core.columns import Column, bools
from tasks.core.drawing import escape
from tasks.core.report.copies import Facts, Thumbnails, figure
from tasks.core.report.pieces import outside

MOST_OF_EACH = 4
"""Pictures of one stage and reason: enough to see whether the stage does what its author wanted."""
_PICTURED = pa.array(sorted(PICTURED), pa.string())


class DroppedGroup(NamedTuple):
    """What one stage dropped for one reason. records: how many. record_ids: of those that are pictured."""

    stage: str
    reason: str
    records: int
    record_ids: tuple[str, ...] = ()


def may_be_seen(ledger: pa.Table, has_open_rights: Column) -> NDArray[np.bool_]:
    """(N,) whether a report may show the picture of each record of LEDGER.

    Those that the release has anyway. Of what was dropped, those whose reason is PICTURED and whose rights all screens
    let pass (has_open_rights: (N,)), also where another stage was first; but none whose bytes are also those of a
    record that is none of these: they are the same picture.
    """
    is_kept, is_pictured = bools(ledger["kept"]), bools(pc.is_in(ledger["reason"], value_set=_PICTURED))
    is_allowed = is_pictured & bools(has_open_rights) & bools(pc.is_valid(ledger["sha256"]))
    return _has_blob_of(ledger, is_kept) | (is_allowed & ~_has_blob_of(ledger, ~is_kept & ~is_allowed))


def _has_blob_of(ledger: pa.Table, which: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(N,) whether each record has bytes, and one of these records has the same."""
    blobs = pc.unique(ledger["sha256"].filter(pa.array(which))).drop_null()
    return bools(pc.is_in(ledger["sha256"], value_set=blobs)) & bools(pc.is_valid(ledger["sha256"]))


def group_drops(ledger: pa.Table, is_seen: NDArray[np.bool_], stages: Sequence[str]) -> list[DroppedGroup]:
    """What LEDGER says was dropped, in the order of the stages, then by most records, then by reason. is_seen: (N,) of
    `may_be_seen`: of each reason those with the smallest image_ids are pictured, which is a random choice.
    """
    dropped = ledger.select(["stage", "reason", "record_id", "image_id"]).append_column("seen", pa.array(is_seen))
    dropped = dropped.filter(pc.invert(ledger["kept"]))
    counts = dropped.group_by(["stage", "reason"]).aggregate([([], "count_all")]).to_pylist()
    place = {stage: number for number, stage in enumerate(stages)}
    pictured = _pictured(dropped.filter(dropped["seen"]))
    groups = [
        DroppedGroup(row["stage"], row["reason"], row["count_all"], pictured.get((row["stage"], row["reason"]), ()))
        for row in counts
    ]
    return sorted(groups, key=lambda one: (place.get(one.stage, -1), -one.records, one.reason))


def _pictured(rows: pa.Table) -> Mapping[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    names = pc.binary_join_element_wise(rows["stage"], rows["reason"], "\n").combine_chunks().dictionary_encode()
    code = np.asarray(names.indices, np.int64)
    order = np.lexsort((np.asarray(rows["image_id"], np.int64), code))
    rank = np.arange(len(order)) - np.searchsorted(code[order], code[order])
    for row in rows.take(pa.array(order[rank < MOST_OF_EACH])).to_pylist():
        key = row["stage"], row["reason"]
        found[key] = (*found.get(key, ()), row["record_id"])
    return found


def section(groups: Sequence[DroppedGroup], facts: Facts, thumbnails: Thumbnails, details: Mapping[str, str]) -> str:
    """The section as HTML; empty where nothing was dropped. facts, thumbnails: as of `copies.section`, of all that are
    pictured; a record whose file is no longer there is left out. details: of the ledger, by record_id.
    """
    if not groups:
        return ""
    parts = [
        f"<section><h2>What was dropped, and why</h2><p>With each reason there are at most {MOST_OF_EACH} pictures, "
        "chosen at random. There are none where somebody excluded the record or had it taken down, where its rights or "
        "its server do not allow it, and for reasons that may stand for one of these.</p>"
    ]
    for group in groups:
        shown = [name for name in group.record_ids if name in facts and facts[name]["sha256"] in thumbnails]
        parts.append(
            f"<h3>{outside(group.stage)}: {counted(group.records, 'record')} <code>{escape(group.reason)}</code></h3>"
            f"<p>{escape(MEANING[Reason(group.reason)])}</p>"
        )
        if shown:
            figures = (figure(name, facts, thumbnails, details.get(name) or "") for name in shown)
            parts.append(f"<div class=sheet>{''.join(figures)}</div>")
    return "\n".join([*parts, "</section>"])
