"""The Dask cluster on which a build's parts run: the flow's task runner, and whether it can run them."""

import asyncio
import contextlib
import importlib
import logging
import os
import platform
import socket
import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from distributed import Client
from distributed.comm.addressing import get_address_host_port
from distributed.core import rpc
from prefect.settings import PREFECT_API_URL
from prefect_dask.client import PrefectDaskClient
from prefect_dask.task_runners import DaskTaskRunner

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, error_line, printable, quoted
from tasks.orchestration import clusters, workers
from tasks.orchestration.workers import BuildPlugin

_LAST_PORT = 65535
_CONNECT_S, _ANSWER_S = 3.0, 4.0
"""A scheduler in the same network answers within milliseconds; one that is just starting within seconds."""
_LONGEST_S = 6.0
"""To say that the build has ended; workers that don't answer are not waited for."""


def check_cluster(dask: str, named_by: str = "--dask") -> None:
    """Raise BadInput if no scheduler answers, or workers can't reach Prefect's server; there may be no worker yet."""
    clusters.longest_wait_s()  # told now, not only once workers are waited for
    try:
        workers = _workers(dask)
        _check_server_is_reached(workers or [dask])
    except BadInput as problem:
        raise BadInput(f"{named_by}: {problem}") from problem.__cause__
    if not workers:
        clusters.show_waiting(dask)


def check_workers(client: Client, dask: str) -> None:
    """Wait for a first worker. Raise BadInput if none comes in time, or one has another version of this program."""
    if not client.scheduler_info(n_workers=-1)["workers"]:
        waiting = client.submit(os.getpid, pure=False)  # a cluster that grows when there is work has a reason to
        try:
            waiting.result(timeout=clusters.longest_wait_s())
        except TimeoutError as problem:
            raise clusters.no_workers(dask) from problem
    _check_server_is_reached(list(client.scheduler_info(n_workers=-1)["workers"]))
    _check_code(client)


def _workers(dask: str) -> list[str]:
    try:
        host, port = get_address_host_port(dask)
    except ValueError as problem:
        said = error_line(problem)
        raise _no_scheduler(dask, "its port is no number" if "invalid literal" in said else said) from problem
    if not 0 < port <= _LAST_PORT:
        raise _no_scheduler(dask, f"ports go from 1 to {_LAST_PORT}")
    # what can't be read, Dask would log with a traceback: the sentence says it
    log = logging.getLogger("distributed.protocol.core")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with ThreadPoolExecutor(1) as thread:  # in a notebook, this thread has a loop that runs
            identity = thread.submit(asyncio.run, _identity(dask, host, port)).result()
        kind, workers = identity["type"], [str(worker) for worker in identity["workers"]]
    except Exception as problem:  # what is read there as Dask's protocol may fail in any way
        raise _no_scheduler(dask, _reason(problem)) from problem
    finally:
        log.setLevel(level)
    if kind != "Scheduler":
        raise _no_scheduler(dask, f"a {printable(str(kind))[:80]} of Dask answers there, which is no scheduler")
    return workers


async def _identity(dask: str, host: str, port: int) -> dict[str, Any]:
    async with asyncio.timeout(_ANSWER_S):
        # else an unknown name, or a port at which nobody listens, is tried again and again, and what is wrong is lost
        _, writer = await asyncio.open_connection(host, port)
        writer.close()
        async with rpc(dask, timeout=_CONNECT_S) as server:  # type: ignore[no-untyped-call]
            return dict(await server.identity())


def _no_scheduler(dask: str, reason: str) -> BadInput:
    expected = "expected the address of a Dask scheduler that runs, such as tcp://scheduler:8786"
    return BadInput(f"{expected}, got {quoted(dask, LONGEST_PLACE)}: {reason}")


def _reason(problem: BaseException) -> str:
    """Why no scheduler has answered.

    >>> _reason(MemoryError("Unable to allocate 3.07 EiB"))
    'what answers there is no Dask scheduler'
    """
    first = problem
    while first.__cause__ is not None:
        first = first.__cause__
    if isinstance(first, socket.gaierror):
        return f"no machine of that name is known ({first.strerror})"
    if "ssl_context" in str(problem):
        return "tls needs certificates, in distributed.comm.tls of Dask's configuration"
    if isinstance(first, ConnectionRefusedError) or "Connect call failed" in str(first):  # at several addresses
        return "nothing listens there (connection refused)"
    if isinstance(problem, TimeoutError):
        return f"what listens there has not answered as a Dask scheduler within {_ANSWER_S:.0f} s"
    if isinstance(problem, OSError):
        return error_line(first if str(first) else problem)
    return "what answers there is no Dask scheduler"


def _check_server_is_reached(workers: list[str]) -> None:
    elsewhere = [worker for worker in workers if not is_here(worker)]
    if elsewhere and not PREFECT_API_URL.value():
        raise BadInput(
            "expected PREFECT_API_URL, the address of a Prefect server that all workers reach, since "
            f"{elsewhere[0]} is not on this machine, got none"
        )


def _check_code(client: Client) -> None:
    """Raise BadInput if a worker can't run our parts, or would run others by their names."""
    here = platform.python_version_tuple()[:2]
    for worker, version in client.run(platform.python_version_tuple).items():
        if version[:2] != here:
            got, expected = ".".join(version), ".".join(here)
            raise BadInput(f"expected workers with Python {expected}, as here, got Python {got} at {worker}")
    name = workers.__name__
    for worker, module in client.run(importlib.import_module, name, on_error="return").items():
        if isinstance(module, BaseException):
            raise BadInput(
                f"expected workers that can import this program, got {error_line(module)} at {worker}; install the "
                "same version of bilderatlas there, and start the worker again"
            )
    for worker, code in client.run(workers.code_of_process).items():
        if code != workers.code_of_process():
            raise BadInput(
                f"expected workers with the same version of this program as here, got another one at {worker}; install "
                "it there too, and start the worker again"
            )


def is_here(address: str) -> bool:
    """Whether an address, such as tcp://10.0.0.5:8786, is one of this machine's own: only these can be bound."""
    host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.bind(place)
    except OSError:
        return False
    return True


class ClusterRunner(DaskTaskRunner):
    """The cluster at an address. Its workers report to the flow's Prefect server as long as the flow runs."""

    _build_client: PrefectDaskClient | None = None
    _plugin: BuildPlugin | None = None

    @property
    def client(self) -> PrefectDaskClient:
        """The flow's client of the cluster, which connects when the first part is to run. Raises as `check_workers`."""
        if self._plugin is not None:
            return super().client
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a table of versions: what matters of it, `check_workers` says
            client = self._build_client = super().client
        check_workers(client, str(self.address))
        self._plugin = BuildPlugin(str(PREFECT_API_URL.value()), uuid.uuid4().hex)
        client.register_plugin(self._plugin, name=self._plugin.name)
        return client

    def __exit__(self, *problem: Any) -> None:
        """Let the workers send what is left, then leave them."""
        if self._build_client is not None and self._build_client.status != "running":
            # a client that is trying to find its scheduler again logs a traceback when it ends: the sentence is enough
            logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        if self._build_client is not None and self._plugin is not None:
            with contextlib.suppress(Exception):  # a cluster that is gone, or a worker that is not well
                remove = self._build_client._unregister_worker_plugin
                self._build_client.sync(remove, name=self._plugin.name, callback_timeout=_LONGEST_S)  # type: ignore[no-untyped-call]
        super().__exit__(*problem)
