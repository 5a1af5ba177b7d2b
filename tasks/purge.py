"""purge: what was taken down leaves the store, and every release of its dataset; a tombstone says that it was there.

First the tombstones are written, then the store is cleaned, then each release is amended, its manifest last. Every step
finds nothing to do where it was done before: a purge that is killed and started again ends the same.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput, Damaged
from schemas.manifests import Amended, ReleaseManifest, TableRef
from schemas.tables import ANSWERS, EDGES, RETRIEVALS
from tasks.core import by_hand
from tasks.core import purge as core
from tasks.core.export import digest, ledger
from tasks.io import journal, releases, tombstones
from tasks.io.amend import Amender
from tasks.io.releases import Release
from tasks.io.store import Store, blob_path, parquet_bytes

_SHOWN = 20
_LISTED_APART = frozenset({"records.parquet", "ledger.parquet", "tombstones.parquet"})
_STONES = "tombstones.parquet"
_DIVERSITY = "statistics/diversity.parquet"


@dataclass(frozen=True)
class _Purge:
    """What goes. files: SHA-256 of what is removed from the store; told: by what the records can be told."""

    store: Store
    is_dry: bool
    buried: pa.Table
    names: frozenset[str]
    files: frozenset[str]
    told: frozenset[str]
    artists: frozenset[str]
    """Of whom nothing else is known."""

    @property
    def keys(self) -> frozenset[str]:
        """How the sources call the records."""
        return frozenset(name.partition(":")[2] for name in self.names)


def purge(
    name: str, store_url: str, records: Collection[str] = (), reason: str = "", day: str | None = None, *, is_dry: bool = False,
    is_alone: bool = False,
) -> str:  # fmt: skip
    """Remove records of a dataset from a store and all of its releases; what was removed, in lines.

    records: these go, with the copies of their works (not if `is_alone`); where none is given, all that the newest ledger
    says are taken down. day: as 2024-12-31, of the tombstones; today if none is given. is_dry: nothing is removed.

    Raises BadInput where the store has no such dataset, or no release of it knows a record, or a reason or a day is none.
    """
    store = Store(store_url)
    known = _newest_first(store, name)
    books = [release.ledger() for release in known]
    today = day or datetime.now(UTC).date().isoformat()
    _check(name, records, reason, today, books)
    asked = (
        dict.fromkeys(records, reason) if is_alone else core.with_copies(books[0], _edges(known[0]), records, reason)
    )
    buried = core.stones(books, tombstones.tombstones(store, name), asked, today)
    names = frozenset(buried["record_id"].to_pylist())
    had = {sha256 for files in core.files_of(books, names).values() for sha256 in files}
    had |= set(buried["sha256"].drop_null().to_pylist())
    used = core.still_used([books[0], *_others(store, name)], names, had)
    shared = pc.is_in(buried["sha256"], value_set=pa.array(sorted(used), pa.string()))
    buried = buried.set_column(3, buried.schema.field(3), pc.if_else(shared, None, buried["sha256"]))
    records_of = [release.records() for release in known]
    told, artists = core.words(records_of, names), core.artists_gone(records_of, names)
    job = _Purge(store, is_dry, buried, names, frozenset(had - set(used)), frozenset(told), frozenset(artists))
    done = [*_buried(job, name), *_cleaned(job)]
    for release in known:
        done += _amended(job, release, had)
    return "\n".join(_lines(job, name, done, used))


def _edges(release: Release) -> pa.Table:
    there = "relations.parquet" in release.manifest.files
    return release.table("relations.parquet") if there else EDGES.empty_table()


def _newest_first(store: Store, name: str) -> list[Release]:
    newest = releases.latest(store, name)
    found = releases.versions(store, name)
    if not found:
        raise BadInput(f"purge: expected a dataset with a release in '{store.url}', got '{name}'")
    first = newest.manifest.version if newest else ""
    return sorted(found, key=lambda release: (release.manifest.version != first, release.manifest.version))


def _check(name: str, records: Collection[str], reason: str, day: str, books: list[pa.Table]) -> None:
    if not by_hand.is_day(day):
        raise BadInput(f"--date: expected a day as 2024-12-31, got '{day}'")
    if records and not reason:
        raise BadInput("--reason: expected why the records are purged, got nothing")
    for record in records:
        if not any(pc.index(book["record_id"], record).as_py() >= 0 for book in books):
            raise BadInput(f"--record: expected a record that a release of '{name}' knows, got '{record}'")


def _others(store: Store, name: str) -> list[pa.Table]:
    """The newest ledgers of all other datasets in the store: their files stay theirs."""
    found = (releases.latest(store, other) for other in store.names("releases") if other != name)
    return [release.ledger() for release in found if release is not None]


def _buried(job: _Purge, name: str) -> Iterator[str]:
    if not job.buried.equals(tombstones.tombstones(job.store, name)):
        if not job.is_dry:
            tombstones.bury(job.store, name, job.buried)
        yield f"tombstones: {job.buried.num_rows}"


# ----------------------------------------------------------------------------------------------------------- store


def _cleaned(job: _Purge) -> Iterator[str]:
    """Remove it all from the store; lines of what there was."""
    if not job.is_dry:
        _absorb(job.store)
    counts = Counter[str]()
    counts["rows of what was asked and came"] = _clean_retrievals(job)
    for sha256 in sorted(job.files):
        if job.store.exists(blob_path(sha256)):
            counts["files"] += 1
            _remove(job, blob_path(sha256))
    counts["rows of measures"] = _clean_measures(job)
    counts["tables of decisions, which are taken anew"] = _clean_caches(job)
    found = [f"{count} {what}" for what, count in counts.items() if count]
    if found:
        yield f"store: {', '.join(found)}"


def _absorb(store: Store) -> None:
    for source in store.names("retrievals"):
        schema = ANSWERS if source.endswith("-web") else RETRIEVALS
        journal.absorb(store, f"retrievals/{source}", schema)


def _clean_retrievals(job: _Purge) -> int:
    """Rows about the records, and raw answers that tell of them, those that are blobs first; how many.

    A listing goes whole, with all that it says of others: it is asked for again by the next build, and so nothing is
    lost that the source still says, while a redacted answer would be one that nobody ever gave.
    """
    is_told = core.mentions(job.told | job.keys)
    rows = 0
    for path, table in _tables(job.store, "retrievals"):
        source, gone = path.split("/")[1], []
        for place, row in enumerate(table.to_pylist()):
            is_mine = _is_about(job, source, row)
            if _is_answer(source, row):
                body = _body(job.store, row)
                is_mine = is_mine or body is None or is_told(body)  # without a body it is asked for again anyway
                if is_mine and row.get("body") is None:
                    _remove(job, blob_path(row["sha256"]))
            gone += [place] * is_mine
        if gone:
            rows += len(gone)
            _replace(job, path, _without(table, gone))
    return rows


def _is_answer(source: str, row: dict[str, Any]) -> bool:
    return ("body" in row or source.endswith("-answers")) and row["sha256"] is not None


def _body(store: Store, row: dict[str, Any]) -> bytes | None:
    """The bytes of a raw answer; None where they are gone."""
    body: bytes | None = row.get("body")
    with contextlib.suppress(Damaged):
        return store.read_blob(row["sha256"]) if body is None else body
    return None


def _is_about(job: _Purge, source: str, row: dict[str, Any]) -> bool:
    if "body" in row:
        return row["key"] is not None and f"{source.removesuffix('-web')}:{row['key']}" in job.names
    return row["sha256"] in job.files or row["locator"] in job.told | job.keys


def _clean_measures(job: _Purge) -> int:
    """Rows of these files, wherever they were measured. Thumbnails go last: the tables that say where they are must be right."""
    files, rows = pa.array(sorted(job.files), pa.string()), 0
    moved: dict[str, str | None] = {}
    for path, table in _tables(job.store, "measures"):
        left = core.without_files(table, files)
        if left.num_rows == table.num_rows:
            continue
        rows += table.num_rows - left.num_rows
        if "jpeg" in table.column_names:
            moved[path] = None if job.is_dry else _written(job.store, path, left)
        elif "path" not in table.column_names:
            _replace(job, path, left)
    for path, table in _tables(job.store, "measures/shelf"):
        _replace(job, path, _moved(core.without_files(table, files), moved))
    for path in moved:
        _remove(job, path)
    return rows


def _moved(shelf: pa.Table, moved: dict[str, str | None]) -> pa.Table:
    paths = [moved.get(path, path) or path for path in shelf["path"].to_pylist()]
    return shelf.set_column(1, shelf.schema.field(1), pa.array(paths, pa.string()))


def _clean_caches(job: _Purge) -> int:
    """Tables that earlier builds wrote for later ones, and that say something of the records."""
    count = 0
    for top in ("decisions", "outcomes"):
        for path, table in _tables(job.store, top):
            if core.tells(table, job.names, job.told | job.keys):
                count += 1
                _remove(job, path)
    return count


def _tables(store: Store, top: str) -> Iterator[tuple[str, pa.Table]]:
    """Path and table of every Parquet file below a folder of the store; damaged ones are removed by being read."""
    try:
        found = store.fs.find(store.full(top))
    except FileNotFoundError:
        found = []
    root = store.root.rstrip("/")
    for path in sorted(str(each)[len(root) + 1 :] for each in found):
        if path.endswith(".parquet"):
            with contextlib.suppress(Damaged):
                yield path, store.read_table(TableRef(path=path, rows=0), is_remembered=False)


def _without(table: pa.Table, rows: list[int]) -> pa.Table:
    gone = set(rows)
    return table.take(pa.array([row for row in range(table.num_rows) if row not in gone], pa.int64()))


def _replace(job: _Purge, path: str, table: pa.Table) -> None:
    """The new table first, then the old one goes: whoever reads between the two finds too much rather than too little."""
    if not job.is_dry and _written(job.store, path, table) != path:
        _remove(job, path)


def _written(store: Store, path: str, table: pa.Table) -> str | None:
    if not table.num_rows:
        return None
    return store.write_table(path.rsplit("/", 1)[0], table, is_remembered=False).path


def _remove(job: _Purge, path: str) -> None:
    if not job.is_dry:
        job.store.remove(path)


# --------------------------------------------------------------------------------------------------------- releases


def _amended(job: _Purge, release: Release, had: Collection[str]) -> Iterator[str]:
    """Amend one release, if it knows any of the records; lines of what it held."""
    book = release.ledger()
    mine = job.buried.filter(pc.is_in(job.buried["record_id"], value_set=book["record_id"]))
    if not mine.num_rows:
        return
    names = frozenset(mine["record_id"].to_pylist())
    amender = Amender(job.store, release, is_dry=job.is_dry)
    amender.text(_STONES, lambda _: parquet_bytes(mine))  # first: no build goes on from a release that is half amended
    _cut_page(job, amender, book, names)
    change: Callable[[pa.Table], pa.Table] = lambda table: core.without_records(table, names, job.told)  # noqa: E731
    for path in [path for path in release.manifest.files if path.endswith(".parquet") and path not in _LISTED_APART]:
        amender.table(path, change)
    _amend_coco(amender, book, names)
    _remove_media(job, amender, had, change)
    if _DIVERSITY in release.manifest.files:
        amender.table(_DIVERSITY, lambda table: core.diversity_without(table, job.artists))
    if "records.parquet" in release.manifest.files:
        amender.table("records.parquet", change)
    amender.table("ledger.parquet", lambda table: core.ledger_with(table, mine))
    amender.text("README.md", lambda text: core.card_with(text.decode(), mine).encode())
    lost = {path: rows for path, rows in amender.changed.items() if path not in {_STONES, "README.md"}}
    if amender.changed or not _is_closed(release):
        if not job.is_dry:
            amender.close(_manifest(release, amender, mine))
        rows = sum(lost.values())
        yield f"release {release.manifest.version}: amended; {rows} rows of tables in {len(lost)} files"


def _cut_page(job: _Purge, amender: Amender, book: pa.Table, names: frozenset[str]) -> None:
    """The page goes where it shows a record, or may: its pictures can't be told from each other."""
    kept = set(book.filter(book["kept"])["record_id"].to_pylist())
    is_told = core.mentions(job.told | names)
    if "report.html" in amender.release.manifest.files:
        amender.text("report.html", lambda page: core.CUT_PAGE.encode() if names & kept or is_told(page) else page)


