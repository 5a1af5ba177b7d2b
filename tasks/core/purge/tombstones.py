"""Which records a purge removes, each with a tombstone, and which of their files other records still use."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason
from schemas.tables import LEDGER, TOMBSTONES
from tasks.core.by_hand import reason_and_date
from tasks.core.dedup.decide import copy_edges
from tasks.core.purge.rows import is_one_of
from tasks.core.tables import with_columns

_TombstoneFields = tuple[str, str, str]  # reason, date, scope
_Links = defaultdict[str, set[str]]


def tombstones_for(
    ledgers: list[pa.Table], existing: pa.Table, requested: Mapping[str, str], day: str, scope: str, takedowns: pa.Table
) -> pa.Table:
    """TOMBSTONES, sorted by record_id: the existing ones, and those of what is to be purged now.

    ledgers: LEDGERs of a dataset's releases, the newest first. requested: record_id to the reason of its purge, all in
    that scope. If it is empty, the records go that the newest ledger says are taken down, for its reasons, on its days
    (`day` where it names none) and in the scopes of takedowns (TAKEDOWNS of the newest release). An existing tombstone
    stays as it is, except that one of a record alone may become one of its work.
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
    scopes = dict(_pairs(takedowns, "record_id", "scope"))
    down = ledger.filter(pc.equal(ledger["reason"], str(Reason.TAKEN_DOWN)))
    new = {}
    for record_id, detail in _pairs(down, "record_id", "detail"):
        reason, date = reason_and_date(detail)
        new[record_id] = (reason, date or day, scopes[record_id])
    return new


def _pairs(table: pa.Table, one: str, other: str) -> Iterator[tuple[Any, Any]]:
    return zip(table[one].to_pylist(), table[other].to_pylist(), strict=True)


def _with_new(ledgers: Sequence[pa.Table], existing: dict[str, Any], new: dict[str, _TombstoneFields]) -> pa.Table:
    """TOMBSTONES of both; where a record is in both, the existing one stays."""
    files, rows = files_of(ledgers, new), dict(existing)
    for record_id, (reason, date, scope) in new.items():
        sha256 = next(iter(files.get(record_id, ())), None)
        row = {"record_id": record_id, "date": date, "reason": reason, "sha256": sha256, "scope": scope}
        rows.setdefault(record_id, row)
    return pa.Table.from_pylist([rows[record_id] for record_id in sorted(rows)], schema=TOMBSTONES)


def with_copies(
    ledgers: Sequence[pa.Table],
    edges: Sequence[pa.Table],
    tombstones: pa.Table,
    look_alikes: Collection[tuple[str, str]] = (),
) -> pa.Table:
    """TOMBSTONES, and those of the copies of each work that has one, so that no copy takes its place.

    ledgers, edges: LEDGERs and EDGES of a dataset's releases, the newest first. look_alikes: pairs of SHA-256 of files
    that show one work. Copies of a record are those by a ledger, either way, those with a file of the same bytes, those
    that the edges or look_alikes connect with it, unless people have said in the newest release that they are none, and
    the copies of these. A copy of a copy that is not like the work itself stays.
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


def _copies_in(ledgers: Sequence[pa.Table]) -> _Links:
    """For each record its copies, and those of which it is a copy, by the ledgers or by equal files."""
    copies: _Links = defaultdict(set)
    for ledger in ledgers:
        is_copy = is_one_of(ledger["reason"], [Reason.EXACT_DUPLICATE, Reason.NEAR_DUPLICATE])
        rows = ledger.filter(pc.and_(is_copy, pc.is_valid(ledger["kept_record_id"])))
        _link(copies, _pairs(rows, "record_id", "kept_record_id"))
    everything = pa.concat_tables([LEDGER.empty_table(), *ledgers]).select(["sha256", "record_id"])
    files = everything.group_by("sha256").aggregate([("record_id", "count_distinct")])
    shared = files["sha256"].filter(pc.greater(files["record_id_count_distinct"], 1))
    for record_ids in _records_with(ledgers, shared.drop_null().to_pylist()).values():
        for record_id in record_ids:
            copies[record_id] |= record_ids - {record_id}
    return copies


def _similar_records(
    ledgers: Sequence[pa.Table], edges: Sequence[pa.Table], look_alikes: Collection[tuple[str, str]]
) -> _Links:
    """For each record those that show its work by the edges or look_alikes."""
    similar: _Links = defaultdict(set)
    for table in edges:
        _link(similar, ((a, b) for a, b, _ in copy_edges(table)))
    by_file = _records_with(ledgers, {sha256 for pair in look_alikes for sha256 in pair})
    for one, other in look_alikes:
        _link(similar, ((a, b) for a in by_file[one] for b in by_file[other] if a != b))
    for table in edges[:1]:  # what people have said in the newest release
        for a, b in _pairs(table.filter(pc.not_equal(table["verdict"], "copy")), "a", "b"):
            similar[a].discard(b)
            similar[b].discard(a)
    return similar


def _link(links: _Links, pairs: Iterable[tuple[str, str]]) -> None:
    for one, other in pairs:
        links[one].add(other)
        links[other].add(one)


def _records_with(ledgers: Sequence[pa.Table], files: Collection[str]) -> _Links:
    by_file: _Links = defaultdict(set)
    for ledger in ledgers:
        for record_id, sha256 in _pairs(ledger.filter(is_one_of(ledger["sha256"], files)), "record_id", "sha256"):
            by_file[sha256].add(record_id)
    return by_file


def _connected(linked: Mapping[str, set[str]], start: set[str]) -> set[str]:
    reached, wave = set(start), set(start)
    while wave:
        wave = {near for one in wave for near in linked.get(one, ())} - reached
        reached |= wave
    return reached


def without_shared_files(tombstones: pa.Table, files: Collection[str]) -> pa.Table:
    """TOMBSTONES without the digest of files that other records use: these files may come again."""
    sha256 = tombstones["sha256"]
    return with_columns(tombstones, {"sha256": pc.if_else(is_one_of(sha256, files), None, sha256)})


def all_files_of(ledgers: Sequence[pa.Table], tombstones: pa.Table) -> set[str]:
    """SHA-256 of all files that the records with a tombstone ever had."""
    files = files_of(ledgers, tombstones["record_id"].to_pylist())
    return {*tombstones["sha256"].drop_null().to_pylist()}.union(*files.values())


def files_of(ledgers: Sequence[pa.Table], record_ids: Collection[str]) -> dict[str, list[str]]:
    """For each of the records the SHA-256 of the files that it had, in the order of the ledgers."""
    files: dict[str, list[str]] = {}
    for ledger in ledgers:
        for record_id, sha256 in _pairs(
            ledger.filter(is_one_of(ledger["record_id"], record_ids)), "record_id", "sha256"
        ):
            if sha256 and sha256 not in files.setdefault(record_id, []):
                files[record_id].append(sha256)
    return files


def files_in_use(ledgers: Sequence[pa.Table], purged: Collection[str], files: Collection[str]) -> dict[str, str]:
    """Of the files, those that a record keeps that is not purged; SHA-256 to the smallest such record_id."""
    users: dict[str, str] = {}
    for ledger in ledgers:
        for record_id, sha256 in _pairs(keepers_of(ledger, files), "record_id", "sha256"):
            if record_id not in purged:
                users[sha256] = min(record_id, users.get(sha256, record_id))
    return users


def keepers_of(ledger: pa.Table, files: Collection[str]) -> pa.Table:
    """The rows of the LEDGER that keep one of the files."""
    return ledger.filter(pc.and_(ledger["kept"], is_one_of(ledger["sha256"], files)))
