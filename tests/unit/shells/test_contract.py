"""`bilderatlas contract diff`: what it says, and with which status it ends."""

from collections.abc import Callable
from pathlib import Path

import pytest

from flows.cli import main
from tasks.contract import compare
from tasks.io.files import contracts

NOW = repr(contracts.version())


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str, str, str], str]:
    """(name, old, new): a folder of contracts in which one text stands for another."""

    def write(name: str, old: str = "", new: str = "") -> str:
        place = tmp_path / name
        place.mkdir()
        for path, text in contracts.texts().items():
            (place / path.rpartition("/")[2]).write_text(text.replace(old, new), encoding="utf-8")
        return str(place)

    return write


def test_what_breaks_readers_ends_with_1(folder, capsys: pytest.CaptureFixture[str]):
    assert main(["contract", "diff", folder("old"), folder("new", "name: title", "name: called")]) == 1
    out = capsys.readouterr().out.splitlines()
    assert "breaks  images.title: is called called now" in out
    assert out[-1] == f"{NOW} to {NOW}: expected a new major version, since 2 changes break readers, got none"


def test_a_new_major_version_may_break_readers(folder):
    found = compare(folder("old"), folder("new", f"version: {contracts.version()}", "version: 9.0.0"))
    assert (found.is_allowed, found.text) == (True, f"{NOW} to '9.0.0': nothing that readers go by has changed")
    (path,) = Path(folder("broken", f"version: {contracts.version()}", "version: 9.0.0")).glob("shares*")
    path.unlink()
    found = compare(str(path.parent.with_name("old")), str(path.parent))
    assert found.is_allowed
    assert found.text.splitlines() == [
        "breaks  shares: the table is gone",
        f"{NOW} to '9.0.0': 1 change breaks readers, as a new major version may",
    ]


def test_what_breaks_nobody_ends_with_0(folder, capsys: pytest.CaptureFixture[str]):
    folder("new")
    (path,) = Path(folder("fewer")).glob("shares*")
    path.unlink()
    assert main(["contract", "diff", str(path.parent), str(path.parent.with_name("new"))]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "    ok  shares: a new table",
        f"{NOW} to {NOW}: readers of the old contract can read by it as before",
    ]


def test_a_place_without_a_contract_ends_with_2(folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["contract", "diff", folder("old"), str(tmp_path / "none")]) == 2
    assert "contract: expected a file or a folder of contracts, got" in capsys.readouterr().err
