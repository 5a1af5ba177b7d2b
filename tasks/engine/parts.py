"""Batches as Prefect tasks: how many rows a part has, how many parts run at once, and how far they are."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import pyarrow as pa
from prefect.context import FlowRunContext

from schemas.errors import BadInput, WorkToDo
from schemas.manifests import Context
from tasks.engine import web_client
from tasks.engine.progress import progress

FEWEST_ROWS, MOST_ROWS, PARTS_PER_WORKER = 32, 2000, 8
"""A part should cost far more than the 4 ms or so of its Prefect task, and be small enough to lose."""

GPU = "GPU"
ON_DEVICE = frozenset({"detect_part"})
"""The resource by which Dask's workers offer a GPU (docs/gpu.md), and the tasks that need it. By name, not by a tag:
Prefect asks its server for a slot of each tag before a task begins, and both workers stood still for seconds."""

_LONGEST_WAIT_S = 0.5


class PartTask(Protocol):
    """A Prefect task whose first argument is a batch, and whose last is the context."""

    name: str
    fn: Callable[..., Any]

    def submit(self, *args: Any, **kwargs: Any) -> Any:
        """Start it on the flow's task runner."""


def run_in_parts(part: PartTask, rows: pa.Table, arguments: tuple[Any, ...], context: Context, label: str) -> None:
    """Run part(batch, *arguments, context) for all batches of the rows, at most `context.workers` at once.

    Without a flow around it (a plan, a benchmark, a machine without Prefect's server) the parts run here, one by one.
    The first error of a part is raised once those that run have ended; no further part is started then. Raises
    WorkToDo if the run may only use what is stored.
    """
    if not rows.num_rows:
        return
    if context.is_stored_only:
        raise WorkToDo
    try:
        _run(part, rows, arguments, context, label)
    except BaseException:
        web_client.abandon_run(context)  # else an interrupt would wait for the slowest host
        raise


def _run(part: PartTask, rows: pa.Table, arguments: tuple[Any, ...], context: Context, label: str) -> None:
    batches = _batches(rows, context)
    with progress(label, rows.num_rows) as advance:
        if FlowRunContext.get() is None:
            for batch in batches:
                part.fn(batch, *arguments, context)
                advance(batch.num_rows)
        else:
            _submit(part, batches, (*arguments, context), context.workers, advance)


def _batches(rows: pa.Table, context: Context) -> Iterator[pa.Table]:
    even = -(-rows.num_rows // (context.workers * PARTS_PER_WORKER))
    size = min(context.part_rows or min(max(even, FEWEST_ROWS), MOST_ROWS), max(rows.num_rows, 1))
    for start in range(0, rows.num_rows, size):
        yield rows.slice(start, size)


def _submit(
    part: PartTask,
    batches: Iterator[pa.Table],
    arguments: tuple[Any, ...],
    at_once: int,
    advance: Callable[[int], None],
) -> None:
    done: SimpleQueue[tuple[Any, int]] = SimpleQueue()
    running, failed = 0, None
    placement = _placement(part, arguments[-1])
    for batch in batches:
        if running == at_once:
            failed, running = _collect_next(done, advance), running - 1
        if failed is not None:
            break
        with placement():
            future = part.submit(batch, *arguments)
        future.add_done_callback(functools.partial(_note_done, done, future, batch.num_rows))
        running += 1
    for _ in range(running):
        failed = _collect_next(done, advance) or failed
    if failed is not None:
        failed.result()


def _placement(part: PartTask, context: Context) -> Callable[[], contextlib.AbstractContextManager[Any]]:
    """A context in which the part is submitted: on a cluster, one that needs a GPU goes to workers with a free one.

    Raises BadInput if no worker has a GPU.
    """
    flow_run = FlowRunContext.get()
    runner: Any = flow_run.task_runner if flow_run else None
    if part.name not in ON_DEVICE or not context.device.startswith("cuda") or not is_cluster(runner):
        return contextlib.nullcontext
    workers = runner.client.scheduler_info(n_workers=-1)["workers"].values()
    if not any(worker["resources"].get(GPU, 0) >= 1 for worker in workers):
        raise BadInput(
            f"--device {context.device}: expected a worker with the resource {GPU}=1, got {len(workers)} without"
        )
    import dask  # where a cluster is, it has been imported

    return functools.partial(dask.annotate, resources={GPU: 1})  # type: ignore[attr-defined]


def is_cluster(runner: Any) -> bool:
    """Whether a flow's task runner is Dask's; asked without importing it, which takes a second."""
    return type(runner).__module__.startswith("prefect_dask")


def _note_done(done: "SimpleQueue[tuple[Any, int]]", future: Any, rows: int, *_: Any) -> None:
    done.put((future, rows))


def _collect_next(done: "SimpleQueue[tuple[Any, int]]", advance: Callable[[int], None]) -> Any:
    """Wait for the next part to end; its future, if it failed."""
    future, rows = _next_done(done)
    future.wait()
    if future.state.is_failed() or future.state.is_crashed():
        return future
    advance(rows)
    return None


def _next_done(done: "SimpleQueue[tuple[Any, int]]") -> tuple[Any, int]:
    while True:
        # Python looks at a signal when a wait ends or is broken off, and one that comes just before a wait begins does
        # not break it off: without a limit, an interrupt might be seen only when a part ends
        with contextlib.suppress(Empty):
            return done.get(timeout=_LONGEST_WAIT_S)
