"""Each rule of the contract about values: a good row keeps all, a row that is broken in one column is told."""

import copy
from typing import Any

import pytest

from tasks.core.coco.document import media_path
from tasks.core.verify_rows import (
    ImageEntry,
    LedgerEntry,
    ReleaseFacts,
    annotation_rules,
    broken_rules,
    category_problems,
    coco_value_problems,
    image_rules,
    ledger_rules,
)
from tests.support.broken_rules import CASES, Case

SHA256 = "ab" * 32
MEDIA = media_path(SHA256, "PNG")
IMAGE: dict[str, Any] = {
    "record_id": "museum:1",
    "source": "museum",
    "image_id": 7,
    "source_url": "https://a",
    "source_urls": ["https://a", "https://b"],
    "image_url": None,
    "title": "A Room",
    "artist": None,
    "style": "Baroque",
    "styles": ["Baroque"],
    "year": 1650,
    "rights_uri": "https://creativecommons.org/publicdomain/zero/1.0/",
    "rights_basis": "recipe: me: it is old",
    "sha256": SHA256,
    "phash_recipe": "phash64/look-v3",
    "width_px": 100,
    "height_px": 80,
    "format": "PNG",
    "group_id": "museum:1",
    "split": "train",
    "folder": "train",
    "is_annotated": True,
    "image": {"bytes": None, "path": MEDIA},
    "path": MEDIA,
}
PEOPLES: dict[str, Any] = {
    "annotation_id": 3,
    "image_id": 7,
    "record_id": "museum:1",
    "split": "train",
    "folder": "train",
    "category_id": 1,
    "xywh_px": [-1.0, 2.0, 300.0, 4.0],
    "area_px2": 1200.0,
    "is_crowd": False,
    "keypoints_xyv": [1.0, 2.0, 1.0] * 17,
    "score": None,
    "origin": "source",
    "origin_name": "source",
}
DETECTORS = {
    **PEOPLES,
    "annotation_id": 4,
    "xywh_px": [0.0, 0.0, 100.0, 80.0],
    "area_px2": 8000.0,
    "keypoints_xyv": None,
    "score": 0.123,
    "origin": "detector",
    "origin_name": "yolox@0123456789ab",
}
KEPT: dict[str, Any] = {
    "record_id": "museum:1",
    "source": "museum",
    "kept": True,
    "stage": None,
    "reason": None,
    "kept_record_id": None,
    "last_split": "train",
    "image_id": 7,
    "sha256": SHA256,
}
DROPPED = {
    **KEPT,
    "record_id": "museum:2",
    "kept": False,
    "stage": "dedup",
    "reason": "exact_duplicate",
    "kept_record_id": "museum:1",
    "last_split": None,
    "image_id": 8,
}
ROWS = {"images": [IMAGE], "annotations": [PEOPLES, DETECTORS], "ledger": [KEPT, DROPPED]}
KEYS = {"images": "record_id", "annotations": "annotation_id", "ledger": "record_id"}
FACTS = ReleaseFacts(
    ["train", "val", "test"],
    ["person", "source", "detector"],
    ["exact_duplicate", "gone"],
    {"museum:1": LedgerEntry(7, SHA256, "train"), "museum:2": LedgerEntry(8, SHA256, None)},
    {7: ImageEntry("museum:1", "train", 100, 80, is_annotated=True)},
    1,
    {MEDIA},
)


def problems(table: str, rows: list[dict[str, Any]]) -> list[str]:
    rules = {"images": image_rules, "annotations": annotation_rules, "ledger": ledger_rules}[table](FACTS)
    return list(broken_rules(table, KEYS[table], rows, rules))


@pytest.mark.parametrize("table", ROWS)
def test_good_rows_and_no_rows_break_nothing(table: str):
    assert problems(table, ROWS[table]) == []
    assert problems(table, []) == []


@pytest.mark.parametrize(("table", "case"), [(table, case) for table, cases in CASES.items() for case in cases])
def test_a_row_that_is_broken_in_one_column_is_told(table: str, case: Case):
    column, value, where, said = case
    rows = copy.deepcopy(ROWS[table])
    row = next(row for row in rows if where is None or where(row))
    row[column] = value(row) if callable(value) else value
    row["path"] = (row.get("image") or {}).get("path")
    found = problems(table, rows)
    assert any(problem.startswith(said) for problem in found), found
    assert all(", got " in problem and "expected " in problem for problem in found)


