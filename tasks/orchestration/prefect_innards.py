"""All that touches Prefect's innards, which may change with any version: no other file does.

Each says what goes wrong without it, the version of Prefect with which that was seen, and the issue of
github.com/PrefectHQ/prefect, where one is known. Each has a test that fails once Prefect has changed it.
"""

import concurrent.futures
import contextlib
import contextvars
import gc
import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from uuid import UUID

from prefect.client.orchestration import get_client
from prefect.context import FlowRunContext
from prefect.events.clients import PrefectEventsClient
from prefect.events.worker import EventsWorker, emit_events_to_cloud
from prefect.logging.handlers import APILogWorker
from prefect.settings import PREFECT_API_URL
from prefect.task_runners import ThreadPoolTaskRunner
from prefect.transactions import Transaction

if TYPE_CHECKING:
    from fastapi import FastAPI
    from prefect.server.api.server import SubprocessASGIServer

RUN_ID = "PREFECT__FLOW_RUN_ID"
"""The variable with the run of a process: else one that is alive would be taken for lost. 3.8.8, no issue known."""

ENGINE = "-m prefect.engine"
"""Arguments of Python to run a flow in one process: a worker starts three for each run. 3.8.8; compare issue 21944."""

LOGGERS = ("prefect.flow_runs", "prefect.task_runs", "prefect.engine")
"""The loggers of runs, for `repeats_state` and `is_end_of_flow`."""


def is_run_process() -> bool:
    """Whether Prefect has started this process for a run."""
    return RUN_ID in os.environ


def repeats_state(record: logging.LogRecord) -> bool:
    """Whether a line says only what the run's state says: one for each part. 3.8.8, no issue known."""
    return str(record.msg).startswith(("Finished in state", "Task run failed with state"))


def is_end_of_flow(record: logging.LogRecord) -> bool:
    """Whether a line tells of the error that ended a flow, whose sentence is logged already. 3.8.8, issue 7959."""
    return record.name == LOGGERS[0] and record.levelno == logging.ERROR and record.funcName == "run_context"


def raise_if_paused() -> None:
    """Raise Pause if the run was paused: else it goes on until its next task begins. 3.8.8, issues 14747 and 20388."""
    if (flow_run := FlowRunContext.get()) is not None:
        flow_run.flow_run_suspension_request.raise_if_requested()


def next_time(cron: str) -> float:
    """When the time of a cron line comes next, as a POSIX time. Without it, Prefect takes 31 February, and no run ever
    begins. Raises ValueError if it never comes. 3.8.8; pallets-eco/croniter, of which Prefect has a copy, issue 141.
    """
    from prefect._vendor.croniter.croniter import croniter

    return float(croniter(cron).get_next())  # type: ignore[no-untyped-call]


class Threads(ThreadPoolTaskRunner[Any]):
    """Threads of this process. An interrupted flow waits for no part, since one may hang. 3.8.8, issue 14219."""

    def cancel_all(self) -> None:
        """Start no further part, and wait for none. A flow that ends by itself has waited for its parts before."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None
        super().cancel_all()


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Tasks submitted in this block belong to no other task. Else the one that submits them keeps what each was given
    until its own end, in case that it takes all back: a gigabyte for a thousand parts. 3.8.8, no issue known.
    """
    token = Transaction.__var__.set(None)  # type: ignore[arg-type]
    try:
        yield
    finally:
        Transaction.__var__.reset(token)


# --- the slot of a run whose deployment lets one run at a time

LEASE_S = 86_400.0
"""The longest lease that a server gives. Mostly the run's end frees the slot."""
_RENEW_EVERY_S = 60.0


def keep_slots() -> None:
    """From now on, runs of this process keep their slots for as long as they last. Prefect ends a run whose lease was
    not renewed, as after a restart of the server, which has leases in memory. 3.8.8, issues 21064 and 18839.
    """
    from prefect import flow_engine

    flow_engine.maintain_concurrency_lease = keep_lease  # type: ignore[attr-defined]


@contextlib.contextmanager
def keep_lease(lease_id: UUID, *_: Any, **__: Any) -> Iterator[None]:
    """In place of Prefect's function of the same arguments: renew the lease now and then, until the block ends."""
    is_over = threading.Event()

    def renew() -> None:
        with get_client(sync_client=True) as client:
            while not is_over.is_set():
                # the server is away, answers nonsense, or was started again and knows no lease: the run goes on
                with contextlib.suppress(Exception):
                    client.renew_concurrency_lease(lease_id, LEASE_S)
                is_over.wait(_RENEW_EVERY_S)

    run = contextvars.copy_context().run  # with the settings of the run's server
    threading.Thread(target=run, args=(renew,), name="lease", daemon=True).start()
    try:
        yield
    finally:
        is_over.set()


