"""Each rule of the contract about values: a good row keeps all, a row that is broken in one column is told."""

import copy
from datetime import UTC, datetime
from typing import Any

import pytest

from tasks.core.coco.document import media_path
from tasks.core.verify_rows import (
    ImageEntry,
    LedgerEntry,
    ReleaseFacts,
    annotation_rules,
    broken_rules,
    image_rules,
    ledger_rules,
)
from tests.support.broken_rules import CASES, Case

SHA256 = "ab" * 32
TIME = datetime(2026, 1, 31, tzinfo=UTC)
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
    "artist_qualifier": None,
    "style": "Baroque",
    "styles": ["Baroque"],
    "date_text": "c. 1649",
    "year": 1650,
    "rights_uri": "https://creativecommons.org/publicdomain/zero/1.0/",
    "rights_text": None,
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
    "retrieved_at": TIME,
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
    ["fetch", "dedup"],
    {"museum:1": LedgerEntry(7, SHA256, "train", TIME), "museum:2": LedgerEntry(8, SHA256, None, TIME)},
    {7: ImageEntry("museum:1", "train", 100, 80, is_annotated=True)},
    1,
    {MEDIA: SHA256},
    "phash64/look-v3",
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


@pytest.mark.parametrize(
    ("values", "said"),
    [
        pytest.param(
            {"artist_qualifier": "after"}, "artist_qualifier: expected null where there is no artist", id="after"
        ),
        pytest.param(
            {"rights_uri": "NOASSERTION"}, "rights_basis: expected source or none where nobody asserts", id="no rights"
        ),
        pytest.param(
            {"rights_uri": "NOASSERTION", "rights_basis": "source"},
            "rights_text: expected the words of a source that has no open URI, got None",
            id="no words",
        ),
    ],
)
def test_columns_that_do_not_fit_each_other(values: dict[str, Any], said: str):
    (problem,) = problems("images", [{**IMAGE, **values}])
    assert problem.startswith(f"images.{said}")


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"artist": "Hokusai", "artist_qualifier": "kehrt nach"}, id="a qualifier of another version"),
        pytest.param({"year": None}, id="a source that has a date, and no year from 1000 to 2099"),
        pytest.param({"year": 1871}, id="a source's own year"),
        pytest.param({"style": "Post Impressionism", "styles": ["Postimpressionismus"] * 2}, id="a style's other name"),
        pytest.param({"style": None, "styles": []}, id="no style"),
        pytest.param({"source_url": "", "source_urls": []}, id="an address made of nothing"),
        pytest.param(
            {"rights_uri": "NOASSERTION", "rights_basis": "source", "rights_text": "ask us"}, id="a source's words"
        ),
        pytest.param(
            {"rights_uri": "NOASSERTION", "rights_basis": "none", "rights_text": ""}, id="an empty text of the recipe"
        ),
        pytest.param({"rights_basis": "source"}, id="a source's URI"),
        pytest.param({"rights_basis": "recipe:  : \0"}, id="nothing much of the recipe"),
        pytest.param({"artist": "a\0", "style": "\0"}, id="aliases of the recipe"),
    ],
)
def test_what_true_releases_may_hold(values: dict[str, Any]):
    assert problems("images", [{**IMAGE, **values}]) == []


def test_rules_of_columns_that_an_earlier_contract_had_not_are_passed_over():
    late = ("source_urls", "phash_recipe", "artist_qualifier")
    assert problems("images", [{name: value for name, value in IMAGE.items() if name not in late}]) == []


def test_a_file_named_by_other_bytes_is_told():
    rules = image_rules(FACTS._replace(files={MEDIA: "0" * 64}))
    (problem,) = broken_rules("images", "record_id", [IMAGE], rules)
    assert problem.startswith("images.path: expected a file of the release with the image's bytes")


def test_a_release_that_names_no_hash_may_have_any():
    assert list(broken_rules("images", "record_id", [IMAGE], image_rules(FACTS._replace(phash=None)))) == []


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
