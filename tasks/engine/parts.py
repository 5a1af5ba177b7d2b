"""Batches as Prefect tasks: how many rows a part has, how many parts run at once, and how far they are."""

import contextlib
import functools
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol, Self

import pyarrow as pa
from prefect.context import FlowRunContext

from schemas.errors import BadInput, WorkToDo
from schemas.manifests import Context
from tasks.engine import web_client
from tasks.orchestration import flow_runs
from tasks.orchestration.clusters import ClusterWatch, is_cluster
from tasks.orchestration.prefect_innards import apart, raise_if_paused
from tasks.orchestration.progress import progress

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

    def with_options(self, *, task_run_name: str) -> Self:
        """The same task, whose run has this name."""


class _Batch(NamedTuple):
    """One part's rows, and what the part is called: "part 3 of 16"."""

    name: str
    rows: pa.Table
    begun_s: float = 0.0


def run_in_parts(part: PartTask, rows: pa.Table, arguments: tuple[Any, ...], context: Context, label: str) -> None:
    """Run part(batch, *arguments, context) for all batches of the rows, at most `context.workers` at once.

    Columns of the rows that are dictionaries are plain in a batch: so a million rows of one text cost no more than
    their numbers. Without a flow (a plan, a benchmark, a machine without Prefect's server) they run here, one by one.
    After a first error none starts; it is raised once all have ended. Raises WorkToDo for a run of what is stored.
    """
    if not rows.num_rows:
        return
    if context.is_stored_only:
        raise WorkToDo
    even = -(-rows.num_rows // (context.workers * PARTS_PER_WORKER))
    size = min(context.part_rows or min(max(even, FEWEST_ROWS), MOST_ROWS), rows.num_rows)
    count = -(-rows.num_rows // size)
    batches = [_Batch(f"part {place + 1} of {count}", rows.slice(place * size, size)) for place in range(count)]
    try:
        with progress(label, rows.num_rows, context) as advance:
            if flow_runs.is_flow() and not context.plan:
                _Parts(part, label, (*arguments, context), advance).run(batches)
                return
            for batch in batches:
                part.fn(_plain(batch.rows), *arguments, context)
                advance(batch.rows.num_rows)
    except BaseException:
        web_client.abandon_run(context)  # else an interrupt would wait for the slowest host
        raise


class _Parts:
    """The parts of one stage that are Prefect tasks: those that run, and what they are given."""

    def __init__(self, part: PartTask, label: str, arguments: tuple[Any, ...], advance: Callable[..., str]) -> None:
        self._part, self._label, self._arguments, self._advance = part, label, arguments, advance
        self._context: Context = arguments[-1]
        self._done: SimpleQueue[tuple[Any, _Batch]] = SimpleQueue()
        self._running = 0
        self._failed: Any = None
        self._watch = ClusterWatch(_runner()) if is_cluster(_runner()) else None

    def run(self, batches: list[_Batch]) -> None:
        """Run all, at most `workers` at once; the first error is raised once those that run have ended."""
        placement = _placement(self._part, self._context)
        for batch in batches:
            if self._running == self._context.workers:
                self._collect_next()
            if self._failed is not None:
                break
            self._submit(batch, placement)
        while self._running:
            self._collect_next()
        if self._failed is not None:
            self._failed.result()

    def _submit(self, batch: _Batch, placement: Callable[[], contextlib.AbstractContextManager[Any]]) -> None:
        name = flow_runs.task_run_name(self._context, self._label, batch.name)
        begun = batch._replace(begun_s=time.monotonic())
        with apart(), placement():
            future = self._part.with_options(task_run_name=name).submit(_plain(batch.rows), *self._arguments)
        future.add_done_callback(lambda *_: self._done.put((future, begun)))
        self._running += 1

    def _collect_next(self) -> None:
        """Wait for the next part to end; the first future that failed is kept."""
        future, batch = self._next_done()
        self._running -= 1
        future.wait()
        if self._watch is not None:
            self._watch.check_ended(future, f"{self._label} · {batch.name}")
        if future.state.is_failed() or future.state.is_crashed():
            self._failed = self._failed or future
            return
        seconds, left = time.monotonic() - batch.begun_s, self._advance(batch.rows.num_rows)
        flow_runs.log_line(f"{self._label} · {batch.name}: {batch.rows.num_rows} rows in {seconds:.1f} s{left}")

    def _next_done(self) -> tuple[Any, _Batch]:
        while True:
            # Python looks at a signal when a wait ends or is broken off, and one that comes just before a wait begins
            # does not break it off: without a limit, an interrupt might be seen only when a part ends
            with contextlib.suppress(Empty):
                return self._done.get(timeout=_LONGEST_WAIT_S)
            raise_if_paused()
            if self._watch is not None:
                self._watch.look()


def _plain(rows: pa.Table) -> pa.Table:
    """The rows without dictionaries, which would go to each worker as a whole."""
    kinds = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in rows.schema]
    return rows.cast(pa.schema(list(zip(rows.column_names, kinds, strict=True))))


def _placement(part: PartTask, context: Context) -> Callable[[], contextlib.AbstractContextManager[Any]]:
    """Where to submit the part: if it needs a GPU of a cluster, to workers with a free one. Raises BadInput if none."""
    runner = _runner()
    if part.name not in ON_DEVICE or not context.device.startswith("cuda") or not is_cluster(runner):
        return contextlib.nullcontext
    workers = runner.client.scheduler_info(n_workers=-1)["workers"].values()
    if not any(worker["resources"].get(GPU, 0) >= 1 for worker in workers):
        expected = f"--device {context.device}: expected a worker with the resource {GPU}=1"
        raise BadInput(f"{expected}, got {len(workers)} without")
    import dask  # where a cluster is, it has been imported

    return functools.partial(dask.annotate, resources={GPU: 1})  # type: ignore[attr-defined]


def _runner() -> Any:
    flow_run = FlowRunContext.get()
    return flow_run.task_runner if flow_run else None
