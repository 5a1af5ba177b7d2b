"""A build on a Dask cluster without a Prefect server's address: all of it shares the build's temporary server."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from distributed import LocalCluster

from flows.runner import check_cluster
from schemas.errors import BadInput
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


@pytest.mark.parametrize("address", ["", "tcp://127.0.0.1:1", "nothing://127.0.0.1:1", "not an address"])
def test_an_address_at_which_no_scheduler_answers_is_bad_input(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.runner._CONNECT_S", 1)
    with pytest.raises(
        BadInput, match=r"^--dask: expected the address of a Dask scheduler that runs, .*, got '"
    ) as caught:
        check_cluster(address)
    assert f"got '{address}'" in str(caught.value)
