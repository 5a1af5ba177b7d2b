"""A Prefect server with a worker and all deployments, and what its page shows of a run."""

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.support.prefect_api import ENDED, PrefectApi, poll
from tests.support.prefect_server import PrefectServer

POOL = "bilderatlas"
OFTEN = {
    "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "1",
    "PREFECT_WORKER_QUERY_SECONDS": "1",
    "PREFECT_SERVER_SERVICES_SCHEDULER_RECENT_DEPLOYMENTS_LOOP_SECONDS": "1",
}
"""What a server and a worker do once in a minute or in seconds, each second: a test should not wait for it."""


@contextlib.contextmanager
def deployed(home: Path, **settings: str) -> Iterator[PrefectServer]:
    """A server on which all deployments stand, with a worker that runs them; no traceback may be in their logs."""
    server = PrefectServer(home, **OFTEN, **settings)
    try:
        server.until_ready()
        server.prefect("work-pool", "create", POOL, "--type", "process")
        server.prefect("--no-prompt", "deploy", "--all", "--prefect-file", "deployments/prefect.yaml")
        with server.worker(POOL):
            yield server
    finally:
        server.stop()
    server.check_logs()


class RunPage:
    """A run of a deployment, as its page shows it."""

    def __init__(self, server: PrefectServer, parameters: dict[str, Any], deployment: str) -> None:
        self.server = server
        found = server.get(f"deployments/name/{deployment}")
        body = {"parameters": parameters, "state": {"type": "SCHEDULED"}}
        self.id = server.post(f"deployments/{found['id']}/create_flow_run", body)["id"]

    @property
    def run(self) -> dict[str, Any]:
        found: dict[str, Any] = self.server.get(f"flow_runs/{self.id}")
        return found

    @property
    def state(self) -> str:
        """Type and message of its state."""
        state = self.run["state"]
        return f"{state['type']}: {state['message']}"

    def until(self, *types: str) -> str:
        """Wait for a state of these types; its type and message."""
        return poll(lambda: self.state if self.run["state"]["type"] in types else None, f"a run that is {types}", 240)

    def end(self) -> str:
        """Wait for the end, and until all of it has arrived on the server."""
        state = self.until(*ENDED)
        time.sleep(3)  # logs and task runs are sent in batches, a second or two after they are made
        return state

    def tasks(self) -> dict[str, dict[str, Any]]:
        """The state of each task run, by name."""
        asked = {"flow_runs": {"id": {"any_": [self.id]}}, "sort": "EXPECTED_START_TIME_ASC", "limit": 200}
        return {run["name"]: run["state"] for run in self.server.post("task_runs/filter", asked)}

    def log(self, least_level: int = 0) -> list[str]:
        asked = {
            "logs": {"flow_run_id": {"any_": [self.id]}, "level": {"ge_": least_level}},
            "sort": "TIMESTAMP_ASC",
            "limit": 200,
        }
        return [entry["message"] for entry in self.server.post("logs/filter", asked)]

    def artifacts(self) -> dict[str, Any]:
        """What each artifact holds, by key."""
        found = self.server.post("artifacts/filter", {"flow_runs": {"id": {"any_": [self.id]}}, "limit": 200})
        return {artifact["key"]: artifact["data"] for artifact in found}


def events(server: PrefectApi, *names: str) -> list[dict[str, Any]]:
    """The events of these names of the last hour, the newest first."""
    now = datetime.now(UTC)
    occurred = {"since": (now - timedelta(hours=1)).isoformat(), "until": (now + timedelta(hours=1)).isoformat()}
    asked = {"filter": {"event": {"name": list(names)}, "occurred": occurred}, "limit": 50}
    found: list[dict[str, Any]] = server.post("events/filter", asked)["events"]
    return found
