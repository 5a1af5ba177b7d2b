"""`bilderatlas serve` and `deploy`: one command for server, worker and deployments, and one Ctrl-C for its end."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests
from prefect.client.orchestration import SyncPrefectClient

from flows.serve.deployments import (
    Deployment,
    keep_what_people_changed,
    recipe_deployment,
    write_deployment,
)
from tests.support.desk import RECIPE, ROOT, WEIGHTS
from tests.support.prefect_api import poll
from tests.support.prefect_server import BIN
from tests.support.serve import Serve

pytestmark = [pytest.mark.server, pytest.mark.live]
SHIPPED = {"museum-nightly", *(path.stem for path in (ROOT / "deployments/recipes").glob("*.yaml"))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recipes of one's own: one that can be built, one that can't be read, and one whose name is taken."""
    recipes = tmp_path_factory.mktemp("recipes")
    text = RECIPE.read_text(encoding="utf-8")
    (recipes / "own.yaml").write_text(text.replace("name: museum\ntitle", "name: own\ntitle"), encoding="utf-8")
    (recipes / "taken.yaml").write_text(text, encoding="utf-8")
    (recipes / "broken.yaml").write_text("name: broken\n", encoding="utf-8")
    return recipes


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served") / "store"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, folder: Path, store: Path) -> Iterator[Serve]:
    serve = Serve(
        tmp_path_factory.mktemp("prefect"), "--store", str(store), "--store", f"{store}-b", "--recipes", str(folder)
    )
    try:
        serve.until_ready()
        yield serve
    finally:
        serve.stop()


@pytest.fixture
def serve(running: Serve) -> Iterator[Serve]:
    yield running
    running.check_logs()


@pytest.fixture
def parameters(painted: Path) -> dict[str, Any]:
    """Those of a small build."""
    return {"limit": 60, "bind": {"images": str(painted), "weights": str(WEIGHTS)}}


def test_every_recipe_is_a_deployment_whose_form_names_its_bindings(serve, store, folder):
    found = {entry["name"]: entry for entry in serve.post("deployments/filter", {})}
    assert set(found) >= {*SHIPPED, "own", "detectors", "training"}
    for name in (*SHIPPED, "own"):
        form = found[name]["parameter_openapi_schema"]
        assert found[name]["enforce_parameter_schema"]
        assert all(field["description"] for field in form["properties"].values())
        assert form["properties"]["store"]["enum"] == [str(store), f"{store}-b"]
        assert form["properties"]["recipe"]["enum"] == [found[name]["parameters"]["recipe"]]
        assert form["properties"]["bind"]["additionalProperties"] is False
    fields = found["met"]["parameter_openapi_schema"]["properties"]["bind"]
    assert fields["required"] == ["visitors", "contact"]
    assert "queries.csv" in fields["properties"]["visitors"]["description"]
    (schedule,) = found["museum-nightly"]["schedules"]
    assert (schedule["schedule"]["cron"], schedule["schedule"]["timezone"]) == ("0 3 * * *", "Europe/Berlin")
    strategies = {name: found[name]["concurrency_options"]["collision_strategy"] for name in (*SHIPPED, "own")}
    assert strategies == dict.fromkeys((*SHIPPED, "own"), "ENQUEUE")
    told = serve.terminal.text()
    assert f"{folder}/broken.yaml" in told
    assert f"{folder}/taken.yaml: expected a name that no other recipe has, got 'museum'" in told


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"limit": -5}, "limit", "-5 is less than the minimum of 1"),
        ({"limit": 2.5}, "limit", "2.5"),
        ({"seed": 2**70}, "seed", "is greater than the maximum of 9007199254740991"),
        ({"workers": 0}, "workers", "0 is less than the minimum of 1"),
        ({"part_rows": 0}, "part_rows", "0 is less than the minimum of 1"),
        ({"seed": -1}, "seed", "-1 is less than the minimum of 0"),
        ({"device": "gpu"}, "device", "'gpu' is not one of ['auto', 'cpu', 'cuda', "),
        ({"store": "/elsewhere"}, "store", "'/elsewhere' is not one of"),
        ({"recipe": "met"}, "recipe", "'met' is not one of ['museum']"),
        ({"bind": {"images": "a"}}, "bind", "'weights' is a required property"),
        ({"bind": {"images": "a", "weights": ""}}, "bind.weights", "''"),
        ({"bind": {"images": "a", "weights": "b", "imgs": "c"}}, "bind", "'imgs' was unexpected"),
        ({"limits": 3}, "", "'limits' was unexpected"),
    ],
)
def test_a_bad_value_is_refused_before_the_run_starts(serve, parameters, changes, place, words):
    museum = serve.get("deployments/name/build_dataset/museum")
    count = serve.post("flow_runs/count", {})
    body = {"parameters": {**parameters, **changes}, "state": {"type": "SCHEDULED"}}
    answer = requests.post(
        f"{serve.api}/deployments/{museum['id']}/create_flow_run", json=body, headers=serve.token, timeout=30
    )
    assert answer.status_code == requests.codes.conflict
    assert words in answer.json()["detail"]
    assert f"'{place}'" in answer.json()["detail"] or not place
    assert serve.post("flow_runs/count", {}) == count


