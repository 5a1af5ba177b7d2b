"""One dataset, from its recipe to its release: a loop over the recipe's stages."""

import contextlib
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from prefect import flow
from prefect.context import FlowRunContext

from flows.recipes import check_bindings, recipe_from_file
from flows.runner import runner
from schemas.detect import Detect
from schemas.errors import BadInput, BrokenPromise, DamagedFile, Overtaken, Refusal, WorkToDo
from schemas.manifests import Context, Predecessor, State, Step
from schemas.phrases import LONGEST_PLACE, error_line, quoted
from schemas.recipe import Recipe
from schemas.sources import AnyFileSource
from schemas.stages import AnyStage, Dedup
from tasks.dedup import dedup, read_verdicts
from tasks.detect import check_detector, detect
from tasks.engine import artifacts, events, flow_runs, mending, refusals, runs, slots, summary
from tasks.engine.by_hand import read_manual_lists
from tasks.engine.parts import is_cluster
from tasks.engine.previous import choose_predecessor
from tasks.export import export
from tasks.fetch import fetch
from tasks.hash import hash_
from tasks.quality import quality
from tasks.sample import sample
from tasks.scrape import check_sources, example_records, scrape
from tasks.screen import check_screens, screen
from tasks.split import split

_SECOND_TRIES = 2
"""So often a build begins again: more damage than one check finds is a disk that fails."""

SHELLS: dict[str, Callable[..., Step]] = {
    "fetch": fetch,
    "hash": hash_,
    "detect": detect,
    "quality": quality,
    "screen": screen,
    "dedup": dedup,
    "sample": sample,
    "split": split,
    "export": export,
}
"""Each stage's shell, by the stage's word: (settings, state, recipe, context) -> Step."""

_BEGUN: ContextVar["Build | None"] = ContextVar("begun_build", default=None)
"""The build of this process that has begun before its flow, to see whether there is anything to do."""

slots.keep_for_whole_runs()


@flow(name="build_dataset", task_runner=runner(os.environ.get("BILDERATLAS_DASK")), persist_result=False)
def build_dataset(
    recipe: str,
    store: str = "./store",
    bind: dict[str, str] | None = None,
    changes: list[str] | None = None,
    limit: int | None = None,
    seed: int | None = None,
    workers: int = 2,
    part_rows: int | None = None,
    device: str = "auto",
    previous: str | None = None,
    plan_only: bool = False,
) -> str:
    """Build the dataset of a recipe and return the URL of its release.

    Args:
        recipe: Path of a recipe's YAML file, or the name of a recipe that ships.
        store: Folder or fsspec URL that keeps images, results and releases.
        bind: Folders, files and addresses that the recipe names and this machine provides, by their names.
        changes: Changes to the recipe's settings for this run, each as stages.<label>.<field>=VALUE.
        limit: Take only this many records of each source; such a release never becomes `latest`.
        seed: Seed to use in place of the recipe's.
        workers: Parts of a stage that run at the same time.
        part_rows: Rows in a part; by default chosen by the number of workers.
        device: What detectors run on: auto (a GPU if there is one), cpu, cuda, cuda:1 ...
        previous: Version to go on from, in place of the newest; "none" to assign all splits anew.
        plan_only: Only show what the build would do: nothing is fetched, measured or published.

    """

    def work() -> str:
        settings = recipe_from_file(recipe, changes or (), limit, seed)
        context = Context(
            store=store,
            bindings=bind or {},
            workers=workers,
            part_rows=part_rows,
            device=device,
            run=uuid.uuid4().hex,
            began_s=time.time(),
            previous=previous or "",
            dataset=settings.name,
        )
        return _plan_run(settings, context) if plan_only else _build_run(settings, context)

    return flow_runs.told_in_a_sentence(work)


def _plan_run(recipe: Recipe, context: Context) -> str:
    """Show what a build would do; its summary."""
    flow_runs.rename_run(f"{recipe.name} · plan")
    steps = plan(recipe, context)
    artifacts.create_plan(context, steps)
    return flow_runs.completed_run(summary.plan_summary(steps), "nothing was done: the plan is among the artifacts")


