"""A Prefect server that goes away, a machine that is stopped: what people see at a terminal and on the server."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
from prefect import flow
from prefect._internal.concurrency.cancellation import CancelledError
from prefect.client.orchestration import SyncPrefectClient
from prefect.concurrency._leases import maintain_concurrency_lease
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.serve import lost_runs
from flows.serve.automations import DIGESTS
from flows.serve.lost_runs import LOST, MOST_RESTARTS, restart_lost_runs, watch_for_lost_runs
from tasks.orchestration import prefect_innards, reports
from tests.support.desk import ROOT, WEIGHTS
from tests.support.prefect_api import poll
from tests.support.prefect_server import PrefectServer

pytestmark = [pytest.mark.server, pytest.mark.live]
POOL, ONE = "bilderatlas", "one at a time"
RENEW = SyncPrefectClient.renew_concurrency_lease


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    server = PrefectServer(tmp_path_factory.mktemp("prefect"), PREFECT_WORKER_QUERY_SECONDS="1")
    try:
        server.until_ready()
        server.prefect("work-pool", "create", POOL, "--type", "process")
        server.prefect("--no-prompt", "deploy", "--name", "museum", "--prefect-file", "deployments/prefect.yaml")
        yield server
    finally:
        server.stop()


def until_it_runs(server: PrefectServer) -> None:
    """Also where a test was ended between the end of the server and its next start, or while it started."""
    if server.process.poll() is not None:
        server.start()
    server.until_ready()


@pytest.fixture
def server(running: PrefectServer) -> PrefectServer:
    until_it_runs(running)
    return running


def binds(museum: Path) -> dict[str, str]:
    return {"images": str(museum), "weights": str(WEIGHTS)}


def test_a_command_whose_server_has_gone_publishes_says_so_and_ends(server, painted, tmp_path):
    store = tmp_path / "store"
    words = ["build", "museum", "--store", str(store), "--limit", "60"]
    bound = [word for name, value in binds(painted).items() for word in ("--bind", f"{name}={value}")]
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *words, *bound],
        env=server.environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    poll(lambda: list(store.glob("blobs/*/*")), "a build that is under way", timeout_s=120)
    server.signal(signal.SIGKILL)
    poll(lambda: list(store.glob("releases/museum/*/manifest.json")), "a release", timeout_s=60)
    said, problems = process.communicate(timeout=120)
    assert process.returncode == 0, problems
    assert said.splitlines()[-1].startswith(f"release: {store}/releases/museum/")
    assert "bilderatlas: Prefect's server was not told that the build has ended: " in problems
    assert not list(store.glob("leases/*")), "expected that the build has given its lease back"


@pytest.fixture
def lease(server: PrefectServer) -> Iterator[str]:
    limit = server.post("v2/concurrency_limits/", {"name": ONE, "limit": 1, "active": True})
    asked = {"names": [ONE], "slots": 1, "mode": "concurrency", "lease_duration": 60}
    yield str(server.post("v2/concurrency_limits/increment-with-lease", asked)["lease_id"])
    until_it_runs(server)
    requests.delete(f"{server.api}/v2/concurrency_limits/{limit['id']}", timeout=30).raise_for_status()


def restart(server: PrefectServer) -> None:
    server.signal(signal.SIGKILL)
    server.start()
    server.until_ready()


def active_slots(server: PrefectServer) -> int:
    limits = server.post("v2/concurrency_limits/filter", {})
    (slots,) = [limit["active_slots"] for limit in limits if limit["name"] == ONE]
    return int(slots)


def stored_events(server: PrefectServer) -> list[str]:
    found = server.post("events/filter", {"filter": {"event": {"name": ["dataset.tried"]}}})["events"]
    return [event["id"] for event in found]


def test_an_event_that_the_server_has_taken_and_lost_is_sent_again_at_the_end_of_the_run(server, monkeypatch):
    monkeypatch.setattr(reports, "_WRITTEN_S", 0.0)
    lost: list[str] = []

    def refuse_once() -> None:
        if not lost:
            lost.extend(poll(lambda: stored_events(server), "the event", timeout_s=20))
            with sqlite3.connect(Path(server.environment["PREFECT_HOME"]) / "prefect.db") as database:
                database.execute("DELETE FROM events WHERE event = 'dataset.tried'")
            raise httpx.ConnectError("as of a server that was away")

    @flow(name="tries", persist_result=False)
    def tries() -> None:
        with reports.wait_for_reports():
            reports.send_event("dataset.tried", {"prefect.resource.id": "bilderatlas.dataset.tried"})
            reports.report("trouble", refuse_once)

    with temporary_settings({PREFECT_API_URL: server.api}):
        tries()
    again = poll(lambda: stored_events(server), "the event once more", timeout_s=20)
    assert lost
    assert not set(again) & set(lost)


def test_prefects_own_function_ends_a_run_whose_server_was_started_again(server, lease):
    """So that the next test shows something."""

    def run() -> None:
        with maintain_concurrency_lease(lease, 2, raise_on_lease_renewal_failure=True):
            restart(server)
            poll(lambda: False, "an end before", timeout_s=30)

    with temporary_settings({PREFECT_API_URL: server.api}), pytest.raises(CancelledError):
        run()


def test_a_run_keeps_its_slot_though_the_server_is_started_again(server, lease, monkeypatch):
    monkeypatch.setattr(prefect_innards, "_RENEW_EVERY_S", 0.5)
    refused: list[Exception] = []

    def renew(client: SyncPrefectClient, *given: Any) -> None:
        try:
            RENEW(client, *given)
        except httpx.HTTPStatusError as problem:
            refused.append(problem)
            raise

    monkeypatch.setattr(SyncPrefectClient, "renew_concurrency_lease", renew)
    with (
        temporary_settings({PREFECT_API_URL: server.api}),
        prefect_innards.keep_lease(lease, 300, raise_on_lease_renewal_failure=True),
    ):
        restart(server)
        poll(lambda: len(refused) > 3, "a server that knows no lease any more")
        assert active_slots(server) == 1


def test_what_ran_when_the_machine_was_stopped_is_started_again_and_goes_on(server, painted, tmp_path):
    store = tmp_path / "store"
    worker = server.start_worker(POOL)
    given = {"store": str(store), "bind": binds(painted), "workers": 1, "part_rows": 32}
    run = server.run_of("museum", given)["id"]
    poll(lambda: len(list(store.glob("blobs/*/*"))) > 40, "a build that is under way", timeout_s=120)
    process = int(server.get(f"flow_runs/{run}")["infrastructure_pid"])
    for killed in (worker.pid, process):
        os.kill(killed, signal.SIGKILL)
    worker.wait()
    assert server.get(f"flow_runs/{run}")["state"]["type"] == "RUNNING"
    with SyncPrefectClient(server.api) as client:
        assert [str(lost.id) for lost in restart_lost_runs(client, POOL)] == [run]
        assert restart_lost_runs(client, POOL) == []
    states = server.get(f"flow_run_states/?flow_run_id={run}")
    assert [state["name"] for state in states][-2:] == ["Crashed", "StartedAgain"]
    assert all("what was done is in the store" in state["message"] for state in states[-2:])
    before = {path.name for path in store.glob("blobs/*/*")}
    with server.worker(POOL):
        assert server.ended(run)["state"]["type"] == "COMPLETED"
    assert before <= {path.name for path in store.glob("blobs/*/*")}
    assert server.get(f"flow_runs/{run}")["run_count"] == 2


@pytest.fixture
def left_alone(server: PrefectServer) -> Callable[..., str]:
    """A run that went through these states, and that no process works at."""
    deployment = server.get("deployments/name/build_dataset/museum")

    def run(*states: tuple[str, str]) -> str:
        body = {"state": {"type": "SCHEDULED"}, "enforce_parameter_schema": False}
        found: str = server.post(f"deployments/{deployment['id']}/create_flow_run", body)["id"]
        for kind, name in states:
            body = {"state": {"type": kind, "name": name}, "force": True}
            assert server.post(f"flow_runs/{found}/set_state", body)["status"] == "ACCEPT"
        return found

    return run


def test_a_run_that_was_being_cancelled_is_cancelled_and_one_that_ends_its_machine_is_left_at_last(server, left_alone):
    running = ("RUNNING", "Running")
    cancelled = left_alone(running, ("CANCELLING", "Cancelling"))
    again = [("SCHEDULED", "StartedAgain"), running] * MOST_RESTARTS
    resumed = left_alone(running, *[("SCHEDULED", "Resuming"), running] * MOST_RESTARTS)
    hopeless = left_alone(running, *again)
    unheard_of = left_alone(running, ("CRASHED", "UnheardOf"))
    crashed = left_alone(running, ("CRASHED", "Crashed"))
    with SyncPrefectClient(server.api) as client:
        assert {str(run.id) for run in restart_lost_runs(client, POOL)} == {resumed, unheard_of}
    runs = (cancelled, resumed, hopeless, unheard_of, crashed)
    states = {run: server.get(f"flow_runs/{run}")["state"] for run in runs}
    names = ["Cancelled", "StartedAgain", "Crashed", "StartedAgain", "Crashed"]
    assert [state["name"] for state in states.values()] == names
    assert "start another run once that is mended" in states[hopeless]["message"]


@pytest.fixture
def scheduled(server: PrefectServer) -> Iterator[list[str]]:
    """Runs of the next minute that a schedule has set."""
    deployment = server.get("deployments/name/build_dataset/museum")["id"]
    (schedule,) = server.post(f"deployments/{deployment}/schedules", [{"schedule": {"interval": 15}}])
    server.patch(f"deployments/{deployment}", {"paused": False})  # the server looks at once at what was changed

    def three() -> list[str] | None:
        soon = {"before_": (datetime.now(UTC) + timedelta(seconds=50)).isoformat()}
        asked = {
            "deployments": {"id": {"any_": [deployment]}},
            "flow_runs": {"state": {"name": {"any_": ["Scheduled"]}}, "expected_start_time": soon},
        }
        found = [run["id"] for run in server.post("flow_runs/filter", asked) if run["auto_scheduled"]]
        return found[:3] if len(found) >= 3 else None

    yield poll(three, "three runs of the schedule", timeout_s=90)
    requests.delete(f"{server.api}/deployments/{deployment}/schedules/{schedule['id']}", timeout=30).raise_for_status()


def test_what_a_schedule_has_missed_is_cancelled_but_no_run_that_goes_on(server, scheduled):
    *lost, missed = scheduled
    for run in lost:
        body = {"state": {"type": "RUNNING"}, "force": True}
        assert server.post(f"flow_runs/{run}/set_state", body)["status"] == "ACCEPT"
    with SyncPrefectClient(server.api) as client:
        assert {str(run.id) for run in restart_lost_runs(client, POOL)} == {*lost}
    names = [server.run(run)["state"]["name"] for run in (*lost, missed)]
    assert names == ["StartedAgain", "StartedAgain", "Cancelled"]


def lost_automations(server: PrefectServer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.post("automations/filter", {"automations": {"name": {"any_": [LOST]}}})
    return found


def test_the_automation_for_lost_runs_stands_on_the_server_once_and_is_brought_up_to_date(server, monkeypatch):
    with SyncPrefectClient(server.api) as client:
        watch_for_lost_runs(client)
        (found,) = lost_automations(server)
        assert found["trigger"]["within"] == 600
        client.pause_automation(found["id"])
        monkeypatch.setattr(lost_runs, "LOST_AFTER", timedelta(minutes=20))
        watch_for_lost_runs(client)
    (found,) = lost_automations(server)
    assert (found["trigger"]["within"], found["enabled"]) == (1200, False)


def test_an_automation_that_a_person_has_changed_or_deleted_stays_so(server, monkeypatch):
    with SyncPrefectClient(server.api) as client:
        watch_for_lost_runs(client)
        (automation,) = lost_automations(server)
        mine = {name: automation[name] for name in ("name", "enabled", "trigger", "actions")} | {"description": "mine"}
        requests.put(f"{server.api}/automations/{automation['id']}", json=mine, timeout=30).raise_for_status()
        monkeypatch.setattr(lost_runs, "LOST_AFTER", timedelta(minutes=30))
        watch_for_lost_runs(client)
        (found,) = lost_automations(server)
        assert (found["description"], found["trigger"]["within"]) == ("mine", automation["trigger"]["within"])
        client.delete_automation(automation["id"])
        watch_for_lost_runs(client)
        assert lost_automations(server) == []
        client.delete_variable_by_name(DIGESTS)
        watch_for_lost_runs(client)
    (found,) = lost_automations(server)
    assert found["trigger"]["within"] == 1800
