"""What a flow runs on: threads of this process or a Dask cluster, and Prefect's temporary server."""

import signal
import threading
from typing import Any

from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

_MOST_THREADS = 64
"""More than any build needs: how many parts run at once is the build's `workers`."""


def runner(dask: str | None) -> TaskRunner[Any]:
    """Threads of this process, or the Dask cluster at an address."""
    if dask is None:
        return ThreadPoolTaskRunner(max_workers=_MOST_THREADS)
    from prefect_dask.task_runners import DaskTaskRunner  # takes a second to import, and most builds need none

    return DaskTaskRunner(address=dask)


def start_server() -> None:
    """Start Prefect's temporary server, if the coming flow would, in such a way that Ctrl-C does not end it.

    A terminal sends the interrupt to all processes of a command, but the flow must still tell the server that it was
    interrupted. A process started while the signal is blocked never receives it; Prefect ends the server itself when
    the command ends, by another signal. Does nothing outside the main thread, where no interrupt arrives.
    """
    from prefect.client.orchestration import get_client

    if threading.current_thread() is not threading.main_thread():
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        get_client(sync_client=True)  # starts a server here if no other is configured
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
