"""The Python interface: docs/python.md word for word, in a program and where an event loop is running; its errors."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bilderatlas
from flows.cli import main
from tests.support.desk import ROOT, WEIGHTS
from tests.support.prefect_server import QUIET

PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")
LINES = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S))
IN_A_LOOP = "import asyncio\n\n\nasync def cell():\n{}\n\n\nasyncio.run(cell())\n"


@pytest.fixture
def folder(tmp_path: Path, painted: Path) -> Path:
    """Where the page's lines are typed: the project's folder, with a smaller museum."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build/museum").symlink_to(painted)
    (tmp_path / "examples/museum/weights").mkdir(parents=True)
    shutil.copy(WEIGHTS, tmp_path / "examples/museum/weights")
    return tmp_path


def typed(lines: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **QUIET, "PREFECT_HOME": str(folder / "prefect"), "PYTHONPATH": str(ROOT)}
    environment.pop("PREFECT_API_URL", None)
    return subprocess.run(
        [sys.executable, "-c", lines],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.mark.live
@pytest.mark.parametrize("is_in_loop", [False, True], ids=["a program", "a notebook's event loop"])
def test_the_page_runs_line_by_line(folder: Path, is_in_loop: bool):
    lines = IN_A_LOOP.format("\n".join(f"    {line}" for line in LINES.splitlines())) if is_in_loop else LINES
    done = typed(lines, folder)
    assert done.returncode == 0, done.stderr
    assert "<museum " in done.stdout
    assert "binding 'weights': expected --bind weights=VALUE, got none" in done.stdout
    assert re.fullmatch("[0-9a-f]{12}", done.stdout.splitlines()[-1])
    assert (folder / "scores/detectors.md").is_file()


def test_tables_are_those_of_the_files(built: Any):
    release = bilderatlas.open_release(f"{built.store}/releases/museum/latest")
    assert {"images", "annotations", "ledger", "records"} <= {*release.tables}
    images = release.pandas("images", columns=["record_id", "split"])
    assert [*images.columns] == ["record_id", "split"]
    assert len(images) == release.manifest["counts"]["kept"]
    assert release.arrow("images").column_names == built.latest.column_names("images")
    assert set(release.arrow("ledger")["record_id"].to_pylist()) >= set(images["record_id"])
    assert repr(release) == f"<museum {release.version}: {len(images)} images, {release.url}>"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda release: release.arrow("pictures"), "expected one of the tables annotations, "),
        (lambda release: release.arrow("images", ["sytle"]), "expected columns of images, record_id, "),
        (lambda release: bilderatlas.open_release(f"{release.url}/nothing"), "expected a folder with a manifest.json"),
        (lambda _: bilderatlas.build("no-such", bind={}), "recipe: expected a YAML file or one of"),
        (lambda _: bilderatlas.build("museum", changes={"nothing": 1}), "nothing"),
        (lambda _: bilderatlas.build("museum", workers=0), "workers: expected"),
        (lambda _: bilderatlas.build("museum", limit="many"), "limit: expected"),
        (lambda _: bilderatlas.build("museum", bind={"images": 7}), "bind.images: expected"),
        (
            lambda _: bilderatlas.evaluate("classification", predictions=["a=a.csv"], bootstrap=-1),
            "bootstrap: expected",
        ),
        (lambda _: bilderatlas.evaluate("detectors"), "expected one of the protocols detector, keypoints, "),
        (lambda _: bilderatlas.evaluate("classification", by=["a"]), "expected its inputs and options"),
        (lambda _: bilderatlas.evaluate("classification", predictions=[]), "--predictions: expected at least one"),
    ],
)
def test_what_was_given_wrong_is_one_sentence(built: Any, call: Any, sentence: str):
    release = bilderatlas.open_release(f"{built.store}/releases/museum/latest")
    with pytest.raises(bilderatlas.BadInput) as problem:
        call(release)
    assert sentence in str(problem.value)
    assert "\n" not in str(problem.value)


def test_changes_are_those_of_the_command(built: Any):
    bind = {"images": built.museum, "weights": WEIGHTS}
    planned = bilderatlas.plan("museum", store=built.store, bind=bind, changes={"stages.shape.aspect": None, "seed": 7})
    assert "sample" in planned


def test_an_evaluation_is_its_command(built: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    release = built.latest.url
    found = bilderatlas.evaluate("detector", release, release_detections=True, bootstrap=0)
    capsys.readouterr()
    assert main(["evaluate", "detector", release, "--release-detections", "--bootstrap", "0"]) == 0
    assert capsys.readouterr().out == f"{found}\n"
    assert found.table().num_rows > 0
    found.write(str(tmp_path / "out"))
    assert (tmp_path / "out/scores.parquet").is_file()


def test_a_release_is_asked_where_a_loop_runs(built: Any):
    async def cell() -> bool:
        return bilderatlas.verify(built.latest.url).is_good

    assert asyncio.run(cell())
