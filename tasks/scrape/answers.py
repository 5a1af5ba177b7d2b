"""What sources on the web have answered: asked once, kept raw in the store, read again by whatever parser is
current.
"""

import functools
import hashlib
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import DamagedFile
from schemas.manifests import Context, TableRef
from schemas.manners import Manners
from schemas.reasons import PASSING
from schemas.sources import AnyWebSource
from schemas.tables import ANSWERS, ASKS
from tasks.core import tables
from tasks.core.scrape import answers as core
from tasks.engine import guest as web
from tasks.engine import runs
from tasks.engine.progress import LINE_EVERY_S
from tasks.engine.retrieve import PASSING_WORDS
from tasks.io.images.decode import UnreadableImage
from tasks.io.store.journal import Journal, absorb
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store
from tasks.io.web.client import Limits, Wanted
from tasks.io.web.downloads import Downloads

MAX_PAGE_BYTES = 64 * 2**20
MAX_TABLE_BYTES = 2 * 10**9
TIMEOUT_S = 60.0

Row = dict[str, Any]
_INDEX = [name for name in ANSWERS.names if name != "body"]


@task(cache_policy=NO_CACHE, **runs.RETRY_IO)
def ask_part(requests: pa.Table, asked: tuple[AnyWebSource, Manners, bool], into: str, context: Context) -> None:
    """Ask one batch and keep the raw answers. With `follows`, also every listing to which these listings lead."""
    source, manners, follows = asked
    store = runs.store_of(context)
    todo, seen = requests.to_pylist(), set(requests["url"].to_pylist())
    told_s = time.monotonic()
    known = Answers(store, into) if follows else None
    with Journal(store, into, ANSWERS) as journal:
        while todo:
            found: list[Row] = []
            for row in _asked(store, todo, source, manners, context):
                if not row.pop("is_known", False):
                    journal.add(row)
                if known is not None:
                    found += core.next_listings(source, _or_older(known, row), functools.partial(body, store))
            new = {row["url"]: row for row in found if row["url"] not in seen}
            seen |= new.keys()
            if time.monotonic() - told_s > LINE_EVERY_S:  # how many more there are, only they themselves say
                told_s = time.monotonic()
                line = f"{source.name}: {len(seen)} listings known so far, {len(new)} to ask next"
                print(line, file=sys.stderr)  # noqa: T201
            asks = pa.Table.from_pylist(list(new.values()), schema=ASKS)
            todo = known.to_ask(asks, source.refresh, is_first=True).to_pylist() if known is not None else []


class Answers:
    """Which answers a source has given: an index of the store's tables, without the bodies."""

    def __init__(self, store: Store, folder: str) -> None:
        """Reads what is there; `refresh` reads what has come since."""
        self._store, self._folder = store, folder
        self._paths: list[str] = []
        self._rows = pa.schema([*(ANSWERS.field(name) for name in _INDEX), ("part", pa.int32())]).empty_table()
        self.refresh()

    def refresh(self) -> None:
        """Read the index of tables that are new.

        Damaged ones are removed and passed over: their answers are asked for again.
        """
        names = [name for name in self._store.list_folder(self._folder) if name.endswith(".parquet")]
        found = [self._rows]
        for path in sorted({f"{self._folder}/{name}" for name in names} - set(self._paths)):
            try:
                table = _index(self._store, path)
            except (DamagedFile, pa.ArrowException, OSError):
                continue
            found.append(table.append_column("part", pa.array([len(self._paths)] * table.num_rows, pa.int32())))
            self._paths.append(path)
        self._rows = pa.concat_tables(found)
        self._best = _best(self._rows)

    def of(self, urls: pa.ChunkedArray | pa.Array) -> pa.Table:
        """The best answer to each URL: index columns, `part`, `has_failed_since`; nulls where there is none."""
        return tables.lookup(self._best, "url", urls)

    def ref(self, part: int) -> TableRef:
        """The table that is number `part`."""
        return TableRef(path=self._paths[part], rows=0)

    def row(self, url: str) -> Row | None:
        """The best answer to one URL, with its body; None where there is none."""
        place = pc.index(self._best["url"], url).as_py()
        if place < 0:
            return None
        best = self._best.slice(place, 1).to_pylist()[0]
        table = self._store.read_table(self.ref(best["part"]))
        is_best = pc.and_(pc.equal(table["url"], url), pc.equal(table["retrieved_at"], best["retrieved_at"]))
        found: Row = table.filter(is_best).to_pylist()[-1]
        return found

    def to_ask(self, asks: pa.Table, refresh: str, *, is_first: bool) -> pa.Table:
        """Those of the asks that must be sent now, with what makes them conditional.

        Never had, or failed in passing: always. Listings, where a build begins (`is_first`; what they lead to is
        followed from there): unless `refresh` is never. Works' own answers: if it is all.
        """
        best = self.of(asks["url"])
        is_listing = pc.is_null(asks["key"])
        is_open = pc.or_(pc.is_null(best["part"]), pc.is_in(best["reason"], value_set=PASSING_WORDS))
        is_open = pc.or_(is_open, self._is_lost(best))
        if refresh != "never" and is_first:
            is_open = pc.or_(is_open, is_listing)
        if refresh == "all":
            is_open = pc.or_(is_open, pc.invert(is_listing))
        return self.with_validators(asks.filter(is_open))

    def with_validators(self, asks: pa.Table) -> pa.Table:
        """ASKS with what makes a request conditional: digest, ETag and date of the best answer, if it still counts."""
        best = self.of(asks["url"])
        counts = pc.and_(pc.is_null(best["reason"]), pc.invert(self._is_lost(best)))
        counts = pc.and_(counts, pc.invert(pc.fill_null(best["has_failed_since"], True)))
        for name in ("sha256", "etag", "last_modified"):
            asks = asks.append_column(name, pc.if_else(counts, best[name], pa.scalar(None, pa.string())))
        return asks

    def _is_lost(self, best: pa.Table) -> pa.ChunkedArray:
        """Whether the blob of each table, the only bodies that do not stand in the answer's row, is gone."""
        is_table = pc.and_(pc.equal(best["expects"], "csv"), pc.is_valid(best["sha256"]))
        lost = [
            name
            for name in pc.unique(best.filter(pc.fill_null(is_table, False))["sha256"]).to_pylist()
            if not self._store.exists(blob_path(name))
        ]
        return pc.and_(pc.fill_null(is_table, False), pc.is_in(best["sha256"], value_set=pa.array(lost, pa.string())))


