"""A build that somebody starts here: in a terminal, a notebook or a program of theirs."""

import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from httpx import HTTPError
from prefect.context import FlowRunContext

from flows.build_dataset import build_dataset, check, request, without_gpu
from flows.builds import shared_build
from flows.parameters import checked_parameters, with_texts
from flows.runner import DASK, cluster_address, is_server_named, runner, shared_server
from flows.settings import changes_of
from tasks.page import terminal


def parameters_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Checked parameters of `build_dataset`; changes may be a mapping, workers None: one a core. Raises BadInput."""
    workers = given.get("workers")
    workers = os.cpu_count() or 2 if workers is None else workers
    mended = {"changes": changes_of(given.get("changes") or ()), "workers": workers}
    return checked_parameters(build_dataset.fn, {**with_texts(given), **mended})


class Built(NamedTuple):
    """The URL of a build's release, and whether Prefect's server knows of it."""

    release: str
    is_told: bool = True


def build_here(
    parameters: Mapping[str, Any], dask: str | None = None, began_s: float | None = None, command: tuple[str, ...] = ()
) -> Built:
    """Build a release. A server is started after all checks, and only where there is something to do, unless
    PREFECT_API_URL names one. dask: None: the environment's cluster, if any. Raises BadInput, Refusal, BrokenPromise.
    """
    recipe, context = request(parameters, began_s, command)
    dask, named_by = (cluster_address(), DASK) if dask is None else (dask, "--dask")
    check(recipe, context if dask is None else without_gpu(context))
    if dask is not None:
        from flows.cluster import check_cluster  # takes a second to import

        check_cluster(dask, named_by)
    with shared_build(recipe, context) as build:
        if not is_server_named() and FlowRunContext.get() is None and build.is_stored():
            steps = build.finish()
            print(terminal.build_summary(steps, context), "nothing to do: the store has all of it", sep="\n")  # noqa: T201
            return Built(steps[-1].release)
        flow, is_told = build_dataset.with_options(task_runner=runner(dask)), True
        with shared_server(dask):
            try:
                flow(**parameters)
            except HTTPError as problem:
                if not build.is_finished:
                    raise
                is_told = False
                sentence = f"bilderatlas: Prefect's server was not told that the build has ended: {problem}"
                print(sentence, file=sys.stderr)  # noqa: T201
        return Built(build.finish()[-1].release, is_told)
