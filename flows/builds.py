"""The stages of one build in order: what is done already, damaged or overtaken and done again, or refused by a gate."""

import contextlib
import functools
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from schemas.errors import DamagedFile, Overtaken, Refusal, WorkToDo
from schemas.manifests import Context, State, Step
from schemas.phrases import error_line
from schemas.recipe import Recipe
from tasks.dedup import check_verdicts, dedup
from tasks.detect import check_detector, detect
from tasks.engine import mending, runs
from tasks.export import export
from tasks.fetch import fetch
from tasks.hash import hash_
from tasks.orchestration import flow_runs
from tasks.page import artifacts, events, terminal
from tasks.quality import quality
from tasks.sample import sample
from tasks.scrape import scrape
from tasks.screen import check_styles, screen
from tasks.split import split
from tasks.subjects import refusals
from tasks.subjects.previous import choose_predecessor

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
"""By each stage's word, what does its work, from settings, state, recipe and context."""
CHECKS: dict[str, Callable[..., None]] = {"detect": check_detector, "screen": check_styles, "dedup": check_verdicts}
"""What raises BadInput before the first stage, from settings, context and recipe, where a stage can't do its work."""

_SHARED: ContextVar["Build | None"] = ContextVar("shared_build", default=None)
"""The build that a flow goes on with, since it was opened around it."""


@contextlib.contextmanager
def open_build(recipe: Recipe, context: Context) -> Iterator["Build"]:
    """A build that holds its lease on the store in this block."""
    # a trial on a few records does not say what the dataset needs
    with runs.at_work(context, f"build of {recipe.name}", None if recipe.limit else recipe.name):
        yield Build(recipe, context)


@contextlib.contextmanager
def shared_build(recipe: Recipe, context: Context) -> Iterator["Build"]:
    """The build opened around this block, with which a flow goes on; else one opened here and shared within."""
    with contextlib.ExitStack() as stack:
        if (build := _SHARED.get()) is None:
            build = stack.enter_context(open_build(recipe, context))
            stack.callback(_SHARED.reset, _SHARED.set(build))
        yield build


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
            return True
        except WorkToDo:
            return False
        except (DamagedFile, Overtaken):
            self._state = None  # to mend it is work
            return False

    @property
    def is_finished(self) -> bool:
        """Whether all stages have run."""
        return self._state is not None and len(self._state.steps) == 1 + len(self._recipe.stages)

    def finish(self) -> tuple[Step, ...]:
        """Run all stages that have not run yet; the steps of all. What is damaged is mended, and all begun again."""
        recipe, context = self._recipe, self._context
        while True:
            try:
                steps = self._run(self._context)
                break
            except (DamagedFile, Overtaken) as problem:
                # what a person has named stays the release to go on from, so that a second try would end in the same
                if len(self._notes) == _SECOND_TRIES or (context.previous and isinstance(problem, Overtaken)):
                    raise
                if isinstance(problem, DamagedFile):
                    note = mending.remove_damaged_files(recipe, self._context, problem)
                else:
                    note = f"begun again: {str(problem).partition('; nothing is published')[0]}"
                self._notes.append(note)
                print(note, file=sys.stderr)  # noqa: T201 - what comes next would not be understood without it
                self._state = None  # what is intact of it is found in the store
                # a run of its own: an error in a part has ended the old one's connections
                self._context = context.model_copy(update={"run": uuid.uuid4().hex})
        refusals.forget_refusal(recipe, self._context)
        return (*steps[:-1], steps[-1].model_copy(update={"notes": (*steps[-1].notes, *self._notes)}))

    def _run(self, context: Context) -> tuple[Step, ...]:
        try:
            state = self._state or self._scrape(context)
            for settings in self._recipe.stages[len(state.steps) - 1 :]:
                began_s = time.monotonic()
                work = functools.partial(SHELLS[settings.stage], settings, state, self._recipe, context)
                step = flow_runs.run_stage(settings.label, context, work, lambda step: step)
                state = self._go_on(state.then(step), began_s)
        except Overtaken:
            raise
        except Refusal as problem:
            self._keep_refusal(context, problem)
            raise
        return state.steps

    def _scrape(self, context: Context) -> State:
        began_s = time.monotonic()
        before = choose_predecessor(self._recipe, context)
        work = functools.partial(scrape, self._recipe, context, before)
        state = flow_runs.run_stage("scrape", context, work, lambda state: state.steps[0])
        if events.is_heard() and not context.plan and not self._are_sources_compared:
            events.send_source_changes(self._recipe, context, state)
            self._are_sources_compared = True
        return self._go_on(state, began_s)

    def _go_on(self, state: State, began_s: float) -> State:
        *before, last = state.steps
        last = last.model_copy(update={"seconds": time.monotonic() - began_s})
        self._state = state.model_copy(update={"steps": (*before, last)})
        if not self._context.plan:
            terminal.print_step(last)
        return self._state

    def _keep_refusal(self, context: Context, problem: Refusal) -> None:
        state = self._state
        if state is not None and not (context.plan and flow_runs.is_flow()):  # of a plan, the build itself will say so
            terminal.print_refused(state.steps, context)
            artifacts.create_tables(context, state.steps)
        try:
            refusals.keep_refusal(state, self._recipe, context, problem)
        except (DamagedFile, OSError) as lost:  # the refusal itself must be heard all the same
            print(f"the ledger of this refused build could not be kept: {error_line(lost)}", file=sys.stderr)  # noqa: T201
