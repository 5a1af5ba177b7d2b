"""The contracts by the standard's own tool: it takes them for good ones, and tests a release by them, offline."""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from flows.cli import main
from tests.support.desk import ROOT, Desk
from tests.support.documented import CONTRACT_TOOL
from tests.support.freeze_contracts import PRODUCTS
from tests.support.wall import Wall

pytestmark = pytest.mark.contract_tools

PYTHON = ROOT / ".venv/contract-tools/bin/python"
EVERY_TABLE = {path.name.partition(".")[0] for path in PRODUCTS["release"].glob("*.odcs.yaml")}
OF_THE_DAY = {"diversity", "histograms", "shares", "attributes", "unread"}  # a purge leaves their numbers
NOWHERE = "http://127.0.0.1:9"
OFFLINE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE)
ASK = """
import json, sys
from datacontract.data_contract import DataContract
action, *paths = sys.argv[1:]
for path in paths:
    run = getattr(DataContract(data_contract_file=path), action)()
    checks = [[check.name, check.result.value, check.reason] for check in run.checks]
    print("RUN " + json.dumps({"path": path, "result": run.result.value, "checks": checks}))
"""


def ask(action: str, paths: list[Path], folder: Path) -> dict[str, dict[str, Any]]:
    """What datacontract-cli says of each contract, by its table; in one process, since it takes seconds to start."""
    environment = os.environ | OFFLINE
    command = [str(PYTHON), "-c", ASK, action, *map(str, paths)]
    said = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout
    runs = [json.loads(line.removeprefix("RUN ")) for line in said.splitlines() if line.startswith("RUN ")]
    return {Path(run["path"]).name.partition(".")[0]: run for run in runs}


def problems(run: dict[str, Any]) -> list[list[str]]:
    """Checks that did not pass, but for those of types, which the tool does not know for Parquet files."""
    return [check for check in run["checks"] if check[1] != "passed" and "Checking types" not in (check[2] or "")]


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    return Wall(tmp_path)


@pytest.mark.parametrize(("product", "folder"), PRODUCTS.items())
def test_every_contract_is_one_by_the_standard(product: str, folder: Path):
    paths = sorted(folder.glob("*.odcs.yaml"))
    runs = ask("lint", paths, ROOT)
    assert len(runs) == len(paths)
    assert {name: run["result"] for name, run in runs.items()} == dict.fromkeys(runs, "passed"), runs


def contracts_of(folder: Path) -> dict[str, Path]:
    """Those of tables that the release has, by the table's name."""
    paths = {path.name.partition(".")[0]: path for path in sorted((folder / "contract").glob("*.odcs.yaml"))}
    locations = {
        name: yaml.safe_load(path.read_text(encoding="utf-8"))["servers"][0]["path"] for name, path in paths.items()
    }
    return {name: path for name, path in paths.items() if [*folder.glob(locations[name])]}


def expect_kept(folder: Path, tables: set[str]) -> None:
    contracts = contracts_of(folder)
    assert tables <= set(contracts)
    runs = ask("test", [contracts[name] for name in sorted(tables)], folder)
    assert {name: problems(run) for name, run in runs.items()} == {name: [] for name in tables}
    assert all(len([check for check in run["checks"] if check[1] == "passed"]) > 5 for run in runs.values())


def test_a_release_keeps_its_contracts(built: Desk):
    expect_kept(Path(built.latest.root), EVERY_TABLE - {"attributes", "takedowns", "tombstones", "unread"})


def test_the_documented_command_runs_in_the_folder_of_a_release(built: Desk):
    (block,) = CONTRACT_TOOL
    words = shlex.split(block.text)
    done = subprocess.run(
        [PYTHON.parent / words[0], *words[1:]], cwd=built.latest.root, env=os.environ | OFFLINE, check=False
    )
    assert done.returncode == 0


def test_a_release_with_every_table_keeps_its_contracts(wall: Wall):
    wall.pattern, wall.fields = "{mark}.jpg", {"attributes": {"mark": {"type": "string"}}}
    wall.source = {"annotations": {"format": "coco", "path": "boxes.json"}}
    names = sorted(path.name for path in (wall.folder / "images").glob("*.jpg"))
    images = [{"id": number, "file_name": name} for number, name in enumerate(names)]
    box = {"category_id": 1, "bbox": [8, 10, 20, 30], "segmentation": [[8, 10, 28, 10, 28, 40.5]], "by": "a person"}
    document = {
        "categories": [{"id": 1, "name": "person"}],
        "images": images,
        "annotations": [{**box, "id": image["id"], "image_id": image["id"]} for image in images],
    }
    (wall.folder / "images/boxes.json").write_text(json.dumps(document), encoding="utf-8")
    wall.build(f"takedown,record,m:{names[0]}")
    expect_kept(Path(wall.latest.root), EVERY_TABLE - {"tombstones", "unread"})
    assert main(["purge", "wall", "--store", wall.store, "--record", f"m:{names[1]}", "--reason", "asked"]) == 0
    expect_kept(Path(wall.latest.root), EVERY_TABLE - OF_THE_DAY)


def test_a_release_that_breaks_a_rule_is_told_by_the_tool_too(built: Desk, tmp_path: Path):
    folder = Path(shutil.copytree(built.latest.root, tmp_path / "broken"))
    path = folder / "ledger.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[0]["reason"] = "dull"
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(path)), path)
    run = ask("test", [folder / "contract/ledger.odcs.yaml"], folder)["ledger"]
    assert any("reason" in name and "enum" in name for name, *_ in problems(run)), problems(run)
