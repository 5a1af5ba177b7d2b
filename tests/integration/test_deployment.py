"""The calendar: the recipes deployed to a real server, a run started through its API as the UI would start it, and one
that its schedule starts.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from tasks.io.store.releases import Release
from tests.support.deployed import deployed
from tests.support.desk import ROOT, WEIGHTS
from tests.support.prefect_api import Log, poll
from tests.support.prefect_server import PrefectServer

pytestmark = [pytest.mark.server, pytest.mark.live]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    with deployed(tmp_path_factory.mktemp("prefect")) as server:
        yield server


@pytest.fixture
def server(running: PrefectServer) -> Iterator[PrefectServer]:
    yield running
    running.check_logs()


def test_every_deployment_stands_on_the_server_with_its_parameters_and_its_schedule(server):
    declared = yaml.safe_load((ROOT / "deployments/prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    builds = [entry for entry in declared if entry["entrypoint"].endswith(":build_dataset")]
    shipped = (path.stem for path in (ROOT / "deployments/recipes").glob("*.yaml"))
    assert {entry["name"] for entry in builds} == {"museum-nightly", *shipped}
    for entry in builds:
        found = server.get(f"deployments/name/build_dataset/{entry['name']}")
        assert {"recipe", "store"} <= found["parameters"].keys()
        assert [schedule["schedule"]["cron"] for schedule in found["schedules"]] == [
            s["cron"] for s in entry.get("schedules", [])
        ]
        assert found["parameter_openapi_schema"]["properties"]["limit"]["description"].startswith("Number of records")
        assert not [schedule for schedule in found["schedules"] if schedule["active"]]
        assert found["concurrency_options"]["collision_strategy"] == "ENQUEUE"
    compared = server.get("deployments/name/evaluate_detector/detectors")["parameter_openapi_schema"]["properties"]
    assert compared["truth"]["description"].startswith("A release")
    learnt = server.get("deployments/name/train_detector/training")["parameter_openapi_schema"]["properties"]
    assert learnt["changes"]["description"].startswith("Settings that differ")


def parameters(store: Path, museum: Path) -> dict[str, Any]:
    """Those of a small build."""
    return {
        "store": str(store),
        "limit": 60,
        "seed": 5,
        "bind": {"images": str(museum), "weights": str(WEIGHTS)},
    }


def test_a_run_started_through_the_api_leaves_a_release_and_its_artifacts(server, painted, tmp_path):
    store = tmp_path / "store"
    run = server.run_of("museum", parameters(store, painted))
    state = server.ended(run["id"])["state"]
    assert state["type"] == "COMPLETED", state
    versions = list((store / "releases/museum").iterdir())
    assert len(versions) == 1, "a limited build leaves a version, and no `latest`"
    release = Release(str(versions[0]))
    recipe = yaml.safe_load(release.read("recipe.yaml"))
    assert (recipe["limit"], recipe["seed"]) == (60, 5)
    found = server.post("artifacts/filter", {"flow_runs": {"id": {"any_": [run["id"]]}}})
    data = {artifact["key"]: artifact["data"] for artifact in found}
    assert {"museum-stages", "museum-dropped", "museum-release"} <= data.keys()
    # hash has nothing to do: fetch has measured what it got
    assert {"museum-progress-fetch", "museum-progress-detect"} <= data.keys()
    assert "over_limit" in data["museum-dropped"]
    assert str(versions[0]) in data["museum-release"]


def test_a_protocol_started_through_the_api_leaves_its_tables(server, tmp_path):
    (tmp_path / "ours.csv").write_text("image,true_class,predicted_class\n1,a,a\n2,b,a\n")
    given = {"predictions": [f"ours={tmp_path}/ours.csv"], "out": str(tmp_path / "out"), "bootstrap": 10}
    run = server.run_of("classification", given, flow="evaluate_classification")
    state = server.ended(run["id"])["state"]
    assert state["type"] == "COMPLETED", state
    assert (tmp_path / "out/classification.md").exists()
    found = server.post("artifacts/filter", {"flow_runs": {"id": {"any_": [run["id"]]}}})
    assert [artifact["key"] for artifact in found] == ["classification"]
    assert "| ours | 0.500 " in found[0]["data"]
    refused = server.run_of("classification", {**given, "predictions": ["ours"]}, flow="evaluate_classification")
    assert server.ended(refused["id"])["state"]["message"] == "--predictions: expected NAME=..., got 'ours'"


def scheduled_runs(server: PrefectServer, deployment_id: str) -> list[dict[str, Any]]:
    """Runs that a schedule of the deployment has set, whatever became of them, by time."""
    asked = {
        "deployments": {"id": {"any_": [deployment_id]}},
        "sort": "EXPECTED_START_TIME_ASC",
    }
    return [run for run in server.post("flow_runs/filter", asked) if run["auto_scheduled"]]


def test_a_schedule_that_is_switched_on_sets_its_next_runs(server):
    deployment = server.get("deployments/name/build_dataset/museum-nightly")
    schedule = deployment["schedules"][0]
    server.patch(f"deployments/{deployment['id']}/schedules/{schedule['id']}", {"active": True})
    runs = poll(lambda: scheduled_runs(server, deployment["id"])[:3], "runs of the schedule")
    assert [run["state"]["type"] for run in runs] == ["SCHEDULED"] * 3
    starts = [datetime.fromisoformat(run["expected_start_time"]) for run in runs]
    in_berlin = [start.astimezone(ZoneInfo("Europe/Berlin")) for start in starts]
    assert {(start.hour, start.minute) for start in in_berlin} == {(3, 0)}
    assert len({start.date() for start in in_berlin}) == 3
    assert starts[0] > datetime.now(UTC)


def test_a_run_that_a_schedule_has_set_begins_at_its_time_and_leaves_a_release(server, painted, tmp_path):
    store = tmp_path / "store"
    deployment = server.get("deployments/name/build_dataset/museum-nightly")
    first = datetime.now(UTC) + timedelta(seconds=4)
    schedule = {
        "schedule": {"interval": 86_400, "anchor_date": first.isoformat(), "timezone": "UTC"},
        "parameters": parameters(store, painted),
    }
    server.post(f"deployments/{deployment['id']}/schedules", [schedule])

    def due() -> dict[str, Any] | None:
        starts = [
            (datetime.fromisoformat(run["expected_start_time"]), run)
            for run in scheduled_runs(server, deployment["id"])
        ]
        return next((run for start, run in starts if abs(start - first) < timedelta(seconds=1)), None)

    run = poll(due, "a run at the schedule's time", timeout_s=30)
    state = server.ended(run["id"])["state"]
    assert state["type"] == "COMPLETED", state
    early = first - datetime.fromisoformat(server.get(f"flow_runs/{run['id']}")["start_time"])
    assert early < timedelta(seconds=1), "a worker that prepares a run ahead of time may begin it some ms early"
    assert len(list((store / "releases/museum").iterdir())) == 1


LOCKED = """\
16:44:17.039 | ERROR   | prefect.server.utilities.worker_channel - Worker channel heartbeat persistence failed
Traceback (most recent call last):
  File "sqlalchemy/engine/base.py", line 2000, in _exec_single_context