def _build_run(recipe: Recipe, context: Context) -> str:
    """Build, and show and tell of it on the way; the URL of the release."""
    flow_runs.rename_run(f"{recipe.name} · build")
    flow_run = FlowRunContext.get()
    check(recipe, without_gpu(context) if flow_run and is_cluster(flow_run.task_runner) else context)
    try:
        with _build_at_hand(recipe, context) as build:
            if events.is_heard() and not build.is_stored():
                _show_plan(recipe, context)
            steps = build.finish()
    except Refusal as problem:
        events.send_refused(recipe, problem)
        raise
    artifacts.create_tables(context, steps)
    artifacts.create_release(context, steps)
    flow_runs.rename_run(f"{recipe.name} · {steps[-1].release.rsplit('/', 1)[-1]}")
    print(summary.build_summary(steps))  # noqa: T201 - the terminal is where a person waits for it
    events.send_published(recipe, steps)
    return flow_runs.completed_run(steps[-1].release, summary.release_line(steps[-1]))


def _show_plan(recipe: Recipe, context: Context) -> None:
    """Leave the plan on Prefect's page before anything is done. What is wrong with it, the build will say itself."""
    with contextlib.suppress(BadInput, BrokenPromise, Refusal):
        artifacts.create_plan(context, plan(recipe, context))


def without_gpu(context: Context) -> Context:
    """The context with which a build on a cluster is checked: this machine need not have the cluster's GPUs."""
    return context.model_copy(update={"device": "cpu"})


def check(recipe: Recipe, context: Context) -> None:
    """Raise BadInput for anything that can be found wrong before the first stage: bindings, sources, screens, manual
    lists, weights, verdicts, and a store that cannot be written.
    """
    check_bindings(recipe, context.bindings)
    check_sources(recipe, context)
    check_screens(recipe)
    read_manual_lists(recipe, context)
    for stage in recipe.stages:
        if isinstance(stage, Detect):
            check_detector(stage, context, recipe)
        if isinstance(stage, Dedup):
            read_verdicts(stage, context)
    runs.check_store(context)


def list_records(recipe: Recipe, source: str | None, at_most: int, context: Context) -> tuple[Step, list[str]]:
    """Run only the scrape, for one source or all: its step, and at most so many records as lines of JSON.

    Answers of the web are kept in the store for a later build. Raises BadInput if the recipe has no such source.
    """
    names = [entry.name for entry in recipe.sources]
    if source is not None and source not in names:
        raise BadInput(f"--source: expected one of {quoted(names, LONGEST_PLACE)}, got {quoted(source)}")
    chosen = tuple(entry for entry in recipe.sources if source in {None, entry.name})
    needed = {entry.at if isinstance(entry, AnyFileSource) else entry.secret for entry in chosen} | {recipe.by_hand}
    unneeded = [name for name in recipe.bindings if name not in needed]
    given = {name: value for name, value in context.bindings.items() if name not in unneeded}
    bindings = {name: meaning for name, meaning in recipe.bindings.items() if name in needed}
    recipe = recipe.model_copy(update={"sources": chosen, "bindings": bindings})
    check_bindings(recipe, given)
    check_sources(recipe, context)
    runs.check_store(context)
    try:
        before = choose_predecessor(recipe, context)
    except Refusal:
        before = Predecessor()  # only a build must know what it goes on from
    state = scrape(recipe, context, before)
    return state.steps[0], example_records(state, at_most, context)


def plan(recipe: Recipe, context: Context) -> tuple[Step, ...]:
    """What each stage of a build would do. Decisions are made in memory; nothing is fetched, measured or written."""
    context = context.model_copy(update={"plan": uuid.uuid4().hex})
    check(recipe, context)
    with begun_build(recipe, context) as build:
        return build.finish()


def run_stages(recipe: Recipe, context: Context) -> tuple[Step, ...]:
    """Run the scrape and all stages of a recipe in order, each on the results of those before it.

    Inside a flow their work runs as Prefect tasks, outside it as plain calls. Where a stored file is damaged, all of
    them are checked, and the stages are run again; and also where another build has published meanwhile. Where a gate
    refuses, what was kept and dropped so far is printed and kept for `why --last`, and Refusal is raised. A build that
    has begun around the flow goes on here.
    """
    with _build_at_hand(recipe, context) as build:
        return build.finish()


@contextlib.contextmanager
def _build_at_hand(recipe: Recipe, context: Context) -> Iterator["Build"]:
    """The build that has begun around the flow, or one that begins here."""
    if (build := _BEGUN.get()) is not None:
        yield build
        return
    with begun_build(recipe, context) as build:
        yield build


@contextlib.contextmanager
def begun_build(recipe: Recipe, context: Context) -> Iterator["Build"]:
    """A build that holds its lease on the store, and is the one that `run_stages` goes on with in this block."""
    # a trial on a few records does not say what the dataset needs
    with runs.at_work(context, f"build of {recipe.name}", None if recipe.limit else recipe.name):
        build = Build(recipe, context)
        token = _BEGUN.set(build)
        try:
            yield build
        finally:
            _BEGUN.reset(token)


