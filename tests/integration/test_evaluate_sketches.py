"""evaluate sketches: agreement with people and the study of strokes, from the command to the files."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flows.cli import main
from tasks.io.files import contracts
from tasks.subjects.promises import broken_promises
from tests.support.freeze_contracts import PRODUCTS

SKETCHES = """sketch,method,photo,subset,mean_oks,clip_cosine
s1,a,p1,body,0.1,0.1
s2,b,p1,body,0.2,0.3
s3,c,p1,body,0.3,0.2
s4,a,p2,face,0.1,0.3
s5,b,p2,face,0.3,0.1
s6,c,p2,face,0.2,0.2
"""
ANSWERS = "person,sketch,question,value\n" + "".join(
    f"Ada,s{place},recognisability,{(place - 1) % 3 + 1}\n" for place in range(1, 7)
)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sketches.csv").write_text(SKETCHES)
    Path("answers.csv").write_text(ANSWERS)


def evaluate(*options: str, status: int = 0) -> None:
    words = ("evaluate", "sketches", "sketches.csv", "--answers", "answers.csv", "--out", "out")
    assert main([*words, "--bootstrap", "50", *options]) == status


def test_no_metric_is_better_than_one_that_has_other_photos(capsys):
    Path("half.csv").write_text("sketch,value\ns1,1\ns2,2\ns3,3\n")
    evaluate("--metric", "half=half.csv")
    printed = capsys.readouterr().out.partition("## Agreement")[2]
    assert "- half and mOKS are not compared: they have correlations on different photos.\n" in printed
    assert "half is" not in printed
    rows = pq.read_table("out/recognisability.parquet").to_pylist()
    assert [(row["system"], row["ahead_of"]) for row in rows if row["ahead_of"]] == [("mOKS", "S_CLIP")]


@pytest.mark.parametrize("name", ["mOKS", "S_CLIP", "SR"])
def test_no_other_metric_takes_the_place_of_one_of_ours(name: str, capsys):
    Path("other.csv").write_text("sketch,value\ns1,1\n")
    evaluate("--metric", f"{name}=other.csv", status=2)
    error = capsys.readouterr().err
    expected = "--metric: expected another name than those of our own metrics, mOKS, S_CLIP, SR, got "
    assert error == f"bilderatlas: {expected}{name!r}\n"


def test_people_who_are_compared_with_nothing_leave_no_empty_table(capsys):
    Path("answers.csv").write_text(ANSWERS.replace("recognisability", "simplicity"))
    evaluate()
    assert "## Agreement with people: simplicity: nothing to compare" in capsys.readouterr().out
    assert not Path("out/simplicity.parquet").exists()


def test_agreement_by_a_column_of_the_photos(capsys):
    evaluate("--by", "subset")
    printed = capsys.readouterr().out.partition("## Agreement")[2]
    assert printed.partition("rho by subset:\n\n")[2].splitlines() == [
        "| subset | mOKS | S_CLIP | first ahead by | photos |",
        "|---|---:|---:|---:|---:|",
        "| body | 1.000 | 0.500 | 0.500 | 1 |",
        "| face | 0.500 | -0.500 | 1.000 | 1 |",
    ]
    rows = pq.read_table("out/recognisability.parquet").to_pylist()
    assert {(row["attribute"], row["group"], row["units"]) for row in rows} == {
        (None, None, 2),
        ("subset", "body", 1),
        ("subset", "face", 1),
    }


def test_the_study_of_strokes_is_written_as_promised(capsys):
    rows = [
        f"s{place},clipasso,p{photo},body,{strokes},{value}"
        for place, (photo, strokes, value) in enumerate(
            [(1, 8, 0.2), (1, 16, 0.4), (2, 8, 0.3), (2, 16, 0.1), (3, 8, 1)]
        )
    ]
    Path("strokes.csv").write_text("\n".join(["sketch,method,photo,subset,strokes,mean_oks", *rows]))
    assert main(["evaluate", "sketches", "strokes.csv", "--bootstrap", "0", "--out", "out"]) == 0
    line = "| clipasso, body, mOKS | 8: 0.250, 16: 0.250 | 16: 0.500 | 16: 0.500 | 0.500 | 0.000 | 2 | 1 |"
    assert line in capsys.readouterr().out
    assert Path("out/strokes-mOKS.svg").exists()
    promised = {"strokes": contracts.read(str(PRODUCTS["evaluation"]))["strokes"]}
    assert list(broken_promises({"strokes": pq.read_table("out/strokes.parquet")}, promised)) == []


def test_without_numbers_of_strokes_there_is_no_table_of_them():
    evaluate()
    assert not list(Path("out").glob("strokes*"))
