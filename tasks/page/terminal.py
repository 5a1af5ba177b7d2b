"""What a person sees of a build on the terminal: the tables of stages and of drops, and those of a plan."""

import io
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from schemas.manifests import Context, Step
from schemas.phrases import counted
from tasks.orchestration import flow_runs

STAGE_COLUMNS = ("stage", "kind", "in", "kept", "dropped", "computed", "seconds", "images/s")
_OUTSIDE = "outside the stages"
"""The last row: time of the program's start, checks before the first stage, Prefect's server, stages begun again."""
_WIDTH = 110


def build_summary(steps: Sequence[Step], context: Context) -> str:
    """The end of a build: time and speed of each stage, and the time between; what was kept and dropped, and why."""
    stages = Table(*STAGE_COLUMNS, title="stages")
    for cells in (*map(stage_cells, steps), *outside_cells(steps, context)):
        stages.add_row(*map(str, cells))
    return "\n".join([_text(stages), _drops(steps), *(note for step in steps for note in step.notes)])


def stage_cells(step: Step) -> tuple[str | int, ...]:
    """What one stage did, in the columns of STAGE_COLUMNS."""
    entering = step.kept + sum(step.dropped.values())
    speed = f"{entering / step.seconds:,.0f}" if step.seconds else ""
    counts = (entering, step.kept, entering - step.kept, step.computed)
    return (step.label, step.kind, *counts, f"{step.seconds:.2f}", speed)


def outside_cells(steps: Sequence[Step], context: Context) -> list[tuple[str, ...]]:
    """The time since the build began that no stage took, in the columns of STAGE_COLUMNS; no row if it is unknown."""
    if not context.began_s:
        return []
    # no clock that was set back makes it negative
    seconds = max(0.0, time.time() - context.began_s - sum(step.seconds for step in steps))
    return [tuple({"stage": _OUTSIDE, "seconds": f"{seconds:.2f}"}.get(column, "") for column in STAGE_COLUMNS)]


def _drops(steps: Sequence[Step]) -> str:
    drops = Table("stage", "reason", "dropped", title="dropped")
    for step in steps:
        for reason, count in step.dropped.items():
            drops.add_row(step.label, reason, str(count))
    return _text(drops) if drops.rows else "nothing was dropped\n"


def plan_summary(steps: Sequence[Step]) -> str:
    """What a build would do: exact until rows are needed that no store has yet, an upper bound after that."""
    table = Table("stage", "kind", "what would be done", title="plan: nothing was done")
    for step in steps:
        table.add_row(step.label, step.kind, intention(step))
    # what a decision says of the rows that are there already may be wrong of all
    notes = [note for step in steps if step.kind == "retrieve" or not step.pending for note in step.notes]
    return "".join([_text(table), *(f"{note}\n" for note in notes)])


def step_line(step: Step) -> str:
    """What one stage did."""
    dropped = sum(step.dropped.values())
    return f"{step.label}: {step.kept} kept, {dropped} dropped, {step.computed} computed, {step.seconds:.1f} s"


def release_line(export: Step, limit: int | None = None) -> str:
    """What a build ends with, from the step of its export. limit: of the records of each source, in a trial."""
    images = counted(export.kept, "image")
    published = f"published {images} as {export.release}"
    stands = f"nothing to do: {export.release} stands, with {images}"
    return f"{published if export.computed else stands}{trial(limit)}"


def trial(limit: int | None) -> str:
    """What follows of a release that was built with a limit; empty without one.

    >>> trial(60), trial(None)
    ('; a trial of 60 records of each source, which never becomes latest', '')
    """
    return "" if limit is None else f"; a trial of {limit:,} records of each source, which never becomes latest"


def print_step(step: Step) -> None:
    """Print a line for a stage that is done: on the terminal, and in the log that Prefect's page shows."""
    Console(stderr=True, highlight=False).print(step_line(step))
    flow_runs.log_line(step_line(step))


def print_refused(steps: Sequence[Step], context: Context) -> None:
    """The tables of a build that a gate has refused, as of one that was published; the reason is the caller's."""
    shown = f"{plan_summary(steps)}\n{_drops(steps)}" if context.plan else build_summary(steps, context)
    print(shown)  # noqa: T201 - the terminal is where a person waits for it


def intention(step: Step) -> str:
    """What a build would do in one stage."""
    about = "about " if step.pending and step.kind == "measure" else ""  # earlier decisions may let others through
    known = f"{step.kept} kept" + (f", {sum(step.dropped.values())} dropped" if step.dropped else "")
    if not step.computed and step.pending:
        return f"nothing more: fetch measures new images itself ({known})"
    if not step.computed:
        return f"nothing: {'already in the store' if step.kept else 'no record is left'} ({known})"
    if step.stage == "scrape":
        return f"read {step.computed} new or changed listing{'s' * (step.computed > 1)} ({known})"
    verb = {"retrieve": "fetch", "measure": "compute", "decide": "decide again", "publish": "publish"}[step.kind]
    if step.kind in {"retrieve", "measure"}:
        return f"{verb} {about}{step.computed} of {step.kept + sum(step.dropped.values())}"
    return f"{verb}, once the earlier stages are done" if step.pending else f"{verb} ({known})"


def _text(table: Table) -> str:
    with io.StringIO() as file:
        Console(file=file, width=_WIDTH, no_color=True).print(table)
        return file.getvalue()
