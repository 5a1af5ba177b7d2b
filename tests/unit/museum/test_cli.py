"""The command line: one line when done, one sentence and status 2 on bad input."""

import csv
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flows.cli import main
from schemas.tables import LEDGER
from tests.support.manifests import write_manifest


def _run(*words: str) -> int:
    return main(["museum", *words])


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
    assert capsys.readouterr().err == f"bilderatlas: museum: {said}\n"


def test_a_folder_that_cannot_be_written_gets_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert _run("paint", str(tmp_path / "file" / "museum"), "--records", "5", "--seed", "3") == 2
    said = capsys.readouterr().err
    assert said.startswith(
        f"bilderatlas: museum: expected a folder that can be written, got '{tmp_path / 'file' / 'museum'}' ("
    )
    assert said.count("\n") == 1


def test_a_release_is_graded_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, release = tmp_path / "museum", tmp_path / "release"
    assert _run("paint", str(folder), "--records", "60", "--seed", "3", "--processes", "1") == 0
    release.mkdir()
    (release / "recipe.yaml").write_text(
        "categories: []\nstages: [{dedup: {label: dedup, drop_relations: [mirrored]}}]\n"
    )
    with (folder / "works.csv").open(encoding="utf-8", newline="") as lines:
        keys = [row["key"] for row in csv.DictReader(lines)]
    rows = [
        {"record_id": f"m:{key}", "source": "m", "kept": True, "image_id": number} for number, key in enumerate(keys)
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=LEDGER), release / "ledger.parquet")
    write_manifest(release)
    (tmp_path / "latest").write_text("release\n")
    capsys.readouterr()
    copies = (folder / "truth" / "duplicates.csv").read_text(encoding="utf-8").count("\n") - 1
    assert copies > 2
    for named in (release, tmp_path / "latest"):
        assert _run("grade", str(folder), str(named)) == 1
        said = capsys.readouterr().out.splitlines()
        head = f"copies: precision 1.000 (0 of 0 drops right), recall 0.000 (0 of {copies} planted copies found)"
        assert said[0] == head
        assert sum(line.startswith("missed: ") for line in said) == copies
    assert _run("grade", str(folder), str(release), "--least-recall", "0") == 0


def test_a_release_that_is_none_gets_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("grade", str(tmp_path), str(tmp_path)) == 2
    assert capsys.readouterr().err.startswith("bilderatlas: release: expected a folder with a manifest.json, got ")


def test_no_command_is_bad_input() -> None:
    with pytest.raises(SystemExit) as ending:
        _run()
    assert ending.value.code == 2


RATERS = ("--seed", "3", "--works", "2", "--each", "1", "--raters", "2")


def test_raters_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    path = tmp_path / "ratings.parquet"
    path.write_bytes(b"before")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        assert _run("raters", str(path), *RATERS) == 2
    assert "museum: expected a file that can be written, got " in capsys.readouterr().err
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [(path.name, b"before")]
    assert _run("raters", str(path), *RATERS) == 0
    assert pq.read_table(path).num_rows >= 2


@pytest.mark.parametrize("place", ["a\0b", "{folder}", "{folder}/pipe", "/dev/null", "{folder}/file/below", "x" * 5000])
def test_raters_at_no_place_for_a_file_are_refused_in_one_sentence(tmp_path: Path, place: str, capsys):
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    assert _run("raters", place.format(folder=tmp_path), *RATERS) == 2
    said = capsys.readouterr().err
    assert said.startswith("bilderatlas: museum: expected a file that can be written, got ")
    assert said.count("\n") == 1
    assert len(said) < 700
