"""One row for every record that any build has listed: kept, or dropped by which stage and why."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason
from schemas.tables import LEDGER
from tasks.core.ids import ids


def ledger(
    records: pa.Table,
    outcomes: Sequence[tuple[str, pa.Table]],
    memory: pa.Table,
    *,
    is_limited: bool = False,
    role_of: Callable[[str], str | None] = lambda _: None,
) -> pa.Table:
    """LEDGER of a build, sorted by record_id.

    records: RECORDS (rows with a reason were dropped by scrape). outcomes: (label, outcome) of each stage in order.
    memory: LEDGER rows of the previous release that this build would not know by itself (`inherited_rows`). A record
    that only the memory has is dropped as `gone`; it keeps its last split and its image_id for the case that it comes
    back. A dropped copy has the split of the record that was kept: if that one disappears, the copy takes its place.
    is_limited: not all records were listed, so missing ones are `over_limit` instead of `gone`.
    """
    missing = Reason.OVER_LIMIT if is_limited else Reason.GONE
    rows: dict[str, dict[str, Any]] = {
        row["record_id"]: {
            **_empty_row(row),
            "kept": row["reason"] is None,
            "stage": row["reason"] and "scrape",
            "reason": row["reason"],
            "detail": row["detail"],
        }
        for row in records.select(["record_id", "source", "reason", "detail"]).to_pylist()
    }
    for label, outcome in outcomes:
        _apply(rows, label, outcome)
    for was in memory.to_pylist():
        row = rows.setdefault(
            was["record_id"],
            {**was, "kept": False, "stage": "scrape", "reason": missing, "detail": None, "kept_record_id": None},
        )
        row["last_split"] = row["last_split"] or was["last_split"]
        if row["reason"] == Reason.TAKEN_DOWN:  # its file must be recognised if another record brings it
            row["sha256"] = row["sha256"] or was["sha256"]
        row["image_id"] = was["image_id"]
    for name, split in splits_of_copies([outcome for _, outcome in outcomes], role_of).items():
        rows[name]["last_split"] = rows[name]["last_split"] or split
    numbered = ids(rows, known={name: row["image_id"] for name, row in rows.items() if row["image_id"] is not None})
    return pa.Table.from_pylist([{**rows[name], "image_id": numbered[name]} for name in sorted(rows)], schema=LEDGER)


def splits_of_copies(
    outcomes: Sequence[pa.Table], role_of: Callable[[str], str | None] = lambda _: None
) -> dict[str, str]:
    """For each record that was dropped as a copy, directly or through other copies, the split of the one that is kept.

    Not across roles: a query that is a copy of an image of the gallery was never in the gallery's split.
    """
    stays = {row["record_id"]: row["kept_record_id"] for outcome in outcomes for row in _copies(outcome).to_pylist()}
    dealt = [outcome for outcome in outcomes if "split" in outcome.column_names]
    split_of = (
        dict(zip(dealt[-1]["record_id"].to_pylist(), dealt[-1]["split"].to_pylist(), strict=True)) if dealt else {}
    )
    found: dict[str, str] = {}
    for name in stays:
        other = stays[name]
        while other in stays:  # it stayed in one dedup, and was dropped in a later one
            other = stays[other]
        if (split := split_of.get(other)) is not None and role_of(name) == role_of(other):
            found[name] = split
    return found


def _copies(outcome: pa.Table) -> pa.Table:
    columns = outcome.select(["record_id", "kept_record_id"])
    return columns.filter(pc.is_valid(columns["kept_record_id"]))


def inherited_rows(
    previous: pa.Table,
    records: pa.ChunkedArray,
    kept: pa.ChunkedArray,
    copies: Mapping[str, str],
    *,
    same_splits: bool,
    taken_down: pa.ChunkedArray | None = None,
) -> pa.Table:
    """The rows of the previous LEDGER that this build needs, because it would not find them out by itself.

    These are: records that the sources no longer list; the last split of records that are dropped now; an image_id that
    a collision once moved. All else is left out, so that building again from one's own result is the same build.
    taken_down: record_ids that scrape dropped as taken down; their files stay known. copies: `splits_of_copies`, which
    the ledger finds by itself. same_splits: whether last splits still count (law 3: as long as the split's settings are
    equal).
    """
    gone = pc.invert(pc.is_in(previous["record_id"], value_set=records))
    split = previous["last_split"] if same_splits else pa.chunked_array([pa.nulls(previous.num_rows, pa.string())])
    names = previous["record_id"].to_pylist()
    is_news = pa.array(
        [was is not None and was != copies.get(name) for name, was in zip(names, split.to_pylist(), strict=True)],
        pa.bool_(),
    )
    dropped = pc.and_(pc.invert(pc.is_in(previous["record_id"], value_set=kept)), is_news)
    natural = ids([*names, *records.to_pylist()])  # with what is new: a newcomer may claim an id that was given
    moved = pa.array(
        [natural[name] != number for name, number in zip(names, previous["image_id"].to_pylist(), strict=True)],
        pa.bool_(),
    )
    rows = previous.set_column(previous.schema.get_field_index("last_split"), LEDGER.field("last_split"), split)
    is_down = pc.is_in(
        previous["record_id"], value_set=taken_down if taken_down is not None else pa.array([], pa.string())
    )
    is_known = pc.and_(is_down, pc.is_valid(previous["sha256"]))
    return rows.filter(pc.or_(pc.or_(gone, dropped), pc.or_(moved, is_known)))


def _empty_row(row: dict[str, Any]) -> dict[str, Any]:
    return {**dict.fromkeys(LEDGER.names), "record_id": row["record_id"], "source": row["source"]}


def _apply(rows: dict[str, dict[str, Any]], label: str, outcome: pa.Table) -> None:
    """Write the outcome of one stage into the rows, with the columns that the ledger takes from it."""
    wanted = [name for name in ("sha256", "retrieved_at", "split") if name in outcome.column_names]
    for result in outcome.select(["record_id", "reason", "detail", "kept_record_id", *wanted]).to_pylist():
        row = rows[result["record_id"]]
        for name in wanted:
            row["last_split" if name == "split" else name] = result[name]
        if result["reason"] is not None:
            row.update(
                kept=False, stage=label, **{name: result[name] for name in ("reason", "detail", "kept_record_id")}
            )


def counts(book: pa.Table) -> dict[str, int | dict[str, int]]:
    """records, kept, dropped and by_split of a ledger; records = kept + dropped, asserted."""
    kept = book.filter(book["kept"])
    by_split = {row["values"]: row["counts"] for row in pc.value_counts(kept["last_split"]).to_pylist()}
    dropped = book.filter(pc.is_valid(book["reason"])).num_rows
    if book.num_rows != kept.num_rows + dropped or sum(by_split.values()) != kept.num_rows:
        raise AssertionError(f"expected {book.num_rows} records = kept + dropped, got {kept.num_rows} + {dropped}")
    return {"records": book.num_rows, "kept": kept.num_rows, "dropped": dropped, "by_split": by_split}
