"""The categories table: what a recipe says, written out, and where a table says something else."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.keypoints import resolve_categories
from schemas.tables import CATEGORIES
from tasks.core.coco.categories import category_table, category_table_problems
from tests.support.keypoints import ANIMAL_20, COCO_17, ZOO, plain

CATEGORIES_OF_ZOO = resolve_categories(ZOO)


def test_each_category_has_its_scheme_written_out():
    table = category_table(CATEGORIES_OF_ZOO)
    assert table.schema == CATEGORIES
    person, dog, face, thing, angel = table.to_pylist()
    assert dog == {
        "category_id": 2,
        "name": "dog",
        "supercategory": "animal",
        "keypoint_scheme": "animal-20",
        "keypoints": list(ANIMAL_20.joints),
        "skeleton": [
            *(1, 2, 1, 3, 2, 4, 1, 5, 2, 5, 5, 6, 6, 8, 7, 8, 6, 9, 9, 13, 13, 17, 6, 10, 10, 14, 14, 18),
            *(7, 11, 11, 15, 15, 19, 7, 12, 12, 16, 16, 20),
        ],
        "flip_pairs": [1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
        "sigmas": None,
    }
    assert person["sigmas"] == list(COCO_17.sigmas or ())
    assert person["skeleton"][:4] == [16, 14, 14, 12]
    assert {**person, "category_id": 5, "name": "angel", "supercategory": "angel"} == angel
    assert (len(face["keypoints"]), face["skeleton"], face["sigmas"]) == (106, [], None)
    assert thing == {**dict.fromkeys(CATEGORIES.names), "category_id": 4, "name": "thing", "supercategory": "thing"}


def test_no_categories_are_a_table_without_rows():
    assert category_table(()).equals(CATEGORIES.empty_table())


def test_what_follows_from_the_recipe_has_no_problem():
    assert list(category_table_problems(category_table(CATEGORIES_OF_ZOO), CATEGORIES_OF_ZOO)) == []


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("category_id", 2, "categories.category_id of 'person': expected 1, as recipe.yaml says, got 2"),
        ("name", None, "categories.name of 'person': expected 'person', as recipe.yaml says, got None"),
        ("keypoint_scheme", "coco", "expected 'coco-17', as recipe.yaml says, got 'coco'"),
        ("keypoints", ["nose"], "got ['nose']"),
        ("skeleton", [1], "got [1]"),
        ("sigmas", [0.1] * 17, "categories.sigmas of 'person': expected [0.026, 0.025,"),
    ],
)
def test_what_does_not_follow_from_the_recipe_is_told(column: str, value: Any, said: str):
    categories = plain("person")
    rows = [{**category_table(categories).to_pylist()[0], column: value}]
    (problem,) = category_table_problems(pa.Table.from_pylist(rows, schema=CATEGORIES), categories)
    assert said in problem


def test_rows_that_are_more_or_less_are_told():
    found = list(category_table_problems(category_table(plain("person", "dog")), plain("person")))
    assert found == ["categories: expected 1 rows, as recipe.yaml has categories, got 2"]