def test_a_run_leaves_a_release_and_a_second_one_computes_nothing(serve, store, parameters):
    first = serve.ended(serve.run_of("museum", parameters)["id"])
    assert first["state"]["type"] == "COMPLETED", first["state"]
    (version,) = (path for path in (store / "releases/museum").iterdir() if path.is_dir())
    again = serve.ended(serve.run_of("museum", parameters)["id"])
    assert again["state"]["type"] == "COMPLETED", again["state"]
    assert [path for path in (store / "releases/museum").iterdir() if path.is_dir()] == [version]
    assert again["state"]["message"].startswith("nothing to do: ")


def test_a_recipe_of_ones_own_is_built_from_its_folder(serve, store, parameters):
    run = serve.ended(serve.run_of("own", parameters)["id"])
    assert run["state"]["type"] == "COMPLETED", run["state"]
    assert (store / "releases/own").is_dir()


@contextlib.contextmanager
def run_at_work(serve: Serve, parameters: dict[str, Any], until: Callable[[], object]) -> Iterator[dict[str, Any]]:
    """A run of `own` that stands still once it is at work and something else is so, until the block ends."""
    run = serve.run_of("own", parameters)
    poll(lambda: serve.run(run["id"])["state"]["type"] == "RUNNING" and until(), "a run that is at work", timeout_s=90)
    pid = int(poll(lambda: serve.run(run["id"])["infrastructure_pid"], "the run's process"))
    os.kill(pid, signal.SIGSTOP)
    try:
        yield run
    finally:
        os.kill(pid, signal.SIGCONT)


def test_of_two_runs_the_later_one_waits_but_is_cancelled_once_there_is_a_schedule(serve, store, parameters):
    own = serve.get("deployments/name/build_dataset/own")
    slow = {**parameters, "store": f"{store}-b", "part_rows": 1, "workers": 1}
    with run_at_work(serve, {**slow, "limit": 40}, lambda: True) as first:
        second = serve.run_of("own", slow)
        poll(lambda: serve.run(second["id"])["state"]["name"] == "AwaitingConcurrencySlot", "a run that waits")
    first, second = serve.ended(first["id"]), serve.ended(second["id"])
    assert first["state"]["type"] == second["state"]["type"] == "COMPLETED"
    assert second["start_time"] >= first["end_time"]

    serve.post(f"deployments/{own['id']}/schedules", [{"schedule": {"cron": "0 5 1 1 *"}}])

    def gives_way() -> bool:
        return str(serve.get(f"deployments/{own['id']}")["description"]).endswith("would pile up.")

    assert not gives_way()
    with run_at_work(serve, {**slow, "limit": 80}, gives_way) as third:
        fourth = serve.ended(serve.run_of("own", slow)["id"])
        assert fourth["state"]["type"] == "CANCELLED"
        assert fourth["state"]["message"] == "Deployment concurrency limit reached."
    assert serve.ended(third["id"])["state"]["type"] == "COMPLETED"
    assert len(serve.get(f"deployments/{own['id']}")["schedules"]) == 1


