"""What a worker of a Dask cluster does at the beginning and at the end of each build that it serves."""

import asyncio

from distributed import Worker, WorkerPlugin

from tasks.orchestration import event_services

_LONGEST_S = 5.0
"""For the last events of a build's parts: its temporary server ends with it."""


class BuildPlugin(WorkerPlugin):
    """One build on all workers, also on those that come while it runs."""

    def __init__(self, api_url: str, build: str) -> None:
        """api_url: of the Prefect server that the build reports to. build: a name that no other build has."""
        self.name = f"bilderatlas-build-{build}"
        self._api_url = api_url

    def setup(self, worker: Worker) -> None:
        """Events of the build's parts go to the build's server."""
        event_services.begin(self._api_url)

    async def teardown(self, worker: Worker) -> None:
        """Send what is left, and leave that server alone from then on."""
        await asyncio.to_thread(event_services.end, self._api_url, _LONGEST_S)
