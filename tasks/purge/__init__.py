"""purge: what was taken down leaves the store, and every release of its dataset; a tombstone says that it was there.

First the tombstones are written, then the store is cleaned, then each release is amended, its manifest last. Every step
finds nothing to do where it was done before: a purge that is killed and started again ends the same.
"""

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.errors import BadInput, DamagedFile
from schemas.manifests import Amendment, ReleaseManifest, TableRef
from schemas.tables import ANSWERS, EDGES, RETRIEVALS
from schemas.wording import and_more
from tasks.core import by_hand
from tasks.core import purge as core
from tasks.core.export import digest, ledger
from tasks.io.store import journal, releases, tombstones
from tasks.io.store.amend import Amender
from tasks.io.store.releases import Release
from tasks.io.store.store import Store, blob_path, parquet_bytes
from tasks.purge import likeness

_SHOWN = 20
_LISTED_APART = frozenset({"records.parquet", "ledger.parquet", "tombstones.parquet"})
_STONES = "tombstones.parquet"
_DIVERSITY = "statistics/diversity.parquet"
_WEB = "web-images"  # where fetch keeps what came of the web, whichever source named it
_KEYS = ("sha256", "a", "b", "key", "left", "right")  # columns of measures that say whose they are


@dataclass(frozen=True)
class _Purge:
    """What goes. files: SHA-256 of what is removed from the store.

    Spared: (folder, locator) of what other datasets keep.
    """

    store: Store
    is_dry: bool
    buried: pa.Table
    names: frozenset[str]
    files: frozenset[str]
    told: core.Told
    artists: frozenset[str] = frozenset()
    """Of whom nothing else is known."""
    spared: frozenset[tuple[str, str]] = frozenset()
    day: str = ""


def purge(
    name: str,
    store_url: str,
    records: Collection[str] = (),
    reason: str = "",
    day: str | None = None,
    *,
    is_dry: bool = False,
    is_alone: bool = False,
) -> str:
    """Remove records of a dataset from a store and all of its releases; what was removed, in lines.

    records: these go (with the copies of their works, if not `is_alone`); where none is given, all that the newest
    ledger says are taken down. Of works, all copies go that any release knows of or that the store has a picture of,
    also such as were screened out or not drawn. reason, day (as 2024-12-31; today if none is given) and is_alone are
    said of `records`. is_dry: nothing is removed.

    Raises BadInput where the store has no such dataset, or no release of it knows a record, or a reason or a day is
    none, or something is said of no record.
    """
    store = Store(store_url)
    known = _newest_first(store, name)
    books = [release.ledger() for release in known]
    today = day or datetime.now(UTC).date().isoformat()
    _check(name, records, reason, today, books)
    _check_said(records, reason, day, is_alone=is_alone)
    before = by_hand.merge_tombstones(tombstones.tombstones(store, name), known[0].tombstones())
    scope = "record" if is_alone else "work"
    buried = core.stones(books, before, dict.fromkeys(records, reason), today, scope)
    buried = _with_copies(store, known, books, buried)
    names = frozenset(buried["record_id"].to_pylist())
    had = _files(books, buried)
    others = _others(store, name)
    used = core.still_used([books[0]], names, had)
    elsewhere = core.still_used([release.ledger() for release in others], (), had)
    shared = pc.is_in(buried["sha256"], value_set=pa.array(sorted(used), pa.string()))
    buried = buried.set_column(3, buried.schema.field(3), pc.if_else(shared, None, buried["sha256"]))
    records_of = [release.records() for release in known]
    told, artists = core.words(records_of, names), core.artists_gone(records_of, names)
    job = _Purge(
        store,
        is_dry,
        buried,
        names,
        frozenset(had - used.keys() - elsewhere.keys()),
        told,
        frozenset(artists),
        _spared(others, elsewhere),
        today,
    )
    used = elsewhere | used
    done = [*_buried(job, name), *_cleaned(job)]
    for release in known:
        done += _amended(job, release, had)
    return "\n".join(_lines(job, name, done, used))


def _files(books: list[pa.Table], stones: pa.Table) -> set[str]:
    """SHA-256 of all files that these records ever had."""
    had = {sha256 for files in core.files_of(books, stones["record_id"].to_pylist()).values() for sha256 in files}
    return had | set(stones["sha256"].drop_null().to_pylist())


def _with_copies(store: Store, known: list[Release], books: list[pa.Table], buried: pa.Table) -> pa.Table:
    """The tombstones, and those of all copies: by what the releases say, then by sight, as long as there are
    thumbnails.
    """
    edges = [_edges(release) for release in known]
    buried = core.with_copies(books, edges, buried)
    mine = _files(books, buried.filter(pc.not_equal(buried["scope"], "record")))
    everything = {sha256 for book in books for sha256 in pc.unique(book["sha256"].drop_null()).to_pylist()}
    if not mine:
        return buried
    one, other = (pa.array(sorted(files), pa.string()) for files in (mine, everything - mine))
    return core.with_copies(books, edges, buried, likeness.alike(store, one, other))


