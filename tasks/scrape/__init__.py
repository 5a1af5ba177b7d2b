"""scrape (retrieve): the works that the sources list become records, with the boxes that people have drawn.

Listings are read again in each build. Raw answers (tables, pages of an API) are stored, so that a changed parser reads
them again and no request is sent.
"""

import contextvars
import functools
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.attributes import AttributeField, fields_of, with_attribute_columns
from schemas.base import Frozen, Later
from schemas.errors import Refusal
from schemas.fetch import SCRAPE
from schemas.keypoints import KeypointScheme
from schemas.manifests import Context, PassedOver, Predecessor, State, TableRef
from schemas.names import Artists, Styles
from schemas.recipe import Recipe
from schemas.sources import AnyFileSource, AnySource, AnyWebSource
from schemas.tables import COCO_FILES, RECORDS, RETRIEVALS, SOURCE_FIGURES
from tasks.core import passed_over
from tasks.core.fetch import requests_table
from tasks.core.moved_ids import MOVED_BY, WAY_OUT, Moves, is_many, moved_sentences
from tasks.core.names import artists, matching, styles
from tasks.core.record_ids import spelling_notes, with_ids
from tasks.core.scrape import answers as web_sources
from tasks.core.scrape import folder as of_folder
from tasks.core.scrape import records, sources
from tasks.core.scrape.attributes import absent_notes
from tasks.core.scrape.table_files import UnreadableFile
from tasks.core.tables import as_schema, with_columns
from tasks.engine import runs, steps, web_client
from tasks.engine.cache_keys import code_digest
from tasks.engine.retrieve import retrieve
from tasks.engine.steps import decide_once
from tasks.io.files import parquet_files
from tasks.io.files.folders import Folder
from tasks.io.images import beginnings
from tasks.io.store.layout import listings_folder, outcome_folder
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.io.web import retrieval
from tasks.orchestration import retries
from tasks.scrape import crawl
from tasks.scrape.unread import find_unread
from tasks.scrape.unread import notes as unread_notes
from tasks.subjects import by_hand, previous

CODE = code_digest(sources, artists, parquet_files)
SIZES = code_digest(beginnings)
STYLES = code_digest(styles)
MAX_ANSWER_BYTES = 2_000_000_000
_NAME_COLUMNS = ["record_id", "artist", "artist_qualifier", "artists", "artist_roles"]
_READ_IN = [*_NAME_COLUMNS, "source", "artist_text"]


class _FileSourceSettings(Frozen):
    """What the records of a source in files depend on, besides the files."""

    source: AnySource
    categories: dict[str, KeypointScheme | None]
    attributes: Later[dict[str, AttributeField]]


class _ArtistSettings(Frozen):
    artists: Artists
    words: dict[str, str]


class _StyleSettings(Frozen):
    styles: Styles


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def read_answers_part(requests: pa.Table, source: AnyFileSource, rules: str, into: str, context: Context) -> None:
    """Read a batch of files below the source's binding; one that can't be read is a row with a reason."""
    store = runs.store_of(context)
    copy = functools.partial(Folder(source.at, context.bindings[source.at]).copy, max_bytes=MAX_ANSWER_BYTES)
    rows = [retrieval.store_answer(store, request, rules, copy) for request in requests.to_pylist()]
    store.write_table(into, pa.Table.from_pylist(rows, schema=RETRIEVALS))


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def read_sizes_part(requests: pa.Table, source: AnyFileSource, rules: str, into: str, context: Context) -> None:
    """Read the sides of a batch of images below the source's binding from their headers, each an answer of its own."""
    store = runs.store_of(context)
    copy = functools.partial(beginnings.copy_size, Folder(source.at, context.bindings[source.at]))
    rows = [retrieval.store_answer(store, request, rules, copy) for request in requests.to_pylist()]
    store.write_table(into, pa.Table.from_pylist(rows, schema=RETRIEVALS))


