"""The contracts of what `evaluate` writes, against the schemas that it writes with."""

import pytest

from schemas import tables
from schemas.contract import ContractProperty
from schemas.evaluate_figures import DISAGREEMENT, FIGURES
from schemas.evaluate_images import (
    CLASS_SCORES,
    CONFUSION,
    DISTRACTORS,
    GENERATION_SCORES,
    GRID,
    NEIGHBOURS,
    PREDICTIONS,
    SIZES,
    STROKES,
)
from tasks.core.verify import type_name
from tasks.io.files import contracts
from tests.support.freeze_contracts import PRODUCTS

CONTRACTS = contracts.read(str(PRODUCTS["evaluation"]))
SCHEMAS = {
    "classes": CLASS_SCORES,
    "confusion": CONFUSION,
    "disagreement": DISAGREEMENT,
    "distractors": DISTRACTORS,
    "figures": FIGURES,
    "generation": GENERATION_SCORES,
    "grid": GRID,
    "neighbours": NEIGHBOURS,
    "predictions": PREDICTIONS,
    "scores": tables.SYSTEM_SCORES,
    "sizes": SIZES,
    "strokes": STROKES,
    "thresholds": tables.THRESHOLDS,
}
COLUMNS = [
    pytest.param(table, column, id=f"{table}.{column.name}")
    for table, contract in CONTRACTS.items()
    for column in contract.table.properties
]


def test_there_is_a_contract_of_each_table_with_its_columns_in_their_order():
    assert {table: [column.name for column in of.table.properties] for table, of in CONTRACTS.items()} == {
        table: schema.names for table, schema in SCHEMAS.items()
    }
    assert {table: of.table.files for table, of in CONTRACTS.items()} == {
        table: f"{table}.parquet" for table in SCHEMAS
    }


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_column_is_described_and_of_its_schemas_type(table: str, column: ContractProperty):
    assert column.arrow_type == type_name(SCHEMAS[table].field(column.name).type)
    assert len(column.description) > 5
    assert column.examples