def deploy(serve: Serve, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / "bilderatlas", "deploy", *words],
        env=serve.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_recipe_is_deployed_beside_them_with_a_schedule_that_fires(serve, store, folder, parameters):
    bind = [f"--bind={name}={value}" for name, value in parameters["bind"].items()]
    done = deploy(
        serve, f"{folder}/own.yaml", "--name", "hourly", "--store", f"{store}-b", *bind, "--cron", "0 * * * *"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "deployed: hourly\n"
    found = serve.get("deployments/name/build_dataset/hourly")
    assert found["schedules"][0]["schedule"] == {"cron": "0 * * * *", "timezone": "UTC", "day_or": True}
    assert found["concurrency_options"]["collision_strategy"] == "CANCEL_NEW"
    schedule = {"interval": 30, "anchor_date": datetime.now(UTC).isoformat(), "timezone": "UTC"}
    added = serve.post(f"deployments/{found['id']}/schedules", [{"schedule": schedule, "parameters": {"limit": 60}}])

    def fired() -> dict[str, Any] | None:
        asked = {
            "deployments": {"id": {"any_": [found["id"]]}},
            "flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}},
        }
        return next(iter(serve.post("flow_runs/filter", asked)), None)

    # one that recurs: a busy server learns of a schedule only after a minute, and a run before then is never made
    run = poll(fired, "a run by the schedule", timeout_s=240)
    serve.patch(f"deployments/{found['id']}/schedules/{added[0]['id']}", {"active": False})
    assert run["auto_scheduled"]
    assert (Path(f"{store}-b") / "releases/own").is_dir()
    # deployed again without a schedule, it keeps those that it has
    assert deploy(serve, f"{folder}/own.yaml", "--name", "hourly", "--store", f"{store}-b", *bind).returncode == 0
    assert len(serve.get("deployments/name/build_dataset/hourly")["schedules"]) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["museum", "--cron", "0 3 * *"], "binding 'images': expected --bind images=VALUE, got none"),
        (
            ["museum", "--cron", "0 3 * *", "--bind", "images={museum}", "--bind", "weights={weights}"],
            "--cron: expected",
        ),
        (
            [
                "museum",
                *["--bind", "images={museum}", "--bind", "weights={weights}", "--cron", "@daily", "--timezone", "Mars"],
            ],
            "--timezone: expected a time zone, such as Europe/Berlin, got 'Mars'",
        ),
        (["museum", "--bind", "images=nowhere", "--bind", "weights={weights}", "--cron=@daily"], "nowhere"),
        (["museum", "--bind", "imgs=a"], "binding 'imgs': expected one of 'images', 'weights'"),
        (["no-such"], "recipe: expected a YAML file or one of"),
        (["--cron", "0 3 * * *"], "RECIPE: expected a recipe beside --name, --cron, --timezone and --bind, got none"),
        (["museum", "--name", "a/b"], "--name: expected words without /, %, &, <, >, ? and #, got 'a/b'"),
        (["museum", "--name", "a?b"], "--name: expected words without /, %, &, <, >, ? and #, got 'a?b'"),
        (["museum", "--name", ".."], "--name: expected words without /, %, &, <, >, ? and #, got '..'"),
        (["museum", "--name", "\n"], "--name: expected words without /, %, &, <, >, ? and #, got '\\n'"),
        (["museum", "--store", ""], "--store: expected a folder or a URL, got ''"),
        (["museum", "--timezone", "UTC"], "--timezone: expected --cron beside it, got 'UTC' alone"),
    ],
)
def test_what_a_run_by_schedule_would_be_refused_for_is_refused_at_once(serve, painted, words, sentence):
    done = deploy(serve, *(word.format(museum=painted, weights=WEIGHTS) for word in words))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def automations(serve: Serve, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = serve.post("automations/filter", {"automations": {"name": {"any_": [name]}}})
    return found


def test_ctrl_c_ends_all_of_it_and_the_next_start_finds_what_people_have_changed(tmp_path, painted):
    options = ("--store", str(tmp_path / "store"))
    serve = Serve(tmp_path / "prefect", *options)
    try:
        serve.until_ready()
        museum = serve.get("deployments/name/build_dataset/museum")
        bind = {"images": str(painted), "weights": str(WEIGHTS)}
        serve.patch(f"deployments/{museum['id']}", {"parameters": {**museum["parameters"], "bind": bind}})
        serve.post(f"deployments/{museum['id']}/schedules", [{"schedule": {"cron": "0 5 * * *"}, "active": False}])
        (check,) = automations(serve, "bilderatlas: check what is published")
        serve.patch(f"automations/{check['id']}", {"enabled": False})
        run = serve.run_of("museum", {"part_rows": 1})
        poll(lambda: serve.run(run["id"])["name"] == "museum · build", "a run that has begun", timeout_s=60)
        status, _ = serve.interrupt()
        assert status == 128 + signal.SIGINT
        assert poll(lambda: serve.processes() == set(), "no process that is left", timeout_s=5)
        assert serve.terminal.text().endswith("run the same command again to continue\n")
        assert "Traceback" not in serve.terminal.text()
    finally:
        serve.stop()
    again = Serve(tmp_path / "prefect", *options, folder=tmp_path)
    try:
        again.until_ready()
        assert "started again: museum · build" in again.terminal.text()
        assert f"bindings are seen from {tmp_path}, no longer from {ROOT}\n" in again.terminal.text()
        assert again.run(run["id"])["job_variables"]["working_dir"] == str(ROOT)
        assert again.ended(run["id"])["state"]["type"] == "COMPLETED"
        found = again.get("deployments/name/build_dataset/museum")
        assert found["parameters"]["bind"] == bind
        assert [automation["enabled"] for automation in automations(again, check["name"])] == [False]
        assert [(entry["schedule"]["cron"], entry["active"]) for entry in found["schedules"]] == [("0 5 * * *", False)]
    finally:
        again.stop()


def test_a_new_default_takes_the_place_of_the_old_one_but_not_of_what_a_person_has_changed(serve, folder, store):
    deployment = recipe_deployment(str(folder / "own.yaml"), [str(store)], "defaults")

    def of(workers: int) -> Deployment:
        return deployment._replace(parameters={**deployment.parameters, "workers": workers})

    with SyncPrefectClient(serve.api) as client:
        write_deployment(client, of(2))
        assert keep_what_people_changed(client, of(3), with_store=True) == of(3)
        write_deployment(client, of(3))
        found = client.read_deployment_by_name("build_dataset/defaults")
        serve.patch(f"deployments/{found.id}", {"parameters": {**found.parameters, "workers": 5}})
        for _ in range(3):  # each start of `serve`
            kept = keep_what_people_changed(client, of(4), with_store=True)
            assert kept.parameters["workers"] == 5
            write_deployment(client, kept)
            assert client.read_deployment(found.id).parameters["workers"] == 5
        client.delete_deployment(found.id)


def test_no_page_of_another_host_may_ask_the_server(serve):
    def allowed(origin: str) -> str | None:
        asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        answer = requests.options(f"{serve.api}/flow_runs/filter", headers=asked, timeout=30)
        return answer.headers.get("access-control-allow-origin")

    assert allowed("https://evil.example") is None
    assert allowed(serve.page) == serve.page
    # so that the page works by whatever name a browser has reached it
    assert requests.get(f"{serve.page}/ui-settings", timeout=30).json()["api_url"] == "/api"


def test_nothing_outlives_a_serve_that_is_killed(tmp_path):
    serve = Serve(tmp_path / "prefect", "--store", str(tmp_path / "store"))
    try:
        serve.until_ready()
        serve.process.kill()
        serve.process.wait()
        assert poll(lambda: serve.processes() == set(), "no process that is left", timeout_s=10)
    finally:
        serve.stop()


def test_a_port_that_is_taken_and_a_server_that_is_not_there_are_told(serve, tmp_path):
    port = serve.page.rpartition(":")[2]
    done = subprocess.run(
        [BIN / "bilderatlas", "serve", "--port", port], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert f"--port: expected a port that is free on '127.0.0.1', got {port} (Address already in use)" in done.stderr
    for name, value, sentence in (
        ("DO_NOT_TRACK", "1", "PREFECT_HOME: expected a folder that no other `bilderatlas serve` uses"),
        ("BILDERATLAS_NOTIFY_URL", "hooks.example/1", "BILDERATLAS_NOTIFY_URL: expected an address that begins"),
        ("PREFECT_HOME", "~nobody-of-that-name/home", "PREFECT_HOME: expected a folder, got"),
    ):
        done = subprocess.run(
            [BIN / "bilderatlas", "serve", "--port", "0"],
            env={**serve.environment, name: value},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert sentence in done.stderr
    done = subprocess.run(
        [BIN / "bilderatlas", "serve", "--store", ""], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (2, "bilderatlas: --store: expected a folder or a URL, got ''\n")
    nowhere = {**serve.environment, "PREFECT_API_URL": "http://127.0.0.1:9/api"}
    done = subprocess.run(
        [BIN / "bilderatlas", "deploy", "museum"], env=nowhere, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "start one with `bilderatlas serve`" in done.stderr
