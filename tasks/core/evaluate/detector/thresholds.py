"""What each threshold of a detector would keep of the images, and what it would miss."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables import THRESHOLDS
from tasks.core.evaluate.categories import CATEGORY
from tasks.core.evaluate.detector.presence import Presence, count_kept, join_presences, wilson
from tasks.core.evaluate.groups import Groups, unit_groups
from tasks.core.markdown import cell, number, table

GRID = tuple(place / 100 for place in range(5, 100, 5))
"""0.05 to 0.95."""
_SHOWN_AT = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

Row = dict[str, Any]


def threshold_table(systems: Mapping[str, Mapping[str, Presence]], groups: Groups) -> pa.Table:
    """THRESHOLDS of each system, over all images and categories, those of each group, and of several categories each.

    systems: by name and category, over the same images.
    """
    rows: list[Row] = []
    for name, own in systems.items():
        joined = join_presences([*own.values()])
        for group in unit_groups(len(joined.score), groups):
            common = {"system": name, "attribute": group.attribute, "group": group.value}
            rows += ({**common, **row} for row in _rows(joined, group.is_in.astype(np.int64)))
        for category, seen in own.items() if len(own) > 1 else ():
            common = {"system": name, "attribute": CATEGORY, "group": category}
            rows += ({**common, **row} for row in _rows(seen, np.ones(len(seen.score), np.int64)))
    return pa.Table.from_pylist(rows, schema=THRESHOLDS)


def threshold_lines(thresholds: pa.Table, systems: Sequence[str]) -> list[str]:
    """A table of some thresholds over all images, in Markdown."""
    whole = [row for row in thresholds.to_pylist() if row["attribute"] is None and row["threshold"] in _SHOWN_AT]
    lines = [
        [
            cell(name),
            f"{row['threshold']:.2f}",
            number(row["kept_share"]),
            _with_ends(row, "recall"),
            _with_ends(row, "precision"),
        ]
        for name in systems
        for row in whole
        if row["system"] == name
    ]
    return table(["detector", "threshold", "kept", "recall", "precision"], lines)


def presence_notes(thresholds: pa.Table) -> list[str]:
    """A warning where all images have figures: then no image can be kept wrongly."""
    first = thresholds.filter(pc.is_null(thresholds["attribute"])).slice(0, 1).to_pylist()
    if not first or first[0]["with_figure"] < first[0]["images"]:
        return []
    return ["Every image has a figure, so that the precision of images is always 1 and their AUC is not defined"]


def _rows(seen: Presence, times: np.ndarray[Any, np.dtype[np.int64]]) -> Iterator[Row]:
    for threshold in GRID:
        kept = count_kept(threshold, seen, times)
        recall, precision = (wilson(kept.kept_with_figure, of) or (None, None) for of in (kept.with_figure, kept.kept))
        yield {
            "threshold": threshold,
            **kept._asdict(),
            "kept_share": kept.kept_share,
            "recall": kept.recall,
            "recall_low": recall[0],
            "recall_high": recall[1],
            "precision": kept.precision,
            "precision_low": precision[0],
            "precision_high": precision[1],
        }


def _with_ends(row: Row, name: str) -> str:
    low, high = number(row[f"{name}_low"]), number(row[f"{name}_high"])
    return f"{number(row[name])} ({low} to {high})" if low else number(row[name])
