"""Raw answers of sources on the web: downloaded once, kept in the store, parsed again whenever the parser changes."""

import functools
import hashlib
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import DamagedFile
from schemas.manifests import Context, TableRef
from schemas.manners import Manners
from schemas.reasons import PASSING, PASSING_WORDS
from schemas.sources import AnyWebSource
from schemas.tables import ANSWERS, SOURCE_REQUESTS
from tasks.core import server_refusals, tables
from tasks.core.scrape import answers as core
from tasks.engine import runs
from tasks.engine import web_client as web
from tasks.io.images.decode import UnreadableImage
from tasks.io.store.journal import Journal, absorb
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store
from tasks.io.web.client import DownloadRequest, ResponseLimits
from tasks.io.web.downloads import Downloads
from tasks.orchestration import retries
from tasks.orchestration.progress import LINE_EVERY_S

MAX_PAGE_BYTES = 64 * 2**20
MAX_TABLE_BYTES = 2 * 10**9
TIMEOUT_S = 60.0

Row = dict[str, Any]
_INDEX = pa.schema([field for field in ANSWERS if field.name != "body"])


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def download_answers_part(
    requests: pa.Table, settings: tuple[AnyWebSource, Manners, bool], into: str, context: Context
) -> None:
    """Download one batch of answers and store them; where the settings end in True, and all listings they lead to."""
    source, manners, follows = settings
    store = runs.store_of(context)
    to_send, requested = requests.to_pylist(), set(requests["url"].to_pylist())
    reported_s = time.monotonic()
    index = AnswerIndex(store, into) if follows else None
    with Journal(store, into, ANSWERS) as journal:
        while to_send:
            further: list[Row] = []
            for row in _download_answers(store, to_send, source, manners, context):
                if not row.pop("is_known", False):
                    journal.add({**row, "run": context.run or None})
                if index is not None:
                    has_failed_permanently = row["reason"] is not None and str(row["reason"]) not in PASSING
                    # if it failed temporarily or is unchanged, the stored one
                    earlier = None if row["sha256"] or has_failed_permanently else index.best_answer(row["url"])
                    body = functools.partial(answer_body, store)
                    further += core.next_listing_requests(source, earlier or row, body)
            new = {row["url"]: row for row in further if row["url"] not in requested}
            requested |= new.keys()
            # a line of its own, since the progress of parts can't know how many listings will follow
            if time.monotonic() - reported_s > LINE_EVERY_S:
                reported_s = time.monotonic()
                line = f"{source.name}: {len(requested)} listings known so far, {len(new)} to request next"
                print(line, file=sys.stderr)  # noqa: T201
            table = pa.Table.from_pylist(list(new.values()), schema=SOURCE_REQUESTS)
            to_send = index.requests_to_send(table, source.refresh, is_first=True).to_pylist() if index else []


class AnswerIndex:
    """The stored answers of a source: an index of their tables, without the bodies."""

    def __init__(self, store: Store, folder: str) -> None:
        self._store, self._folder = store, folder
        self._paths: list[str] = []
        self._rows = pa.schema([*_INDEX, ("part", pa.int32())]).empty_table()
        self.refresh()

    def refresh(self) -> None:
        """Read that of new tables; damaged ones are removed, and answers whose blob is gone are none."""
        names = [name for name in self._store.list_folder(self._folder) if name.endswith(".parquet")]
        indexes = [self._rows]
        for path in sorted({f"{self._folder}/{name}" for name in names} - set(self._paths)):
            try:
                table = _read_index(self._store, path)
            except (DamagedFile, pa.ArrowException, OSError):
                continue
            indexes.append(table.append_column("part", pa.array([len(self._paths)] * table.num_rows, pa.int32())))
            self._paths.append(path)
        rows = self._rows = pa.concat_tables(indexes)
        # the blob of a CSV; other bodies are in the answer's row
        is_table = pc.and_(pc.equal(rows["expects"], "csv"), pc.is_valid(rows["sha256"]))
        names = pc.unique(rows["sha256"].filter(is_table)).to_pylist()
        lost = pa.array([name for name in names if not self._store.exists(blob_path(name))], pa.string())
        is_lost = pc.and_(is_table, pc.is_in(rows["sha256"], value_set=lost))
        self._best = _best_answers(rows.filter(pc.invert(is_lost)))

    def best_answers(self, urls: pa.ChunkedArray | pa.Array) -> pa.Table:
        """The best answer to each URL: index columns, `part`, `has_failed_since`; nulls if there is none."""
        return tables.lookup(self._best, "url", urls)

    def part_table(self, part: int) -> TableRef:
        """The table with the number `part`."""
        return TableRef(path=self._paths[part], rows=0)

    def best_answer(self, url: str) -> Row | None:
        """The best answer to one URL, with its body; None if there is none."""
        place = pc.index(self._best["url"], url).as_py()
        if place < 0:
            return None
        best = self._best.slice(place, 1).to_pylist()[0]
        table = self._store.read_table(self.part_table(best["part"]))
        is_best = pc.and_(pc.equal(table["url"], url), pc.equal(table["retrieved_at"], best["retrieved_at"]))
        row: Row = table.filter(is_best).to_pylist()[-1]
        return row

    def requests_to_send(self, requests: pa.Table, refresh: str, *, is_first: bool) -> pa.Table:
        """The requests that must be sent now, with the columns that make them conditional.

        Without an answer, after a temporary failure, or a refusal of a work that is not final: always. First listings
        of a build, from which others follow: unless `refresh` is never. Single works: if `refresh` is all.
        """
        best = self.best_answers(requests["url"])
        is_listing = pc.is_null(requests["key"])
        is_open = pc.or_(pc.is_null(best["part"]), pc.is_in(best["reason"], value_set=PASSING_WORDS))
        is_open = pc.or_(is_open, self.are_open_refusals(requests, best))
        if refresh != "never" and is_first:
            is_open = pc.or_(is_open, is_listing)
        if refresh == "all":
            is_open = pc.or_(is_open, pc.invert(is_listing))
        return self.with_validators(requests.filter(is_open))

    def are_open_refusals(self, requests: pa.Table, best: pa.Table | None = None) -> pa.ChunkedArray:
        """(N,) whether a single work is refused by its host, and not for good. best: `best_answers`, if known."""
        best = self.best_answers(requests["url"]) if best is None else best
        rows, best = (
            table.select(["url", "reason", "sha256", "run"]).rename_columns(["locator", "reason", "sha256", "run"])
            for table in (self._rows, best)
        )
        is_refused = server_refusals.are_refused(best)
        if not pc.any(is_refused).as_py():
            return is_refused
        return pc.and_(pc.is_valid(requests["key"]), server_refusals.are_open(best, rows))

    def with_validators(self, requests: pa.Table) -> pa.Table:
        """SOURCE_REQUESTS with digest, ETag and date of the best answer, if it is still valid."""
        best = self.best_answers(requests["url"])
        is_valid = pc.and_(pc.is_null(best["reason"]), pc.invert(pc.fill_null(best["has_failed_since"], True)))
        for name in ("sha256", "etag", "last_modified"):
            requests = requests.append_column(name, pc.if_else(is_valid, best[name], pa.scalar(None, pa.string())))
        return requests


