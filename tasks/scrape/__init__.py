"""scrape (retrieve): what the sources list becomes records, with the boxes that people have drawn beside them.

Listings are taken anew in each build; raw answers (tables, annotation files, pages of an API) are kept, so that a
change of a parser reads the kept answers again and asks nothing.
"""

import contextvars
import functools
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.artists import Artists
from schemas.errors import BadInput, Refusal
from schemas.frozen import Frozen
from schemas.manifests import Context, State, TableRef
from schemas.recipe import Recipe
from schemas.sources import AnyFileSource, AnySource, AnyWebSource
from schemas.styles import Styles
from schemas.tables import RECORDS, RETRIEVALS, SOURCE_FIGURES
from tasks.core.names import aliases, artists, styles
from tasks.core.scrape import answers as web_sources
from tasks.core.scrape import records, sources
from tasks.core.tables import as_schema, kept
from tasks.engine import by_hand, guest, runs, steps
from tasks.engine.cache_keys import code_digest
from tasks.engine.decide import decide_once
from tasks.engine.retrieve import retrieve
from tasks.io.files import parquet_rows
from tasks.io.files.folders import Folder
from tasks.io.store import releases
from tasks.io.store.layout import listings_folder, outcome_folder
from tasks.io.store.store import Store
from tasks.io.web import retrieval
from tasks.scrape import crawl

CODE = code_digest(sources, artists, parquet_rows)
STYLES = code_digest(styles)
MAX_ANSWER_BYTES = 2_000_000_000
REQUEST = pa.schema([RETRIEVALS.field("locator"), RETRIEVALS.field("validator")])
_NAMES = ["record_id", "artist", "artist_qualifier"]


class _Asked(Frozen):
    """What decides a source's records, besides its files."""

    source: AnySource
    categories: tuple[str, ...]


class _Named(Frozen):
    """What decides which names artists get."""

    artists: Artists


class _Styled(Frozen):
    """What decides which names styles get."""

    styles: Styles


@task(cache_policy=NO_CACHE, **runs.RETRY_IO)
def answers_part(requests: pa.Table, source: AnyFileSource, rules: str, into: str, context: Context) -> None:
    """Read a batch of answers below the source's binding; what can't be read is a row with a reason."""
    store = runs.store_of(context)
    folder = Folder(source.at, context.bindings[source.at])
    rows = [
        retrieval.answer(store, request, rules, lambda path: folder.read(path, MAX_ANSWER_BYTES))
        for request in requests.to_pylist()
    ]
    store.write_table(into, pa.Table.from_pylist(rows, schema=RETRIEVALS))


def check_sources(recipe: Recipe, context: Context) -> None:
    """Raise BadInput if the folder of a source is not there, or what its hosts must be told is missing."""
    for source in recipe.sources:
        if isinstance(source, AnyFileSource):
            Folder(source.at, context.bindings[source.at])
            continue
        guest.check_guest(context, web_sources.hosts(source), recipe.manners)
        if web_sources.needs_secret(source) and guest.secret(context, source.secret) is None:
            raise BadInput(
                f"source '{source.name}': expected secret: NAME, the binding that says where its API's secret is kept"
            )


def scrape(recipe: Recipe, context: Context) -> State:
    """The state with which a build begins: every record of every source, and the scrape's own step."""
    store = runs.store_of(context)
    listed = _all_listed(store, recipe, context)
    everything = records.merged(store.read_table(found.records, is_remembered=False) for found in listed)
    figures = pa.concat_tables(
        [SOURCE_FIGURES.empty_table(), *(store.read_table(found.figures) for found in listed if found.figures)]
    ).sort_by("record_id")
    named, _ = decide_once(
        store,
        "artists",
        _Named(artists=recipe.artists),
        CODE,
        everything.select(_NAMES),
        lambda: artists.applied(everything, aliases.merged(recipe.artists)).select(_NAMES),
    )
    everything = _with_styles(store, recipe, _with_names(everything, store.read_table(named)))
    everything, taken_down, said = by_hand.apply_manual_lists(store, recipe, context, everything)
    everything = records.limited(everything, recipe.limit)
    unknown = styles.unknown(kept(everything)["style"], styles.known(recipe.styles))
    state = State(
        records=store.write_table(outcome_folder("scrape"), everything),
        figures=store.write_table(outcome_folder("figures"), _of_the_living(figures, taken_down, store)),
        taken_down=taken_down,
    )
    computed, pending = sum(found.computed for found in listed), sum(found.pending for found in listed)
    step = steps.step_of(
        store,
        "retrieve",
        "scrape",
        "scrape",
        everything["record_id"],
        state.records,
        computed=computed,
        notes=(*(note for found in listed for note in found.notes), *said, *styles.said_of_unknown(unknown)),
    )
    return state.then(step.model_copy(update={"pending": pending}))


