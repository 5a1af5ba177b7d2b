"""What Prefect's page shows of a run as it goes. Without a flow around them, these do their work and show nothing."""

import logging
import os
import select
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.context import FlowRunContext
from prefect.exceptions import Pause
from prefect.states import Cancelled, Completed, Failed

from schemas.manifests import Context, Step
from schemas.phrases import error_line
from tasks.orchestration import prefect_innards, reports
from tasks.orchestration.failures import failure_of
from tasks.orchestration.retries import NO_RETRY


def _print_into_nothing(output: int) -> None:
    """Once nobody reads: a run goes on where its worker, which read it, was killed; else the next line would end it."""
    poll = select.poll()
    poll.register(output, 0)  # errors alone, such as that a pipe has lost its reader
    if any(event & select.POLLERR for _, event in poll.poll()):
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)


Result = TypeVar("Result")
if prefect_innards.is_run_process():
    prefect_innards.keep_slots()
    for _stream in (sys.__stdout__, sys.__stderr__):
        if _stream is not None:
            threading.Thread(target=_print_into_nothing, args=(_stream.fileno(),), name="output", daemon=True).start()


class _Noise(logging.Filter):
    """Leaves out what a state says already; of a failure that can be told in a sentence, it leaves the sentence."""

    def filter(self, record: logging.LogRecord) -> bool:
        problem = record.exc_info[1] if record.exc_info else None
        failure = failure_of(problem) if problem is not None else None
        if failure is None:
            return not prefect_innards.repeats_state(record)
        record.msg, record.args, record.exc_info = failure.sentence, (), None
        return prefect_innards.is_end_of_flow(record)


for _name in prefect_innards.LOGGERS:
    logging.getLogger(_name).addFilter(_Noise())


def is_flow() -> bool:
    """Whether a flow runs here."""
    return FlowRunContext.get() is not None


def log_line(line: str) -> None:
    """One line in the log of the flow run."""
    if (flow_run := FlowRunContext.get()) is not None:
        get_run_logger(flow_run).info(line)


def rename_run(name: str) -> None:
    """Give the flow run a name."""
    reports.report_by_client("name of the run", lambda client, run: client.set_flow_run_name(run.id, name))


def run_stage(label: str, context: Context, work: Callable[[], Result], step_of: Callable[[Result], Step]) -> Result:
    """What a stage's work gives; in a flow a task run, shown once done where it may only use what the store has."""
    if not is_flow() or context.plan:
        return work()
    done = [work()] if context.is_stored_only else list[Result]()
    problems: list[BaseException] = []

    def state() -> State:
        try:
            if not done:
                done.append(work())
            step = step_of(done[0])
            message = f"{step.kept} kept, {sum(step.dropped.values())} dropped"
            if step.computed:
                return Completed(message=message)
            return Completed(name="Cached", message=f"{message}; the store had all of it")
        except BaseException as problem:
            problems.append(problem)
            return _ended_state(problem)

    _stage_run.with_options(task_run_name=task_run_name(context, label))(state)
    if problems:
        raise problems[0]
    return done[0]


@task(cache_policy=NO_CACHE, **NO_RETRY)
def _stage_run(state: Callable[[], State]) -> State:
    """The state in which a stage's run ends. It never raises: Prefect would call all its parts rolled back."""
    return state()


def _ended_state(problem: BaseException) -> State:
    if isinstance(problem, Exception):
        return failed_state(problem) or Failed(message=f"{type(problem).__name__}: {error_line(problem)}")
    if not isinstance(problem, Pause):
        return Cancelled(message="interrupted: what was done is kept")
    until = problem.state.state_details.pause_timeout if isinstance(problem.state, State) else None
    deadline = f" before {until:%Y-%m-%d %H:%M:%S} UTC, or it fails" if until else ""
    message = f"paused: what was done is kept; resume the run to go on{deadline}"
    log_line(message)
    return Cancelled(message=message)


def failed_state(problem: Exception) -> State | None:
    """The state of a run that ends by this problem: its sentence, and the problem for whoever asks; None for a bug."""
    failure = failure_of(problem)
    return None if failure is None else Failed(message=failure.sentence, data=problem)


def completed_run(result: Result, message: str) -> Result:
    """The result of a flow, whose run shows the message."""
    return Completed(message=message, data=result) if is_flow() else result  # type: ignore[return-value]


def end_in_a_sentence(work: Callable[[], Result]) -> Result:
    """What a flow's work gives. Of a failure that `failure_of` knows, log and state have the sentence alone."""
    try:
        with reports.wait_for_reports():
            return work()
    except Exception as problem:
        flow_run, failed = FlowRunContext.get(), failed_state(problem)
        if flow_run is None or failed is None:
            raise
        get_run_logger(flow_run).error(failed.message)
        return failed  # type: ignore[return-value]


def task_run_name(context: Context, *words: str) -> str:
    """What a task run is called, as Prefect's `task_run_name`: the dataset, then what is done.

    >>> task_run_name(Context(store="store", dataset="museum"), "fetch", "part 3 of 16")
    'museum · fetch · part 3 of 16'
    """
    name = " · ".join(word for word in (context.dataset, *words) if word)
    return name.replace("{", "{{").replace("}", "}}")  # Prefect puts a task's parameters into braces