def answer_body(store: Store, answer: Row) -> bytes:
    """An answer's bytes."""
    in_row: bytes | None = answer.get("body")
    return in_row if in_row is not None else store.read_blob(answer["sha256"])


def open_answers(store: Store, folder: str) -> AnswerIndex:
    """The index of a source's answers, after the journals of killed parts have been made into tables."""
    absorb(store, folder, ANSWERS)
    return AnswerIndex(store, folder)


def _download_answers(
    store: Store, requests: list[Row], source: AnyWebSource, manners: Manners, context: Context
) -> Iterator[Row]:
    guest = web.guest_of_run(context, manners)
    secret = web.load_secret(context, getattr(source, "secret", None))

    def fetch(request: Row) -> Row:
        is_secret = request["needs_secret"]
        download = DownloadRequest(
            request["url"],
            request["expects"],
            etag=request.get("etag"),
            last_modified=request.get("last_modified"),
            credential=core.MUSEUMS[source.source].credential if is_secret else None,
            secret=secret if is_secret else None,
        )
        return _download_answer(store, request, download, guest)

    def failure_row(request: Row, problem: UnreadableImage) -> Row:
        return _row(request, reason=problem.reason, detail=problem.detail)

    downloads = Downloads(guest.client, guest.rate_limiter, manners.tries, web.THREADS, fetch, failure_row)
    yield from downloads.rows(requests, lambda request: str(request["url"]))


def _download_answer(store: Store, request: Row, download: DownloadRequest, guest: web.Guest) -> Row:
    """A row of ANSWERS; with `is_known` if the answer is the same as the stored one."""
    if download.expects == "csv":
        with store.scratch() as path:
            with path.open("w+b") as file:
                response = guest.client.get(download, file, ResponseLimits(MAX_TABLE_BYTES, TIMEOUT_S), has_permit=True)
            if not response.is_unchanged:
                store.adopt_blob(path, response.sha256, response.bytes)
        body = None
    else:
        into = BytesIO()
        response = guest.client.get(download, into, ResponseLimits(MAX_PAGE_BYTES, TIMEOUT_S), has_permit=True)
        body = into.getvalue()
    is_same = response.is_unchanged or response.sha256 == request.get("sha256")
    validators = {"etag": response.etag, "last_modified": response.last_modified, "is_known": is_same}
    return _row(request, body=body, sha256=response.sha256 or None, bytes=response.bytes, **validators)


def _row(request: Row, **given: Any) -> Row:
    sent = {name: request[name] for name in SOURCE_REQUESTS.names}
    return {**dict.fromkeys(ANSWERS.names), **sent, "retrieved_at": datetime.now(UTC), **given}


def _read_index(store: Store, path: str) -> pa.Table:
    """A table of answers without the bodies, whose digest is checked too: they are read later."""
    data = store.read_bytes(path)
    if hashlib.sha256(data).hexdigest() != TableRef(path=path, rows=0).sha256:
        store.remove(path)
        raise DamagedFile(f"expected {path} to have the SHA-256 in its name, got other bytes; the file was removed")
    file = pq.ParquetFile(pa.BufferReader(data))
    there = [name for name in _INDEX.names if name in file.schema_arrow.names]
    return tables.as_schema(file.read(columns=there), _INDEX)


def _best_answers(rows: pa.Table) -> pa.Table:
    """The best row of each URL: the newest, but a temporary failure never replaces an earlier answer."""
    is_passing = pc.is_in(rows["reason"], value_set=PASSING_WORDS)
    rows = rows.append_column("lasts", pc.invert(is_passing)).append_column("has_failed", is_passing)
    by_time = rows.take(pc.sort_indices(rows, [("url", "ascending"), ("retrieved_at", "ascending")]))
    newest = tables.last_of_each(by_time, "url")
    by_worth = [("url", "ascending"), ("lasts", "ascending"), ("retrieved_at", "ascending")]
    best = tables.last_of_each(rows.take(pc.sort_indices(rows, by_worth)), "url")
    return best.drop_columns(["lasts", "has_failed"]).append_column("has_failed_since", newest["has_failed"])
