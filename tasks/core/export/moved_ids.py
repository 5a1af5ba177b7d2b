"""Images whose record_ids are gone while they stand under other ones: a source that numbers its works anew."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import counted, listed, quoted
from tasks.core import tables
from tasks.core.columns import Column
from tasks.core.fetch import URL

KNOWN = pa.schema([(name, pa.string()) for name in ("record_id", "source", "locator", "image_url", "sha256")])
"""What is known of a record here; each but the first two may be null."""
MOVED = pa.schema([("record_id", pa.string()), ("now", pa.string())])
MOVED_BY = ["record_id", "source", "reason", "locator", "image_url"]
"""Columns of RECORDS that are asked for."""
_EXAMPLES = 2


def moved_ids(before: pa.Table, now: pa.Table) -> pa.Table:
    """MOVED: by the id of each record that is gone while a new one has its image, the new one's, sorted.

    before: KNOWN of records whose ids are gone. now: KNOWN of those whose ids are new. An image is the same by its
    bytes, or its path within one source, or its address.
    """
    if not before.num_rows or not now.num_rows:
        return MOVED.empty_table()
    found = pa.nulls(before.num_rows, pa.string())
    for was, has in zip(_marks(before), _marks(now), strict=True):
        at = pc.index_in(was, value_set=has, skip_nulls=True)
        found = pc.coalesce(found, now["record_id"].take(at))
    rows = pa.table([before["record_id"], found], schema=MOVED)
    return rows.filter(pc.is_valid(rows["now"])).sort_by("record_id")


def is_many(moved: int, before: int, max_fraction: float) -> bool:
    """Whether so many of the images of the last release have other ids that its keys are likely to be others. One alone
    is a file that somebody has renamed.

    >>> is_many(6, 6, 0.2), is_many(1, 2, 0.2), is_many(20, 100, 0.2), is_many(6, 6, 1)
    (True, False, False, False)
    """
    return moved > 1 and moved > max_fraction * before


def moved_sentence(moved: pa.Table, before: int) -> str:
    """How many ids are gone whose images stand under others, with examples. before: images of the last release."""
    examples = listed(
        [f"{quoted(row['record_id'])} is {quoted(row['now'])} now" for row in moved.slice(0, _EXAMPLES).to_pylist()],
        _EXAMPLES,
    )
    count = f"{moved.num_rows:,} of {counted(before, 'record')} {'is' if moved.num_rows == 1 else 'are'} gone"
    return f"{count} whose images stand under other ids ({examples}): did the source's keys change?"


def known_records(ledger: pa.Table, records: pa.Table) -> pa.Table:
    """KNOWN of LEDGER rows. records: of RECORDS those columns that a release has, of any records."""
    found = tables.lookup(tables.as_schema(records, KNOWN), "record_id", ledger["record_id"])
    columns = {"record_id": ledger["record_id"], "source": ledger["source"], "sha256": ledger["sha256"]}
    return pa.table([columns.get(name, found[name]) for name in KNOWN.names], schema=KNOWN)


def _marks(known: pa.Table) -> tuple[Column, Column, Column]:
    """By what an image is recognised: bytes, path or address, the source's own address of it."""
    locator = known["locator"]
    is_url = pc.match_substring_regex(locator, URL)
    path = pc.binary_join_element_wise(known["source"], locator, "\n")
    return known["sha256"], pc.if_else(is_url, locator, path), known["image_url"]