def test_a_null_breaks_a_rule_and_the_first_row_stands_for_all():
    rows = [{**IMAGE, "width_px": None}, {**IMAGE, "record_id": "museum:2", "width_px": -1}]
    (width, *_) = [problem for problem in problems("images", rows) if problem.startswith("images.width_px")]
    assert width == "images.width_px: expected at least 1 px, got None in museum:1, and 1 more rows"


def test_rows_are_sorted_inside_a_folder():
    rows = [{**PEOPLES, "annotation_id": number, "folder": None} for number in (3, 5, 4)]
    assert problems("annotations", rows) == ["annotations: expected rows sorted by annotation_id, got 4 after 5"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("museum:", id="no key"),
        pytest.param("met:1", id="another source"),
        pytest.param("museum:e\u0301", id="two characters for one letter"),
    ],
)
def test_what_is_no_record_id(name: str):
    assert any(
        problem.startswith("ledger.record_id: expected `<source>:")
        for problem in problems("ledger", [{**KEPT, "record_id": name}])
    )


def test_categories_are_the_recipes_counted_from_1():
    document = {"categories": [{"id": 1, "name": "person", "supercategory": "person"}]}
    assert list(category_problems("val", document, ["person"])) == []
    (problem,) = category_problems("val", document, ["angel", "person"])
    assert problem.startswith("coco/val.json: expected the categories ['angel', 'person'], got [(1, 'person')]")


def coco() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    boxes = [
        {
            "id": row["annotation_id"],
            "image_id": 7,
            "category_id": 1,
            "bbox": row["xywh_px"],
            "area": row["area_px2"],
            "iscrowd": 0,
            **({"keypoints": row["keypoints_xyv"], "num_keypoints": 17} if row["keypoints_xyv"] else {}),
        }
        for row in (PEOPLES,)
    ]
    metadata = {"record_id": "museum:1", "title": "A Room", "artist": None, "year": 1650}
    images = [{"id": 7, "width": 100, "height": 80, "license": 1, "is_annotated": True, "metadata": metadata}]
    document = {"images": images, "annotations": boxes, "licenses": [{"id": 1, "url": IMAGE["rights_uri"]}]}
    return document, [{"image_id": 7, "category_id": 1, "bbox": DETECTORS["xywh_px"], "score": 0.123}]


@pytest.mark.parametrize(
    ("place", "change", "said"),
    [
        pytest.param("images", {"height": 81}, "coco/train.json: images: expected what the table says", id="a height"),
        pytest.param("images", {"is_annotated": False}, "images: expected what the table says", id="not annotated"),
        pytest.param("images", {"file_name": "x.png"}, "images: expected what the table says", id="another file"),
        pytest.param("images", {"metadata": {"artist": "A"}}, "images: expected what the table says", id="an artist"),
        pytest.param("images", {"metadata": {}}, "", id="a file of an earlier contract"),
        pytest.param("annotations", {"area": 1.0}, "annotations: expected what the table says", id="an area"),
        pytest.param("images", {"license": 9}, "coco/train.json: images: expected what the table says", id="a licence"),
        pytest.param("annotations", {"bbox": [0, 0, 1, 1]}, "coco/train.json: annotations: expected what", id="a box"),
        pytest.param(
            "annotations", {"keypoints": [0.0] * 51, "num_keypoints": 0}, "annotations: expected", id="points"
        ),
        pytest.param("annotations", {"num_keypoints": 3}, "expected num_keypoints to count", id="their number"),
        pytest.param(
            "results", {"score": 0.5}, "coco/train.detections.json: expected boxes of the table", id="a score"
        ),
        pytest.param("results", {"keypoints": []}, "", id="no keypoints"),
    ],
)
def test_coco_files_that_say_something_else(place: str, change: dict[str, Any], said: str):
    document, results = coco()
    assert list(coco_value_problems("train", document, results, [IMAGE], [PEOPLES, DETECTORS])) == []
    (results if place == "results" else document[place])[0].update(change)
    found = list(coco_value_problems("train", document, results, [IMAGE], [PEOPLES, DETECTORS]))
    assert (len(found), all(said in problem for problem in found)) == (1 if said else 0, True)
