"""fetch (retrieve): each record's image, checked to the end and stored under its SHA-256."""

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.sources import AnySource
from schemas.stages import Fetch
from schemas.tables import FETCH, RETRIEVALS
from tasks import caching
from tasks.core import fetch as core
from tasks.core import tables
from tasks.io import http, images, retrieval
from tasks.io.folders import Folder
from tasks.keys import code_of, key_of

CODE = code_of(images)


@task(cache_policy=NO_CACHE, **caching.RETRIED)
def fetch_part(requests: pa.Table, asked: tuple[Fetch, AnySource], rules: str, into: str, context: Context) -> None:
    """Get a batch of images; each is a blob that decodes, or a row with the reason why there is none."""
    settings, source = asked
    store = caching.opened(context)
    folder = Folder(source.at, context.bindings[source.at])

    def read(locator: str) -> bytes:
        if core.is_url(locator):
            return http.get(locator, settings.max_bytes, settings.timeout_s)
        return folder.read(locator, settings.max_bytes)

    def check(data: bytes) -> images.Picture:
        return images.picture(data, settings.max_pixels)

    rows = [retrieval.row(store, request, rules, read, check) for request in requests.to_pylist()]
    store.write_table(into, pa.Table.from_pylist(rows, schema=RETRIEVALS))


def fetch(settings: Fetch, state: State, recipe: Recipe, context: Context) -> Step:
    """A blob for each kept record, or its reason; only what was never had, or failed in passing, is asked for."""
    store = caching.opened(context)
    record_ids = caching.kept_ids(store, state)
    records = tables.looked_up(store.read_table(state.records), "record_id", record_ids)
    rules = key_of(code=CODE, max_bytes=settings.max_bytes, max_pixels=settings.max_pixels)
    parts, asked = [], 0
    for source in recipe.sources:
        mine = records.filter(pc.equal(records["source"], source.name)).select(["record_id", "locator"])
        requests = core.requests(mine["locator"], _validators(source, mine["locator"], context))
        got, count = caching.retrieved(
            fetch_part,
            (settings, source),
            source.name,
            requests,
            rules,
            context,
            settings.label,
            again=settings.refresh == "all",
        )
        parts.append(core.outcome(mine, got, settings))
        asked += count
    outcome = pa.concat_tables([FETCH.empty_table(), *parts]).sort_by("record_id")
    if context.plan and asked:
        known = outcome.filter(pc.or_(pc.is_valid(outcome["reason"]), pc.is_valid(outcome["sha256"])))
        return caching.planned(store, state, "retrieve", settings.label, "fetch", known, computed=asked, pending=asked)
    return caching.step(store, "retrieve", settings.label, "fetch", record_ids, outcome, computed=asked)


def _validators(source: AnySource, locators: pa.ChunkedArray, context: Context) -> dict[str, str]:
    """What changes when a file does, for each locator that is a path to a file that is there."""
    folder = Folder(source.at, context.bindings[source.at])
    paths = (locator for locator in locators.to_pylist() if not core.is_url(locator))
    return {path: validator for path in paths if (validator := folder.validator(path)) is not None}
