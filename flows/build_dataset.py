"""One dataset, from its recipe to its release: a loop over the recipe's stages."""

import os
import time
import uuid
from collections.abc import Callable
from typing import Any

from prefect import flow
from prefect.context import FlowRunContext
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.recipes import check_bindings, recipe_from_file
from schemas.detect import Detect
from schemas.errors import BadInput
from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.sources import AnyFileSource
from schemas.stages import AnyStage, Dedup
from tasks.dedup import dedup, said_by_people
from tasks.detect import check_detector, detect
from tasks.engine import runs, summary
from tasks.engine.by_hand import said_by_hand
from tasks.engine.parts import is_cluster
from tasks.export import export
from tasks.fetch import fetch
from tasks.hash import hash_
from tasks.quality import quality
from tasks.sample import sample
from tasks.scrape import check_sources, example_records, scrape
from tasks.screen import check_screens, screen
from tasks.split import split

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
_TOLD_THE_RECIPE = {"fetch", "screen", "dedup", "sample", "split", "export"}
"""Stages that look at more of the recipe than their own settings: sources, manners, artists, name, seed."""


def runner(dask: str | None) -> TaskRunner[Any]:
    """Threads of this process, or the Dask cluster at an address."""
    if dask is None:
        return ThreadPoolTaskRunner(max_workers=64)  # how many parts run at once is the build's `workers`
    from prefect_dask.task_runners import DaskTaskRunner  # takes a second to import, and most builds need none

    return DaskTaskRunner(address=dask)


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
) -> str:
    """Build the dataset of a recipe and return the URL of its release.

    Args:
        recipe: Path of the recipe, or the name of one that ships.
        store: Folder or fsspec URL that keeps everything.
        bind: What the recipe names but this machine provides, such as folders and weights.
        changes: Settings other than the recipe's, as stages.<label>.<field>=VALUE.
        limit: Build only so many records of each source; never becomes `latest`.
        seed: Another seed than the recipe's.
        workers: Parts that run at once.
        part_rows: Rows of a part; by default as many as suit the number of workers.
        device: What detectors run on: auto (a GPU where there is one), cpu, cuda, cuda:1 ...

    """
    read = recipe_from_file(recipe, changes or (), limit, seed)
    context = Context(
        store=store,
        bindings=bind or {},
        workers=workers,
        part_rows=part_rows,
        device=device,
        run=uuid.uuid4().hex,
        began_s=time.time(),
    )
    flow_run = FlowRunContext.get()
    check(read, at_desk(context) if flow_run and is_cluster(flow_run.task_runner) else context)
    steps = stages(read, context)
    summary.as_artifact(steps, steps[-1].release)
    print(summary.of_build(steps))  # noqa: T201 - the terminal is where a person waits for it
    return steps[-1].release


def at_desk(context: Context) -> Context:
    """What is checked by, where the parts run on a cluster: its GPUs are not the desk's."""
    return context.model_copy(update={"device": "cpu"})


def check(recipe: Recipe, context: Context) -> None:
    """Raise BadInput for what can be seen to be wrong before anything runs: bindings, store, sources, weights,
    verdicts, lists by hand.
    """
    check_bindings(recipe, context.bindings)
    check_sources(recipe, context)
    check_screens(recipe)
    said_by_hand(recipe, context)
    for stage in recipe.stages:
        if isinstance(stage, Detect):
            check_detector(stage, context)
        if isinstance(stage, Dedup):
            said_by_people(stage, context)
    if not context.plan:
        runs.store_of(context).check_writable()


def listing(recipe: Recipe, source: str | None, at_most: int, context: Context) -> tuple[Step, list[str]]:
    """Scrape alone, of one source or all: its step, and some records as lines of JSON.

    Answers are kept for a later build.

    Raises BadInput where the recipe has no such source.
    """
    names = [entry.name for entry in recipe.sources]
    if source is not None and source not in names:
        raise BadInput(f"--source: expected one of {names}, got '{source}'")
    chosen = tuple(entry for entry in recipe.sources if source in {None, entry.name})
    needed = {entry.at if isinstance(entry, AnyFileSource) else entry.secret for entry in chosen} | {recipe.by_hand}
    unneeded = [name for name in recipe.bindings if name not in needed]
    bound = {name: value for name, value in context.bindings.items() if name not in unneeded}
    bindings = {name: said for name, said in recipe.bindings.items() if name in needed}
    recipe = recipe.model_copy(update={"sources": chosen, "bindings": bindings})
    check_bindings(recipe, bound)
    check_sources(recipe, context)
    runs.store_of(context).check_writable()
    state = scrape(recipe, context)
    return state.steps[0], example_records(state, at_most, context)


def plan(recipe: Recipe, context: Context) -> tuple[Step, ...]:
    """The steps that a build would take, taken where nothing can be left behind; nothing is fetched or computed."""
    context = context.model_copy(update={"plan": uuid.uuid4().hex})
    check(recipe, context)
    return stages(recipe, context)


def stages(recipe: Recipe, context: Context) -> tuple[Step, ...]:
    """The loop: each stage hands its step to the next.

    Inside a flow its work is task runs, outside it is plain calls.
    """
    began_s = time.monotonic()
    state = scrape(recipe, context)
    state = state.model_copy(update={"steps": (_timed(state.steps[0], began_s),)})
    if not context.plan:
        summary.progress(state.steps[-1])
    for settings in recipe.stages:
        began_s = time.monotonic()
        state = state.then(_timed(_step(settings, state, recipe, context), began_s))
        if not context.plan:
            summary.progress(state.steps[-1])
    return state.steps


def _step(settings: AnyStage, state: State, recipe: Recipe, context: Context) -> Step:
    shell = SHELLS[settings.stage]
    # without a flow (a plan) there are no task runs
    call = shell if FlowRunContext.get() else getattr(shell, "fn", shell)
    told = (recipe,) if settings.stage in _TOLD_THE_RECIPE else ()
    return call(settings, state, *told, context)


def _timed(step: Step, began_s: float) -> Step:
    return step.model_copy(update={"seconds": time.monotonic() - began_s})
