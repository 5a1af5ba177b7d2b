"""Outsiders compute a release's digest and version from the contract's README alone, in forty lines of Python."""

import ast
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from tasks.core.export import digest
from tests.support.desk import ROOT, Desk

SCRIPT = ROOT / "tests/support/outsiders_digest.py"
README = ROOT / "data_contracts/v3/README.md"


def test_forty_lines_by_an_outsider_give_content_digest_and_version(built: Desk):
    release = built.latest
    script = [sys.executable, "-I", str(SCRIPT), release.root]  # -I: nothing of ours can be imported
    got = subprocess.run(script, capture_output=True, text=True, check=True, cwd=Path(release.root)).stdout.split()
    assert got == [release.manifest.content_sha256, release.manifest.version]


def test_the_script_has_forty_lines_and_nothing_of_ours():
    text = SCRIPT.read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 40
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} == {"hashlib", "json", "numpy", "pathlib", "pyarrow", "sys"}


def test_the_example_in_the_readme_holds():
    text = README.read_text(encoding="utf-8")
    (found,) = re.findall(r"A column of whole numbers 5, null has the form `([0-9a-f ]+)`, of SHA-256\n`(\w+)`", text)
    form, sha256 = bytes.fromhex(found[0]), found[1]
    assert hashlib.sha256(form).hexdigest() == sha256
    assert digest.column_digest("n", pa.chunked_array([[5, None]])) == sha256
