"""Images that stand under other record_ids than before: a source that numbers its works anew."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import counted, listed, quoted
from schemas.tables import schema
from tasks.core import tables
from tasks.core.columns import Column
from tasks.core.fetch import URL

KNOWN = schema("record_id source locator image_url sha256")
"""What is known of a record here; each but the first two may be null."""
MOVED = schema("record_id source now", now=pa.string())
MOVED_BY = ["record_id", "source", "reason", "locator", "image_url"]
"""Columns of RECORDS that are asked for."""
WAY_OUT = "give the works their old keys, or raise max_renamed_fraction if the new ones are right"
_EXAMPLES = 2


class Moves(NamedTuple):
    """What stands under other ids than in the last release: MOVED of what it kept, and of what people had excluded."""

    kept: pa.Table = MOVED.empty_table()
    excluded: pa.Table = MOVED.empty_table()
    images: Mapping[str, int] = {}
    """How many it kept of each source."""


def moved_ids(before: pa.Table, now: pa.Table) -> pa.Table:
    """MOVED, sorted: of each record of before whose image stands under another id now, that id.

    before, now: KNOWN; an id is in each of them once. An image is the same by its bytes, or its path within one source,
    or its address. What still has its own image has not moved, and its image is nobody else's; a file that has other
    bytes now in its old place has not moved, unless these bytes stand elsewhere.
    """
    there = tables.lookup(now, "record_id", before["record_id"])
    by_bytes, *places = (pc.equal(was, has) for was, has in zip(_marks(before), _marks(there), strict=True))
    in_place = pc.or_(*(pc.fill_null(place, False) for place in places))
    own = before["record_id"].filter(pc.fill_null(pc.coalesce(by_bytes, in_place), False))
    is_away = pc.invert(pc.is_in(before["record_id"], value_set=own))
    before, in_place = before.filter(is_away), in_place.filter(is_away)
    now = now.filter(pc.invert(pc.is_in(now["record_id"], value_set=own)))
    if not before.num_rows or not now.num_rows:
        return MOVED.empty_table()
    same_bytes, *same_places = (
        now["record_id"].take(pc.index_in(was, value_set=has, skip_nulls=True))
        for was, has in zip(_marks(before), _marks(now), strict=True)
    )
    found = pc.coalesce(same_bytes, pc.if_else(in_place, None, pc.coalesce(*same_places)))
    rows = pa.table([before["record_id"], before["source"], found], schema=MOVED)
    return rows.filter(pc.is_valid(rows["now"])).sort_by("record_id")


def is_many(moves: Moves, max_fraction: float) -> bool:
    """Whether so many images of one source have other ids that its keys are likely others; one alone was renamed."""
    moved = {row["values"]: row["counts"] for row in pc.value_counts(moves.kept["source"]).to_pylist()}
    return any(count > 1 and count > max_fraction * moves.images.get(source, 0) for source, count in moved.items())


def moved_sentences(moves: Moves) -> Iterator[str]:
    """What has moved, with examples: images, and what people had excluded, which by its new id nobody has."""
    if moves.kept.num_rows:
        count, whole = moves.kept.num_rows, counted(sum(moves.images.values()), "image")
        verb = "stands under another id" if count == 1 else "stand under other ids"
        yield f"{count:,} of {whole} {verb} now ({_examples(moves.kept)}): did the source's keys change?"
    if moves.excluded.num_rows:
        what = counted(moves.excluded.num_rows, "record")
        yield (
            f"{what} that people excluded {'has' if moves.excluded.num_rows == 1 else 'have'} another id now "
            f"({_examples(moves.excluded)}): to stay excluded, the list by hand needs the new one"
        )


def _examples(moved: pa.Table) -> str:
    few = moved.slice(0, _EXAMPLES).to_pylist()
    return listed([f"{quoted(row['record_id'])} is {quoted(row['now'])} now" for row in few], _EXAMPLES)


def known_records(ledger: pa.Table, records: pa.Table) -> pa.Table:
    """KNOWN of LEDGER rows. records: of RECORDS those columns that a release has, of any records."""
    found = tables.lookup(tables.as_schema(records, KNOWN), "record_id", ledger["record_id"])
    own = {name: ledger[name].cast(pa.string()) for name in ("record_id", "source", "sha256")}
    return tables.with_columns(found, own)


def _marks(known: pa.Table) -> tuple[Column, Column, Column]:
    """By what an image is recognised: bytes, path or address, the source's own address of it."""
    locator = known["locator"]
    is_url = pc.match_substring_regex(locator, URL)
    path = pc.binary_join_element_wise(known["source"], locator, "\n")
    return known["sha256"], pc.if_else(is_url, locator, path), known["image_url"]
