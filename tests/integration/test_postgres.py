"""A team's server: runs in a PostgreSQL database, the settings of deployments/team/, and no stranger let in."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from flows.serve.lost_runs import LOST
from tasks.io.store.releases import Release
from tests.support.desk import ROOT, WEIGHTS
from tests.support.documented import BACK_UP, DEPLOY
from tests.support.postgres import Postgres, running_postgres
from tests.support.prefect_api import poll
from tests.support.prefect_server import BIN, PrefectServer
from tests.support.team import service_commands, settings_of

pytestmark = [pytest.mark.server, pytest.mark.live]
POOL, AUTH = "bilderatlas", "team:not for strangers"
LIMIT = "60"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as started:
        yield started


@pytest.fixture(scope="module")
def server(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    home = tmp_path_factory.mktemp("prefect")
    settings = {
        **settings_of("server.env"),
        **settings_of("worker.env"),
        "PREFECT_SERVER_DATABASE_PORT": str(postgres.port),
        "PREFECT_SERVER_DATABASE_PASSWORD": postgres.password,
        "PREFECT_SERVER_API_AUTH_STRING": AUTH,
        "PREFECT_API_AUTH_STRING": AUTH,
    }
    of_this_test = {"PREFECT_HOME", "PREFECT_API_URL"}
    (command,) = service_commands("bilderatlas-server.service")
    started = PrefectServer(
        home, command, **{name: value for name, value in settings.items() if name not in of_this_test}
    )
    try:
        started.until_ready()
        yield started
    finally:
        started.stop()


def build(server: PrefectServer, museum: Path, store: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A small build by the command line that reports to the server."""
    bind = ["--bind", f"images={museum}", "--bind", f"weights={WEIGHTS}"]
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", "build", "museum", "--store", str(store), "--limit", LIMIT, *bind],
        env={**server.environment, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
    )


def runs(server: PrefectServer) -> list[dict[str, Any]]:
    return list(server.post("flow_runs/filter", {"sort": "START_TIME_DESC"}))


def test_a_build_is_kept_in_the_database_of_the_team(server, postgres, painted, tmp_path):
    done = build(server, painted, tmp_path / "store")
    assert done.returncode == 0, done.stderr
    release = done.stdout.splitlines()[-1].removeprefix("release: ")
    assert Release(release).manifest.name == "museum"
    assert postgres.ask("select state_name from flow_run").split() == ["Completed"]
    table = poll(lambda: postgres.ask("select data from artifact where key = 'museum-dropped'"), "an artifact")
    assert "over_limit" in table
    assert not list(Path(server.environment["PREFECT_HOME"]).glob("*.db")), "expected no database in SQLite beside"


def test_a_database_that_is_away_for_a_while_costs_no_build(server, postgres, painted, tmp_path):
    """The build begins with the database, and ends without it."""
    store = tmp_path / "store"
    bind = ["--bind", f"images={painted}", "--bind", f"weights={WEIGHTS}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "build", "museum", "--store", str(store), "--limit", LIMIT, *bind],
        env=server.environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    poll(lambda: list(store.glob("blobs/*/*")), "a build that is under way", timeout_s=120)
    postgres.stop()
    poll(lambda: list(store.glob("releases/museum/*/manifest.json")), "a release", timeout_s=120)
    postgres.start()
    said, _ = process.communicate(timeout=240)
    assert process.returncode == 0, said
    assert {run["state"]["name"] for run in runs(server)} == {"Completed"}


@pytest.mark.parametrize(("auth", "got"), [("", "none"), ("team:wrong", "another")])
def test_strangers_are_not_let_in(server, painted, tmp_path, auth, got):
    pair = tuple(auth.split(":")) if auth else None
    assert requests.post(f"{server.api}/flow_runs/filter", json={}, auth=pair, timeout=30).status_code == 401
    before = len(runs(server))
    done = build(server, painted, tmp_path / "store", PREFECT_API_AUTH_STRING=auth)
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1] == (
        "bilderatlas: PREFECT_API_AUTH_STRING: expected the name and the password, as name:password, that the Prefect "
        f"server at '{server.api}' asks for, got {got}"
    )
    assert len(runs(server)) == before


