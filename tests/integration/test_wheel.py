"""The wheel, installed elsewhere: the command starts, finds its recipes and contracts, and builds."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.support.desk import ROOT
from tests.support.documented import WHEEL

pytestmark = [pytest.mark.server, pytest.mark.live]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that has the wheel and, by a path, the libraries of this one, but not this checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    project = folder / "project"
    project.mkdir()
    for path in ROOT.iterdir():
        if path.name not in {".git", "build", "dist", "store"}:
            (project / path.name).symlink_to(path)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    site = next((folder / "venv/lib").iterdir()) / "site-packages"
    (site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    (block,) = WHEEL
    make, install, _ = block.commands
    environment = {**os.environ, "UV_OFFLINE": "1", "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1"}
    script = f"set -e\n. {folder}/venv/bin/activate\n{make}\n{install}"
    subprocess.run(["bash", "-c", script], cwd=project, env=environment, check=True)
    return folder


def run(elsewhere: Path, *words: str, **environment: str) -> str:
    command = [elsewhere / "venv/bin/bilderatlas", *words]
    done = subprocess.run(
        command, cwd=elsewhere, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_builds_the_museum_elsewhere(elsewhere, prefect_server):
    place = subprocess.run(
        [elsewhere / "venv/bin/python", "-c", "import tasks; print(tasks.__file__)"],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(elsewhere) in place.stdout
    run(elsewhere, "museum", "paint", "museum", "--records", "40", "--seed", "9")
    weights = next((elsewhere / "venv").rglob("figures.onnx"))
    binds = ("--bind", "images=museum", "--bind", f"weights={weights}")
    assert "fetch 40 of 40" in run(elsewhere, "plan", "museum", *binds)
    last = run(elsewhere, "build", "museum", *binds, PREFECT_API_URL=prefect_server).splitlines()[-1]
    assert last.startswith("release: ")
    assert "FAILED" not in run(elsewhere, "verify", last.removeprefix("release: "), "--deep")
