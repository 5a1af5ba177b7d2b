"""What a flow runs on: threads of this process or a Dask cluster, and Prefect's temporary server."""

from typing import Any

from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

_MOST_THREADS = 64
"""More than any build needs: how many parts run at once is the build's `workers`."""


class Threads(ThreadPoolTaskRunner[Any]):
    """Threads of this process. A flow that is interrupted does not wait for parts that still run: one may hang."""

    def cancel_all(self) -> None:
        """Start no further part, and wait for none. A flow that ends by itself has waited for its parts before."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None
        super().cancel_all()


def runner(dask: str | None) -> TaskRunner[Any]:
    """Threads of this process, or the Dask cluster at an address."""
    if dask is None:
        return Threads(max_workers=_MOST_THREADS)
    from prefect_dask.task_runners import DaskTaskRunner  # takes a second to import, and most builds need none

    return DaskTaskRunner(address=dask)


def start_server() -> None:
    """Start Prefect's temporary server, if the coming flow would, so that it ends with this process."""
    from prefect.client.orchestration import get_client

    from flows.temporary_server import TemporaryServer

    TemporaryServer()  # from now on Prefect's own
    get_client(sync_client=True)  # starts it if no other server is configured
