"""The contracts by the standard's own tool: it takes them for good ones, and tests a release by them, offline."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.desk import ROOT, Desk
from tests.support.freeze_contracts import PRODUCTS

pytestmark = pytest.mark.contract_tools

PYTHON = ROOT / ".venv/contract-tools/bin/python"
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


@pytest.mark.parametrize(("product", "folder"), PRODUCTS.items())
def test_every_contract_is_one_by_the_standard(product: str, folder: Path):
    paths = sorted(folder.glob("*.odcs.yaml"))
    runs = ask("lint", paths, ROOT)
    assert len(runs) == len(paths)
    assert {name: run["result"] for name, run in runs.items()} == dict.fromkeys(runs, "passed"), runs


def contracts_of(folder: Path) -> list[Path]:
    """Those of tables that the release has."""
    paths = sorted((folder / "contract").glob("*.odcs.yaml"))
    return [path for path in paths if path.name.partition(".")[0] not in {"takedowns", "tombstones"}]


def test_a_release_keeps_its_contracts(built: Desk):
    folder = Path(built.latest.root)
    runs = ask("test", contracts_of(folder), folder)
    assert len(runs) == 8
    assert {name: problems(run) for name, run in runs.items()} == {name: [] for name in runs}
    assert all(len([check for check in run["checks"] if check[1] == "passed"]) > 5 for run in runs.values())


def test_a_release_that_breaks_a_rule_is_told_by_the_tool_too(built: Desk, tmp_path: Path):
    folder = Path(shutil.copytree(built.latest.root, tmp_path / "broken"))
    path = folder / "ledger.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[0]["reason"] = "dull"
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(path)), path)
    run = ask("test", [folder / "contract/ledger.odcs.yaml"], folder)["ledger"]
    assert any("reason" in name and "enum" in name for name, *_ in problems(run)), problems(run)
