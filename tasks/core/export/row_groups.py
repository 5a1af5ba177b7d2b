"""In which order a release's rows stand in its files, and where its files and their row groups end.

By image_id, which is a hash, so that a reader of any part of a stream has all styles; or by style, so that who wants
one reads a few row groups and no more. docs/release.md says more.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.core.columns import whole

ORDER = {
    "images": ("image_id",),
    "annotations": ("image_id", "annotation_id"),
    "detections": ("image_id", "detection_id"),
}
"""Columns by which the rows of a split stand; nulls last."""

BY_STYLE = ("style", "image_id")
"""That of images where the recipe asks for it."""

UNTIL_3 = {"images": ("style", "record_id"), "annotations": ("record_id", "annotation_id")}
"""Those of releases by contracts before 3."""

_ID_BITS = 53
_SHARDED_FROM, _LEAST_SHARDS = 1000, 8
"""Rows from which on a split has so many files at least: so many can be read, or shuffled, at once."""
_MOST_SHARDS = 2**16
_MOST_ROWS = 1_000_000
"""Of a shard, which need have no bytes."""
_FOOTER_BYTES = 8_192
"""What a row group adds to a file's footer and page index, some 27 columns."""


class GroupLimits(NamedTuple):
    """What a row group and a file may hold at most. A row larger than that stands alone."""

    group_rows: int
    group_bytes: int
    file_bytes: int
    file_groups: int = 10_000  # a footer is read whole before the first row


def places_in_order(rows: pa.Table, order: Sequence[str], split: str) -> pa.Array:
    """Which rows stand in the files of a split, in their order there: their places among all."""
    mine = pa.array(np.flatnonzero(pc.equal(rows["split"], split)))
    keys = rows.select([*order]).take(mine)
    return mine.take(pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in order]))


def shard_count(image_ids: NDArray[np.int64], sizes_bytes: NDArray[np.int64], most_bytes: int) -> int:
    """How many files a split has, each of the images whose ids begin with the same bits: a power of two, at least 8 for
    1,000 images or more, and doubled until each file holds at most so many bytes, or one image. Where a few images
    alone are as large as a file may be, that would take thousands: it is not doubled beyond four times as many files as
    all bytes together ask for.

    image_ids: (N,) sorted, below 2^53. sizes_bytes: (N,) of these images.

    >>> shard_count(np.arange(3) << 51, np.array([5, 5, 5]), 10), shard_count(np.arange(3), np.array([5, 5, 5]), 15)
    (2, 1)
    """
    totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes_bytes, dtype=np.int64)])
    count = _LEAST_SHARDS if len(image_ids) >= _SHARDED_FROM else 1
    asked = max(int(totals[-1]) / most_bytes, len(image_ids) / _MOST_ROWS)
    while count < min(_MOST_SHARDS, 4 * asked):
        ends = shard_ends(image_ids, count)
        starts = np.concatenate([[0], ends[:-1]])
        is_too_large = (totals[ends] - totals[starts] > most_bytes) | (ends - starts > _MOST_ROWS)
        if not (is_too_large & (ends - starts > 1)).any():
            break
        count *= 2
    return count


def shard_ends(image_ids: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """(count,) the places among sorted ids behind the last of each shard.

    >>> shard_ends(np.array([0, 1, 2**52, 2**53 - 1]), 2).tolist()
    [2, 4]
    """
    width = 2**_ID_BITS // count
    ends: NDArray[np.int64] = np.searchsorted(image_ids, np.arange(1, count + 1, dtype=np.int64) * width)
    return ends


def shards(sizes_bytes: NDArray[np.int64], ends: NDArray[np.int64], limits: GroupLimits) -> list[list[tuple[int, int]]]:
    """Row ranges (start, stop) of each row group of each shard. sizes_bytes: (N,). ends: of the shards (`shard_ends`).

    >>> shards(np.array([4, 4, 4, 9]), np.array([3, 3, 4]), GroupLimits(100, 8, 0))
    [[(0, 2), (2, 3)], [], [(3, 4)]]
    """
    totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes_bytes, dtype=np.int64)])
    groups = _groups(totals, ends, limits)
    first = np.searchsorted([start for start, _ in groups], np.concatenate([[0], ends]))
    return [groups[one:other] for one, other in itertools.pairwise(first.tolist())]


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
    """Row ranges (start, stop) of each row group of each file, where files end by their size alone.

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
