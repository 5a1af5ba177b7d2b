"""One row for every record that any build has listed: kept, or dropped by which stage and why."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason
from schemas.tables import LEDGER
from tasks.core import tables
from tasks.core.columns import is_same
from tasks.core.ids import ids

Roles = Callable[[pa.ChunkedArray], pa.ChunkedArray | pa.Array]
"""The role of each record by its record_id; null where it has none."""

FROM_RECORDS = ("record_id", "source", "reason", "detail")

SPLITS_OF_COPIES = pa.schema([LEDGER.field("record_id"), pa.field("split", pa.string())])
_COPIES = pa.schema([LEDGER.field("record_id"), LEDGER.field("kept_record_id")])


def ledger(
    records: pa.Table,
    outcomes: Sequence[tuple[str, pa.Table]],
    memory: pa.Table,
    *,
    is_limited: bool = False,
    roles: Roles | None = None,
) -> pa.Table:
    """LEDGER of a build, sorted by record_id.

    records: FROM_RECORDS of RECORDS (rows with a reason were dropped by scrape). outcomes: (label, outcome) of each
    stage in order. memory: `inherited_rows`; a record that only the memory has is dropped as `gone`, and keeps its last
    split and its image_id for the case that it comes back. A dropped copy has the split of the record that was kept: if
    that one disappears, the copy takes its place. is_limited: not all records were listed: missing ones are
    `over_limit`, not `gone`.
    """
    book = _of_scrape(records)
    for label, outcome in outcomes:
        book = _with_outcome(book, label, outcome)
    book = _with_memory(book, memory, Reason.OVER_LIMIT if is_limited else Reason.GONE)
    book = book.take(pc.sort_indices(book["record_id"]))
    copies = splits_of_copies([outcome for _, outcome in outcomes], roles)
    of_copies = tables.lookup(copies, "record_id", book["record_id"])["split"]
    book = _with(book, last_split=pc.coalesce(book["last_split"], of_copies))
    return _with(book, image_id=ids(book["record_id"], book["image_id"]))


def splits_of_copies(outcomes: Sequence[pa.Table], roles: Roles | None = None) -> pa.Table:
    """SPLITS_OF_COPIES: of each record that was dropped as a copy, directly or through others, the split of the one
    that is kept.

    Not across roles: a query that is a copy of an image of the gallery was never in the gallery's split.
    """
    copies = pa.concat_tables([_COPIES.empty_table(), *(outcome.select(_COPIES.names) for outcome in outcomes)])
    copies = copies.filter(pc.is_valid(copies["kept_record_id"]))
    dealt = [outcome for outcome in outcomes if "split" in outcome.column_names]
    if not dealt or not copies.num_rows:
        return SPLITS_OF_COPIES.empty_table()
    names = copies["record_id"]
    ends = chain_ends(names, copies["kept_record_id"])
    split = tables.lookup(dealt[-1].select(["record_id", "split"]), "record_id", ends)["split"]
    if roles is not None:
        split = pc.if_else(is_same(roles(names), roles(ends)), split, pa.scalar(None, pa.string()))
    return pa.table([names, split], schema=SPLITS_OF_COPIES).filter(pc.is_valid(split))


def inherited_rows(
    previous: pa.Table,
    records: pa.ChunkedArray,
    kept: pa.ChunkedArray,
    copies: pa.Table,
    *,
    same_splits: bool,
    taken_down: pa.ChunkedArray | None = None,
) -> pa.Table:
    """The rows of the previous LEDGER that this build would not find out by itself.

    These are: records that the sources no longer list; the last split of records that are dropped now; an image_id that
    a collision once moved; files of records taken down. All else is left out, so that building again from one's own
    result is the same build. taken_down: record_ids; copies: `splits_of_copies`, which the ledger finds by itself;
    same_splits: whether last splits still count (law 3: as long as the split's settings are equal).
    """
    names = previous["record_id"]
    gone = pc.invert(pc.is_in(names, value_set=records))
    split = previous["last_split"] if same_splits else pa.chunked_array([pa.nulls(previous.num_rows, pa.string())])
    is_news = pc.and_(pc.is_valid(split), pc.invert(is_same(split, tables.lookup(copies, "record_id", names)["split"])))
    dropped = pc.and_(pc.invert(pc.is_in(names, value_set=kept)), is_news)
    # with what is new: a newcomer may claim an id that was given
    everyone = pc.unique(pa.chunked_array([*names.chunks, *records.chunks], pa.string()))
    natural = ids(everyone).take(pc.index_in(names, value_set=everyone))
    moved = pc.invert(is_same(natural, previous["image_id"]))
    rows = _with(previous, last_split=split)
    needed = pc.or_(pc.or_(gone, dropped), moved)
    if taken_down is not None:
        needed = pc.or_(needed, pc.and_(pc.is_in(names, value_set=taken_down), pc.is_valid(previous["sha256"])))
    return rows.filter(needed)


def _of_scrape(records: pa.Table) -> pa.Table:
    """LEDGER rows of a build that has got no further than its records."""
    is_kept = pc.is_null(records["reason"])
    stage = pc.if_else(is_kept, pa.scalar(None, pa.string()), "scrape")
    found = records.select(FROM_RECORDS).append_column("kept", is_kept).append_column("stage", stage)
    return tables.as_schema(found, LEDGER)


def _with_outcome(book: pa.Table, label: str, outcome: pa.Table) -> pa.Table:
    """The book after a stage, with the columns that it takes from the stage's outcome."""
    place = pc.index_in(book["record_id"], value_set=outcome["record_id"])
    entered = pc.is_valid(place)
    if pc.sum(entered, min_count=0).as_py() != outcome.num_rows:
        raise AssertionError(f"expected records that are listed in the outcome of {label}, got others")

    def of_stage(name: str, where: Any, given: str | None = None) -> Any:
        return pc.if_else(where, outcome[given or name].take(place), book[name])

    found = {name: of_stage(name, entered) for name in ("sha256", "retrieved_at") if name in outcome.column_names}
    if "split" in outcome.column_names:
        found["last_split"] = of_stage("last_split", entered, "split")
    dropped = pc.is_valid(outcome["reason"].take(place))
    if pc.any(dropped).as_py():
        found |= {name: of_stage(name, dropped) for name in ("reason", "detail", "kept_record_id")}
        found |= {"stage": pc.if_else(dropped, label, book["stage"]), "kept": pc.and_(book["kept"], pc.invert(dropped))}
    return _with(book, **found)


def _with_memory(book: pa.Table, memory: pa.Table, missing: Reason) -> pa.Table:
    """The book with what only the release before it knows, of its records and of others."""
    if not memory.num_rows:
        return book
    was = tables.lookup(memory, "record_id", book["record_id"])
    is_down = pc.fill_null(pc.equal(book["reason"], str(Reason.TAKEN_DOWN)), False)
    book = _with(
        book,
        last_split=pc.coalesce(book["last_split"], was["last_split"]),
        # its file must be recognised if another record brings it
        sha256=pc.if_else(is_down, pc.coalesce(book["sha256"], was["sha256"]), book["sha256"]),
        image_id=was["image_id"],
    )
    others = memory.filter(pc.invert(pc.is_in(memory["record_id"], value_set=book["record_id"])))
    dropped = {"kept": False, "stage": "scrape", "reason": str(missing)}
    rows = {name: pa.repeat(value, others.num_rows) for name, value in dropped.items()}
    nothing = pa.nulls(others.num_rows, pa.string())
    others = _with(others, **rows, detail=nothing, kept_record_id=nothing)
    return pa.concat_tables([book, others.select(LEDGER.names)])


def _with(book: pa.Table, **columns: Any) -> pa.Table:
    for name, values in columns.items():
        book = book.set_column(book.schema.get_field_index(name), LEDGER.field(name), values)
    return book


def counts(book: pa.Table) -> dict[str, int | dict[str, int]]:
    """records, kept, dropped and by_split of a ledger; records = kept + dropped, asserted."""
    splits = book["last_split"].filter(book["kept"])
    kept, dropped = len(splits), len(book["reason"]) - book["reason"].null_count
    by_split = {row["values"]: row["counts"] for row in pc.value_counts(splits).to_pylist()}
    if book.num_rows != kept + dropped or sum(by_split.values()) != kept:
        raise AssertionError(f"expected {book.num_rows} records = kept + dropped, got {kept} + {dropped}")
    return {"records": book.num_rows, "kept": kept, "dropped": dropped, "by_split": by_split}


def chain_ends(names: pa.Array | pa.ChunkedArray, kept: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """(N,) for each of these dropped copies the record at the end of its chain: that was dropped for no other.

    names: (N,), no name twice. kept: (N,) for which record each was dropped. Chains may be of any length.

    >>> chain_ends(pa.array(["c", "b"]), pa.array(["b", "a"])).to_pylist()
    ['a', 'a']
    """
    further = np.asarray(pc.fill_null(pc.index_in(kept, value_set=names), -1), np.int64)
    last = np.where(further < 0, np.arange(len(further)), further)
    for _ in range(len(last).bit_length()):  # each turn doubles the links that are passed
        last = last[last]
    return pc.take(kept, pa.array(last))
