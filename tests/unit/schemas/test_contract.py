"""What programs read of a contract in the Open Data Contract Standard."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.contract import DataContract, major, numbers

TEXT: dict[str, Any] = {
    "apiVersion": "v3.2.0",
    "kind": "DataContract",
    "id": "x",
    "version": "2.0.0",
    "schema": [
        {
            "name": "pairs",
            "customProperties": [{"property": "files", "value": "pairs.parquet"}],
            "properties": [
                {"name": "b", "physicalType": "string", "primaryKey": True, "primaryKeyPosition": 2},
                {"name": "a", "physicalType": "string", "primaryKey": True, "primaryKeyPosition": 1, "required": True},
                {
                    "name": "word",
                    "physicalType": "string",
                    "enum": [{"value": "copy", "description": "One work"}, {"value": 3}],
                    "customProperties": [{"property": "content", "value": True}],
                },
            ],
        }
    ],
}


def test_a_contract_is_read_by_what_its_table_says():
    contract = DataContract.model_validate(TEXT)
    assert (contract.version, contract.table.name, contract.table.files) == ("2.0.0", "pairs", "pairs.parquet")
    assert contract.table.primary_key == ["a", "b"]
    assert contract.table.words("word") == ["copy"]
    assert contract.table.words("nothing") == contract.table.words("a") == []
    column = contract.table.column("word")
    assert column is not None
    assert column.is_content
    assert column.custom_value("unit") is None
    assert column.arrow_type == "string"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"schema": []}, id="no table"),
        pytest.param({"schema": TEXT["schema"] * 2}, id="two tables"),
        pytest.param({"schema": [{"name": "pairs", "properties": []}]}, id="no column"),
        pytest.param({"schema": [{"name": "pairs", "properties": [{"name": "a"}]}]}, id="no type"),
        pytest.param({"version": 2}, id="a number"),
    ],
)
def test_what_is_no_contract_of_a_table_is_refused(change: dict[str, Any]):
    with pytest.raises(ValidationError):
        DataContract.model_validate(TEXT | change)


@pytest.mark.parametrize("text", ["", "two", "2.", "-1.0", "1" * 5000, "2.0.0\n", "²"])
def test_what_is_no_version_is_before_all_others(text: str):
    assert numbers(text) == (0,)
    assert major(text) == 0


def test_versions_are_compared_by_their_numbers():
    assert numbers("1.10.0") > numbers("1.9.9")
    assert major("12.1") == 12