def test_a_server_answers_on_this_machine_only(server):
    sockets = subprocess.run(["ss", "--listening", "--tcp", "--numeric"], capture_output=True, text=True, check=True)
    at = [line.split()[3] for line in sockets.stdout.splitlines() if f":{server.port} " in line]
    assert at == [f"127.0.0.1:{server.port}"]


@pytest.fixture
def of_worker(server: PrefectServer) -> dict[str, str]:
    """The environment of the worker's service, which has none of the server's secrets."""
    assert settings_of("worker-secrets.env.example").keys() == {"PREFECT_API_AUTH_STRING"}
    return {name: value for name, value in server.environment.items() if not name.startswith("PREFECT_SERVER")}


def deploy(what: str, folder: Path, environment: dict[str, str]) -> None:
    """Type the page's line that deploys something, with a folder in the place of /srv/bilderatlas, as this user."""
    (block,) = DEPLOY
    home, *lines = block.commands
    assert home.startswith("export PREFECT_HOME="), "that of the tests' server is another"
    typed = dict(zip(("all that ships", "a recipe of one's own"), lines, strict=True))[what]
    here = typed.removeprefix("runuser -u bilderatlas -- .venv/bin/").replace("/srv/bilderatlas", str(folder))
    program, *words = shlex.split(here)
    subprocess.run([BIN / program, *words], env=environment, cwd=ROOT, check=True)


def test_a_recipe_of_ones_own_is_deployed_as_the_docs_say(server, shared_data, tmp_path, of_worker):
    before, _ = service_commands("bilderatlas-worker.service")
    subprocess.run(before, env=of_worker, cwd=ROOT, check=True)
    (tmp_path / "peopleart").symlink_to(shared_data / "peopleart")
    (tmp_path / "yolox.onnx").symlink_to(shared_data / "weights/yolox_nano/yolox_nano.onnx")
    deploy("a recipe of one's own", tmp_path, of_worker)
    (schedule,) = server.get("deployments/name/build_dataset/peopleart-weekly")["schedules"]
    assert schedule["schedule"]["cron"] == "0 4 * * 1"


def test_the_service_of_the_worker_starts_one_that_builds_what_was_deployed(
    server, postgres, painted, tmp_path, of_worker
):
    before, start = service_commands("bilderatlas-worker.service")
    subprocess.run(before, env=of_worker, cwd=ROOT, check=True)
    assert postgres.ask("select name from automation").strip() == LOST
    store = tmp_path / "store"
    deploy("all that ships", tmp_path, of_worker)
    assert "bilderatlas: check what is published" in postgres.ask("select name from automation")
    worker = subprocess.Popen(start, env=of_worker, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        given = {"limit": int(LIMIT), "bind": {"images": str(painted), "weights": str(WEIGHTS)}}
        run = server.ended(server.run_of("museum", given)["id"])
        assert run["state"]["message"].startswith("published "), run["state"]
        (version,) = (store / "releases/museum").iterdir()
        checked = poll(
            lambda: [run for run in runs(server) if run["name"] == f"museum · verify {version.name}"], "a check"
        )
        assert server.ended(checked[0]["id"])["state"]["type"] == "COMPLETED"
    finally:
        worker.terminate()
        worker.wait(timeout=60)


def test_a_service_whose_server_is_away_says_so(server):
    before, _ = service_commands("bilderatlas-worker.service")
    nowhere = {**server.environment, "PREFECT_API_URL": "http://127.0.0.1:9/api"}
    done = subprocess.run(before, env=nowhere, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("expected a Prefect server that answers, got '")


def test_the_database_is_backed_up_and_restored_as_the_docs_say(server, postgres, tmp_path):
    (block,) = BACK_UP
    here = block.text.replace("@127.0.0.1/", f"@127.0.0.1:{postgres.port}/")
    environment = {**os.environ, "PGPASSWORD": postgres.password}
    before = postgres.ask("select id, state_name from flow_run order by id")
    server.stop()
    dump, restore = here.strip().splitlines()
    subprocess.run(shlex.split(dump), cwd=tmp_path, env=environment, check=True)
    postgres.ask("delete from flow_run")
    subprocess.run(shlex.split(restore), cwd=tmp_path, env=environment, check=True)
    assert postgres.ask("select id, state_name from flow_run order by id") == before
    server.start()
    server.until_ready()
    assert len(runs(server)) == len(before.splitlines()) > 0
