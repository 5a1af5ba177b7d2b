"""In which order a release's rows stand in its files, and where its files and their row groups end: images by style, so
that who wants one style reads a few row groups and no more. docs/release.md says more.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.core.columns import whole

ORDER = {"images": ("style", "record_id"), "annotations": ("record_id", "annotation_id")}
"""Columns by which the rows of a split stand; nulls last."""

_FOOTER_BYTES = 8_192
"""What a row group adds to a file's footer and page index, some 27 columns."""


class GroupLimits(NamedTuple):
    """What a row group and a file may hold at most. A row larger than that stands alone."""

    group_rows: int
    group_bytes: int
    file_bytes: int
    file_groups: int = 10_000  # a footer is read whole before the first row


def places_in_order(rows: pa.Table, table: str, split: str) -> pa.Array:
    """Which rows stand in the files of a split, in their order there: their places among all."""
    mine = pa.array(np.flatnonzero(pc.equal(rows["split"], split)))
    keys = rows.select(ORDER[table]).take(mine)
    return mine.take(pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in ORDER[table]]))


def ends_of_runs(column: pa.ChunkedArray | pa.Array) -> NDArray[np.int64]:
    """(R,): the places after each run of equal values, nulls being equal, the last of all the number of rows.

    >>> ends_of_runs(pa.array(["a", "a", "b", None, None])).tolist()
    [2, 3, 5]
    """
    if not len(column):
        return np.zeros(0, np.int64)
    codes = whole(column).dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
    return np.append(np.flatnonzero(np.diff(codes)) + 1, len(codes)).astype(np.int64)


def files(sizes_bytes: NDArray[np.int64], ends: NDArray[np.int64], limits: GroupLimits) -> list[list[tuple[int, int]]]:
    """Row ranges (start, stop) of each row group of each file.

    sizes_bytes: (N,) of the rows. ends: where a row group must end (`ends_of_runs`). A group ends before it would
    exceed its limits, too, and a file before it would. No rows: one file without a group, so that a split is always
    there to be read.

    >>> files(np.array([4, 4, 4, 9]), np.array([2, 4]), GroupLimits(100, 12, 20_000))
    [[(0, 2), (2, 3)], [(3, 4)]]
    """
    totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes_bytes, dtype=np.int64)])
    groups = _groups(totals, ends, limits)
    found: list[list[tuple[int, int]]] = [[]]
    weight = 0
    for start, stop in groups:
        more = int(totals[stop] - totals[start]) + _FOOTER_BYTES
        if found[-1] and (weight + more > limits.file_bytes or len(found[-1]) == limits.file_groups):
            found.append([])
            weight = 0
        found[-1].append((start, stop))
        weight += more
    return found


def _groups(totals: NDArray[np.int64], ends: NDArray[np.int64], limits: GroupLimits) -> list[tuple[int, int]]:
    """One turn a group, none a row."""
    found, start = [], 0
    for end in ends.tolist():
        while start < end:
            fitting = int(np.searchsorted(totals, totals[start] + limits.group_bytes, side="right")) - 1
            stop = min(max(fitting, start + 1), start + limits.group_rows, end)
            found.append((start, stop))
            start = stop
    return found