def _amend_coco(amender: Amender, book: pa.Table, names: frozenset[str]) -> None:
    mine = book.filter(pc.is_in(book["record_id"], value_set=pa.array(sorted(names), pa.string())))
    image_ids = set(mine["image_id"].to_pylist())
    for path in [path for path in amender.release.manifest.files if path.startswith("coco/")]:
        if path.endswith(".detections.json"):
            amender.json(path, lambda boxes: core.detections_without(boxes, image_ids))
        else:
            amender.json(path, lambda document: core.coco_without(document, image_ids))


def _remove_media(job: _Purge, amender: Amender, had: Collection[str], change: Callable[[pa.Table], pa.Table]) -> None:
    """Image files that no other image of the release uses."""
    release = amender.release
    media = [path for path in release.manifest.files if path.startswith("media/") and _stem(path) in had]
    if not media:
        return
    light = ["record_id", "sha256", "width_px"]
    used = set[str]()
    for batch in release.batches("images"):
        used |= set(change(pa.Table.from_batches([batch.select(light)]))["sha256"].to_pylist())
    for path in media:
        if _stem(path) not in used:
            amender.remove(path)


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].partition(".")[0]


def _is_closed(release: Release) -> bool:
    """Whether it has tombstones, and its manifest, which is written last, knows them as they are."""
    return _STONES in release.manifest.files and not release.is_half_amended()


