"""A Dask cluster while a flow runs on it: whether it is there, has workers, and how long these are waited for."""

import math
import os
import sys
import time
from typing import Any

from schemas.errors import BadInput
from schemas.phrases import quoted

WAIT = "BILDERATLAS_DASK_WAIT"
_WAIT_S = 60.0
_LOOK_EVERY_S = 5.0


def is_cluster(runner: Any) -> bool:
    """Whether a flow's task runner is Dask's; asked without importing it, which takes a second."""
    return any(kind.__module__.startswith("prefect_dask") for kind in type(runner).__mro__)


def longest_wait_s() -> float:
    """How long a build waits for workers of a cluster that has none. Raises BadInput for a setting that is no time."""
    text = os.environ.get(WAIT) or str(_WAIT_S)
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds >= 0):
        raise BadInput(f"{WAIT}: expected a number of seconds, 0 or more, got {quoted(text)}")
    return seconds


def show_waiting(address: str) -> None:
    """Say on the terminal, or in the log of a worker's run, that workers are waited for, and how they are started."""
    # nothing else happens until then
    print(f"waiting for workers at {address}: start one with `dask worker {address}`", file=sys.stderr, flush=True)  # noqa: T201


def no_workers(address: str) -> BadInput:
    """What is said where no worker has come in time."""
    return BadInput(
        f"expected a worker at the Dask scheduler {address} within {longest_wait_s():g} s, got none; start one with "
        f"`dask worker {address}`, or set {WAIT} to more seconds"
    )


class ClusterWatch:
    """Looks at the cluster of a flow's runner while its parts are waited for: one that is lost would be for ever."""

    def __init__(self, runner: Any) -> None:
        self._client, self._address = runner.client, runner.address
        self._looked_s = time.monotonic()
        self._alone_since_s: float | None = None

    def look(self) -> None:
        """Look, if it is time to. Raises BadInput where the scheduler is gone, or has had no worker for too long."""
        if (now_s := time.monotonic()) - self._looked_s < _LOOK_EVERY_S:
            return
        self._looked_s = now_s
        if self._client.status != "running":
            raise self._scheduler_is_gone()
        if self._client.scheduler_info(n_workers=-1)["workers"]:
            self._alone_since_s = None
        elif self._alone_since_s is None:
            self._alone_since_s = now_s
            show_waiting(self._address)
        elif now_s - self._alone_since_s > longest_wait_s():
            raise no_workers(self._address)

    def check_ended(self, future: Any, part: str) -> None:
        """Raise what became of a part that no worker has ended: BadInput where scheduler or workers are gone."""
        ended = future.wrapped_future
        if ended.status == "finished":
            return
        problem = ended.exception() if ended.status == "error" else None
        if problem is None:
            raise self._scheduler_is_gone()
        if type(problem).__name__ != "KilledWorker":  # by name: distributed takes a second to import
            raise problem
        raise BadInput(
            f"{part}: {problem.allowed_failures + 1} workers of the Dask cluster ended while they had it, the last one "
            f"at {problem.last_worker.address}; most often they need more memory, or smaller parts (--part-rows); what "
            "was done is kept"
        )

    def _scheduler_is_gone(self) -> BadInput:
        return BadInput(
            f"the Dask scheduler {self._address} has ended, or can't be reached any more; what was done is kept: start "
            "it and its workers again, and run the same command"
        )
