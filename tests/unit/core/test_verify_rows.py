"""Each rule of the contract about values: a good row keeps all, a row that is broken in one column is told."""

import copy
from typing import Any

import pytest

from schemas.keypoints import resolve_categories
from tasks.core.export.row_groups import ORDER
from tasks.core.verify_images import image_rules
from tasks.core.verify_rows import annotation_rules, broken_rules, ledger_rules
from tests.support.broken_rules import CASES, Case
from tests.support.keypoints import ZOO
from tests.support.release_rows import FACTS, IMAGE, KEPT, KEYS, PEOPLES, ROWS


def problems(table: str, rows: list[dict[str, Any]]) -> list[str]:
    rules = {"images": image_rules, "annotations": annotation_rules, "ledger": ledger_rules}[table](FACTS)
    return list(broken_rules(table, KEYS[table], ORDER.get(table, (KEYS[table],)), rows, rules))


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


@pytest.mark.parametrize(
    ("category_id", "points", "scheme", "said"),
    [
        (1, 17, "coco-17", ""),
        (2, 20, "animal-20", ""),
        (3, 106, "face-106", ""),
        (5, 17, "coco-17", ""),
        (
            2,
            17,
            "animal-20",
            "annotations.keypoints_xyv: expected null, or x, y and v of COCO's 17, 51 numbers or the 20",
        ),
        (
            2,
            20,
            "coco-17",
            "annotations.keypoint_scheme: expected the scheme of the category where the box has keypoints",
        ),
        (4, 17, "coco-17", "annotations.keypoints_xyv: expected null"),
        (9, 17, "coco-17", "annotations.category_id: expected 1 to 5, got 9"),
    ],
)
def test_a_boxs_keypoints_are_of_its_categorys_scheme(category_id: int, points: int, scheme: str, said: str):
    facts = FACTS._replace(categories=resolve_categories(ZOO))
    posed = {"category_id": category_id, "keypoints_xyv": [1.0, 2.0, 1.0] * points, "keypoint_scheme": scheme}
    rows = [{**PEOPLES, **posed}]
    found = list(broken_rules("annotations", "annotation_id", ("annotation_id",), rows, annotation_rules(facts)))
    assert found[0].startswith(said) if said else found == []


def test_releases_of_contract_2_0_name_no_schemes():
    rows = [{name: value for name, value in row.items() if name != "keypoint_scheme"} for row in ROWS["annotations"]]
    assert problems("annotations", rows) == []


def test_rows_are_sorted_inside_a_split():
    rows = [{**PEOPLES, "annotation_id": number, "split_of_file": None} for number in (3, 5, 4)]
    assert problems("annotations", rows) == [
        "annotations: expected rows sorted by record_id, annotation_id, got 4 after 5"
    ]


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
