"""Each rule of the contract about values: a good row keeps all, a row that is broken in one column is told."""

import copy
from typing import Any

import pytest

from tasks.core.export.row_groups import ORDER
from tasks.core.verify_images import image_rules
from tasks.core.verify_rows import annotation_rules, broken_rules, ledger_rules
from tests.support.broken_rules import CASES, Case
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