class Build:
    """The stages of one build, as far as they are done."""

    def __init__(self, recipe: Recipe, context: Context) -> None:
        self._recipe, self._context = recipe, context.model_copy(update={"dataset": recipe.name})
        self._state: State | None = None
        self._notes: list[str] = []

    def is_stored(self) -> bool:
        """Whether the store has all that the build would give; stages run up to the first that lacks something."""
        try:
            self._run(self._context.model_copy(update={"is_stored_only": True}))
        except WorkToDo:
            return False
        except (DamagedFile, Overtaken):
            self._state = None  # to mend it is work
            return False
        return True

    @property
    def is_finished(self) -> bool:
        """Whether all stages have run."""
        return self._state is not None and len(self._state.steps) == 1 + len(self._recipe.stages)

    def finish(self) -> tuple[Step, ...]:
        """Run all stages that have not run yet; the steps of all."""
        while True:
            try:
                steps = self._run(self._context)
                break
            except (DamagedFile, Overtaken) as problem:
                # what a person has named stays the release to go on from, so that a second try would end in the same
                if len(self._notes) == _SECOND_TRIES or (self._context.previous and isinstance(problem, Overtaken)):
                    raise
                self._notes.append(_why_again(self._recipe, self._context, problem))
                print(self._notes[-1], file=sys.stderr)  # noqa: T201 - what comes next would not be understood without it
                self._begin_again()
        refusals.forget_refusal(self._recipe, self._context)
        return (*steps[:-1], steps[-1].model_copy(update={"notes": (*steps[-1].notes, *self._notes)}))

    def _run(self, context: Context) -> tuple[Step, ...]:
        try:
            state = self._state or self._scrape(context)
            for settings in self._recipe.stages[len(state.steps) - 1 :]:
                began_s = time.monotonic()
                step = _step(settings, state, self._recipe, context)
                state = self._go_on(state.then(_timed(step, began_s)))
        except Overtaken:
            raise
        except Refusal as problem:
            _show_refusal(self._state, self._recipe, context, problem)
            raise
        return state.steps

    def _scrape(self, context: Context) -> State:
        began_s = time.monotonic()
        before = choose_predecessor(self._recipe, context)
        state = flow_runs.run_stage(
            "scrape", context, lambda: scrape(self._recipe, context, before), lambda state: state.steps[0]
        )
        if events.is_heard() and not context.plan:
            events.send_shrunk(self._recipe, context, state)
        return self._go_on(state.model_copy(update={"steps": (_timed(state.steps[0], began_s),)}))

    def _begin_again(self) -> None:
        """Forget what was done: what is intact of it is found in the store."""
        self._state = None
        # a run of its own: an error in a part has ended the old one's connections
        self._context = self._context.model_copy(update={"run": uuid.uuid4().hex})

    def _go_on(self, state: State) -> State:
        self._state = state
        if not self._context.plan:
            summary.print_progress(state.steps[-1])
        return state


def _why_again(recipe: Recipe, context: Context, problem: DamagedFile | Overtaken) -> str:
    """Mend what can be mended before the stages are run again; a sentence for people."""
    if isinstance(problem, DamagedFile):
        return mending.remove_damaged_files(recipe, context, problem)
    return f"begun again: {str(problem).partition('; nothing is published')[0]}"


def _show_refusal(state: State | None, recipe: Recipe, context: Context, problem: Refusal) -> None:
    """Print what was kept and dropped so far, and keep it for `why --last`."""
    if state is not None:
        _show_what_was_done(state, context)
    try:
        refusals.keep_refusal(state, recipe, context, problem)
    except (DamagedFile, OSError) as lost:  # the refusal itself must be heard all the same
        print(f"the ledger of this refused build could not be kept: {error_line(lost)}", file=sys.stderr)  # noqa: T201


def _show_what_was_done(state: State, context: Context) -> None:
    if not flow_runs.is_flow():
        summary.print_refused(state.steps, is_plan=bool(context.plan))
    elif not context.plan:
        summary.print_refused(state.steps, is_plan=False)
        artifacts.create_tables(context, state.steps)


def _step(settings: AnyStage, state: State, recipe: Recipe, context: Context) -> Step:
    shell = SHELLS[settings.stage]
    return flow_runs.run_stage(
        settings.label, context, lambda: shell(settings, state, recipe, context), lambda step: step
    )


def _timed(step: Step, began_s: float) -> Step:
    return step.model_copy(update={"seconds": time.monotonic() - began_s})
