"""The contracts against the schemas that the tables are written with: two texts, one promise."""

import pyarrow as pa
import pytest

from schemas import tables
from schemas.contract import SPLIT_TABLES, TABLES, ContractProperty, DataContract
from schemas.reasons import MEANING, Reason
from schemas.relations import MEANING as MEANING_OF_RELATIONS
from schemas.relations import VERDICTS, Relation
from schemas.split import HELD_OUT, SPLITS, Split
from tasks.core.export import digest
from tasks.core.verify import type_name
from tasks.io.files import contracts

CONTRACTS = contracts.contracts()
SCHEMAS = tables.BY_CONTRACT
FILES = {
    table: f"statistics/{table}.parquet" for table in ("diversity", "histograms", "shares", "attributes", "unread")
} | {table: f"{table}/<split>-<number>-of-<count>.parquet" for table in SPLIT_TABLES}
COLUMNS = [
    pytest.param(table, column, id=f"{table}.{column.name}")
    for table, contract in CONTRACTS.items()
    for column in contract.table.properties
]
LOGICAL = {
    "string": pa.types.is_string,
    "integer": pa.types.is_integer,
    "number": pa.types.is_floating,
    "boolean": pa.types.is_boolean,
    "timestamp": pa.types.is_timestamp,
    "array": lambda kind: pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind),
    "object": pa.types.is_struct,
}

# DESIGN.md, "What outsiders see": more may follow; these stay.
PROMISED = {
    "images": "record_id image_id source source_url image_url title artist style styles date_text year rights_uri "
    "rights_text "
    "rights_basis sha256 phash width_px height_px group_id split retrieved_at image",
    "annotations": "annotation_id image_id record_id split category_id xywh_px area_px2 is_crowd keypoints_xyv origin "
    "origin_name",
    "detections": "detection_id image_id record_id split category_id xywh_px area_px2 keypoints_xyv score model",
    "ledger": "record_id source kept stage reason detail kept_record_id last_split sha256 retrieved_at",
}

by_table = pytest.mark.parametrize(
    ("table", "contract"), [pytest.param(table, contract, id=table) for table, contract in CONTRACTS.items()]
)
by_column = pytest.mark.parametrize(("table", "column"), COLUMNS)


def test_the_contracts_have_the_tables_that_a_release_has():
    assert set(CONTRACTS) == set(SCHEMAS) == set(TABLES)
    assert set(digest.PRIMARY_KEYS) <= set(TABLES)


@by_table
def test_a_contract_is_called_as_its_table_is(table: str, contract: DataContract):
    assert (contract.table.name, contract.id) == (table, f"bilderatlas-release-{table}")
    assert contract.api_version == "v3.2.0"
    assert contract.table.description.endswith(".")


@by_table
def test_columns_stand_in_the_contract_in_the_order_in_which_they_are_written(table: str, contract: DataContract):
    assert [column.name for column in contract.table.properties] == SCHEMAS[table].names


@pytest.mark.parametrize("table", sorted(PROMISED))
def test_no_column_that_the_design_promises_is_missing(table: str):
    assert set(PROMISED[table].split()) <= {column.name for column in CONTRACTS[table].table.properties}


@by_column
def test_a_columns_types_are_those_of_its_schema(table: str, column: ContractProperty):
    kind = SCHEMAS[table].field(column.name).type
    assert column.arrow_type == type_name(kind)
    assert LOGICAL[column.logical_type](kind)


@by_column
def test_every_column_is_described_and_has_an_example(table: str, column: ContractProperty):
    assert len(column.description.strip()) > 5
    assert column.examples
    if column.name != "retrieved_at":  # YAML has no times that a table could hold as they stand
        (got,) = pa.array(column.examples, SCHEMAS[table].field(column.name).type).to_pylist()
        assert got == column.examples[0]


@by_table
def test_content_is_all_that_the_digest_reads(table: str, contract: DataContract):
    expected = (set(SCHEMAS[table].names) - digest.NOT_CONTENT) if table in digest.PRIMARY_KEYS else set()
    assert {column.name for column in contract.table.properties if column.is_content} == expected


@pytest.mark.parametrize("table", sorted(digest.PRIMARY_KEYS))
def test_rows_are_found_by_the_key_by_which_the_digest_sorts_them(table: str):
    assert CONTRACTS[table].table.primary_key == [digest.PRIMARY_KEYS[table]]


@by_table
def test_columns_that_may_not_be_null_are_those_that_readers_of_releases_check(table: str, contract: DataContract):
    required = {column.name for column in contract.table.properties if column.required}
    assert required == tables.FILLED[FILES.get(table, table).removesuffix(".parquet").split("/<")[0]]
    assert set(contract.table.primary_key) <= required


@by_table
def test_files_lie_where_the_design_says(table: str, contract: DataContract):
    assert contract.table.files == FILES.get(table, f"{table}.parquet")


def words(table: str, column: str) -> list[tuple[str, str]]:
    found = CONTRACTS[table].table.column(column)
    assert found is not None
    return [(entry.value, entry.description) for entry in found.enum]


def test_reasons_stand_in_the_contract_in_the_words_of_the_ledger():
    assert words("ledger", "reason") == [(str(reason), MEANING[reason]) for reason in Reason]


def test_relations_stand_in_the_contract_in_the_words_of_dedup():
    assert words("relations", "relation") == [(str(name), MEANING_OF_RELATIONS[name]) for name in Relation]
    assert CONTRACTS["relations"].table.words("verdict") == list(VERDICTS)


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("images", "split"),
        ("annotations", "split"),
        ("detections", "split"),
        ("ledger", "last_split"),
        ("shares", "split"),
    ],
)
def test_splits_are_those_that_a_recipe_can_deal_in_the_order_of_their_rank(table: str, column: str):
    assert CONTRACTS[table].table.words(column) == list(SPLITS) == [*Split().ratios, HELD_OUT]


def test_the_version_is_the_one_in_the_folders_name():
    assert contracts.version().split(".")[0] == "3"
    assert len(contracts.version().split(".")) == 3


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