def body(store: Store, answer: Row) -> bytes:
    """An answer's bytes."""
    found: bytes | None = answer.get("body")
    return found if found is not None else store.read_blob(answer["sha256"])


def absorbed(store: Store, folder: str) -> Answers:
    """The source's answers, those of parts that were killed among them."""
    absorb(store, folder, ANSWERS)
    return Answers(store, folder)


def _asked(
    store: Store, requests: list[Row], source: AnyWebSource, manners: Manners, context: Context
) -> Iterator[Row]:
    guest = web.guest(context, manners)
    secret = web.secret(context, getattr(source, "secret", None))

    def fetch(request: Row) -> Row:
        wanted = Wanted(
            request["url"],
            request["expects"],
            etag=request.get("etag"),
            last_modified=request.get("last_modified"),
            credential=core.credential(source) if request["needs_secret"] else None,
            secret=secret if request["needs_secret"] else None,
        )
        return _answered(store, request, wanted, guest)

    def failed(request: Row, problem: UnreadableImage) -> Row:
        return _row(request, reason=problem.reason, detail=problem.detail)

    downloads = Downloads(guest.client, guest.governor, manners.tries, web.THREADS, fetch, failed)
    yield from downloads.rows(requests, lambda request: str(request["url"]))


def _answered(store: Store, request: Row, wanted: Wanted, guest: web.Guest) -> Row:
    """A row of ANSWERS; what is the same as before is marked as known already."""
    if wanted.expects == "csv":
        with store.scratch() as path:
            with path.open("w+b") as file:
                got = guest.client.get(wanted, file, Limits(MAX_TABLE_BYTES, TIMEOUT_S), has_turn=True)
            if not got.is_unchanged:
                store.adopt_blob(path, got.sha256, got.bytes)
        found = None
    else:
        into: BinaryIO = BytesIO()
        got = guest.client.get(wanted, into, Limits(MAX_PAGE_BYTES, TIMEOUT_S), has_turn=True)
        into.seek(0)
        found = into.read()
    is_same = got.is_unchanged or got.sha256 == request.get("sha256")
    return {
        **_row(request),
        "body": found,
        "sha256": got.sha256 or None,
        "bytes": got.bytes,
        "etag": got.etag,
        "last_modified": got.last_modified,
        "is_known": is_same,
    }


def _row(request: Row, **given: Any) -> Row:
    asked = {name: request[name] for name in ASKS.names}
    return {**dict.fromkeys(ANSWERS.names), **asked, "retrieved_at": datetime.now(UTC), **given}


def _or_older(known: Answers, row: Row) -> Row:
    """The answer; or, where it failed in passing or is what it was, the one that was had before."""
    has_passed = row["reason"] is not None and str(row["reason"]) not in PASSING
    if row["sha256"] or has_passed:
        return row
    return known.row(row["url"]) or row


def _index(store: Store, path: str) -> pa.Table:
    """A table of answers without the bodies, which are looked at all the same: who reads them later must find them
    whole.
    """
    data = store.read_bytes(path)
    if hashlib.sha256(data).hexdigest() != TableRef(path=path, rows=0).sha256:
        store.remove(path)
        raise DamagedFile(f"expected {path} to be what its name says, got other bytes; they were removed")
    return pq.read_table(pa.BufferReader(data), columns=_INDEX)


def _best(rows: pa.Table) -> pa.Table:
    """The best row of each URL: the newest, but a failure in passing takes nothing from what was had before."""
    is_passing = pc.is_in(rows["reason"], value_set=PASSING_WORDS)
    rows = rows.append_column("lasts", pc.invert(is_passing)).append_column("has_failed", is_passing)
    by_time = rows.take(pc.sort_indices(rows, [("url", "ascending"), ("retrieved_at", "ascending")]))
    newest = tables.last_of_each(by_time, "url")
    by_worth = [("url", "ascending"), ("lasts", "ascending"), ("retrieved_at", "ascending")]
    best = tables.last_of_each(rows.take(pc.sort_indices(rows, by_worth)), "url")
    return best.drop_columns(["lasts", "has_failed"]).append_column("has_failed_since", newest["has_failed"])
