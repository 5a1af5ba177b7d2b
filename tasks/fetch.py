"""fetch (retrieve): each record's image, checked to the end and stored under its SHA-256."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, State, Step
from schemas.manners import Manners
from schemas.recipe import Recipe
from schemas.sources import AnySource, FileSource
from schemas.stages import Fetch
from schemas.tables import FETCH, RETRIEVALS
from tasks import caching, pictures, web
from tasks.core import fetch as core
from tasks.core import tables
from tasks.io import retrieval
from tasks.io.downloads import Downloads
from tasks.io.folders import Folder
from tasks.io.http import Limits
from tasks.io.journal import Journal
from tasks.io.store import Store
from tasks.keys import key_of

Row = dict[str, Any]
Asked = tuple[Fetch, AnySource, Manners]


@task(cache_policy=NO_CACHE, **caching.RETRIED)
def fetch_part(requests: pa.Table, asked: Asked, rules: str, into: str, context: Context) -> None:
    """Get a batch of images; each is a blob that decodes, or a row with the reason why there is none."""
    store, seen = caching.opened(context), pictures.Seen()
    rows = requests.to_pylist()
    paths = [row for row in rows if not core.is_url(row["locator"])]
    urls = [row for row in rows if core.is_url(row["locator"])]
    try:
        with Journal(store, into, RETRIEVALS) as journal:
            for row in _read(store, paths, asked, rules, context, seen):
                journal.add(row)
            for row in _downloaded(store, urls, asked, rules, context, seen):
                journal.add(row)
    finally:
        seen.store(store)


def fetch(settings: Fetch, state: State, recipe: Recipe, context: Context) -> Step:
    """A blob for each kept record, or its reason; only what was never had, or failed in passing, is asked for."""
    store = caching.opened(context)
    record_ids = caching.kept_ids(store, state)
    records = tables.looked_up(store.read_table(state.records), "record_id", record_ids)
    rules = key_of(code=pictures.CODE, max_bytes=settings.max_bytes, max_pixels=settings.max_pixels)
    parts, asked = [], 0
    for source in recipe.sources:
        mine = records.filter(pc.equal(records["source"], source.name)).select(["record_id", "locator"])
        requests = core.requests(mine["locator"], _validators(source, mine["locator"], context))
        web.check_guest(context, core.hosts(mine["locator"]), recipe.manners)
        got, count = caching.retrieved(
            fetch_part, (settings, source, recipe.manners), source.name, requests, rules, context, settings.label,
            refresh=settings.refresh,
        )  # fmt: skip
        parts.append(core.outcome(mine, got, settings))
        asked += count
    outcome = pa.concat_tables([FETCH.empty_table(), *parts]).sort_by("record_id")
    if context.plan and asked:
        known = outcome.filter(pc.or_(pc.is_valid(outcome["reason"]), pc.is_valid(outcome["sha256"])))
        return caching.planned(store, state, "retrieve", settings.label, "fetch", known, computed=asked, pending=asked)
    return caching.step(store, "retrieve", settings.label, "fetch", record_ids, outcome, computed=asked)


def _read(
    store: Store, requests: list[Row], asked: Asked, rules: str, context: Context, seen: pictures.Seen
) -> Iterator[Row]:
    """Rows of images that lie below the source's binding."""
    settings, source, _ = asked
    if not requests or not isinstance(source, FileSource):
        return
    folder = Folder(source.at, context.bindings[source.at])
    for request in requests:
        yield retrieval.image(
            store, request, rules, lambda path: folder.read(path, settings.max_bytes), settings.max_pixels, seen
        )


def _downloaded(
    store: Store, requests: list[Row], asked: Asked, rules: str, context: Context, seen: pictures.Seen
) -> Iterator[Row]:
    """Rows of images that are asked for over HTTP, in the order in which they come."""
    settings, _, manners = asked
    if not requests:
        return
    guest, limits = web.guest(context, manners), Limits(settings.max_bytes, settings.timeout_s)
    downloads = Downloads(
        guest.client, guest.governor, manners.tries, web.THREADS,
        lambda request: retrieval.download(store, guest.client, request, rules, limits, settings.max_pixels, seen),
        lambda request, problem: retrieval.failed(request, problem, rules),
    )  # fmt: skip
    yield from downloads.rows(requests, lambda request: str(request["locator"]))


def _validators(source: AnySource, locators: pa.ChunkedArray, context: Context) -> dict[str, str]:
    """What changes when a file does, for each locator that is a path to a file that is there."""
    if not isinstance(source, FileSource):
        return {}
    folder = Folder(source.at, context.bindings[source.at])
    paths = (locator for locator in locators.to_pylist() if not core.is_url(locator))
    return {path: validator for path in paths if (validator := folder.validator(path)) is not None}