def check_sources(recipe: Recipe, context: Context) -> None:
    """Raise BadInput for a source whose folder, contact, secret or field for an attribute is missing."""
    for file_source in recipe.file_sources:
        folder = Folder(file_source.at, context.bindings[file_source.at])
        sources.check_named_files(file_source, folder.validator, folder.first_paths)
    for source in recipe.web_sources:
        web_sources.check_offers(source, fields_of(recipe.attributes, source.name))
        web_client.check_contact(context, sorted(web_sources.MUSEUMS[source.source].hosts), recipe.manners)
        if web_sources.needs_secret(source) and web_client.load_secret(context, source.secret) is None:
            raise source.bad_input("secret: NAME, a binding of its API's secret", "none")


def scrape(recipe: Recipe, context: Context, chosen: Predecessor) -> State:
    """The state with which a build begins: every record of every source. chosen: the release that it goes on from."""
    store = runs.store_of(context)
    before = previous.open_predecessor(store, recipe, chosen)
    listings, of_files = _list_sources(store, recipe, before, context)
    passed = (*of_files, *(row for listing in listings for row in listing.passed_over))
    coco = [store.read_table(listing.coco_files) for listing in listings if listing.coco_files is not None]
    coco_files = pa.concat_tables([COCO_FILES.empty_table(), *coco]).sort_by("source")
    schema = with_attribute_columns(RECORDS, recipe.attributes)
    everything = records.merge((store.read_table(listing.records, is_remembered=False) for listing in listings), schema)
    drawn = [store.read_table(listing.figures) for listing in listings if listing.figures]
    figures = pa.concat_tables([SOURCE_FIGURES.empty_table(), *drawn]).sort_by("record_id")
    spellings = previous.published_spellings(before, recipe, everything)
    everything, figures = with_ids(everything, spellings), with_ids(figures, spellings)
    everything = _with_names(store, recipe, everything)
    everything, taken_down, notes = by_hand.apply_manual_lists(store, recipe, context, everything, before)
    everything = records.limit_records(everything, recipe.limit)
    if taken_down is not None:
        removed = store.read_table(taken_down)["record_id"]
        figures = figures.filter(pc.invert(pc.is_in(figures["record_id"], value_set=removed)))
    state = State(
        records=store.write_table(outcome_folder("scrape"), everything),
        figures=store.write_table(outcome_folder("figures"), figures),
        coco_files=store.write_table(outcome_folder("coco-files"), coco_files) if coco_files.num_rows else None,
        taken_down=taken_down,
        unread=find_unread(store, recipe, everything),
        previous=chosen,
    )
    moves = previous.moved_records(before, everything.select(MOVED_BY)) if recipe.limit is None else Moves()
    way_out = [f"nothing will be published so: {WAY_OUT}"] if is_many(moves, recipe.max_renamed_fraction) else []
    step = steps.step_of(
        store,
        SCRAPE,
        everything["record_id"],
        state.records,
        computed=sum(listing.computed for listing in listings),
        notes=(
            *previous.predecessor_notes(recipe, chosen),
            *(note for listing in listings for note in listing.notes),
            *passed_over.notes(passed),
            *spelling_notes(spellings, chosen.version),
            *(f"scrape: {sentence}" for sentence in (*moved_sentences(moves), *way_out)),
            *notes,
            *(note for source in recipe.sources for note in records.rights_note(source, everything)),
            *(note for source in recipe.sources for note in records.empty_columns_note(source, everything)),
            *unread_notes(store, recipe, state),
            *absent_notes(everything, recipe.attributes, [source.name for source in recipe.file_sources]),
        ),
    )
    pending = sum(listing.pending for listing in listings)
    return state.then(step.model_copy(update={"pending": pending, "passed_over": passed}))


def _with_names(store: Store, recipe: Recipe, everything: pa.Table) -> pa.Table:
    """RECORDS with the names of artists and of styles that the recipe and our tables give what the sources say."""
    said, own, by_style = everything.select(_READ_IN), recipe.maker_words, everything.select(["record_id", "style"])

    def name_artists() -> pa.Table:
        return artists.with_artist_names(said, matching.merge_aliases(recipe.artists), own).select(_NAME_COLUMNS)

    def name_styles() -> pa.Table:
        return styles.with_style_names(by_style, styles.names_by_style(recipe.styles))

    of_artists, of_styles = _ArtistSettings(artists=recipe.artists, words=own), _StyleSettings(styles=recipe.styles)
    artist_names, _ = decide_once(store, "artists", of_artists, CODE, said, name_artists)
    style_names, _ = decide_once(store, "styles", of_styles, STYLES, by_style, name_styles)
    named = store.read_table(artist_names)
    columns = {name: named[name] for name in _NAME_COLUMNS[1:]}
    return with_columns(everything, {**columns, "style": store.read_table(style_names)["style"]})


