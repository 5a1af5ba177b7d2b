"""What a flow runs on: threads of this process or a Dask cluster, and Prefect's temporary server."""

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Any

import httpx
from prefect.client.orchestration import get_client
from prefect.context import FlowRunContext
from prefect.settings import (
    PREFECT_API_AUTH_STRING,
    PREFECT_API_URL,
    PREFECT_CLIENT_MAX_RETRIES,
    PREFECT_HOME,
    temporary_settings,
)
from prefect.task_runners import TaskRunner

from flows.prefect_home import check_home
from flows.temporary_server import start_process
from flows.wall import STATUS, TEXT
from schemas.errors import BadInput
from schemas.phrases import error_line
from tasks.orchestration.clusters import is_cluster
from tasks.orchestration.prefect_innards import Threads, make_temporary_server

DASK = "BILDERATLAS_DASK"
"""The environment's setting with a cluster's address: for runs from Prefect's page, and commands without --dask."""

_MOST_THREADS = 64
"""More than any build needs: how many parts run at once is the build's `workers`."""
_CONNECT_S = 10


def runner(dask: str | None) -> TaskRunner[Any]:
    """Threads of this process, or the Dask cluster at an address."""
    if not dask:
        return Threads(max_workers=_MOST_THREADS)
    from flows.cluster import ClusterRunner  # takes a second to import, and most builds need none

    return ClusterRunner(address=dask)


def cluster_address() -> str | None:
    """The address of the cluster that the environment names, if any."""
    return os.environ.get(DASK) or None


def is_server_named() -> bool:
    """Whether PREFECT_API_URL names a server; else a temporary one is started for a flow."""
    return bool(PREFECT_API_URL.value())


def start_server() -> str:
    """The API of the server that is named, else of a temporary one that ends with this process. Raises BadInput."""
    if url := str(PREFECT_API_URL.value() or ""):
        check_server(url, "without that setting, a temporary server is started")
        return url
    check_home(PREFECT_HOME.value())
    server = make_temporary_server(start_process)
    try:
        server.start()
        return server.api_url
    except RuntimeError as problem:
        server.stop()
        raise BadInput(
            f"expected Prefect's temporary server to start, got: {error_line(problem)} Is this machine very busy? "
            "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS gives it longer"
        ) from problem


def check_server(url: str, advice: str) -> None:
    """Raise BadInput, which ends with the advice, where no API of a Prefect server answers."""
    try:
        with (
            temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}),
            get_client(sync_client=True, httpx_settings={"timeout": _CONNECT_S}) as client,
        ):
            problem = client.api_healthcheck()
            if problem is None:
                client.api_version()  # a server that asks for a password tells everybody its health, and nothing else
                return
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as refused:  # the last: an answer that is no JSON
        problem = refused
    got, response, place = str(problem).rstrip("."), getattr(problem, "response", None), _without_password(url)
    if response is not None:
        if response.status_code == httpx.codes.UNAUTHORIZED:
            raise BadInput(
                "PREFECT_API_AUTH_STRING: expected the name and the password, as name:password, that the Prefect "
                f"server at '{place}' asks for, got {'another' if PREFECT_API_AUTH_STRING.value() else 'none'}"
            )
        is_of_wall = response.status_code == STATUS and response.headers.get("content-type") == TEXT
        got = f"it answers '{response.text.strip()}'" if is_of_wall else f"status {response.status_code}"
    raise BadInput(
        "PREFECT_API_URL: expected the address of a Prefect server that runs, such as http://127.0.0.1:4200/api, got "
        f"'{place}': {got}; {advice}"
    )


def _without_password(url: str) -> str:
    """The address without the name and the password that it may hold.

    >>> _without_password("http://me:secret@prefect.example/api")
    'http://prefect.example/api'
    """
    return re.sub(r"(?<=//)[^/]*@", "", url)


@contextlib.contextmanager
def shared_server(dask: str | None) -> Iterator[None]:
    """The block's cluster uses this process's server, or that of a flow around it: else each worker would start one."""
    address = None if FlowRunContext.get() is not None else start_server()
    with temporary_settings({PREFECT_API_URL: address} if dask and address else {}):
        yield


def check_cluster_of_flow() -> None:
    """Raise BadInput if the flow that runs here is to run on a cluster that can't run its parts."""
    flow_run = FlowRunContext.get()
    runner: Any = flow_run.task_runner if flow_run else None
    if is_cluster(runner):
        from flows.cluster import check_cluster  # takes a second to import

        check_cluster(runner.address, DASK)
