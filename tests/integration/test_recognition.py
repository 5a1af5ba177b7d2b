"""Recognition from the command line: the order of rows, whole numbers as pandas writes them, and sizes of numbers."""

import csv
import json
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from flows.cli import main
from tasks.io.files import contracts
from tasks.subjects.promises import broken_promises
from tests.support.desk import ROOT
from tests.support.freeze_contracts import PRODUCTS
from tests.support.protocol_pages import command, section, type_files

PAGE = section(ROOT / "docs/evaluating/recognition.md")
GALLERY, TEST = ("--gallery", "gallery.csv"), ("--test", "test.csv")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The files of the page, in the current folder."""
    monkeypatch.chdir(tmp_path)
    type_files(PAGE, tmp_path)
    return tmp_path


def evaluated(capsys, *words: str) -> str:
    assert main(["evaluate", "recognition", *words]) == 0
    return capsys.readouterr().out


def reorder(name: str, order: Sequence[int]) -> None:
    """Other places for the rows of a table and for its vectors."""
    table, vectors = Path(f"{name}.csv"), Path(f"{name}.json")
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    table.write_text("\n".join([head, *(rows[place] for place in order)]) + "\n", encoding="utf-8")
    several = json.loads(vectors.read_text(encoding="utf-8"))
    vectors.write_text(json.dumps([several[place] for place in order]), encoding="utf-8")


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_order_of_rows_does_not_matter(folder, capsys):
    words = (*command(PAGE)[2:], "--by", "type")
    printed = evaluated(capsys, *words)
    files = files_of(folder / "build/recognition")
    for name, order in (("gallery", (3, 1, 0, 2)), ("val", (2, 0, 1)), ("test", (4, 2, 0, 3, 1))):
        reorder(name, order)
    assert evaluated(capsys, *words) == printed
    assert files_of(folder / "build/recognition") == files


def test_classes_as_pandas_writes_them_where_some_are_missing_are_those_of_the_gallery(folder, capsys):
    words = command(PAGE)[2:]
    printed = evaluated(capsys, *words)
    numbers = {"vase": "10", "mask": "436532", "robe": "7"}
    for name, ending in (("gallery", ""), ("val", ".0"), ("test", ".0")):
        rows = list(csv.DictReader((folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()))
        with (folder / f"{name}.csv").open("w", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows({**row, "class": row["class"] and numbers[row["class"]] + ending} for row in rows)
    assert evaluated(capsys, *words) == printed


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_numbers_of_any_size_are_whitened(folder, capsys, size):
    words = [word for word in command(PAGE)[2:] if word not in ("--set", "whiten=false")]
    printed = evaluated(capsys, *words)
    for name in ("gallery", "val", "test"):
        rows = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        several = [{"vector": [number * size for number in row["vector"]]} for row in rows]
        (folder / f"{name}.json").write_text(json.dumps(several), encoding="utf-8")
    assert evaluated(capsys, *words) == printed


def test_the_page_makes_descriptors_from_python(folder):
    text = (ROOT / "docs/evaluating/recognition.md").read_text(encoding="utf-8")
    program = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[-1]
    exec(textwrap.dedent(program), {})
    descriptors = np.load("gallery.npy")
    assert descriptors.shape == (4, 512)
    assert np.linalg.norm(descriptors, axis=1) == pytest.approx(1)


def scores_of(system: str) -> list[tuple[object, ...]]:
    rows = pq.read_table("build/recognition/scores.parquet").to_pylist()
    own = [row for row in rows if row["system"] == system and row["ahead_of"] is None]
    return [(row["metric"], row["value"], row["low"], row["high"]) for row in own]


def test_predictions_of_another_program_are_scored_like_those_of_vectors(folder, capsys):
    words = command(PAGE)[2:]
    evaluated(capsys, *words)
    pq.write_table(pq.read_table("build/recognition/predictions.parquet"), "again.parquet")
    evaluated(capsys, *words, "--predictions", "again=again.parquet")
    assert scores_of("again") == scores_of("mine")
    assert pq.read_table("build/recognition/sizes.parquet")["compared_with"].to_pylist() == ["again"] * 2 + [None] * 2
    assert set(pq.read_table("build/recognition/grid.parquet")["system"].to_pylist()) == {"mine"}


def test_predictions_alone_need_no_vectors_and_no_validation_queries(folder, capsys):
    rows = ("id,prediction,confidence", "t2,mask,4", "t1,vase,9", "t3,lamp,-2", "t4,robe,5", "t5,vase,-9")
    (folder / "arcface.csv").write_text("\n".join(rows))
    words = ("--predictions", "arcface=arcface.csv", "--out", "out", "--bootstrap", "9")
    printed = evaluated(capsys, *GALLERY, *TEST, *words)
    assert "| arcface | 0.556 |" in printed, "(1 + 2 / 3) / 3"
    assert "## k, temperature" not in printed
    page = (folder / "out/recognition.md").read_text(encoding="utf-8")
    assert "arcface: 1 prediction of a class that the gallery does not have, which is wrong" in page
    promised = contracts.read(str(PRODUCTS["evaluation"]))
    tables = {path.stem: pq.read_table(path) for path in (folder / "out").glob("*.parquet")}
    assert set(tables) == {"scores", "predictions", "distractors", "sizes"}
    assert list(broken_promises(tables, {name: promised[name] for name in tables})) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "--system: expected a system as NAME=GALLERY,VAL,TEST, or --predictions NAME=FILE, got neither"),
        (("--predictions", "a=a.csv"), "a: expected a prediction for each test query, got none for 4 queries"),
        (("--predictions", "a=b.csv"), "a: expected the column 'confidence'"),
        (
            ("--predictions", "a=a.csv", "--system", "a=gallery.json,test.json"),
            "--predictions: expected other names than those of --system, got 'a' in both",
        ),
        (("--system", "a=gallery.json,test.json"), "--val: expected queries to choose k and the temperature by"),
    ],
)
def test_odd_predictions_are_refused_in_one_sentence(folder, capsys, words, sentence):
    (folder / "a.csv").write_text("id,prediction,confidence\nt2,mask,0.4\n")
    (folder / "b.csv").write_text("id,prediction\nt2,mask\n")
    assert main(["evaluate", "recognition", *GALLERY, *TEST, *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in printed.err
    assert printed.err.count("\n") == 1
