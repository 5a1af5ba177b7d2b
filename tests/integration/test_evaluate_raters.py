"""Raters by the command: joints of another scheme, pictures that are none."""

import json
from pathlib import Path
from typing import Any

import pytest

from flows.cli import main

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
