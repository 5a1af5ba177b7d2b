"""What left between two releases because somebody wanted it so: a list for whoever has copies of the older one.

It may be published: of a record with a tombstone it says what that says, and no more.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.diff import OPT_OUTS
from schemas.reasons import Reason
from tasks.core.diff.columns import equals, is_in
from tasks.core.diff.sides import Pair

REASONS = (
    Reason.TAKEN_DOWN,
    Reason.EXCLUDED,
    Reason.OPTED_OUT,
    Reason.ROBOTS_DISALLOW,
    Reason.RIGHTS_NOT_OPEN,
    Reason.GONE,
)
"""Drops that somebody outside wanted: people, or a source that no longer offers the image or not so freely."""
_DATE = r"\((?P<date>\d{4}-\d{2}-\d{2})\)$"


def opt_outs(pair: Pair) -> pa.Table:
    """OPT_OUTS, sorted by record_id: what the older release shows and the newer has dropped for one of REASONS, and
    what has been taken down since, shown or not.
    """
    book, before = pair.after.ledger, pair.before.ledger
    book = book.filter(pa.array(is_in(book["reason"], pa.array([str(reason) for reason in REASONS]))))
    was = before.take(pc.index_in(book["record_id"], value_set=before["record_id"].combine_chunks()))
    is_new = np.asarray(pc.fill_null(was["kept"], False)) | (
        equals(book["reason"], str(Reason.TAKEN_DOWN)) & ~equals(was["reason"], str(Reason.TAKEN_DOWN))
    )
    book, was = book.filter(pa.array(is_new)), was.filter(pa.array(is_new))
    stones = pair.after.tombstones
    stone = stones.take(pc.index_in(book["record_id"], value_set=stones["record_id"].combine_chunks()))
    is_purged = pc.is_valid(stone["record_id"])
    sha256 = pc.coalesce(was["sha256"], book["sha256"])
    date = pc.struct_field(pc.extract_regex(pc.fill_null(book["detail"], ""), _DATE), "date")
    found = pa.table(
        [
            book["record_id"],
            book["image_id"],
            pc.if_else(is_purged, stone["sha256"], sha256),
            book["reason"],
            pc.if_else(is_purged, stone["reason"], book["detail"]),
            pc.if_else(is_purged, stone["date"], date),
        ],
        schema=OPT_OUTS,
    )
    return found.take(pc.sort_indices(found["record_id"]))


def as_lines(found: pa.Table, before: str, after: str) -> str:
    """OPT_OUTS as text: a heading, then a line each of record_id, image_id, SHA-256, reason and date, with tabs."""
    cells = [
        pc.replace_substring_regex(pc.fill_null(found[name].cast(pa.string()), ""), r"\s|\pC", " ")
        for name in ("record_id", "image_id", "sha256", "reason", "date")
    ]
    lines = pc.binary_join_element_wise(*cells, "\t").to_pylist()
    heading = f"# What left between release {before} and release {after}: record_id, image_id, sha256, reason, date"
    return "\n".join([heading, *lines, ""])
