"""Odd input of the protocols that read tables: status 2 and one sentence, which names what is wrong."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from flows.cli import main
from tests.support.protocol_pages import PAGES, command, section, type_files

Change = Callable[[Path], None]


def line(name: str, *rows: str) -> Change:
    """Rows added to a CSV file."""

    def change(folder: Path) -> None:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.writelines(f"{row}\n" for row in rows)

    return change


def only(name: str, rows: int) -> Change:
    """A CSV file of its header and so many rows."""

    def change(folder: Path) -> None:
        lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[: rows + 1]), encoding="utf-8")

    return change


def vectors(name: str, *rows: list[float]) -> Change:
    """Other vectors in a JSON file, infinity and NaN as Python writes them."""

    def change(folder: Path) -> None:
        (folder / name).write_text(json.dumps([{"vector": row} for row in rows]), encoding="utf-8")

    return change


def no_rows(folder: Path) -> None:
    (folder / "rows.json").write_text("[]", encoding="utf-8")


def repeated_ids(folder: Path) -> None:
    (folder / "ids.csv").write_text("id,class\n7,x\n8,x\n7,x\n", encoding="utf-8")


def header(name: str, names: str) -> Change:
    """A CSV file with other names of columns."""

    def change(folder: Path) -> None:
        lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join([f"{names}\n", *lines[1:]]), encoding="utf-8")

    return change


def no_names(folder: Path) -> None:
    (folder / "ids.csv").write_text("name\nx\ny\nz\n", encoding="utf-8")


def nothing(_folder: Path) -> None: ...


CASES = [
    ("raters", line("ratings.csv", "Dan,guitarist,5,5,1,9,2"), [], "ratings: expected x_max above x_min"),
    (
        "raters",
        line("ratings.csv", "Dan,guitarist,1,1,5,nan,2"),
        [],
        "ratings: expected all four corners of a box or none, got [1.0, 1.0, 5.0, None]",
    ),
    (
        "raters",
        line("ratings.csv", "Dan,guitarist,1,1,5,9,6"),
        [],
        "expected a whole number from 1 to 5 in rating",
    ),
    ("raters", line("ratings.csv", "Ada,guitarist,10,10,50,50,2"), [], "ratings: expected each box once"),
    ("raters", line("ratings.csv", "Ada,guitarist,,,,,2"), [], "ratings: expected"),
    ("raters", only("ratings.csv", 1), [], "ratings: expected at least two raters"),
    ("raters", only("ratings.csv", 0), [], "ratings: expected"),
    (
        "raters",
        line("ratings.csv", "mean of raters,guitarist,1,1,5,9,2"),
        [],
        "ratings: expected other names of raters than that of their mean, got 'mean of raters'",
    ),
    ("raters", nothing, ["--scheme", "nobody"], "--scheme: expected"),
    ("raters", nothing, ["--set", "consensus=vote"], "consensus: expected"),
    ("raters", nothing, ["--set", "iou=2"], "iou: expected"),
    ("raters", nothing, ["--set", "bandwidth=1e-320"], "bandwidth: expected"),
    ("recognition", line("gallery.csv", "g1,vase"), [], "gallery: expected each id once"),
    ("recognition", line("gallery.csv", "g5,vase"), [], "mine, gallery: expected vectors of shape (5, dimensions)"),
    ("recognition", line("test.csv", "t6,lamp,met"), [], "test: expected classes of the gallery"),
    ("recognition", only("gallery.csv", 2), [], "gallery: expected at least two classes"),
    ("recognition", only("test.csv", 0), [], "test: expected queries, got none"),
    ("recognition", vectors("test.json", [1, 2], [3]), [], "mine, test: expected lists of one length"),
    ("recognition", vectors("test.json", *[[1.0, 2.0]] * 5), [], "mine, test: expected 3 dimensions as in the gallery"),
    ("recognition", vectors("test.json", *[[1.0, 2.0, float("nan")]] * 5), [], "got NaN, which JSON does not have"),
    ("recognition", nothing, ["--by", "colour"], "test: expected the column 'colour', got the columns 'id'"),
    ("recognition", nothing, ["--system", "mine=a,b,c"], "--system: expected each name once"),
    ("recognition", nothing, ["--system", "other=a,b"], "--system: expected other=GALLERY,VAL,TEST, got 2 files"),
    ("recognition", nothing, ["--set", "k=[]"], "k: expected"),
    (
        "sketches",
        line("sketches.csv", "s1,contour,p9,body,,,,2,1"),
        [],
        "sketches[6]: expected each sketch once",
    ),
    ("sketches", only("sketches.csv", 0), [], "sketches: expected a table of sketches, got one without rows"),
    (
        "sketches",
        line("sketches.csv", "s9,,p1,body,,,,2,1"),
        [],
        "sketches[6]: expected a text in method, got an empty cell",
    ),
    ("sketches", line("sketches.csv", "s9,x,p1,body,,0.2,0.25,2,0"), [], "sketches[6]: expected"),
    ("sketches", line("sketches.csv", "s9,x,p1,body,,7,0.25,2,1"), [], "sketches[6]: expected"),
    ("sketches", line("answers.csv", "Ada,s99,recognisability,2"), [], "answers[4]: expected"),
    ("sketches", line("answers.csv", "Ada,s2,beauty,2"), [], "answers[4]: expected"),
    ("sketches", nothing, ["--metric", "mine=nope.csv"], "mine: expected a file, got 'nope.csv'"),
    ("sketches", nothing, ["--by", "method"], "--by method: expected one value for all sketches of a photo"),
    ("sketches", nothing, ["--set", "alphas=[1, 1]"], "alphas: expected each once"),
    ("generation", vectors("samples.json", [1.0, 2.0]), [], "expected"),
    ("generation", vectors("samples.json", [1.0], [2.0], [3.0]), [], "expected"),
    ("generation", vectors("samples.json", *[[1e308, 0.0]] * 3), [], "expected"),
    ("generation", vectors("classes.json", [0.5, 0.1], [1, 0], [1, 0]), [], "probabilities: expected"),
    ("generation", vectors("classes.json", [1, 0]), [], "expected"),
    ("generation", nothing, ["--system", "ours=others.json"], "--system: expected each name once"),
    ("generation", nothing, ["--system", "more=others.json,oddly=others.json"], "KIND one of manifold, probabilities"),
    ("generation", nothing, ["--system", "more=others.json,manifold=others.json"], "more: expected manifold=FILE"),
    ("generation", nothing, ["--system", "more=table=real.json"], "more: expected features, got none"),
    ("generation", repeated_ids, ["--system", "more=others.json,table=ids.csv"], "more, table: expected each id once"),
    ("generation", repeated_ids, ["--reference", "others.json,table=ids.csv"], "reference, table: expected each id"),
    ("generation", repeated_ids, ["--training", "others.json,table=ids.csv"], "training, table: expected each id once"),
    ("classification", line("ours.csv", "1,Baroque,Baroque,1650"), [], "ours[4]: expected each image once"),
    ("classification", line("ours.csv", "5,Baroque,Baroque,1650"), [], "theirs: expected the images of ours"),
    ("classification", only("ours.csv", 0), [], "ours: expected a table of predictions, got one without rows"),
    ("classification", only("theirs.csv", 0), [], "theirs: expected a table of predictions, got one without rows"),
    ("classification", no_rows, ["--predictions", "more=rows.json"], "more: expected a table of predictions, got one"),
    (
        "classification",
        line("ours.csv", "5,,Baroque,1650"),
        [],
        "ours[4]: expected a text in true_class, got an empty cell",
    ),
    ("classification", nothing, ["--predictions", "ours"], "--predictions: expected NAME=..., got 'ours'"),
    ("classification", nothing, ["--set", "top=yes"], "top: expected"),
    (
        "classification",
        header("ours.csv", "file,label,prediction,year"),
        [],
        "ours: expected the columns 'image', 'true_class', got the columns 'file', 'label', 'prediction', 'year'",
    ),
    (
        "sketches",
        header("answers.csv", "who,sketch,question,value"),
        [],
        "answers: expected the column 'person', got the columns 'who', 'sketch', 'question', 'value'",
    ),
    (
        "generation",
        no_names,
        ["--system", "more=others.json,table=ids.csv"],
        "more, table: expected the column 'id' or",
    ),
]


@pytest.mark.parametrize(("protocol", "change", "options", "sentence"), CASES)
def test_odd_input_is_refused_in_one_sentence(protocol, change, options, sentence, tmp_path, monkeypatch, capsys):
    (page,) = [page for page in PAGES if page.stem == protocol]
    text = section(page)
    monkeypatch.chdir(tmp_path)
    type_files(text, tmp_path)
    change(tmp_path)
    assert main([*command(text), *options]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in printed.err
    assert printed.err.startswith("bilderatlas: ")
    assert printed.err.count("\n") == 1
    assert not (tmp_path / "build" / protocol / f"{protocol}.md").exists()


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        pytest.param(np.full((4, 3), np.nan, np.float32), "expected finite numbers", id="NaN"),
        pytest.param(np.full((4, 3), np.inf, np.float32), "expected finite numbers", id="infinity"),
        pytest.param(np.ones((4, 3), np.int64), "expected vectors of real numbers", id="whole numbers"),
        pytest.param(np.ones(4), "with a row for each item, got 1 dimension", id="flat"),
        pytest.param(np.array([[{}] * 3] * 4, object), "expected an array of numbers (.npy)", id="objects"),
        pytest.param(np.ones((4, 0), np.float32), "expected vectors of shape", id="no dimension"),
        pytest.param(np.ones((3, 3), np.float32), "expected vectors of shape (4, dimensions)", id="too few"),
        pytest.param(np.eye(4, 200_000, dtype=np.float32), "expected 200000 dimensions as in the gallery", id="wide"),
    ],
)
def test_odd_arrays_are_refused_in_one_sentence(array, sentence, tmp_path, monkeypatch, capsys):
    (page,) = [page for page in PAGES if page.stem == "recognition"]
    text = section(page)
    monkeypatch.chdir(tmp_path)
    type_files(text, tmp_path)
    np.save(tmp_path / "gallery.npy", array, allow_pickle=True)
    words = [word.replace("gallery.json", "gallery.npy") for word in command(text)]
    assert main(words) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("kind", ["features", "manifold", "probabilities"])
def test_an_array_of_many_rows_without_columns_takes_no_room(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "samples.npy", np.ones((10**6, 0), np.float32))
    tracemalloc.start()
    text = "samples.npy" if kind == "features" else f"{kind}=samples.npy"
    assert main(["evaluate", "generation", "--system", f"ours={text}"]) == 2
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    expected = f"ours, {kind}: expected a table of numbers with rows and columns, got 1000000 x 0 of float32"
    assert expected in capsys.readouterr().err
    assert peak < 40e6  # a name for each row took 60 MB


def test_classes_that_look_like_numbers_are_the_same_classes_in_both_columns(tmp_path, capsys):
    """Only one of the two columns has a class that is not whole: every 2.0 is nevertheless a 2.0."""
    rows = "image,true_class,predicted_class\n1,1.0,1.0\n2,2.0,2.0\n3,2.0,2.5\n"
    (tmp_path / "ours.csv").write_text(rows, encoding="utf-8")
    assert main(["evaluate", "classification", "--predictions", f"ours={tmp_path / 'ours.csv'}"]) == 0
    assert "| ours | 0.667 |" in capsys.readouterr().out


def test_a_category_without_a_name_is_refused(tmp_path, monkeypatch, capsys):
    (page,) = [page for page in PAGES if page.stem == "raters"]
    monkeypatch.chdir(tmp_path)
    type_files(section(page), tmp_path)
    assert main([*command(section(page)), "--category", " "]) == 2
    assert capsys.readouterr().err == "bilderatlas: --category: expected the name of a category, got ' '\n"
    assert not (tmp_path / "build/raters/consensus.json").exists()
