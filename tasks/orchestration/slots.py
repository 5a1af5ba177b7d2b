"""The slot of a run whose deployment lets one run at a time, kept for as long as the run lasts.

Prefect gives a run a lease on its slot, which the run must renew, and ends a run that could not: three times within a
few minutes, or once after the server was started again, since it keeps leases in memory. A restart of the server would
end a scrape of a week that way. Here a lease that can't be renewed is tried again until it can, and the run goes on.
The slot stays taken meanwhile: the server counts slots in its database, and frees one when its run has ended.
"""

import contextlib
import contextvars
import os
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from prefect.client.orchestration import get_client

LEASE_S = 86_400.0
"""The longest lease that a server gives: a slot is not lost to an outage of minutes. Mostly a run's end frees it, which
somebody tells the server of: the run, its worker, the next start of the worker, or the automation for lost runs."""

_RENEW_EVERY_S = 60.0


def keep_for_whole_runs() -> None:
    """In a process that Prefect has started for a run: keep the run's slot by the rule above."""
    if "PREFECT__FLOW_RUN_ID" in os.environ:
        from prefect import flow_engine

        flow_engine.maintain_concurrency_lease = keep_lease  # type: ignore[attr-defined]


@contextlib.contextmanager
def keep_lease(lease_id: UUID, *_: Any, **__: Any) -> Iterator[None]:
    """In place of Prefect's function of the same arguments: renew the lease now and then, until the block ends."""
    is_over = threading.Event()
    renew = contextvars.copy_context().run  # the settings of the run's server
    threading.Thread(target=renew, args=(_renew, lease_id, is_over), name="lease", daemon=True).start()
    try:
        yield
    finally:
        is_over.set()


def _renew(lease_id: UUID, is_over: threading.Event) -> None:
    with get_client(sync_client=True) as client:
        while not is_over.is_set():
            # the server is away, answers nonsense, or was started again and knows no lease: the run goes on
            with contextlib.suppress(Exception):
                client.renew_concurrency_lease(lease_id, LEASE_S)
            is_over.wait(_RENEW_EVERY_S)
