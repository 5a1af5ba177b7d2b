"""One dataset, from its recipe to its release: a loop over the recipe's stages."""

import contextlib
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from prefect import flow
from prefect.context import FlowRunContext

from flows import collisions
from flows.builds import CHECKS, is_shared, open_build, shared_build
from flows.parameters import BINDINGS, RECIPE, STORE, Count, Device, Seed, documented
from flows.recipes import check_bindings, recipe_from_file
from flows.runner import check_cluster_of_flow, cluster_address, runner
from schemas.errors import BadInput, BrokenPromise, Refusal
from schemas.manifests import Context, Predecessor, Step
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.recipe import Recipe
from tasks.engine import runs
from tasks.orchestration import flow_runs
from tasks.orchestration.clusters import is_cluster
from tasks.page import artifacts, events, terminal
from tasks.scrape import check_sources, example_records, scrape
from tasks.subjects.by_hand import read_manual_lists
from tasks.subjects.previous import choose_predecessor


@flow(name="build_dataset", task_runner=runner(cluster_address()), persist_result=False)
@documented
def build_dataset(
    recipe: Annotated[str, RECIPE],
    store: Annotated[str, STORE] = "./store",
    bind: Annotated[dict[str, str], BINDINGS] | None = None,
    changes: list[str] | None = None,
    limit: Count | None = None,
    seed: Seed | None = None,
    workers: Count = 2,
    part_rows: Count | None = None,
    device: Device = "auto",
    previous: str | None = None,
    plan_only: bool = False,
) -> str:
    """Build the dataset of a recipe and return the URL of its release.

    Args:
        changes: Changes to the recipe's settings for this run, each as stages.LABEL.FIELD=VALUE.
        limit: Number of records to take of each source, 1 or more; such a release never becomes `latest`. Empty: all.
        seed: Seed to use in place of the recipe's, 0 or more.
        workers: Number of parts of a stage that run at the same time, 1 or more.
        part_rows: Number of rows in a part, 1 or more. Empty: chosen by the number of workers.
        previous: Version to go on from, in place of the newest; none to assign all splits anew.
        plan_only: Only show what the build would do: nothing is fetched, measured or published.

    """
    parameters = {name: value for name, value in locals().items() if name != "plan_only"}

    def work() -> str:
        word = "plan" if plan_only else "build"
        flow_runs.rename_run(f"{Path(recipe).stem} · {word}")
        settings, context = request(parameters)
        flow_runs.rename_run(f"{settings.name} · {word}")
        flow_run = FlowRunContext.get()
        here = without_gpu(context) if flow_run and is_cluster(flow_run.task_runner) else context
        if not plan_only:
            return _build_run(settings, context, here)
        steps = plan(settings, here)
        artifacts.create_plan(context, steps)
        return flow_runs.completed_run(
            terminal.plan_summary(steps), "nothing was done: the plan is among the artifacts"
        )

    return flow_runs.end_in_a_sentence(work)


def request(
    parameters: Mapping[str, Any], began_s: float | None = None, command: tuple[str, ...] = ()
) -> tuple[Recipe, Context]:
    """The recipe, and the context of its build. began_s: None: now. command: what was typed. Raises BadInput."""
    changes = parameters["changes"] or ()
    recipe = recipe_from_file(parameters["recipe"], changes, parameters["limit"], parameters["seed"])
    return recipe, Context(
        **{name: parameters[name] for name in ("store", "workers", "part_rows", "device")},
        bindings=parameters["bind"] or {},
        previous=parameters["previous"] or "",
        dataset=recipe.name,
        run=uuid.uuid4().hex,
        began_s=time.time() if began_s is None else began_s,
        command=command,
    )


def _build_run(recipe: Recipe, context: Context, here: Context) -> str:
    """here: the context as this machine is to be checked."""
    collisions.update_strategy()
    check(recipe, here)
    if not is_shared():
        check_cluster_of_flow()  # the command has done so before
    try:
        with shared_build(recipe, context) as build:
            if events.is_heard() and not build.is_stored():
                # what is wrong with the plan, the build will say itself
                with contextlib.suppress(BadInput, BrokenPromise, OSError, Refusal):
                    artifacts.create_plan(here, plan(recipe, here))
            steps = build.finish()
    except Refusal as problem:
        events.send_refused(recipe, problem)
        raise
    artifacts.create_tables(context, steps)
    artifacts.create_release(context, steps, recipe.limit)
    flow_runs.rename_run(f"{recipe.name} · {steps[-1].release.rsplit('/', 1)[-1]}")
    print(terminal.build_summary(steps, context))  # noqa: T201 - the terminal is where a person waits for it
    events.send_published(recipe, steps)
    return flow_runs.completed_run(steps[-1].release, terminal.release_line(steps[-1], recipe.limit))


def without_gpu(context: Context) -> Context:
    """The context with which a build on a cluster is checked here: the GPUs are the cluster's."""
    return context.model_copy(update={"device": "cpu"})


def check(recipe: Recipe, context: Context) -> None:
    """Raise BadInput for all that can be found wrong before the first stage, such as a store that can't be written."""
    check_bindings(recipe, context.bindings)
    check_sources(recipe, context)
    read_manual_lists(recipe, context)
    for settings in recipe.stages:
        if settings.stage in CHECKS:
            CHECKS[settings.stage](settings, context, recipe)
    runs.check_store(context)


def list_records(recipe: Recipe, source: str | None, at_most: int, context: Context) -> tuple[Step, list[str]]:
    """Only the scrape, of one source or all: its step, and records as JSON. Raises BadInput for another source."""
    names = [entry.name for entry in recipe.sources]
    if source is not None and source not in names:
        raise BadInput(f"--source: expected one of {quoted(names, LONGEST_PLACE)}, got {quoted(source)}")
    chosen = tuple(entry for entry in recipe.sources if source in {None, entry.name})
    needed = {name for entry in chosen for name in entry.uses} | {recipe.by_hand}
    unneeded = recipe.bindings.keys() - needed
    bindings = {name: meaning for name, meaning in recipe.bindings.items() if name in needed}
    recipe = recipe.model_copy(update={"sources": chosen, "bindings": bindings})
    check_bindings(recipe, {name: value for name, value in context.bindings.items() if name not in unneeded})
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
    return run_stages(recipe, context)


def run_stages(recipe: Recipe, context: Context) -> tuple[Step, ...]:
    """Run all stages of a recipe, in a flow as Prefect tasks. Raises Refusal; `why --last` tells what was kept."""
    with open_build(recipe, context) as build:
        return build.finish()