def _spared(others: list[Release], used: Collection[str]) -> frozenset[tuple[str, str]]:
    """Where in `retrievals` the files are that other datasets keep: folder, and what was asked for."""
    found = set[tuple[str, str]]()
    for release in others if used else []:
        keepers = core.still_used_by(release.ledger(), used)
        records = release.records()
        for row in records.filter(pc.is_in(records["record_id"], value_set=keepers)).to_pylist():
            found |= {(row["source"], row["locator"]), (_WEB, row["locator"])}
    return frozenset(found)


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


def _check_said(records: Collection[str], reason: str, day: str | None, *, is_alone: bool) -> None:
    for option, is_given in (("--reason", bool(reason)), ("--date", day is not None), ("--alone", is_alone)):
        if is_given and not records:
            raise BadInput(f"{option}: expected --record beside it, of which it is said, got none")
    if records and not by_hand.is_line(reason, by_hand.LONGEST_REASON):
        raise BadInput(
            f"--reason: expected 1 to {by_hand.LONGEST_REASON} characters in one line, got {len(reason)} in "
            f"{len(reason.splitlines())}"
        )


def _others(store: Store, name: str) -> list[Release]:
    """The newest releases of all other datasets in the store: their files stay theirs."""
    found = (releases.latest(store, other) for other in store.names("releases") if other != name)
    return [release for release in found if release is not None]


def _buried(job: _Purge, name: str) -> Iterator[str]:
    if not job.buried.equals(tombstones.tombstones(job.store, name)):
        if not job.is_dry:
            tombstones.bury(job.store, name, job.buried)
        yield f"tombstones: {job.buried.num_rows}"


# --- store


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
    counts["tables of searches"] = _clean_searches(job)
    counts["rows of measures"] = _clean_measures(job)
    counts["tables of decisions, which are taken anew"] = _clean_caches(job)
    counts["leftovers of builds"] = _clean_leftovers(job)
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
    told = functools.cache(lambda source: core.mentions(job.told.of(source)))
    rows = 0
    for path, table in _tables(job.store, "retrievals"):
        folder, gone = path.split("/")[1], []
        source = folder.removesuffix("-web").removesuffix("-answers")
        words, is_told = job.told.of(source), told(source)
        for place, row in enumerate(table.to_pylist()):
            is_mine = _is_about(job, folder, row, words)
            if _is_answer(folder, row):
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
    """The bytes of a raw answer, unpacked; None where they are gone, or nobody can read them."""
    body: bytes | None = row.get("body")
    with contextlib.suppress(DamagedFile, pa.ArrowException):
        body = store.read_blob(row["sha256"]) if body is None else body
        return _unpacked(body) if body.startswith(b"PAR1") else body
    return None


def _unpacked(body: bytes) -> bytes:
    """All values of a Parquet file, as text, line by line."""
    batches = pq.ParquetFile(pa.BufferReader(body)).iter_batches()
    return "\n".join(str(value) for batch in batches for row in batch.to_pylist() for value in row.values()).encode()


def _is_about(job: _Purge, folder: str, row: dict[str, Any], words: frozenset[str]) -> bool:
    if "body" in row:
        return row["key"] is not None and f"{folder.removesuffix('-web')}:{row['key']}" in job.names
    return row["sha256"] in job.files or (row["locator"] in words and (folder, row["locator"]) not in job.spared)


def _clean_searches(job: _Purge) -> int:
    """Tables of searches that hold hashes of the files: before the measures go, by which these are known."""
    files = pa.array(sorted(job.files), pa.string())
    hashes = [np.empty(0, np.uint64)]
    for folder, column in (("measures/hash", "phash"), ("measures/keys", "keys")):
        for _, table in _tables(job.store, folder, lambda keys: _has_files(keys, files)):
            mine = table.filter(pc.is_in(table["sha256"], value_set=files))[column].drop_null()
            flat = pc.list_flatten(mine) if pa.types.is_list(mine.type) else mine
            hashes.append(flat.to_numpy().astype(np.uint64))
    wanted = np.unique(np.concatenate(hashes))
    if not len(wanted):
        return 0
    count = 0
    for folder in ("measures/neighbours", "measures/pieces", "measures/searched", "outcomes/searched"):
        for path, _ in _tables(job.store, folder, lambda keys: core.has_hash(keys, wanted)):
            count += 1
            _remove(job, path)
    return count