def _all_listed(store: Store, recipe: Recipe, context: Context) -> list[crawl.Listed]:
    """What each source lists; those on the web side by side, since each mostly waits for its own hosts."""
    threads = ThreadPoolExecutor(max_workers=len(recipe.sources), thread_name_prefix="scrape")
    try:
        under_way = {
            source.name: threads.submit(contextvars.copy_context().run, _listed, store, source, recipe, context)
            for source in recipe.sources
            if isinstance(source, AnyWebSource)
        }
        files = {
            source.name: _listed(store, source, recipe, context)
            for source in recipe.sources
            if isinstance(source, AnyFileSource)
        }
        for ended in wait(under_way.values(), return_when=FIRST_EXCEPTION).done:
            ended.result()  # what is wrong with one source is said at once, not when the others are done
        return [
            files[source.name] if source.name in files else under_way[source.name].result() for source in recipe.sources
        ]
    except BaseException:
        guest.leave(context)
        raise
    finally:
        threads.shutdown(cancel_futures=True)


def _listed(store: Store, source: AnySource, recipe: Recipe, context: Context) -> crawl.Listed:
    if isinstance(source, AnyFileSource):
        return _from_files(store, source, recipe.categories, context)
    buried = by_hand.purged_ids(store, recipe)
    found = crawl.crawled(store, source, recipe.manners, recipe.limit, context, buried)
    return found if found.is_complete or context.plan else _with_carried_over(store, found, source, recipe)


def _with_carried_over(store: Store, found: crawl.Listed, source: AnyWebSource, recipe: Recipe) -> crawl.Listed:
    """A listing that failed says nothing of what it did not reach: that stays as the last release knew it.

    Raises Refusal where too many could not be had, and there is no release to go by.
    """
    table, previous = store.read_table(found.records), releases.predecessor(store, recipe.name)
    before = as_schema(previous.records(), RECORDS) if previous else RECORDS.empty_table()
    is_unreached = pc.and_(
        pc.equal(before["source"], source.name), pc.invert(pc.is_in(before["record_id"], value_set=table["record_id"]))
    )
    carried = before.filter(is_unreached)  # with their reasons, if they have one
    if not carried.num_rows and found.unreached > recipe.max_transient_fraction * found.listings:
        raise Refusal(
            f"scrape: expected at most {recipe.max_transient_fraction:.0%} of the listings of '{source.name}' "
            "to fail, got "
            f"{found.unreached} of {found.listings}: {' '.join(found.notes)}"
        )
    if not carried.num_rows:
        return found
    both = records.merged([table, carried])
    note = f"{source.name}: a listing failed; {carried.num_rows} records that it did not reach are carried over"
    return found.model_copy(
        update={"records": store.write_table(outcome_folder("carried"), both), "notes": (*found.notes, note)}
    )


def _from_files(store: Store, source: AnyFileSource, categories: tuple[str, ...], context: Context) -> crawl.Listed:
    folder = Folder(source.at, context.bindings[source.at])
    listing = dict(folder.listing())
    wanted = sources.answers_wanted(source, list(listing))
    requests = pa.table(
        [pa.array(wanted, pa.string()), pa.array([listing[path] for path in wanted], pa.string())], schema=REQUEST
    )
    got, _ = retrieve(
        answers_part,
        source,
        listings_folder(source.name),
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
            source,
            paths,
            lambda path: store.read_blob(blobs[path]) if blobs.get(path) else None,
            functools.partial(parquet_rows.rows_of_parquet, f"source '{source.name}'"),
            categories,
        )

    asked = _Asked(source=source, categories=categories)
    table, is_new = decide_once(store, "records", asked, CODE, view, lambda: listed().records)
    figures, _ = decide_once(store, "figures", asked, CODE, view, lambda: listed().figures)
    return crawl.Listed(records=table, figures=figures, computed=int(is_new))


def _of_the_living(figures: pa.Table, taken_down: TableRef | None, store: Store) -> pa.Table:
    """Boxes without those of what is taken down, of which nothing more is known."""
    if taken_down is None:
        return figures
    lost = store.read_table(taken_down)["record_id"]
    return figures.filter(pc.invert(pc.is_in(figures["record_id"], value_set=lost)))


def _with_styles(store: Store, recipe: Recipe, everything: pa.Table) -> pa.Table:
    view = everything.select(["record_id", "style"])
    found, _ = decide_once(
        store,
        "styles",
        _Styled(styles=recipe.styles),
        STYLES,
        view,
        lambda: styles.applied(view, styles.known(recipe.styles)),
    )
    style = store.read_table(found)["style"]
    return everything.set_column(RECORDS.get_field_index("style"), RECORDS.field("style"), style)


def _with_names(everything: pa.Table, named: pa.Table) -> pa.Table:
    for name in ("artist", "artist_qualifier"):
        everything = everything.set_column(RECORDS.get_field_index(name), RECORDS.field(name), named[name])
    return everything


def shown(state: State, at_most: int, context: Context) -> list[str]:
    """Records as lines of JSON, for people to look at: those with the smallest ids first, those without a reason
    before others.
    """
    table = runs.store_of(context).read_table(state.records)
    good = table.filter(pc.is_null(table["reason"]))
    return list(web_sources.as_json((good if good.num_rows else table).slice(0, at_most).to_pylist()))