def _list_sources(
    store: Store, recipe: Recipe, before: Release | None, context: Context
) -> tuple[list[crawl.SourceListing], tuple[PassedOver, ...]]:
    """Listings, and files that no source takes. Those on the web run in parallel: each mostly waits for its hosts."""
    threads = ThreadPoolExecutor(max_workers=len(recipe.sources), thread_name_prefix="scrape")
    try:
        in_progress = {}
        for source in recipe.web_sources:
            run = contextvars.copy_context().run
            in_progress[source.name] = threads.submit(run, _list_web_source, store, source, recipe, before, context)
        places = {source.name: context.bindings[source.at] for source in recipe.file_sources}
        names = {places[source.name]: source.at for source in recipe.file_sources}
        # of each folder that a source has, the paths and validators of its files
        folders = {place: dict(Folder(name, place).listing()) for place, name in names.items()}
        listed = {
            source.name: _list_files(store, source, folders[places[source.name]], recipe, context)
            for source in recipe.file_sources
        }
        of_files = _pass_over_files(store, recipe, listed, folders, context)
        for ended in wait(in_progress.values(), return_when=FIRST_EXCEPTION).done:
            ended.result()  # an error in one source is raised at once, not when the others are done
        listed |= {name: ended.result() for name, ended in in_progress.items()}
        return [listed[source.name] for source in recipe.sources], of_files
    except BaseException:
        web_client.abandon_run(context)
        raise
    finally:
        threads.shutdown(cancel_futures=True)


def _pass_over_files(
    store: Store,
    recipe: Recipe,
    listings: Mapping[str, crawl.SourceListing],
    folders: Mapping[str, Mapping[str, str]],
    context: Context,
) -> tuple[PassedOver, ...]:
    """The files of each folder that no source takes: several may share one."""
    rows: list[PassedOver] = []
    for place, paths in folders.items():
        mine = [source for source in recipe.file_sources if context.bindings[source.at] == place]
        taken = set[str]()
        for source in mine:
            taken.update(sources.files_to_read(source, list(paths)))
            named = store.read_table(listings[source.name].records, is_remembered=False)["locator"]
            taken.update(path for path in named.to_pylist() if path in paths)
        listed, left_out = of_folder.count_files(mine, paths, taken)
        rows += left_out.rows(tuple(source.name for source in mine), "files", listed, of_folder.speaks_of_images)
    return tuple(rows)


def _list_web_source(
    store: Store, source: AnyWebSource, recipe: Recipe, before: Release | None, context: Context
) -> crawl.SourceListing:
    """A source's listing, and records of the last release that it missed; if none, too many failures raise Refusal."""
    purged = by_hand.purged_ids(store, recipe, before)
    listing = crawl.crawl_source(store, source, recipe.manners, recipe.limit, context, purged, recipe.attributes)
    if listing.is_complete or context.plan:
        return listing
    table = store.read_table(listing.records)
    known = _known_records(before, with_attribute_columns(RECORDS, recipe.attributes))
    mine = known.filter(pc.equal(known["source"], source.name))
    is_unreached = pc.invert(pc.is_in(mine["record_id"], value_set=table["record_id"]))
    carried = records.with_year_within(mine.filter(is_unreached))  # with their reasons, if they have one
    if not carried.num_rows and listing.unreached > recipe.max_transient_fraction * listing.listings:
        expected = f"at most {recipe.max_transient_fraction:.0%} of the listings of '{source.name}' to fail"
        got = f"{listing.unreached} of {listing.listings}: {' '.join(listing.notes)}"
        raise Refusal(f"scrape: expected {expected}, got {got}")
    if not carried.num_rows:
        return listing
    both = store.write_table(outcome_folder("carried"), records.merge([table, carried], carried.schema))
    note = f"{source.name}: a listing failed; {carried.num_rows} records of the last release are carried over"
    return listing.model_copy(update={"records": both, "notes": (*listing.notes, note)})


