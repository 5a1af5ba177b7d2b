"""evaluate classification: classes in any order and number, from the command to the files."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from flows.cli import main
from tasks.io.files import contracts
from tasks.subjects.promises import broken_promises
from tests.support.freeze_contracts import PRODUCTS

WRITTEN = ("classes", "confusion", "scores")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def save(name: str, *rows: tuple[Any, Any], said: str = "predicted_class") -> str:
    """A table of (true class, prediction) as NAME=FILE."""
    images = [{"image": f"i{place}", "true_class": true, said: value} for place, (true, value) in enumerate(rows)]
    Path(f"{name}.json").write_text(json.dumps(images))
    return f"{name}={name}.json"


def evaluate(*tables: str, options: tuple[str, ...] = ()) -> Path:
    words = [word for table in tables for word in ("--predictions", table)]
    assert main(["evaluate", "classification", *words, "--bootstrap", "0", "--out", "out", *options]) == 0
    return Path("out")


def chart(path: Path) -> tuple[list[str | None], list[tuple[str, str, str | None]]]:
    """The names of its rows from above, and (name of the row, name of the column, number) of each number in it."""
    texts = [node for node in ET.parse(path).getroot().iter() if node.tag.endswith("text")]
    names = {float(node.get("y", 0)): node.text or "" for node in texts if node.get("class") == "end"}
    columns = {float(node.get("x", 0)): node.text or "" for node in texts if node.get("transform")}
    cells = [node for node in texts if node.get("class") == "mid"]
    shown = [(names[float(n.get("y", 0))], columns[float(n.get("x", 0))], n.text) for n in cells]
    return [names[y] for y in sorted(names)], shown


def test_a_chart_names_its_rows_and_columns_whatever_the_order_of_the_classes():
    table = save("ours", ("a", "a"), ("b", "c"), ("b", "c"), ("c", "c"))
    out = evaluate(table, options=("--set", "classes=[c, a, b]"))
    names, cells = chart(out / "confusion-1.svg")
    assert names == ["a", "b", "c"]
    assert cells == [("a", "a", "100"), ("b", "c", "100"), ("c", "c", "100")]


def test_so_it_does_with_probabilities():
    table = save("ours", ("a", [0.1, 0.8, 0.1]), ("b", [0.9, 0.1, 0]), said="probabilities")
    out = evaluate(table, options=("--set", "classes=[c, a, b]"))
    assert chart(out / "confusion-1.svg")[1] == [("a", "a", "100"), ("b", "c", "100")]


def test_a_class_that_only_one_table_has_is_in_the_charts_of_all():
    out = evaluate(save("ours", ("a", "a"), ("c", "c")), save("theirs", ("a", "b"), ("c", "c")))
    for chart_of, first in (("confusion-1.svg", ("a", "a", "100")), ("confusion-2.svg", ("a", "b", "100"))):
        assert chart(out / chart_of) == (["a", "b", "c"], [first, ("c", "c", "100")])


def test_a_class_beside_those_that_are_given_is_in_the_charts_of_all():
    tables = save("ours", ("a", "a"), ("c", "c")), save("theirs", ("a", "b"), ("c", "c"))
    out = evaluate(*tables, options=("--set", "classes=[c, a]"))
    assert [chart(out / name)[0] for name in ("confusion-1.svg", "confusion-2.svg")] == [["a", "b", "c"]] * 2


def test_a_table_of_twenty_thousand_classes_is_scored_and_one_more_is_refused(capsys):
    rows = [(f"c{place:05}", f"c{place ^ 1:05}") for place in range(20_000)]
    out = evaluate(save("ours", *rows), options=("--bootstrap", "5"))
    assert pq.read_metadata(out / "confusion.parquet").num_rows == 20_000
    assert pq.read_metadata(out / "classes.parquet").num_rows == 20_000
    assert pq.read_metadata(out / "scores.parquet").num_rows == 5
    assert not list(out.glob("confusion*.svg"))
    capsys.readouterr()
    table = save("ours", *rows, ("one", "more"))
    assert main(["evaluate", "classification", "--predictions", table]) == 2
    assert capsys.readouterr().err == "bilderatlas: ours: expected at most 20,000 classes, got 20,002\n"


def test_tables_keep_their_contracts():
    promised = {name: of for name, of in contracts.read(str(PRODUCTS["evaluation"])).items() if name in WRITTEN}
    out = evaluate(save("ours", ("a", "b"), ("c", "c")))
    assert list(broken_promises({name: pq.read_table(out / of.path) for name, of in promised.items()}, promised)) == []


def test_accuracy_by_true_class_is_recall_and_by_predicted_class_precision():
    rows = [("a", "a"), ("a", "b"), ("a", "a"), ("b", "b"), ("b", "c"), ("c", "c")]
    evaluate(save("ours", *rows), options=("--by", "true_class", "--by", "predicted_class"))
    classes = {row["class"]: row for row in pq.read_table("out/classes.parquet").to_pylist()}
    got = {
        (row["attribute"], row["group"]): row["value"]
        for row in pq.read_table("out/scores.parquet").to_pylist()
        if row["metric"] == "accuracy" and row["attribute"]
    }
    assert got == {("true_class", name): row["recall"] for name, row in classes.items()} | {
        ("predicted_class", name): row["precision"] for name, row in classes.items()
    }
    assert got["predicted_class", "b"] == 0.5
