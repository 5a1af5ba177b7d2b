"""docs/operate.md, and docs/running.md's section on the web page, typed word for word in a folder like the project's:
only the port is another one, since 4200 may be taken.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.desk import ROOT
from tests.support.serve import Serve

pytestmark = [pytest.mark.server, pytest.mark.live]
LINKED = (".venv", "Makefile", "pyproject.toml", "requirements.lock", "deployments", "examples")
PAGE = (ROOT / "docs/operate.md").read_text(encoding="utf-8")
SECTION = (
    (ROOT / "docs/running.md")
    .read_text(encoding="utf-8")
    .partition("## With Prefect's web page")[2]
    .partition("\n## ")[0]
)


def blocks(text: str) -> list[str]:
    return re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


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
        for block in blocks(PAGE)[:2]:
            *lines, last = block.splitlines()
            if last == "bilderatlas serve":
                type_in("\n".join(lines), folder, {})
                serve = Serve(tmp_path_factory.mktemp("prefect"), folder=folder)
                serve.until_ready()
                yield serve
            else:
                type_in(block, folder, {})
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
    typed = [block.replace("4200", port) for block in blocks(PAGE)[2:]]
    assert len(typed) == 2, "expected a run and a deployment after the first terminal's blocks"
    environment = {"PREFECT_HOME": str(terminal.home), "PREFECT_SERVER_API_PORT": port, "DO_NOT_TRACK": "1"}
    assert "Completed" in type_in(typed[0], folder, environment)
    assert type_in(typed[1], folder, environment) == "deployed: museum-weekly\n"
    (schedule,) = terminal.get("deployments/name/build_dataset/museum-weekly")["schedules"]
    assert schedule["schedule"]["cron"] == "0 4 * * 1"
    assert (folder / "store/releases/museum").is_dir()


def test_the_other_page_shows_the_same_command():
    assert blocks(SECTION) == ["bilderatlas serve\n"]
