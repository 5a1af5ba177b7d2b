"""The contract against the schemas that the tables are written with: two texts, one promise."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from schemas import tables
from schemas.reasons import MEANING, Reason
from schemas.split import SPLITS, Split
from tasks.core.export import digest
from tasks.core.verify import type_name

CONTRACT: dict[str, Any] = yaml.safe_load(
    (Path(__file__).resolve().parents[2] / "data_contracts" / "release.v1.yaml").read_text(encoding="utf-8")
)
SCHEMAS = {"images": tables.IMAGES, "annotations": tables.ANNOTATIONS, "ledger": tables.LEDGER}
COLUMNS = [
    pytest.param(table, column, id=f"{table}.{column['name']}")
    for table, said in CONTRACT["tables"].items()
    for column in said["columns"]
]

# DESIGN.md, "What outsiders see": more may follow; these stay.
PROMISED = {
    "images": "record_id image_id source source_url image_url title artist style styles date_text year rights_uri "
    "rights_text "
    "rights_basis sha256 phash width_px height_px group_id split retrieved_at image",
    "annotations": "annotation_id image_id record_id split category_id xywh_px area_px2 is_crowd keypoints_xyv score "
    "origin origin_name",
    "ledger": "record_id source kept stage reason detail kept_record_id last_split sha256 retrieved_at",
}


def test_the_contract_has_the_tables_that_a_release_has():
    assert set(CONTRACT["tables"]) == set(SCHEMAS) == set(digest.PRIMARY_KEYS)


@pytest.mark.parametrize("table", sorted(SCHEMAS))
def test_columns_stand_in_the_contract_in_the_order_in_which_they_are_written(table: str):
    assert [column["name"] for column in CONTRACT["tables"][table]["columns"]] == SCHEMAS[table].names


@pytest.mark.parametrize("table", sorted(SCHEMAS))
def test_no_column_that_the_design_promises_is_missing(table: str):
    assert set(PROMISED[table].split()) <= {column["name"] for column in CONTRACT["tables"][table]["columns"]}


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_columns_type_is_that_of_its_schema(table: str, column: dict[str, Any]):
    kind = SCHEMAS[table].field(column["name"]).type
    assert column["type"] == type_name(kind)
    assert column["type"] == str(kind).replace("item: ", "").replace("element: ", "")


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_every_column_is_described_and_says_whether_it_may_be_null(table: str, column: dict[str, Any]):
    assert set(column) == {"name", "type", "nullable", "content", "description"}
    assert len(column["description"].strip()) > 5
    assert isinstance(column["nullable"], bool)


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_content_is_all_that_the_digest_reads(table: str, column: dict[str, Any]):
    assert column["content"] is (column["name"] not in digest.NOT_CONTENT)


@pytest.mark.parametrize("table", sorted(SCHEMAS))
def test_rows_are_found_by_the_key_by_which_the_digest_sorts_them(table: str):
    key = CONTRACT["tables"][table]["primary_key"]
    assert key == digest.PRIMARY_KEYS[table]
    (column,) = (column for column in CONTRACT["tables"][table]["columns"] if column["name"] == key)
    assert column["nullable"] is False


@pytest.mark.parametrize("table", sorted(SCHEMAS))
def test_files_lie_where_the_design_says(table: str):
    expected = "ledger.parquet" if table == "ledger" else f"{table}/split=<split>/part-*.parquet"
    assert CONTRACT["tables"][table]["files"] == expected


def test_reasons_stand_in_the_contract_in_the_words_of_the_ledger():
    assert list(CONTRACT["reasons"].items()) == [(str(reason), MEANING[reason]) for reason in Reason]


def test_splits_are_those_that_a_recipe_can_deal_in_the_order_of_their_rank():
    assert CONTRACT["splits"] == list(SPLITS) == list(Split().ratios)


def test_the_version_is_the_one_in_the_files_name():
    assert CONTRACT["version"].split(".")[0] == "1"
    assert len(CONTRACT["version"].split(".")) == 3


@pytest.mark.parametrize(
    "name",
    [name for name, value in vars(tables).items() if isinstance(value, pa.Schema)],
)
def test_no_stored_table_has_a_column_twice(name: str):
    names = getattr(tables, name).names
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", ["FETCH", "SCREEN", "DEDUP", "SAMPLE", "SPLIT"])
def test_every_outcome_begins_with_what_all_outcomes_say(name: str):
    assert list(getattr(tables, name))[: len(tables.OUTCOME)] == list(tables.OUTCOME)


@pytest.mark.parametrize("table", sorted(SCHEMAS))
def test_columns_that_may_not_be_null_are_those_that_readers_of_releases_check(table: str):
    columns = CONTRACT["tables"][table]["columns"]
    assert tables.FILLED[table] == {column["name"] for column in columns if not column["nullable"]}
