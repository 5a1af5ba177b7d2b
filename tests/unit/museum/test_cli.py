"""The command line: one line when done, one sentence and status 2 on bad input."""

import argparse
from pathlib import Path

import pytest

from examples.museum.cli import add_arguments, main


def _run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return main(parser.parse_args(words))


def test_painting_ends_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "museum"
    assert _run("paint", str(folder), "--records", "12", "--seed", "3", "--processes", "1") == 0
    assert capsys.readouterr().out == f"museum: {folder} (12 records, seed 3)\n"
    assert (folder / "works.csv").read_text(encoding="utf-8").count("\n") == 13


@pytest.mark.parametrize(
    ("records", "processes", "said"),
    [
        ("0", "1", "expected at least 1 record, got 0"),
        ("5", "0", "expected at least 1 process, got 0"),
    ],
)
def test_bad_numbers_get_one_sentence(
    records: str, processes: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("paint", str(tmp_path / "m"), "--records", records, "--seed", "3", "--processes", processes) == 2
    assert capsys.readouterr().err == f"bilderatlas museum: {said}\n"


def test_a_folder_that_cannot_be_written_gets_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert _run("paint", str(tmp_path / "file" / "museum"), "--records", "5", "--seed", "3") == 2
    said = capsys.readouterr().err
    assert said.startswith(f"bilderatlas museum: cannot write a museum to {tmp_path / 'file' / 'museum'}: ")
    assert said.count("\n") == 1


def test_no_command_is_bad_input() -> None:
    with pytest.raises(SystemExit) as ending:
        _run()
    assert ending.value.code == 2
