"""Tables of a release as JSON Schema and as text, by their contracts."""

import json
from typing import Any

import jsonschema
import pyarrow as pa
import pytest

from flows.cli import main
from schemas import tables
from schemas.contract import TABLES
from schemas.json_schemas import json_type, row_schema, table_lines
from tasks.io.files.contracts import contracts
from tests.support.release_rows import IMAGE, ROWS


def as_json(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row as the table has it, in JSON."""
    (plain,) = pa.Table.from_pylist([row], schema=tables.BY_CONTRACT[name]).to_pylist()
    found: dict[str, Any] = json.loads(json.dumps(plain, default=lambda value: value.isoformat()))
    return found


@pytest.mark.parametrize("name", TABLES)
def test_each_table_has_a_schema_and_a_text(name: str):
    schema = row_schema(contracts()[name])
    jsonschema.Draft202012Validator.check_schema(schema)
    columns = [column.name for column in contracts()[name].table.properties]
    assert list(schema["properties"]) == columns
    assert all(entry["description"] for entry in schema["properties"].values())
    lines = list(table_lines(contracts()[name]))
    assert all(any(line.startswith(f"{column}  ") for line in lines) for column in columns)
    assert max(map(len, lines[2:])) <= 100


@pytest.mark.parametrize(("name", "row"), [(name, row) for name, rows in ROWS.items() for row in rows])
def test_rows_of_a_release_pass(name: str, row: dict[str, Any]):
    columns = contracts()[name].table.properties
    row = {column.name: None for column in columns if not column.required} | as_json(name, {"phash": 7, **row})
    jsonschema.Draft202012Validator(row_schema(contracts()[name])).validate(row)


@pytest.mark.parametrize(
    "change", [{"image_id": "7"}, {"width_px": None}, {"image": {"bytes": 7}}, {"styles": "Baroque"}, {"phash": -1}]
)
def test_other_rows_do_not(change: dict[str, Any]):
    check = jsonschema.Draft202012Validator(row_schema(contracts()["images"]))
    columns = contracts()["images"].table.properties
    row = {column.name: None for column in columns if not column.required} | as_json("images", {"phash": 7, **IMAGE})
    check.validate(row)
    assert not check.is_valid({**row, **change})


@pytest.mark.parametrize(
    ("arrow", "expected"),
    [
        ("int16", {"type": "integer"}),
        ("timestamp[us, tz=UTC]", {"type": "string", "format": "date-time"}),
        ("fixed_size_list<double>[4]", {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}),
        ("list<list<bool>>", {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}}),
    ],
)
def test_types(arrow: str, expected: dict[str, Any]):
    assert json_type(arrow) == expected


def test_another_type_is_told():
    with pytest.raises(ValueError, match="expected an Arrow type that contracts have, got 'decimal'"):
        json_type("decimal")


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        ([], 0, "recipe        The YAML that people write"),
        (["images"], 0, "images: One row for each kept image."),
        (["ledger", "--form", "json"], 0, '"title": "ledger"'),
        (["ledger", "--form", "odcs"], 0, "kind: DataContract"),
        (["recipe", "--form", "text"], 2, "schema recipe: expected the form json, got text"),
        (["museums"], 2, "schema: expected one of recipe, images,"),
    ],
)
def test_the_command(arguments: list[str], status: int, text: str, capsys: pytest.CaptureFixture[str]):
    assert main(["schema", *arguments]) == status
    found = capsys.readouterr()
    assert text in (found.err if status else found.out)
