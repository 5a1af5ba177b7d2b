"""Which records a purge removes: those that were named or taken down, and the copies of their works.

Each has a tombstone. And which of their files other records still use.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason
from schemas.tables import LEDGER, TOMBSTONES
from tasks.core.by_hand import reason_and_date
from tasks.core.dedup.decide import copy_edges
from tasks.core.tables import with_columns

_TombstoneFields = tuple[str, str, str]  # reason, date, scope


def tombstones_for(
    ledgers: Sequence[pa.Table],
    existing: pa.Table,
    requested: Mapping[str, str],
    day: str,
    scope: str,
    takedowns: pa.Table,
) -> pa.Table:
    """TOMBSTONES, sorted by record_id: the existing ones, and those of what is to be purged now.

    ledgers: LEDGERs of a dataset's releases, the newest first. requested: record_id to the reason of its purge, all in
    that scope. If it is empty, the records that the newest ledger says are taken down are purged, for the reasons, on
    the days (`day` where it names none) and in the scopes that it names. An existing tombstone stays as it is, except
    that one of a record alone may become one of its work. takedowns: TAKEDOWNS of the newest release.
    """
    rows = {row["record_id"]: row for row in existing.to_pylist()}
    if requested:
        new = {record_id: (reason, day, scope) for record_id, reason in requested.items()}
    else:
        new = _taken_down(ledgers[0] if ledgers else LEDGER.empty_table(), takedowns, day)
    for record_id in rows.keys() & requested.keys() if scope == "work" else ():
        rows[record_id] = {**rows[record_id], "scope": "work"}
    return _with_new(ledgers, rows, new)


def _taken_down(ledger: pa.Table, takedowns: pa.Table, day: str) -> dict[str, _TombstoneFields]:
    is_down = pc.fill_null(pc.equal(ledger["reason"], str(Reason.TAKEN_DOWN)), False)
    scopes = dict(zip(takedowns["record_id"].to_pylist(), takedowns["scope"].to_pylist(), strict=True))
    new = {}
    for row in ledger.filter(is_down).select(["record_id", "detail"]).to_pylist():
        reason, date = reason_and_date(row["detail"])
        new[row["record_id"]] = (reason, date or day, scopes[row["record_id"]])
    return new


def _with_new(
    ledgers: Sequence[pa.Table], existing: Mapping[str, Mapping[str, Any]], new: Mapping[str, _TombstoneFields]
) -> pa.Table:
    """TOMBSTONES of both; where a record is in both, the existing one stays."""
    files = files_of(ledgers, new)
    rows = {
        record_id: {
            "record_id": record_id,
            "date": date,
            "reason": reason,
            "sha256": next(iter(files.get(record_id, ())), None),
            "scope": scope,
        }
        for record_id, (reason, date, scope) in new.items()
    } | dict(existing)
    return pa.Table.from_pylist([rows[record_id] for record_id in sorted(rows)], schema=TOMBSTONES)


def with_copies(
    ledgers: Sequence[pa.Table],
    edges: Sequence[pa.Table],
    tombstones: pa.Table,
    look_alikes: Collection[tuple[str, str]] = (),
) -> pa.Table:
    """TOMBSTONES, and those of the copies of each work that has one, so that no copy takes its place.

    ledgers, edges: LEDGERs and EDGES of a dataset's releases, the newest first. look_alikes: pairs of SHA-256 of files
    that show one work. Copies of a record are the records that a ledger calls its copies, those of which it is a copy,
    those with a file of the same bytes, and those that the edges or look_alikes connect with it; and the copies of
    these. Not those of which people have said in the newest release that they are no copies. A copy of a copy that is
    not like the work itself stays.
    """
    rows = {row["record_id"]: row for row in tombstones.to_pylist()}
    copies, similar = _copies_in(ledgers), _similar_records(ledgers, edges, look_alikes)
    new: dict[str, _TombstoneFields] = {}
    for record_id in [record_id for record_id, row in rows.items() if row["scope"] == "work"]:
        row = rows[record_id]
        work = _connected(copies, {record_id})
        everything = _connected(copies, work | {other for one in work for other in similar[one]})
        for other in sorted(everything - rows.keys()):
            new.setdefault(other, (f"copy of {record_id}: {row['reason']}", row["date"], "copy"))
    return _with_new(ledgers, rows, new)


def _copies_in(ledgers: Sequence[pa.Table]) -> defaultdict[str, set[str]]:
    """For each record its copies, and those of which it is a copy, by the ledgers or by equal files."""
    copies: defaultdict[str, set[str]] = defaultdict(set)
    reasons = pa.array([Reason.EXACT_DUPLICATE, Reason.NEAR_DUPLICATE])
    for ledger in ledgers:
        is_copy = pc.and_(pc.is_in(ledger["reason"], value_set=reasons), pc.is_valid(ledger["kept_record_id"]))
        rows = ledger.filter(is_copy)
        for one, other in zip(rows["record_id"].to_pylist(), rows["kept_record_id"].to_pylist(), strict=True):
            copies[one].add(other)
            copies[other].add(one)
    for record_ids in _records_with(ledgers, _shared_files(ledgers)).values():
        for record_id in record_ids:
            copies[record_id] |= record_ids - {record_id}
    return copies


def _shared_files(ledgers: Sequence[pa.Table]) -> list[str]:
    everything = pa.concat_tables([LEDGER.empty_table(), *ledgers]).select(["sha256", "record_id"])
    counted = pc.value_counts(everything.group_by(["sha256", "record_id"]).aggregate([])["sha256"].drop_null())
    is_shared = pc.greater(counted.field("counts"), 1)
    return list(counted.field("values").filter(is_shared).to_pylist())


def _similar_records(
    ledgers: Sequence[pa.Table], edges: Sequence[pa.Table], look_alikes: Collection[tuple[str, str]]
) -> defaultdict[str, set[str]]:
    """For each record those that show its work by the edges or look_alikes."""
    similar: defaultdict[str, set[str]] = defaultdict(set)
    for table in edges:
        for a, b, _ in copy_edges(table):
            similar[a].add(b)
            similar[b].add(a)
    by_file = _records_with(ledgers, {sha256 for pair in look_alikes for sha256 in pair})
    for one, other in look_alikes:
        for a in by_file.get(one, ()):
            similar[a] |= by_file.get(other, set()) - {a}
    for a, b in _declared_different(edges[:1]):
        similar[a].discard(b)
        similar[b].discard(a)
    return similar


def _records_with(ledgers: Sequence[pa.Table], files: Collection[str]) -> dict[str, set[str]]:
    wanted = pa.array(sorted(files), pa.string())
    by_file: defaultdict[str, set[str]] = defaultdict(set)
    for ledger in ledgers:
        rows = ledger.filter(pc.is_in(ledger["sha256"], value_set=wanted))
        for record_id, sha256 in zip(rows["record_id"].to_pylist(), rows["sha256"].to_pylist(), strict=True):
            by_file[sha256].add(record_id)
    return by_file


def _declared_different(edges: Sequence[pa.Table]) -> Iterator[tuple[str, str]]:
    """Pairs of which people have said that they are no copies."""
    for table in edges:
        rows = table.filter(pc.fill_null(pc.not_equal(table["verdict"], "copy"), False))
        yield from zip(rows["a"].to_pylist(), rows["b"].to_pylist(), strict=True)


def _connected(linked: Mapping[str, set[str]], start: set[str]) -> set[str]:
    reached, wave = set(start), set(start)
    while wave:
        wave = {near for one in wave for near in linked.get(one, ())} - reached
        reached |= wave
    return reached


def without_shared_files(tombstones: pa.Table, files: Collection[str]) -> pa.Table:
    """TOMBSTONES without the digest of files that other records use: these files may come again."""
    is_shared = pc.is_in(tombstones["sha256"], value_set=pa.array(sorted(files), pa.string()))
    return with_columns(tombstones, {"sha256": pc.if_else(is_shared, None, tombstones["sha256"])})


def all_files_of(ledgers: Sequence[pa.Table], tombstones: pa.Table) -> set[str]:
    """SHA-256 of all files that the records with a tombstone ever had."""
    files = files_of(ledgers, tombstones["record_id"].to_pylist())
    return {*tombstones["sha256"].drop_null().to_pylist()}.union(*files.values())


def files_of(ledgers: Sequence[pa.Table], record_ids: Collection[str]) -> dict[str, list[str]]:
    """For each of the records the SHA-256 of the files that it had, in the order of the ledgers."""
    wanted = pa.array(sorted(record_ids), pa.string())
    files: dict[str, list[str]] = {}
    for ledger in ledgers:
        for row in ledger.filter(pc.is_in(ledger["record_id"], value_set=wanted)).to_pylist():
            if row["sha256"] and row["sha256"] not in files.setdefault(row["record_id"], []):
                files[row["record_id"]].append(row["sha256"])
    return files


def files_in_use(ledgers: Sequence[pa.Table], purged: Collection[str], files: Collection[str]) -> dict[str, str]:
    """Of the files, those that a record keeps that is not purged; SHA-256 to the smallest such record_id."""
    users: dict[str, str] = {}
    for ledger in ledgers:
        kept = ledger.filter(_keeps(ledger, files))
        for row in kept.select(["record_id", "sha256"]).to_pylist():
            if row["record_id"] not in purged:
                users[row["sha256"]] = min(row["record_id"], users.get(row["sha256"], row["record_id"]))
    return users


def keepers_of(ledger: pa.Table, files: Collection[str]) -> pa.ChunkedArray:
    """record_ids of the records that keep one of the files."""
    return ledger.filter(_keeps(ledger, files))["record_id"]


def _keeps(ledger: pa.Table, files: Collection[str]) -> pa.ChunkedArray:
    return pc.and_(ledger["kept"], pc.is_in(ledger["sha256"], value_set=pa.array(sorted(files), pa.string())))
