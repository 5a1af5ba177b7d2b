"""A build on a Dask cluster without a Prefect server's address: all of it shares the build's temporary server."""

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from distributed import LocalCluster

from tasks.io.store.releases import Release
from tests.support.desk import RECIPE, ROOT, WEIGHTS, Desk
from tests.support.prefect_api import poll
from tests.support.processes import temporary_servers

pytestmark = [
    pytest.mark.live,
    pytest.mark.server,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # distributed's own sockets, at its end
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def test_all_workers_share_one_server_which_ends_with_the_build(
    tmp_path: Path, painted: Path, built: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, store = tmp_path / "home", tmp_path / "another"
    monkeypatch.setenv("PREFECT_HOME", str(home))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        binds = ["--bind", f"images={painted}", "--bind", f"weights={WEIGHTS}"]
        words = ["build", str(RECIPE), "--store", str(store), *binds, "--part-rows", "40"]
        build = subprocess.Popen(
            [sys.executable, "-m", "flows.cli", *words, "--dask", cluster.scheduler_address],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        servers, until_s = set(), time.monotonic() + 240
        while build.poll() is None and time.monotonic() < until_s:
            servers |= temporary_servers(home)
            time.sleep(0.1)
        build.kill()
        assert build.wait() == 0
        assert len(servers) == 1
        poll(lambda: not temporary_servers(home), "the end of the temporary server")
    assert Release(f"{store}/releases/museum/latest").manifest.content_sha256 == built.latest.manifest.content_sha256
    assert os.environ["PREFECT_HOME"] == str(home)


def _task_runs(home: Path) -> list[dict[str, int]]:
    """How many task runs of each flow run ended in which state, in the order of the flow runs."""
    counted: dict[str, dict[str, int]] = {}
    asked = (
        "SELECT flow_run.id, task_run.state_name, count(*) FROM task_run JOIN flow_run ON flow_run.id = flow_run_id "
        "GROUP BY flow_run.id, task_run.state_name ORDER BY flow_run.start_time"
    )
    with contextlib.closing(sqlite3.connect(home / "prefect.db")) as database:
        for run, state, count in database.execute(asked):
            counted.setdefault(run, {})[state] = count
    return list(counted.values())


def _build_words(store: Path, painted: Path, *more: str) -> list[str]:
    binds = ["--bind", f"images={painted}", "--bind", f"weights={WEIGHTS}"]
    return [sys.executable, "-m", "flows.cli", "build", str(RECIPE), "--store", str(store), *binds, *more]


def test_workers_report_to_the_server_of_the_build_that_they_serve(
    tmp_path: Path, painted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("PREFECT_HOME", str(home))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        more = ["--limit", "20", "--part-rows", "5", "--dask", cluster.scheduler_address]
        for name in ("first", "second"):
            subprocess.run(_build_words(tmp_path / name, painted, *more), cwd=ROOT, check=True)
    first, second = _task_runs(home)
    # of the second build's task runs, two thirds were missing
    assert first == second
    assert set(first) == {"Completed", "Cached"}


def test_a_scheduler_without_workers_is_said_at_once_and_ends_the_build_in_time(
    tmp_path: Path, painted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BILDERATLAS_DASK_WAIT", "1")
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        address = cluster.scheduler_address
        words = _build_words(tmp_path / "store", painted, "--limit", "20", "--dask", address)
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert f"waiting for workers at {address}: start one with `dask worker {address}`" in lines
    assert f"expected a worker at the Dask scheduler {address} within 1 s, got none" in lines[-1]
    assert "Traceback" not in done.stderr
