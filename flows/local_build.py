"""A build that somebody starts here: in a terminal, a notebook or a program of theirs."""

import contextlib
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from httpx import HTTPError
from prefect.context import FlowRunContext

from flows.build_dataset import build_dataset, check, without_gpu
from flows.builds import Build, shared_build
from flows.recipes import recipe_from_file
from flows.runner import DASK, cluster_address, is_server_named, runner, shared_server
from schemas.manifests import Context, Step
from schemas.recipe import Recipe


class BuildRequest(NamedTuple):
    """What to build, and what this machine provides; as the parameters of the flow `build_dataset`."""

    recipe: str
    store: str = "./store"
    bind: Mapping[str, str] = {}
    changes: Sequence[str] = ()
    limit: int | None = None
    workers: int = 2
    part_rows: int | None = None
    device: str = "auto"
    previous: str | None = None

    def read(self, began_s: float | None = None, command: tuple[str, ...] = ()) -> tuple[Recipe, Context]:
        """The recipe, and the context of its build. Raises BadInput. began_s: when it was asked for; None: now."""
        return recipe_from_file(self.recipe, self.changes, self.limit), Context(
            store=self.store,
            bindings=dict(self.bind),
            workers=self.workers,
            part_rows=self.part_rows,
            device=self.device,
            previous=self.previous or "",
            run=uuid.uuid4().hex,
            began_s=time.time() if began_s is None else began_s,
            command=command,
        )


class Built(NamedTuple):
    """How a build has ended. is_told: whether Prefect's server knows it."""

    steps: tuple[Step, ...]
    is_told: bool = True

    @property
    def release(self) -> str:
        """The URL of the release."""
        return self.steps[-1].release


def build_here(
    request: BuildRequest, dask: str | None = None, began_s: float | None = None, command: tuple[str, ...] = ()
) -> Built:
    """Build a release. Everything that can be checked beforehand is checked before a server is started, and where there
    is nothing to do, none is started; a server that PREFECT_API_URL names learns of every build.

    dask: the address of a cluster to run on; None: the one that the environment names, if any. Raises BadInput, Refusal
    and BrokenPromise.
    """
    recipe, context = request.read(began_s, command)
    dask, named_by = (cluster_address(), DASK) if dask is None else (dask, "--dask")
    check(recipe, context if dask is None else without_gpu(context))
    if dask is not None:
        from flows.cluster import check_cluster  # takes a second to import

        check_cluster(dask, named_by)
    is_within_flow = FlowRunContext.get() is not None  # of somebody's own, whose server it is
    with shared_build(recipe, context) as build:
        if not is_server_named() and not is_within_flow and build.is_stored():
            steps = build.finish()
            print(build.summary(steps), "nothing to do: the store has all of it", sep="\n")  # noqa: T201
            return Built(steps)
        flow = build_dataset.with_options(task_runner=runner(dask))
        server = contextlib.nullcontext() if is_within_flow else shared_server(dask)
        with server, _unless_untold(build) as untold:
            flow(**{**request._asdict(), "bind": context.bindings, "changes": [*request.changes]})
        return Built(build.finish(), is_told=not untold)


@contextlib.contextmanager
def _unless_untold(build: Build) -> Iterator[list[Exception]]:
    """Where the build has ended and Prefect's server can't be told so, go on as if it had been; why it was not told."""
    untold: list[Exception] = []
    try:
        yield untold
    except HTTPError as problem:
        if not build.is_finished:
            raise
        untold.append(problem)
        print(  # noqa: T201
            f"bilderatlas: Prefect's server was not told that the build has ended: {problem}", file=sys.stderr
        )