def _manifest(release: Release, amender: Amender, mine: pa.Table) -> ReleaseManifest:
    files = amender.entries()
    now = Release(release.url)
    now.manifest = release.manifest.model_copy(update={"files": files})
    content = {table: digest.digest_by_key(now.batches(table), key) for table, key in digest.KEYS.items()}
    amended = Amended(date=max(mine["date"].to_pylist()), tombstones=mine.num_rows, content=content)
    return now.manifest.model_copy(update={"counts": ledger.counts(now.ledger()), "amended": amended})


# ------------------------------------------------------------------------------------------------------------ words


def _lines(job: _Purge, name: str, done: list[str], used: dict[str, str]) -> Iterator[str]:
    rows = job.buried.to_pylist()
    if not rows:
        yield f"purge {name}: nothing is taken down"
        return
    if not done:
        yield f"purge {name}: {_records(rows)} purged already; nothing is left to remove"
        return
    yield f"purge {name}: {_records(rows)}{' would be purged: this is a dry run' * job.is_dry}"
    yield from (f"  {row['record_id']}: {row['reason']} ({row['date']})" for row in rows[:_SHOWN])
    if len(rows) > _SHOWN:
        yield f"  ... and {len(rows) - _SHOWN} more"
    yield from done
    for sha256, other in sorted(used.items()):
        yield f"kept: the file {sha256}, which {other} uses too"


def _records(rows: list[dict[str, Any]]) -> str:
    return f"{len(rows)} record{'s' * (len(rows) != 1)}"
