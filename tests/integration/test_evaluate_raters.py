"""Raters by the command: joints of another scheme, pictures that are none."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from flows.cli import main
from flows.evaluate.detector import evaluate_detector

CORNERS = ("x_min", "y_min", "x_max", "y_max")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write_ratings(joints: int | None = None) -> None:
    """Two raters in two images, with so many joints each."""
    rows = []
    for image in ("a.png", "b.png"):
        for place, rater in enumerate(("Ada", "Ben")):
            box = dict(zip(CORNERS, (10 + place, 10, 60, 70), strict=True))
            keypoints = {} if joints is None else {"keypoints_xyv": [20 + place, 30, 2] * joints}
            rows.append({"rater": rater, "image": image, **box, "rating": 2 + place, **keypoints})
    Path("ratings.json").write_text(json.dumps(rows))


def evaluate(*options: str) -> int:
    return main(["evaluate", "raters", "ratings.json", "--bootstrap", "0", "--out", "out", *options])


def refused(capsys: Any, *options: str) -> str:
    """The one sentence of a refusal."""
    assert evaluate(*options) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_joints_of_a_scheme_with_sigmas_are_compared(capsys):
    write_ratings(17)
    assert evaluate() == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| all raters |")]
    assert 0 < float(line.split("|")[-2]) <= 1


def test_joints_of_a_scheme_without_sigmas_are_not_which_a_note_says(capsys):
    write_ratings(106)
    assert evaluate("--scheme", "face-106") == 0
    note = "no OKS of pairs: nobody has measured the sigmas of face-106"
    assert note in capsys.readouterr().err.splitlines()
    assert note in Path("out/raters.md").read_text()


@pytest.mark.parametrize(("scheme", "numbers"), [("coco-17", 51), ("face-106", 318)])
def test_another_number_of_joints_than_the_schemes_is_refused(scheme, numbers, capsys):
    write_ratings(3)
    said = refused(capsys, "--scheme", scheme)
    assert f"ratings: expected {numbers} numbers in keypoints_xyv" in said
    assert ", got 9 (" in said


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        pytest.param(",c.png,1,1", "pictures[2]: expected the name of an image, got None", id="no name"),
        pytest.param("c,c.png,-5,1", "pictures[2]: expected a width_px of at least 1, got -5", id="below 0"),
        pytest.param("c,c.png,1,0", "pictures[2]: expected a height_px of at least 1, got 0", id="0"),
        pytest.param("a.png,c.png,1,1", "pictures: expected each image once", id="twice"),
    ],
)
def test_odd_pictures_are_refused(line, sentence, capsys):
    write_ratings()
    Path("pictures.csv").write_text(f"image,file_name,width_px,height_px\na.png,,,\nb.png,x.png,1,1\n{line}\n")
    assert sentence in refused(capsys, "--pictures", "pictures.csv")
    assert not Path("out/consensus.json").exists()


def test_a_picture_without_a_file_name_has_the_images(tmp_path):
    write_ratings()
    Path("pictures.csv").write_text("image,file_name,width_px,height_px\na.png,,,\nb.png,x.png,1,1\n")
    assert evaluate("--pictures", "pictures.csv", "--images", str(tmp_path)) == 0
    images = json.loads(Path("out/consensus.json").read_text())["images"]
    assert [image["file_name"] for image in images] == ["a.png", "x.png"]
    assert "a.png" in Path("out/disagreement.html").read_text()


def test_names_without_an_ending_are_those_of_files_so_that_the_consensus_is_a_truth(tmp_path, capsys):
    rows = ["0007,0,0,9,9", "0008,0,0,9,9", "0009,0,0,9,9"]
    lines = [f"{rater},{row}" for rater in "ab" for row in rows]
    Path("ratings.csv").write_text("\n".join(["rater,image,x_min,y_min,x_max,y_max", *lines]) + "\n")
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ("0007.jpg", "0008.png"):
        Image.new("RGB", (20, 20)).save(folder / name)
    assert main(["evaluate", "raters", "ratings.csv", "--images", str(folder), "--out", "out", "--bootstrap", "0"]) == 0
    note = f"pictures: 2 of 3 images are in '{folder}'; none is called '0009'"
    assert note in capsys.readouterr().err.splitlines()
    assert f"- {note}" in Path("out/raters.md").read_text()
    images = json.loads(Path("out/consensus.json").read_text())["images"]
    assert [image["file_name"] for image in images] == ["0007.jpg", "0008.png", "0009"]
    box = {"category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.9}
    Path("found.json").write_text(json.dumps([{**box, "image_id": number} for number in (1, 2)]))
    said = evaluate_detector(
        "out/consensus.json", str(folder), results=["a=found.json"], store="store", protocol="voc", bootstrap=0
    )
    assert "| a | 1.000 |" in said.summary
