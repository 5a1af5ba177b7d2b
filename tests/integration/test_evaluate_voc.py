"""Detectors by PASCAL VOC's rule, against the consensus that `evaluate raters` has written."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

from flows.cli import main
from flows.evaluate.detector import evaluate_detector
from schemas.errors import BadInput

BOXES = {"a.png": [5, 5, 25, 35], "b.png": [10, 8, 40, 30], "c.png": [0, 0, 20, 20], "d.png": [3, 3, 30, 38]}


@pytest.fixture(autouse=True)
def _truth(tmp_path, monkeypatch):
    """Four pictures with a figure in each, one of unknown deformation, and a detector that finds all of them."""
    monkeypatch.chdir(tmp_path)
    Path("pictures").mkdir()
    images, figures, results = [], [], []
    for number, (name, (left, top, right, bottom)) in enumerate(BOXES.items(), 1):
        Image.new("RGB", (60, 40), (50 * number, 90, 10)).save(Path("pictures") / name)
        metadata = {"deformation": 1 + number // 3 if number < 4 else None}
        images.append({"id": number, "file_name": name, "width": 60, "height": 40, "metadata": metadata})
        box = [left, top, right - left, bottom - top]
        figures.append({"id": number, "image_id": number, "category_id": 1, "bbox": box, "area": 1, "iscrowd": 0})
        results.append({"image_id": number, "category_id": 1, "bbox": box, "score": -number})
    document = {"images": images, "annotations": figures, "categories": [{"id": 1, "name": "person"}]}
    Path("consensus.json").write_text(json.dumps(document))
    Path("dpm.json").write_text(json.dumps(results))


def run(**options: Any) -> str:
    common = {"images": "pictures", "results": ["dpm=dpm.json"], "bootstrap": 0, "out": "out", "protocol": "voc"}
    return evaluate_detector("consensus.json", **{**common, **options}).summary


def units() -> dict[tuple[str, str], int]:
    """How many images each group has."""
    rows = pq.read_table("out/scores.parquet").to_pylist()
    return {(row["attribute"], row["group"]): row["units"] for row in rows if row["attribute"] is not None}


def test_margins_below_0_are_scores():
    assert "| dpm | 1.000 |" in run()
    rows = pq.read_table("out/scores.parquet").to_pylist()
    is_score = [row for row in rows if row["metric"] == "score_at_F" and row["attribute"] is None]
    assert {row["system"]: row["value"] for row in is_score}["dpm"] == -4


def test_ratings_of_images_that_the_truth_does_not_have_are_noted(capsys):
    Path("ratings.csv").write_text("image_id,rating\n1,5\n2,4\n2,5\n99,1\n98,1\n98,2\n")
    run(ratings="ratings.csv")
    assert units() == {("deformation", "5"): 2, ("deformation", "unknown"): 2}
    note = "--ratings: left out 2 images that the truth does not have (98, 99)"
    assert note in capsys.readouterr().err.splitlines()
    assert note in Path("out/voc.md").read_text()


@pytest.mark.parametrize("ids", [(99, 98), ()])
def test_ratings_of_no_image_of_the_truth_are_refused(ids):
    Path("ratings.csv").write_text("\n".join(["image_id,rating", *(f"{number},2" for number in ids)]) + "\n")
    with pytest.raises(BadInput, match=r"--ratings: expected ratings of the truth's images, got ratings of \d others?"):
        run(ratings="ratings.csv")


def test_how_deformed_figures_are_comes_from_the_consensus_itself():
    run()
    assert units() == {("deformation", "1"): 2, ("deformation", "2"): 1, ("deformation", "unknown"): 1}


def people(*names: str) -> None:
    """Two raters who agree in all images but the last."""
    rows = [f"{rater},{name},1,1,{20 + 5 * place},30,1" for name in names for place, rater in enumerate(("Ada", "Ben"))]
    rows[-1] = f"Ben,{names[-1]},50,1,59,9,1"
    Path("people.csv").write_text("\n".join(["rater,image,x_min,y_min,x_max,y_max,rating", *rows]) + "\n")


@pytest.mark.parametrize("names", [("a.png", "b.png", "z.png"), ("a", "b", "z")])
def test_dots_of_people_are_over_the_truths_images(names, capsys):
    people(*names)
    run(people="people.csv")
    note = "dots of people: over 2 images of the truth, each against the consensus of the others"
    assert note in capsys.readouterr().err.splitlines()


def test_dots_of_people_who_saw_other_images_say_so():
    people("x", "y", "z")
    run(people="people.csv")
    assert "dots of people: over all 3 images of their own file" in Path("out/voc.md").read_text()


@pytest.mark.parametrize(
    ("options", "names"),
    [
        pytest.param({"ratings": "r.csv", "people": "p.csv"}, "--ratings, --people", id="tables"),
        pytest.param({"far_corner": "x+w-1"}, "--far-corner", id="the default, given"),
        pytest.param({"iou": 0.5}, "--iou", id="overlap"),
    ],
)
def test_options_of_voc_are_refused_with_cocos_rule(options, names, capsys):
    with pytest.raises(BadInput, match=f"^expected --protocol voc with {names}, got --protocol coco$"):
        run(protocol="coco", **options)
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    assert main(["evaluate", "detector", "consensus.json", "--results", "dpm=dpm.json", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_score_of_cocos_rule_is_refused_with_vocs(capsys):
    words = ["--results", "dpm=dpm.json", "--protocol", "voc", "--score", "0.5"]
    assert main(["evaluate", "detector", "consensus.json", *words]) == 2
    assert capsys.readouterr().err == "bilderatlas: expected --protocol coco with --score, got --protocol voc\n"


def test_the_overlap_from_which_a_box_is_right():
    rows = json.loads(Path("dpm.json").read_text())
    rows = [{**row, "bbox": [*row["bbox"][:3], row["bbox"][3] * 0.6]} for row in rows]
    Path("dpm.json").write_text(json.dumps(rows))
    assert "| dpm | 1.000 |" in run()
    assert "| dpm | 0.000 |" in run(iou=0.7)
    assert "from an IoU of 0.7 on" in Path("out/voc.md").read_text()
    with pytest.raises(BadInput, match="iou: expected"):
        run(iou=0.0)
