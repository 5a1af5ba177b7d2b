"""fetch (retrieve): each record's image, checked to the end and stored under its SHA-256."""

import shlex

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.fetch import Fetch
from schemas.manifests import Context, State, Step
from schemas.manners import Manners
from schemas.phrases import listed, quoted
from schemas.reasons import Reason
from schemas.recipe import Recipe
from schemas.sources import AnyFileSource
from schemas.tables import FETCH, RETRIEVALS
from tasks.core import fetch as core
from tasks.core import server_refusals, tables
from tasks.core.by_hand import drop_same_bytes
from tasks.engine import inspection, runs, steps
from tasks.engine import web_client as web
from tasks.engine.cache_keys import cache_key
from tasks.engine.retrieve import open_refusals, retrieve, unanswered_requests
from tasks.engine.views import kept_ids
from tasks.io.files.folders import Folder
from tasks.io.images.beginnings import why_no_image
from tasks.io.store.journal import Journal
from tasks.io.store.layout import DOWNLOADS, images_folder, outcome_folder
from tasks.io.store.store import Store
from tasks.io.web import retrieval
from tasks.io.web.client import ResponseLimits
from tasks.io.web.downloads import Downloads
from tasks.orchestration import retries
from tasks.subjects import by_hand

_EXAMPLES = 3
_MOST_LOOKS = 10_000
"""Of a plan, which should take seconds."""


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def read_part(
    requests: pa.Table, stage_and_source: tuple[Fetch, AnyFileSource], rules: str, into: str, context: Context
) -> None:
    """Read a batch of images below a source's binding, each a blob that decodes, or a row with the reason why not."""
    settings, source = stage_and_source
    store, inspections = runs.store_of(context), inspection.InspectionRows()
    folder = Folder(source.at, context.bindings[source.at])

    def read(path: str) -> bytes:
        return folder.read(path, settings.max_bytes)

    rows = [
        retrieval.store_image(store, request, rules, read, settings.max_pixels, inspections)
        for request in requests.to_pylist()
    ]
    store.write_table(into, pa.Table.from_pylist(rows, schema=RETRIEVALS))
    inspections.store(store)


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def fetch_part(
    requests: pa.Table, stage_and_manners: tuple[Fetch, Manners], rules: str, into: str, context: Context
) -> None:
    """Download a batch of images from all its hosts at the same time; each row is written as soon as it is known."""
    settings, manners = stage_and_manners
    store, inspections, guest = runs.store_of(context), inspection.InspectionRows(), web.guest_of_run(context, manners)
    limits = ResponseLimits(settings.max_bytes, settings.timeout_s)
    downloads = Downloads(
        guest.client,
        guest.rate_limiter,
        manners.tries,
        web.THREADS,
        lambda request: retrieval.download_image(
            store, guest.client, request, rules, limits, settings.max_pixels, inspections
        ),
        lambda request, problem: retrieval.failure_row(request, problem, rules),
    )
    try:
        with Journal(store, into, RETRIEVALS) as journal:
            unanswered = unanswered_requests(requests, into, context).to_pylist()
            for row in downloads.rows(unanswered, lambda request: str(request["locator"])):
                journal.add({**row, "run": context.run or None})
    finally:
        inspections.store(store)