# --- services of a process that works for several servers

_first_servers_service = EventsWorker.instance


def send_events_by_server() -> None:
    """From now on, each event goes to the server of its task. Prefect keeps one service in a process, of the first
    server: a cluster's worker would send the second build's events to a server that is gone. 3.8.8, no issue known.
    """
    EventsWorker.instance = classmethod(_service_of_server)  # type: ignore[method-assign, assignment]


def _service_of_server(cls: type[EventsWorker], client_type: Any = None) -> EventsWorker:
    url = PREFECT_API_URL.value()
    if client_type is not None or cls._client_override is not None or not url or emit_events_to_cloud():
        return _first_servers_service(client_type)
    return super(EventsWorker, cls).instance(PrefectEventsClient, (("api_url", url),))


def stop_services(api_url: str) -> "list[concurrent.futures.Future[bool]]":
    """Stop what sends to a server; each is done once all is sent: else the last is lost. 3.8.8, no issue known."""
    # `drain_all` would stop those of other builds, too
    services = list(EventsWorker._instances.values())  # type: ignore[misc]
    return [service._drain() for service in services if server_of(service) == api_url]


def server_of(service: Any) -> str | None:
    """The address of the server's API that a service sends to; None if it is not known."""
    if isinstance(service, EventsWorker):
        return str(dict(service.client_options).get("api_url"))
    client = getattr(service, "_client", None) if isinstance(service, APILogWorker) else None
    return None if client is None else str(client.api_url).rstrip("/")


# --- servers; what they need takes two seconds to import


def make_temporary_server(start_process: "Callable[[int], subprocess.Popen[bytes]]") -> "SubprocessASGIServer":
    """This process's temporary server. start_process: starts one at a port that ends with its standard input, and waits
    for it. Without this, it outlives a killed command, and any page in a browser may use it. 3.8.8, no issue known.
    """
    from prefect.server.api.server import SubprocessASGIServer

    class TemporaryServer(SubprocessASGIServer):
        def _run_uvicorn_command(self) -> "subprocess.Popen[Any]":
            try:
                return start_process(self.port or 0)
            except BaseException:  # an interrupt too: the next try begins anew
                self.stop()
                raise

        def stop(self) -> None:
            process = self.server_process
            super().stop()
            if process is not None and process.stdin is not None:
                process.stdin.close()

    return TemporaryServer()


def make_server_app(*, is_temporary: bool) -> "FastAPI":
    """Prefect's API, and its page if it is not temporary, for a wall to stand before it. 3.8.8, no issue known."""
    from prefect.server.api.server import create_app

    write_in_turn()
    return create_app(ephemeral=is_temporary, final=True)


def write_in_turn() -> None:
    """From now on, transactions with SQLite are for writing from their beginning. Else it refuses a change where
    another has written since the first read, with "database is locked". 3.8.8, issues 18934 and 10188.
    """
    from prefect.server.database.configurations import AioSqliteConfiguration
    from sqlalchemy.ext.asyncio import AsyncSession

    begin = AioSqliteConfiguration.begin_transaction

    def begin_to_write(self: AioSqliteConfiguration, session: AsyncSession, with_for_update: bool = True) -> Any:
        return begin(self, session, with_for_update=True)

    AioSqliteConfiguration.begin_transaction = begin_to_write  # type: ignore[method-assign]


_EVERY_S = 1.0
_EVERYTHING_EACH = 30
"""All generations are collected after so many collections of the younger two."""


def collect_apart() -> None:
    """From now on, collect garbage on a thread of its own only: for a process that serves Prefect's API from SQLite.

    On the event loop, a cursor that a failed query has left waits for its connection, which may wait for a transaction
    that ends on the event loop: nobody is answered for Prefect's 60 seconds. 3.8.8, no issue known.
    """

    def collect() -> None:
        while True:
            for _ in range(_EVERYTHING_EACH):
                time.sleep(_EVERY_S)
                gc.collect(1)
            gc.collect()

    gc.disable()
    threading.Thread(target=collect, name="garbage", daemon=True).start()
