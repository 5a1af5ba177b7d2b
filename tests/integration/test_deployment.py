"""The calendar: the recipes deployed to a real server, and a run started through its API as the UI would start it."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import yaml

from tasks.io.store.releases import Release
from tests.support.desk import ROOT, WEIGHTS

pytestmark = pytest.mark.server
BIN = Path(sys.executable).parent


class Server:
    """A Prefect server as a person would run it, with a home of its own."""

    def __init__(self, home: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.api = f"http://127.0.0.1:{self.port}/api"
        self.environment = {
            **os.environ,
            "PREFECT_HOME": str(home),
            "PREFECT_API_URL": self.api,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        }
        self.process = subprocess.Popen(
            [BIN / "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(self.port)],
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def until_ready(self) -> None:
        """Read what it prints until it answers."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if "Application startup complete" in line or "Check out the dashboard" in line:
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()  # a full pipe would stop it
        session = requests.Session()
        session.mount(
            "http://", requests.adapters.HTTPAdapter(max_retries=requests.adapters.Retry(total=8, backoff_factor=0.5))
        )
        assert session.get(f"{self.api}/health", timeout=30).json() is True

    def prefect(self, *words: str, timeout_s: float = 240) -> str:
        done = subprocess.run(
            [BIN / "prefect", *words],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def post(self, path: str, **body: object) -> dict:
        answer = requests.post(f"{self.api}/{path}", json=body, timeout=30)
        answer.raise_for_status()
        return answer.json()

    def get(self, path: str) -> dict:
        answer = requests.get(f"{self.api}/{path}", timeout=30)
        answer.raise_for_status()
        return answer.json()

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("prefect"))
    try:
        running.until_ready()
        running.prefect("work-pool", "create", "bilderatlas", "--type", "process")
        running.prefect("--no-prompt", "deploy", "--all", "--prefect-file", "deployments/prefect.yaml")
        yield running
    finally:
        running.stop()


def test_every_deployment_stands_on_the_server_with_its_parameters_and_its_schedule(server):
    declared = yaml.safe_load((ROOT / "deployments/prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    builds = [entry for entry in declared if entry["entrypoint"].endswith(":build_dataset")]
    assert {entry["name"] for entry in builds} == {"museum", "museum-nightly", "peopleart", "met", "artbench"}
    for entry in builds:
        found = server.get(f"deployments/name/build_dataset/{entry['name']}")
        assert {"recipe", "store", "limit", "seed"} <= found["parameters"].keys()
        assert [schedule["schedule"]["cron"] for schedule in found["schedules"]] == [
            s["cron"] for s in entry.get("schedules", [])
        ]
        assert found["parameter_openapi_schema"]["properties"]["limit"]["description"].startswith("Take only this many")
        assert found["concurrency_options"]["collision_strategy"] == "ENQUEUE"
    compared = server.get("deployments/name/evaluate_detector/detectors")["parameter_openapi_schema"]["properties"]
    assert compared["truth"]["description"].startswith("A release")
    learnt = server.get("deployments/name/train_detector/training")["parameter_openapi_schema"]["properties"]
    assert learnt["changes"]["description"].startswith("Settings that differ")


def test_a_run_started_through_the_api_leaves_a_release_and_its_artifacts(server, painted, tmp_path):
    store = tmp_path / "store"
    deployment = server.get("deployments/name/build_dataset/museum")
    run = server.post(
        f"deployments/{deployment['id']}/create_flow_run",
        parameters={
            "store": str(store),
            "limit": 60,
            "seed": 5,
            "bind": {"images": str(painted), "weights": str(WEIGHTS)},
        },
        state={"type": "SCHEDULED"},
    )
    server.prefect("worker", "start", "--pool", "bilderatlas", "--run-once", "--install-policy", "never")
    state = server.get(f"flow_runs/{run['id']}")["state"]
    assert state["type"] == "COMPLETED", state
    versions = list((store / "releases/museum").iterdir())
    assert len(versions) == 1, "a limited build leaves a version, and no `latest`"
    release = Release(str(versions[0]))
    recipe = yaml.safe_load(release.read("recipe.yaml"))
    assert (recipe["limit"], recipe["seed"]) == (60, 5)
    found = server.post("artifacts/filter", flow_runs={"id": {"any_": [run["id"]]}})
    keys = {artifact["key"] for artifact in found}
    assert "kept-and-dropped" in keys
    assert {"progress-fetch", "progress-detect"} <= keys  # hash has nothing to do: fetch has measured what it got
    table = next(artifact["data"] for artifact in found if artifact["key"] == "kept-and-dropped")
    assert "over_limit" in table
    assert str(versions[0]) in table
