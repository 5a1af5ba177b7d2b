"""The stages of one build, run in order: what is done already, what is damaged or overtaken and done again, and what
stays of a build that a gate refuses.
"""

import contextlib
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

from schemas.errors import DamagedFile, Overtaken, Refusal, WorkToDo
from schemas.manifests import Context, State, Step
from schemas.phrases import error_line
from schemas.recipe import Recipe
from schemas.stages import AnyStage
from tasks.dedup import check_verdicts, dedup
from tasks.detect import check_detector, detect
from tasks.engine import mending, runs
from tasks.export import export
from tasks.fetch import fetch
from tasks.hash import hash_
from tasks.orchestration import flow_runs
from tasks.page import artifacts, events, summary
from tasks.quality import quality
from tasks.sample import sample
from tasks.scrape import scrape
from tasks.screen import check_styles, screen
from tasks.split import split
from tasks.subjects import refusals
from tasks.subjects.previous import choose_predecessor

_SECOND_TRIES = 2
"""So often a build begins again: more damage than one check finds is a disk that fails."""


class Shell(NamedTuple):
    """What does a stage's work, and what finds before the first stage that it can't.

    run: (settings, state, recipe, context) -> Step. check: (settings, context, recipe), raises BadInput.
    """

    run: Callable[..., Step]
    check: Callable[[Any, Context, Recipe], None] | None = None


SHELLS: dict[str, Shell] = {
    "fetch": Shell(fetch),
    "hash": Shell(hash_),
    "detect": Shell(detect, check_detector),
    "quality": Shell(quality),
    "screen": Shell(screen, check_styles),
    "dedup": Shell(dedup, check_verdicts),
    "sample": Shell(sample),
    "split": Shell(split),
    "export": Shell(export),
}
"""By each stage's word."""

_SHARED: ContextVar["Build | None"] = ContextVar("shared_build", default=None)
"""The build that a flow goes on with, since it was opened around it."""


def check_stages(recipe: Recipe, context: Context) -> None:
    """Raise BadInput for what can be found wrong in a stage before the first one begins."""
    for settings in recipe.stages:
        if (check := SHELLS[settings.stage].check) is not None:
            check(settings, context, recipe)


@contextlib.contextmanager
def open_build(recipe: Recipe, context: Context) -> Iterator["Build"]:
    """A build that holds its lease on the store in this block."""
    # a trial on a few records does not say what the dataset needs
    with runs.at_work(context, f"build of {recipe.name}", None if recipe.limit else recipe.name):
        yield Build(recipe, context)


@contextlib.contextmanager
def shared_build(recipe: Recipe, context: Context) -> Iterator["Build"]:
    """The build that was opened around this block; without one, one that is opened here, and shared with all within.

    So a command sees whether there is anything to do, and its flow goes on from there.
    """
    if (build := _SHARED.get()) is not None:
        yield build
        return
    with open_build(recipe, context) as build:
        token = _SHARED.set(build)
        try:
            yield build
        finally:
            _SHARED.reset(token)


def is_shared() -> bool:
    """Whether a build was opened around this."""
    return _SHARED.get() is not None


class Build:
    """The stages of one build, as far as they are done."""

    def __init__(self, recipe: Recipe, context: Context) -> None:
        self._recipe, self._context = recipe, context.model_copy(update={"dataset": recipe.name})
        self._state: State | None = None
        self._notes: list[str] = []
        self._are_sources_compared = False  # with the release before: who is told of them is told once

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

    def summary(self, steps: tuple[Step, ...]) -> str:
        """What a person sees at the end of the build, whose steps these are."""
        return summary.build_summary(steps, self._context)

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
        if events.is_heard() and not context.plan and not self._are_sources_compared:
            events.send_source_changes(self._recipe, context, state)
            self._are_sources_compared = True
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
    if state is not None:
        _show_what_was_done(state, context)
    try:
        refusals.keep_refusal(state, recipe, context, problem)
    except (DamagedFile, OSError) as lost:  # the refusal itself must be heard all the same
        print(f"the ledger of this refused build could not be kept: {error_line(lost)}", file=sys.stderr)  # noqa: T201


def _show_what_was_done(state: State, context: Context) -> None:
    if context.plan and flow_runs.is_flow():
        return  # the build itself will say so
    summary.print_refused(state.steps, context)
    artifacts.create_tables(context, state.steps)


def _step(settings: AnyStage, state: State, recipe: Recipe, context: Context) -> Step:
    shell = SHELLS[settings.stage].run
    return flow_runs.run_stage(
        settings.label, context, lambda: shell(settings, state, recipe, context), lambda step: step
    )


def _timed(step: Step, began_s: float) -> Step:
    return step.model_copy(update={"seconds": time.monotonic() - began_s})
