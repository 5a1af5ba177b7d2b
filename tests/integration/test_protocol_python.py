"""The pages' lines of Python, run as they stand on files of the kind that they read."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from flows.cli import main
from tests.support.desk import ROOT
from tests.support.protocol_pages import command, section, type_files

EVALUATING = ROOT / "docs/evaluating"


def program(page: str, word: str) -> str:
    """The block of Python on a page that has this word in it."""
    blocks = re.findall(r"^```python\n(.*?)^```", (EVALUATING / page).read_text(encoding="utf-8"), re.DOTALL | re.M)
    (block,) = [block for block in blocks if word in block]
    return str(block)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_mets_own_files_become_tables(folder: Path):
    files = {
        "MET_database": [{"id": 7, "path": "images/MET/7/0.jpg"}, {"id": 9, "path": "images/MET/9/0.jpg"}],
        "valset": [{"path": "images/test_met/a.jpg", "MET_id": 7}, {"path": "images/test_other/b.jpg"}],
        "testset": [{"path": "images/test_met/c.jpg", "MET_id": 9}, {"path": "images/test_noart/d.jpg"}],
    }
    for name, rows in files.items():
        (folder / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
    exec(program("recognition.md", "MET_database"), {})
    for name, vectors in {"g": [[1, 0], [0, 1]], "v": [[1, 0.1], [0.7, 0.7]], "t": [[0.1, 1], [0.7, 0.7]]}.items():
        (folder / f"{name}.json").write_text(json.dumps([{"vector": one} for one in vectors]), encoding="utf-8")
    tables = ("--gallery", "MET_database.csv", "--val", "valset.csv", "--test", "testset.csv")
    words = ("--system", "mine=g.json,v.json,t.json", "--set", "whiten=false", "--bootstrap", "0")
    assert main(["evaluate", "recognition", *tables, *words]) == 0


@pytest.mark.parametrize("by", [1, {"id": 1, "email": "a@example.org"}])
def test_label_studios_export_becomes_a_table_of_raters(folder: Path, by: Any, capsys: pytest.CaptureFixture[str]):
    box = {
        "value": {"x": 10, "y": 20, "width": 50, "height": 40, "rectanglelabels": ["person"]},
        "original_width": 200,
        "original_height": 100,
    }
    tasks = [
        {
            "data": {"image": "/data/upload/1/a.jpg"},
            "annotations": [
                {"completed_by": by, "result": [box, {"value": {"rating": 4}}]},
                {"completed_by": 2, "result": []},
                {"completed_by": 3, "result": [], "was_cancelled": True},
            ],
        }
    ]
    (folder / "export.json").write_text(json.dumps(tasks), encoding="utf-8")
    exec(program("raters.md", "rectanglelabels"), {})
    assert (folder / "ratings.csv").read_text().splitlines() == [
        "rater,image,rating,x_min,y_min,x_max,y_max",
        "1,a.jpg,4,20.0,20.0,120.0,60.0",
        "2,a.jpg,,,,,",
    ]
    assert main(["evaluate", "raters", "ratings.csv", "--bootstrap", "0"]) == 0
    assert "mean of raters" in capsys.readouterr().out


def test_the_complexity_of_a_picture_rises_with_what_is_in_it(folder: Path):
    names: dict[str, Any] = {}
    exec(program("sketches.md", "def complexity"), names)
    Image.new("RGB", (64, 64), "white").save(folder / "empty.png")
    Image.effect_noise((64, 64), 90).save(folder / "full.png")
    assert 0 < names["complexity"]("empty.png") < names["complexity"]("full.png")


def test_the_cells_of_the_confusion_matrix_become_a_table(folder: Path, capsys: pytest.CaptureFixture[str]):
    text = section(EVALUATING / "classification.md")
    type_files(text, folder)
    assert main(command(text)) == 0
    capsys.readouterr()
    exec(program("classification.md", "pivot"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("predicted_class")
    assert lines[1].split() == ["true_class"]
    assert len(lines) > 3