def _clean_measures(job: _Purge) -> int:
    """Rows of these files, wherever they were measured.

    Thumbnails go last: the tables that say where they are must be right.
    """
    files, rows = pa.array(sorted(job.files), pa.string()), 0
    moved: dict[str, str | None] = {}
    for path, table in _tables(job.store, "measures", lambda keys: _has_files(keys, files)):
        left = core.without_files(table, files)
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


def _has_files(table: pa.Table, files: pa.Array) -> bool:
    return bool(core.without_files(table, files).num_rows < table.num_rows)


def _moved(shelf: pa.Table, moved: dict[str, str | None]) -> pa.Table:
    paths = [moved.get(path, path) or path for path in shelf["path"].to_pylist()]
    return shelf.set_column(1, shelf.schema.field(1), pa.array(paths, pa.string()))


def _clean_caches(job: _Purge) -> int:
    """Tables that earlier builds wrote for later ones, and that say something of the records."""
    count, told = 0, job.told.everything()
    for top in ("decisions", "outcomes"):
        for path, table in _tables(job.store, top):
            if core.tells(table, job.names, told):
                count += 1
                _remove(job, path)
    return count


def _clean_leftovers(job: _Purge) -> int:
    """What builds that were killed left half written: nobody builds meanwhile."""
    names = job.store.names("tmp")
    for name in names if not job.is_dry else []:
        job.store.fs.rm(job.store.full(f"tmp/{name}"), recursive=True)
    return len(names)


def _tables(
    store: Store, top: str, is_wanted: Callable[[pa.Table], bool] | None = None
) -> Iterator[tuple[str, pa.Table]]:
    """Path and table of every Parquet file below a folder of the store; damaged ones are removed by being read.

    is_wanted: asked of the columns that say whose the rows are; what is not wanted is not read whole.
    """
    try:
        found = store.fs.find(store.full(top))
    except FileNotFoundError:
        found = []
    root = store.root.rstrip("/")
    for path in sorted(str(each)[len(root) + 1 :] for each in found):
        if path.endswith(".parquet") and (is_wanted is None or _is_wanted(store, path, is_wanted)):
            with contextlib.suppress(DamagedFile):
                yield path, store.read_table(TableRef(path=path, rows=0), is_remembered=False)


def _is_wanted(store: Store, path: str, is_wanted: Callable[[pa.Table], bool]) -> bool:
    try:
        with store.fs.open(store.full(path), "rb") as file:
            parquet = pq.ParquetFile(file)
            return is_wanted(parquet.read(columns=[name for name in parquet.schema_arrow.names if name in _KEYS]))
    except (pa.ArrowException, OSError):
        return True  # read whole, it proves wrong


def _without(table: pa.Table, rows: list[int]) -> pa.Table:
    gone = set(rows)
    return table.take(pa.array([row for row in range(table.num_rows) if row not in gone], pa.int64()))


def _replace(job: _Purge, path: str, table: pa.Table) -> None:
    """The new table first, then the old one goes: whoever reads between the two finds too much rather than too
    little.
    """
    if not job.is_dry and _written(job.store, path, table) != path:
        _remove(job, path)


def _written(store: Store, path: str, table: pa.Table) -> str | None:
    if not table.num_rows:
        return None
    return store.write_table(path.rsplit("/", 1)[0], table, is_remembered=False).path


def _remove(job: _Purge, path: str) -> None:
    if not job.is_dry:
        job.store.remove(path)


# --- releases


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
    change: Callable[[pa.Table], pa.Table] = lambda table: core.without_records(table, names, job.told.addresses)  # noqa: E731
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
            amender.close(_manifest(release, amender, mine, job.day))
        rows = sum(lost.values())
        yield f"release {release.manifest.version}: amended; {rows} rows of tables in {len(lost)} files"


def _cut_page(job: _Purge, amender: Amender, book: pa.Table, names: frozenset[str]) -> None:
    """The page goes where it shows a record, or may: its pictures can't be told from each other."""
    kept = set(book.filter(book["kept"])["record_id"].to_pylist())
    is_told = core.mentions(job.told.everything() | names)
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


def _manifest(release: Release, amender: Amender, mine: pa.Table, day: str) -> ReleaseManifest:
    files = amender.entries()
    now = Release(release.url)
    now.manifest = release.manifest.model_copy(update={"files": files})
    content = {
        table: digest.digest_by_primary_key(now.batches(table), key) for table, key in digest.PRIMARY_KEYS.items()
    }
    amended = Amendment(date=day, tombstones=mine.num_rows, content=content)
    return now.manifest.model_copy(update={"counts": ledger.counts(now.ledger()), "amended": amended})


# --- words


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
        yield f"  ...{and_more(len(rows) - _SHOWN)}"
    yield from done
    for sha256, other in sorted(used.items()):
        yield f"kept: the file {sha256}, which {other} uses too"


def _records(rows: list[dict[str, Any]]) -> str:
    return f"{len(rows)} record{'s' * (len(rows) != 1)}"
