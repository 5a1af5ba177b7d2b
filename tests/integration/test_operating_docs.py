"""docs/operate.md and docs/running.md typed word for word in a folder like the project's: only ports are others, since
4200 and 8786 may be taken, and names of machines and of a bucket, which are this one here.
"""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tasks.io.store.releases import Release
from tests.support.desk import ROOT
from tests.support.documented import OPERATE, RUNNING
from tests.support.prefect_api import poll
from tests.support.processes import free_port
from tests.support.serve import Serve

pytestmark = [pytest.mark.server, pytest.mark.live]
LINKED = (".venv", "Makefile", "pyproject.toml", "requirements.lock", "deployments", "examples")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("project")
    for name in LINKED:
        (project / name).symlink_to(ROOT / name)
    return project


@pytest.fixture(scope="module")
def terminal(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """The first terminal: all blocks up to the one that ends with serve, which goes on."""
    serve = None
    try:
        for block in OPERATE[:2]:
            *lines, last = block.commands
            if last == "bilderatlas serve":
                type_in("\n".join(lines), folder, {})
                serve = Serve(tmp_path_factory.mktemp("prefect"), folder=folder)
                serve.until_ready()
                yield serve
            else:
                type_in(block.text, folder, {})
    finally:
        if serve is not None:
            serve.stop()


def type_in(block: str, folder: Path, environment: dict[str, str]) -> str:
    """What a block prints in a new shell, which has the program on its path as the page says."""
    script = f"set -e\nexport PATH=$PWD/.venv/bin:$PATH\n{block}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")} | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{block}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def test_every_block_of_the_page_runs(terminal, folder):
    port = terminal.page.rpartition(":")[2]
    typed = [block.text.replace("4200", port) for block in OPERATE[2:]]
    assert len(typed) == 2, "expected a run and a deployment after the first terminal's blocks"
    environment = {"PREFECT_HOME": str(terminal.home), "PREFECT_SERVER_API_PORT": port, "DO_NOT_TRACK": "1"}
    assert "Completed" in type_in(typed[0], folder, environment)
    assert type_in(typed[1], folder, environment) == "deployed: museum-weekly\n"
    (schedule,) = terminal.get("deployments/name/build_dataset/museum-weekly")["schedules"]
    assert schedule["schedule"]["cron"] == "0 4 * * 1"
    assert (folder / "store/releases/museum").is_dir()


@pytest.fixture
def terminals(folder: Path, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Types a block in a terminal of its own, where it goes on until the test ends."""
    running = []

    def type_and_leave(block: str) -> None:
        running.append(
            subprocess.Popen(
                ["bash", "-c", f"export PATH=$PWD/.venv/bin:$PATH\nexec {block}"],
                cwd=folder,
                env={**os.environ, "PREFECT_HOME": str(tmp_path)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )

    yield type_and_leave
    for process in reversed(running):
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
            continue
        os.killpg(process.pid, signal.SIGKILL)


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def test_the_page_on_running_types_a_cluster_a_server_for_it_and_a_question(folder, terminals, tmp_path):
    serve, scheduler, workers, build, server, far_build, question = [block.text for block in RUNNING]
    assert serve == "bilderatlas serve", "as in docs/operate.md, which is typed above"
    api_port, dask_port = free_port(), free_port()

    def here(block: str) -> str:
        for name, meaning in {
            "this-machine:4200": f"127.0.0.1:{api_port}",
            "--host 0.0.0.0": f"--host 127.0.0.1 --port {api_port}",
            "tcp://scheduler:8786": "tcp://127.0.0.1:8786",
            "8786": str(dask_port),
            "s3://bucket/store": str(tmp_path / "another"),
            "/shared/museum": "build/museum",
            "/shared/figures.onnx": "examples/museum/weights/figures.onnx",
        }.items():
            block = block.replace(name, meaning)
        return block

    terminals(here(scheduler))
    poll(lambda: answers(dask_port), "a scheduler that answers")
    terminals(here(workers))
    terminals(here(server))
    environment = {"PREFECT_HOME": str(tmp_path), "DO_NOT_TRACK": "1"}
    assert "museum" in type_in(here(build), folder, environment)
    poll(lambda: answers(api_port), "a server that answers")
    type_in(here(far_build), folder, environment)
    digests = {
        Release(str(store / "releases/museum/latest")).manifest.content_sha256
        for store in (folder / "store", tmp_path / "another")
    }
    assert len(digests) == 1
    record_id = Release(str(folder / "store/releases/museum/latest")).ledger()["record_id"][0]
    assert str(record_id) in type_in(question.replace("RECORD_ID", str(record_id)), folder, environment)
