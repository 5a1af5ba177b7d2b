"""The task runner of a flow whose parts run on a Dask cluster."""

import contextlib
import logging
import uuid
import warnings
from typing import Any

from prefect.settings import PREFECT_API_URL
from prefect_dask.client import PrefectDaskClient
from prefect_dask.task_runners import DaskTaskRunner

from flows.cluster import check_workers
from tasks.orchestration.worker_plugin import BuildPlugin

_LONGEST_S = 6.0
"""To say that the build has ended; workers that don't answer are not waited for."""


class ClusterRunner(DaskTaskRunner):
    """The cluster at an address. Its workers report to the flow's Prefect server as long as the flow runs."""

    _build_client: PrefectDaskClient | None = None
    _plugin: BuildPlugin | None = None

    @property
    def client(self) -> PrefectDaskClient:
        """The flow's client of the cluster, which connects when the first part is to run.

        Raises BadInput for workers that don't come, or can't run parts.
        """
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
