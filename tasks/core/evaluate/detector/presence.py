"""How well a detector tells images with a figure from images without: what a threshold keeps, and what it misses."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.tables import THRESHOLDS
from tasks.core.evaluate.categories import CATEGORY
from tasks.core.evaluate.matching import Detections, DrawnFigures
from tasks.core.evaluate.systems import Groups, UnitGroup, unit_groups
from tasks.core.evaluate.systems_page import number_with_ends
from tasks.core.markdown import cell, number, table

GRID = tuple(place / 100 for place in range(5, 100, 5))
"""0.05 to 0.95."""
_SHOWN_AT = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_NO_BOX = -1.0
_Z = 1.959963984540054
"""Of a 95 % interval."""
_OF_BOTH = ("recall", "precision")
Row = dict[str, Any]


class Presence(NamedTuple):
    """has_figure: (N,) by people; a crowd is one. score: (N,) of the best box; -1 where there is none."""

    has_figure: NDArray[np.bool_]
    score: NDArray[np.float64]


class KeptImages(NamedTuple):
    """How many images there are, how many of them have a figure, and how many of both a threshold keeps."""

    images: int
    with_figure: int
    kept: int
    kept_with_figure: int

    def shares(self) -> dict[str, float | None]:
        """kept_share: of all images; recall: of those with a figure, those kept; precision: of those kept, those with a
        figure; f1: the harmonic mean of both, 0 where images have figures and none of them is kept. None of nothing.
        """
        parts = {
            "kept_share": (self.kept, self.images),
            "recall": (self.kept_with_figure, self.with_figure),
            "precision": (self.kept_with_figure, self.kept),
            "f1": (2 * self.kept_with_figure, self.kept + self.with_figure),
        }
        return {name: part / of if of else None for name, (part, of) in parts.items()}


def compute_presence(truth: DrawnFigures, detections: Detections) -> Presence:
    """Whether each image has a figure, and the score of the detector's best box in it."""
    has_figure = np.bincount(truth.image, minlength=truth.images) > 0
    score = np.full(truth.images, _NO_BOX)
    np.maximum.at(score, detections.image, detections.score)
    return Presence(has_figure, score)


def join_presences(several: Sequence[Presence]) -> Presence:
    """A figure or a box of any of several categories, in the same images. several: one or more."""
    return Presence(np.any([one.has_figure for one in several], axis=0), np.max([one.score for one in several], axis=0))


def count_kept(threshold: float, presence: Presence, times: NDArray[np.int64]) -> KeptImages:
    """How many images have a box of at least this score, which keeps them, where image i counts times[i] times.

    >>> count_kept(0.5, Presence(np.array([True, True, False]), np.array([0.5, 0.49, 0.9])), np.array([3, 1, 1])).kept
    4
    """
    is_kept = presence.score >= threshold
    counted = (True, presence.has_figure, is_kept, is_kept & presence.has_figure)
    return KeptImages(*(int(times.sum(where=which)) for which in counted))


def auc(presence: Presence, times: NDArray[np.int64]) -> float | None:
    """Area under the ROC curve (Hanley & McNeil, 1982): how often an image with a figure has a higher score than one
    without, ties counted half, where image i counts times[i] times; None without both kinds.
    """
    scores, place = np.unique(presence.score, return_inverse=True)
    with_figure, without = (
        np.bincount(place[which], times[which], len(scores)) for which in (presence.has_figure, ~presence.has_figure)
    )
    lower = np.cumsum(without) - without
    pairs = with_figure.sum() * without.sum()
    return float(with_figure @ (lower + without / 2) / pairs) if pairs else None


def wilson(hits: int, of: int) -> tuple[float, float] | None:
    """95 % interval of a share (Wilson, "Probable inference", 1927); None of nothing.

    >>> [round(end, 3) for end in wilson(9, 10)]
    [0.596, 0.982]
    """
    if not of:
        return None
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    reach = _Z * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    # at the ends the formula gives 0 and 1 but for rounding
    return (0.0 if hits == 0 else middle - reach), (1.0 if hits == of else middle + reach)


def threshold_table(systems: Mapping[str, Mapping[str, Presence]], groups: Groups) -> pa.Table:
    """THRESHOLDS of each system, over all images and categories, those of each group, and of several categories each.
    systems: by name and category.
    """
    rows: list[Row] = []
    for name, own in systems.items():
        joined = join_presences([*own.values()])
        units = [(group, joined) for group in unit_groups(len(joined.score), groups)]
        every = units[0][0].is_in
        units += [(UnitGroup(CATEGORY, one, every), seen) for one, seen in own.items() if len(own) > 1]
        for group, seen in units:
            common = {"system": name, "attribute": group.attribute, "group": group.value}
            rows += [{**common, **row} for row in _rows(seen, group.is_in.astype(np.int64))]
    return pa.Table.from_pylist(rows, schema=THRESHOLDS)


def threshold_lines(thresholds: pa.Table, systems: Sequence[str]) -> list[str]:
    """A table of some thresholds over all images, in Markdown."""
    return table(THRESHOLD_HEADINGS, threshold_cells(thresholds, systems, cell))


THRESHOLD_HEADINGS = ("detector", "threshold", "kept", *_OF_BOTH)


def threshold_cells(
    thresholds: pa.Table, systems: Sequence[str], write: Callable[[str], str]
) -> Sequence[Sequence[str]]:
    """Rows of that table. write: how a text from outside is written."""
    whole = [row for row in thresholds.to_pylist() if row["attribute"] is None and row["threshold"] in _SHOWN_AT]
    lines = []
    for row in sorted(whole, key=lambda row: systems.index(row["system"])):
        shares = [number_with_ends(row[of], row[f"{of}_low"], row[f"{of}_high"]) for of in _OF_BOTH]
        lines.append([write(row["system"]), f"{row['threshold']:.2f}", number(row["kept_share"]), *shares])
    return lines


def presence_notes(thresholds: pa.Table) -> list[str]:
    """A warning where all images have figures: then no image can be kept wrongly."""
    first = thresholds.filter(pc.is_null(thresholds["attribute"])).slice(0, 1).to_pylist()
    if not first or first[0]["with_figure"] < first[0]["images"]:
        return []
    return ["Every image has a figure, so that the precision of images is always 1 and their AUC is not defined"]


def _rows(seen: Presence, times: NDArray[np.int64]) -> Iterator[Row]:
    for threshold in GRID:
        kept = count_kept(threshold, seen, times)
        row = {"threshold": threshold, **kept._asdict(), **kept.shares()}
        for name, of in (("recall", kept.with_figure), ("precision", kept.kept)):
            row[f"{name}_low"], row[f"{name}_high"] = wilson(kept.kept_with_figure, of) or (None, None)
        yield {name: row[name] for name in row if name != "f1"}