def fetch(settings: Fetch, state: State, recipe: Recipe, context: Context) -> Step:
    """A blob for each kept record, or its reason. Only images without a blob are requested, as `refresh` says."""
    store = runs.store_of(context)
    record_ids = kept_ids(store, state)
    wanted = store.read_table(state.records, ["record_id", "source", "locator"])
    records = tables.lookup(wanted, "record_id", record_ids)
    rules = cache_key(code=inspection.CODE, max_bytes=settings.max_bytes, max_pixels=settings.max_pixels)
    is_url = pc.match_substring_regex(records["locator"], core.URL)
    parts, computed, looks, failures, notes = [], 0, _FileChecks(), list[core.Failure](), list[str]()
    for source in recipe.file_sources:
        of_source = records.filter(pc.and_(pc.equal(records["source"], source.name), pc.invert(is_url)))
        if of_source.num_rows:
            folder = Folder(source.at, context.bindings[source.at])
            found = {path: folder.validator(path) for path in pc.unique(of_source["locator"]).to_pylist()}
            validators = {path: validator for path, validator in found.items() if validator is not None}
            requests = core.requests_table(of_source["locator"], validators)
            place, label = images_folder(source.name), settings.label
            answers, count = retrieve(
                read_part, (settings, source), place, requests, rules, context, label, refresh=settings.refresh
            )
            if context.plan:
                seen = looks.look(folder, answers)
                answers, count = seen, count - (answers["reason"].null_count - seen["reason"].null_count)
            failures += core.no_images(answers)
            parts.append(core.outcome(of_source, answers, settings))
            computed += count
    if (of_source := records.filter(is_url)).num_rows:
        web.check_contact(context, core.hosts(of_source["locator"]), recipe.manners)
        requests, asked = core.requests_table(of_source["locator"], {}), (settings, recipe.manners)
        answers, count = retrieve(
            fetch_part, asked, DOWNLOADS, requests, rules, context, settings.label, refresh=settings.refresh
        )
        parts.append(core.outcome(of_source, answers, settings))
        computed += count
        refused = answers.filter(server_refusals.are_refused(answers))
        if refused.num_rows and not context.plan:
            again = shlex.join(context.command)
            for_all = [*context.command, "--set", f"stages.{settings.label}.refresh=failed"] if again else []
            open_ = open_refusals(store, DOWNLOADS, refused)
            notes = server_refusals.refusal_notes(refused, open_, again, shlex.join(for_all))
    outcome = pa.concat_tables([FETCH.empty_table(), *parts]).sort_by("record_id")
    outcome = drop_same_bytes(outcome, by_hand.taken_down(store, state))
    if context.plan and computed:
        known = outcome.filter(pc.or_(pc.is_valid(outcome["reason"]), pc.is_valid(outcome["sha256"])))
        step = steps.planned_step(store, settings, known, computed=computed, pending=computed)
    else:
        step = steps.step_of(store, settings, record_ids, outcome, computed=computed)
    in_place = core.stand_in_notes(settings.label, failures)
    step = step.model_copy(update={"notes": (*step.notes, *looks.notes(settings.label), *in_place, *notes)})
    return _without_unfit_annotations(store, state, step, outcome)


class _FileChecks:
    """What a plan sees of local files that a build would read: a limited number of looks at how they begin."""

    def __init__(self) -> None:
        self._files, self._left = 0, _MOST_LOOKS
        self._failures: list[tuple[str, Reason, str]] = []

    def look(self, folder: Folder, answers: pa.Table) -> pa.Table:
        """RETRIEVALS, with the reason of each row still to come whose file will be dropped."""
        is_to_come = pc.and_(pc.is_null(answers["reason"]), pc.is_null(answers["sha256"]))
        paths = answers.filter(is_to_come)["locator"].to_pylist() if folder.is_local else []
        self._files += len(paths)
        chosen, self._left = paths[: self._left], max(self._left - len(paths), 0)
        failures = [(path, *why) for path in chosen if (why := why_no_image(folder, path)) is not None]
        self._failures += failures
        return core.with_failures(answers, failures)

    def notes(self, label: str) -> list[str]:
        """What a person should know before the build."""
        return core.look_notes(label, self._failures, self._files, _MOST_LOOKS)


def _without_unfit_annotations(store: Store, state: State, step: Step, outcome: pa.Table) -> Step:
    """The step, which leaves out the annotations of images of another size and says so."""
    figures = store.read_table(state.figures)
    drawn = figures.filter(pc.is_valid(figures["figures"]))
    unfit = core.unfit_annotations(drawn, outcome)
    if not unfit.num_rows:
        return step
    fetched = outcome["record_id"].filter(pc.is_valid(outcome["sha256"]))
    annotated = pc.sum(pc.is_in(drawn["record_id"], value_set=fetched)).as_py()
    names = listed([quoted(name) for name in unfit["record_id"].to_pylist()], _EXAMPLES)
    note = (
        f"fetch: {unfit.num_rows} of {annotated} annotated images count as not annotated, since their annotations are "
        f"of images of another size: {names}"
    )
    records = core.without_annotations(store.read_table(state.records), unfit)
    changed = {
        "records": store.write_table(outcome_folder("scrape"), records),
        "figures": store.write_table(outcome_folder("figures"), core.without_figures(figures, unfit)),
    }
    return step.model_copy(update={**changed, "notes": (*step.notes, note)})