sqlite3.OperationalError: database is locked

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database is locked
"""


STOPPED = """\
10:51:17.960 | ERROR   | prefect.server.services.task_run_recorder - Error flushing 1 events (1 to retry, 0 dropped)
Traceback (most recent call last):
asyncio.exceptions.CancelledError: Cancelled via cancel scope 7f7b850a14e0 by <Task cancelling name='Task-16'>
"""


@pytest.mark.parametrize(
    "entry",
    [
        f"{STOPPED}KeyError: 'a'\n",
        "ERROR | it failed\nTraceback (most recent call last):\n",
        "16:44:18.000 | ERROR   | prefect.server - it failed\nTraceback (most recent call last):\nKeyError: 'a'\n",
        "ERROR:    Exception in ASGI application\nTraceback (most recent call last):\nKeyError: 'a'\n",
        "16:44:18.000 | ERROR   | prefect.server - it failed\nTraceback (most recent call last):\n" + "a\n" * 9000,
    ],
)
def test_a_traceback_in_a_log_fails_the_test_that_is_running_and_no_other(tmp_path, entry):
    log = Log(tmp_path / "server.log")
    log.path.write_text("INFO | all is well\n")
    log.check()
    log.path.write_text(f"{log.text()}{LOCKED}{entry}{LOCKED}")
    with pytest.raises(AssertionError, match=r"expected no traceback in server\.log, got") as error:
        log.check()
    assert "locked" not in str(error.value)
    log.check()


@pytest.mark.parametrize("entry", [LOCKED, STOPPED])
def test_a_database_that_is_busy_and_a_service_that_is_stopped_fail_no_test(tmp_path, entry):
    log = Log(tmp_path / "server.log")
    log.path.write_text(f"INFO | all is well\n{entry}16:44:18.000 | INFO    | prefect - all is well\n")
    log.check()
