"""What SQL can't say of rows: a good row has no problem, a row that is broken in one column is told."""

import copy
import time
from typing import Any

import pyarrow as pa
import pytest

from tasks.core.export.row_groups import ORDER
from tasks.core.verify_rows import CHECKS, ReleaseFacts, row_problems, together_problems
from tests.support.broken_rules import CASES, Case, is_rule_of_contract
from tests.support.release_rows import DRAWN, FACTS, IMAGE, KEYS, MEDIA, ROWS

BESIDE = [(table, case) for table, cases in CASES.items() for case in cases if not is_rule_of_contract(case)]


def problems(table: str, rows: list[dict[str, Any]], facts: ReleaseFacts = FACTS) -> list[str]:
    return list(row_problems(table, KEYS[table], ORDER.get(table, (KEYS[table],)), rows, facts))


@pytest.mark.parametrize("table", ROWS)
def test_good_rows_and_no_rows_have_no_problem(table: str):
    assert problems(table, ROWS[table]) == []
    assert problems(table, []) == []


@pytest.mark.parametrize(("table", "case"), BESIDE)
def test_a_row_that_is_broken_in_one_column_is_told(table: str, case: Case):
    column, value, where, said = case
    rows = copy.deepcopy(ROWS[table])
    row = next(row for row in rows if where is None or where(row))
    row[column] = value(row) if callable(value) else value
    row["path"] = (row.get("image") or {}).get("path")
    found = problems(table, rows)
    assert any(problem.startswith(said) for problem in found), found
    assert all(", got " in problem and "expected " in problem for problem in found)


@pytest.mark.parametrize("table", CHECKS)
def test_columns_that_are_read_are_all_that_a_check_asks_for(table: str):
    columns = {*CHECKS[table].columns, KEYS[table], *ORDER.get(table, ()), "split_of_file", "path"}
    rows = [{name: value for name, value in row.items() if name in columns} for row in ROWS[table]]
    assert problems(table, rows) == []


def test_the_first_row_stands_for_all():
    rows = [{**IMAGE, "phash_recipe": "a"}, {**IMAGE, "record_id": "museum:2", "phash_recipe": "b"}]
    assert problems("images", rows) == [
        "images.phash_recipe: expected 'phash64/look-v3', as in manifest.json, got 'a' in museum:1, and 1 more rows"
    ]


def test_rows_are_sorted_inside_a_split():
    rows = [{**DRAWN, "annotation_id": number, "split_of_file": None} for number in (3, 5, 4)]
    assert problems("annotations", rows) == [
        "annotations: expected rows sorted by image_id, annotation_id, got 4 after 5"
    ]


def test_a_file_named_by_other_bytes_is_told():
    (problem,) = problems("images", [IMAGE], FACTS._replace(sha256_by_path={MEDIA: "0" * 64}))
    assert problem.startswith("images.path: expected a file of the release with the image's bytes")


def test_an_outline_of_an_image_that_is_not_there_is_of_no_size():
    run_lengths = {**DRAWN, "segmentation": '{"size":[80,100],"counts":[8000]}'}
    assert problems("annotations", [run_lengths]) == []
    (problem,) = problems("annotations", [run_lengths], FACTS._replace(sizes={}))
    assert problem.startswith("annotations.segmentation: expected null, or COCO's polygons or run lengths (RLE)")


def test_a_release_that_names_no_hash_may_have_any():
    assert problems("images", [IMAGE], FACTS._replace(phash_recipe=None)) == []


def split_problems(texts: list[Any], splits: list[str], roles: list[str | None] | None = None, **how: Any) -> list[str]:
    column = how.pop("column", "together.artist")
    kind = pa.list_(pa.string()) if any(isinstance(text, list) for text in texts) else pa.string()
    rows = pa.table(
        {
            "split": pa.array(splits, pa.string()),
            "role": pa.array(roles or [None] * len(splits), pa.string()),
            column: pa.array(texts, kind),
        }
    )
    return list(together_problems(rows, **{"is_by_name": True, **how}))


@pytest.mark.parametrize(
    ("texts", "splits", "how", "count"),
    [
        pytest.param([], [], {}, 0, id="nothing"),
        pytest.param(["A", "A"], ["train", "train"], {}, 0, id="one split"),
        pytest.param(["A", "B"], ["train", "val"], {}, 0, id="two artists"),
        pytest.param([None, None], ["train", "val"], {}, 0, id="nobody is no artist"),
        pytest.param(["A", "A"], ["train", "val"], {}, 1, id="one artist in two splits"),
        pytest.param(["A", "a."], ["train", "val"], {}, 1, id="in two spellings"),
        pytest.param(["A", "a."], ["train", "val"], {"is_by_name": False}, 0, id="which an older contract allows"),
        pytest.param(["A", "A"], ["train", "val"], {"is_by_name": False}, 1, id="but not one spelling"),
        pytest.param(["A", "a"], ["train", "val"], {"roles": ["gallery", "query"]}, 0, id="of two roles"),
        pytest.param(["A", "a"], ["test", "val"], {"roles": ["query", "query"]}, 1, id="of one role"),
        pytest.param(["1-a", "1-A"], ["test", "val"], {"column": "together.number"}, 0, id="identifiers"),
        pytest.param([["a", "b"], ["B"]], ["test", "val"], {"column": "together.methods"}, 1, id="of a list any"),
        pytest.param([["a", "b"], None], ["test", "val"], {"column": "together.methods"}, 0, id="of a list none"),
    ],
)
def test_together(texts: list[Any], splits: list[str], how: dict[str, Any], count: int):
    assert len(split_problems(texts, splits, **how)) == count


def test_the_spellings_are_named():
    assert split_problems(["HENRI MARTIN", "Henri Martin"], ["val", "train"]) == [
        "leak: expected artist 'HENRI MARTIN', 'Henri Martin' in one split, got ['train', 'val']"
    ]


def test_groups_of_many_rows_are_found_without_looking_at_each():
    artists = [f"artist {number // 2}" for number in range(200_000)]
    splits = ["train"] * 199_999 + ["val"]
    began_s = time.process_time()
    assert split_problems(artists, splits) == [
        "leak: expected artist 'artist 99999' in one split, got ['train', 'val']"
    ]
    assert time.process_time() - began_s < 3
