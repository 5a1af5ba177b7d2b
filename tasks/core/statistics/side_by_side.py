"""The tables of several truths, one below the other."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables import CLASS_SIZES, HISTOGRAMS, TRUTH_HISTOGRAMS, TRUTH_SHARES, TRUTH_STATISTICS
from tasks.core.columns import Column
from tasks.core.statistics.choice import VIEW, histograms, shares
from tasks.core.statistics.figures import ImageCounts, TruthContents, count_images
from tasks.core.statistics.numbers import class_sizes, split_order, statistics_table
from tasks.core.strata import UNKNOWN

AFTER = "after"
"""The moment of what a truth holds, as in a release's own histograms."""
OVERLAPS = "overlapping_pairs_per_image"


class TruthTables(NamedTuple):
    """TRUTH_STATISTICS, TRUTH_HISTOGRAMS, TRUTH_SHARES and CLASS_SIZES of several truths, in their order."""

    statistics: pa.Table
    histograms: pa.Table
    splits: pa.Table
    classes: pa.Table


def truth_tables(truths: Sequence[TruthContents], *, has_crowds: bool = True) -> TruthTables:
    """The tables of all truths, whose names differ. Nothing in, empty tables out. Raises as `statistics_table` does."""
    found = [TruthTables(*(schema.empty_table() for schema in _SCHEMAS))]
    for truth in truths:
        counts = count_images(truth, has_crowds=has_crowds)
        found.append(
            TruthTables(
                statistics_table(truth, counts),
                _named(truth, _histograms(truth, counts)),
                _named(truth, _shares(truth, counts)),
                class_sizes(truth),
            )
        )
    return TruthTables(*(pa.concat_tables(tables) for tables in zip(*found, strict=True)))


_SCHEMAS = (TRUTH_STATISTICS, TRUTH_HISTOGRAMS, TRUTH_SHARES, CLASS_SIZES)


def _named(truth: TruthContents, table: pa.Table) -> pa.Table:
    """The table with the truth's name before its columns."""
    return table.add_column(0, "truth", pa.repeat(pa.scalar(truth.name, pa.string()), table.num_rows))


def _histograms(truth: TruthContents, counts: ImageCounts) -> pa.Table:
    """HISTOGRAMS of what the truth holds, of what a release was drawn from, and of pairs that overlap (PoPArt, Fig. 7).

    What nobody annotated has no figures, not none. Pairs are counted in images with figures.
    """
    given = {name: truth.images[name] for name in ("artist", "year", "width_px", "height_px")}
    given |= {"stratum": truth.images["style"], "figures": pa.array(counts.figures, mask=~counts.is_annotated)}
    size = truth.images.num_rows
    view = pa.table([given.get(name, pa.nulls(size, VIEW.field(name).type)) for name in VIEW.names], schema=VIEW)
    pairs, images = np.unique(counts.overlapping_pairs[counts.is_positive], return_counts=True)
    overlaps = {
        "statistic": [OVERLAPS] * len(pairs),
        "moment": [AFTER] * len(pairs),
        "stratum": pa.nulls(len(pairs), pa.string()),
        "least": pairs.astype(np.float64),
        "below": pairs + 1.0,
        "count": images,
    }
    now = histograms({AFTER: view})
    if view["artist"].null_count == size:  # all the works of one unknown artist
        now = now.filter(pc.not_equal(now["statistic"], "works_per_artist"))
    earlier = [] if truth.earlier is None else [truth.earlier]
    return pa.concat_tables([*earlier, now, pa.table(overlaps, HISTOGRAMS)])


def _shares(truth: TruthContents, counts: ImageCounts) -> pa.Table:
    """TRUTH_SHARES without the truth: of each style and split, empty ones too; none where no image has a split."""
    split: Column = truth.images["split"]
    if split.null_count == len(split):
        return TRUTH_SHARES.remove(0).empty_table()
    names = dict.fromkeys(split_order(split), None)
    found = shares(truth.images["style"], pc.fill_null(split, UNKNOWN), pa.array(counts.figures), names)
    return found.drop_columns(["wanted_share"])
