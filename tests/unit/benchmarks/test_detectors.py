"""The comparison's benchmark: what a painting without XML says, and how scores become lines of a table."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.detectors import BOXES, _rows, coco, ratios

XML = (
    "<annotation><object><name>person</name>"
    "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>20</ymax></bndbox></object></annotation>"
)


@pytest.fixture
def paintings(tmp_path: Path) -> Path:
    for style, names in (("Cubism", ("a.jpg",)), ("Rococo", ("a.jpg", "b.jpg"))):
        (tmp_path / "JPEGImages" / style).mkdir(parents=True)
        for name in names:
            (tmp_path / "JPEGImages" / style / name).touch()
    (tmp_path / "Annotations" / "Rococo").mkdir(parents=True)
    (tmp_path / "Annotations" / "Rococo" / "a.jpg.xml").write_text(XML, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("missing", "looked"), [("unknown", [False, True, False]), ("none", [True, True, True])])
def test_a_painting_without_xml_was_looked_at_only_by_the_authors_word(
    paintings: Path, missing: str, looked: list[bool]
):
    document = coco(paintings, missing)
    assert [image["is_annotated"] for image in document["images"]] == looked
    assert [image["file_name"] for image in document["images"]] == ["Cubism/a.jpg", "Rococo/a.jpg", "Rococo/b.jpg"]
    assert document["annotations"] == [{"id": 1, "image_id": 2, "category_id": 1, "bbox": [0, 0, 10, 20], "iscrowd": 0}]


def score(metric: str, value: float | None, group: str | None = None, low: float | None = None) -> dict[str, Any]:
    return {
        "system": "A-1",
        "group": group,
        "metric": metric,
        "value": value,
        "low": low,
        "high": low,
        "ahead_of": None,
        "units": 3,
    }


def test_scores_become_lines_and_what_is_not_defined_stays_blank():
    scores = [
        score(metric, None if metric == "APS" else 0.12345, low=0.1 if metric == "AP" else None) for metric in BOXES
    ] + [score("figures", 1), {**score("AP", 0.1), "ahead_of": "B"}]
    (line,) = _rows(scores, "unknown", BOXES)
    assert (line["AP"], line["APS"], line["AP low"], line["style"]) == (0.1235, "", 0.1, "all")
    assert (line["images"], line["figures"]) == (3, 1)
    assert ratios([*scores, score("AP", 0.9, "Rococo")], [score("image_f1", 0.5), score("image_auc", None)]) == {
        "a_1_ap": 0.1235,
        "a_1_ap50": 0.1235,
        "a_1_image_f1": 0.5,
    }