def _known_records(before: Release | None, schema: pa.Schema) -> pa.Table:
    """The records of the last release in this schema; an attribute that it has in another type is null."""
    if before is None:
        return schema.empty_table()
    known = before.records()
    same = [field.name for field in schema if field in list(known.schema)]
    return as_schema(known.select(same), schema)


def _list_files(
    store: Store, source: AnyFileSource, validators: Mapping[str, str], recipe: Recipe, context: Context
) -> crawl.SourceListing:
    """validators: of the files of the source's folder, by path."""
    paths = sorted(validators)
    blobs, problems = _read_files(source, validators, context)
    known = {"sha256": map(blobs.get, paths), "problem": map(problems.get, paths)}
    view = pa.table({"path": paths, **{name: pa.array(list(values), pa.string()) for name, values in known.items()}})

    def open_file(path: str) -> IO[bytes] | None:
        if problem := problems.get(path):
            raise UnreadableFile(problem)
        return store.open_blob(sha256) if (sha256 := blobs.get(path)) else None

    read_size = functools.cache(lambda sha256: beginnings.read_size(store.read_blob(sha256)))  # many have the same

    def size_of(path: str) -> tuple[int, int]:
        if (sha256 := blobs.get(path)) is None:
            raise UnreadableFile(problems.get(path) or f"no file '{path}'")
        return read_size(sha256)

    attributes, categories = fields_of(recipe.attributes, source.name), recipe.schemes_by_category
    parquet_rows = functools.partial(parquet_files.rows_of_parquet, f"source '{source.name}'")
    settings = _FileSourceSettings(source=source, categories=categories, attributes=attributes)

    @functools.cache
    def read_source() -> sources.SourceTables:
        return sources.tables_of_source(source, paths, open_file, parquet_rows, categories, attributes, size_of)

    def decided(kind: str, table_of: Callable[[sources.SourceTables], pa.Table]) -> tuple[TableRef, bool]:
        return decide_once(store, kind, settings, CODE, view, lambda: table_of(read_source()))

    table, is_new = decided("records", lambda found: found.records)
    figures, _ = decided("figures", lambda found: found.figures)
    notes, _ = decided("notes", lambda found: pa.table({"note": pa.array(found.notes, pa.string())}))
    passed, _ = decided("passed-over", lambda found: passed_over.table(found.passed_over))
    coco_files = None
    if source.annotations is not None and source.annotations.has_document:
        coco_files, _ = decided("coco-files", lambda found: found.coco_files)
    return crawl.SourceListing(
        records=table,
        figures=figures,
        coco_files=coco_files,
        computed=int(is_new),
        notes=tuple(store.read_table(notes)["note"].to_pylist()),
        passed_over=passed_over.rows_of_table(store.read_table(passed)),
    )


def _read_files(
    source: AnyFileSource, validators: Mapping[str, str], context: Context
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """By path, the blobs of the files that a source's records and figures stand in, and of the sizes of the images that
    figures need; and why there is none. validators: of all files of the source's folder.
    """
    paths, into, label = sorted(validators), listings_folder(source.name), f"scrape · {source.name}"
    files, images = (
        requests_table(pa.chunked_array([wanted], pa.string()), validators)
        for wanted in (sources.files_to_read(source, paths), sources.images_to_measure(source, paths))
    )
    answers, _ = retrieve(read_answers_part, source, into, files, CODE, context, label, even_in_plan=True)
    if images.num_rows:
        label = f"{label}, sizes of images"
        sizes, _ = retrieve(read_sizes_part, source, into, images, SIZES, context, label, even_in_plan=True)
        answers = pa.concat_tables([answers, sizes])
    locators, blobs, problems = (answers[name].to_pylist() for name in ("locator", "sha256", "detail"))
    return dict(zip(locators, blobs, strict=True)), dict(zip(locators, problems, strict=True))


def example_records(state: State, at_most: int, context: Context) -> list[str]:
    """Some records as lines of JSON: the smallest ids first, without drops if there are other records."""
    table = runs.store_of(context).read_table(state.records)
    good = table.filter(pc.is_null(table["reason"]))
    return web_sources.json_lines((good if good.num_rows else table).slice(0, at_most).to_pylist())
