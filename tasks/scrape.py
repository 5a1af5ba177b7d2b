"""scrape (retrieve): what the sources list becomes records, with the boxes that people have drawn beside them.

The listing is taken anew in each build; answers (tables, annotation files) are read once and kept as blobs, so that a
change of a parser reads the kept answers again and asks nothing.
"""

import functools

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.frozen import Frozen
from schemas.manifests import Context, State, Step, TableRef
from schemas.recipe import Recipe
from schemas.sources import AnySource
from schemas.tables import RECORDS, RETRIEVALS, SOURCE_FIGURES
from tasks import caching
from tasks.core.scrape import records, sources
from tasks.io import retrieval, tables_in
from tasks.io.folders import Folder
from tasks.io.store import Store
from tasks.keys import code_of

CODE = code_of(sources)
MAX_ANSWER_BYTES = 2_000_000_000
REQUEST = pa.schema([RETRIEVALS.field("locator"), RETRIEVALS.field("validator")])


class _Asked(Frozen):
    """What decides a source's records, besides its files."""

    source: AnySource
    categories: tuple[str, ...]


@task(cache_policy=NO_CACHE, **caching.RETRIED)
def answers_part(requests: pa.Table, source: AnySource, rules: str, into: str, context: Context) -> None:
    """Read a batch of answers below the source's binding; what can't be read is a row with a reason."""
    store = caching.opened(context)
    folder = Folder(source.at, context.bindings[source.at])
    rows = [
        retrieval.row(store, request, rules, lambda path: folder.read(path, MAX_ANSWER_BYTES))
        for request in requests.to_pylist()
    ]
    store.write_table(into, pa.Table.from_pylist(rows, schema=RETRIEVALS))


def check_sources(recipe: Recipe, context: Context) -> None:
    """Raise BadInput if the folder of a source is not there."""
    for source in recipe.sources:
        Folder(source.at, context.bindings[source.at])


def scrape(recipe: Recipe, context: Context) -> tuple[State, int]:
    """The state with which a build begins, and how many sources were not as the store knew them."""
    store = caching.opened(context)
    listed = [_source(store, source, recipe.categories, context) for source in recipe.sources]
    everything = pa.concat_tables([RECORDS.empty_table(), *(store.read_table(ref) for ref, _, _ in listed)]).sort_by(
        "record_id"
    )
    figures = pa.concat_tables(
        [SOURCE_FIGURES.empty_table(), *(store.read_table(ref) for _, ref, _ in listed)]
    ).sort_by("record_id")
    state = State(
        records=store.write_table("outcomes/scrape", records.limited(everything, recipe.limit)),
        figures=store.write_table("outcomes/figures", figures),
    )
    return state, sum(is_new for _, _, is_new in listed)


def listing_step(state: State, computed: int, context: Context) -> Step:
    """The step of the scrape: which records were listed, and which of them are not for this build."""
    store = caching.opened(context)
    table = store.read_table(state.records)
    return caching.step(store, "retrieve", "scrape", "scrape", table["record_id"], table, computed=computed)


def _source(
    store: Store, source: AnySource, categories: tuple[str, ...], context: Context
) -> tuple[TableRef, TableRef, bool]:
    folder = Folder(source.at, context.bindings[source.at])
    listing = dict(folder.listing())
    wanted = sources.answers_wanted(source, list(listing))
    requests = pa.table(
        [pa.array(wanted, pa.string()), pa.array([listing[path] for path in wanted], pa.string())], schema=REQUEST
    )
    got, _ = caching.retrieved(
        answers_part,
        source,
        f"{source.name}-answers",
        requests,
        CODE,
        context,
        f"scrape-{source.name}",
        even_in_plan=True,
    )
    blobs = dict(zip(got["locator"].to_pylist(), got["sha256"].to_pylist(), strict=True))
    paths = sorted(listing)
    view = pa.table({"path": paths, "sha256": pa.array([blobs.get(path) for path in paths], pa.string())})

    @functools.cache
    def listed() -> sources.Listed:
        return sources.listed(
            source, paths, lambda path: store.read_blob(blobs[path]) if blobs.get(path) else None,
            functools.partial(tables_in.rows_of_parquet, f"source '{source.name}'"), categories,
        )  # fmt: skip

    asked = _Asked(source=source, categories=categories)
    table, is_new = caching.decided(store, "records", asked, CODE, view, lambda: listed().records)
    figures, _ = caching.decided(store, "figures", asked, CODE, view, lambda: listed().figures)
    return table, figures, is_new
