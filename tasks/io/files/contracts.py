"""The data contracts that come with the program: of the releases that it writes, and of those that it wrote before."""

import functools
from importlib import resources
from importlib.resources.abc import Traversable

import pyarrow as pa
import yaml

from schemas.contract import README, TABLES, ContractProperty, DataContract, contract_path

_FIRST = "release.v1.yaml"


def version() -> str:
    """The version of the contract that releases are written by."""
    return contracts()["images"].version


def texts() -> dict[str, str]:
    """The contract's files, by their paths in a release."""
    folder = _folder() / "v2"
    names = {README: "README.md", **{contract_path(table): f"{table}.odcs.yaml" for table in TABLES}}
    return {path: (folder / name).read_text(encoding="utf-8") for path, name in names.items()}


@functools.cache
def contracts() -> dict[str, DataContract]:
    """The contract of each table, by the table's name."""
    written = texts()
    return {table: DataContract.model_validate(yaml.safe_load(written[contract_path(table)])) for table in TABLES}


def with_descriptions(schema: pa.Schema, table: str) -> pa.Schema:
    """The schema with what the table's contract says of each column in the field's metadata: description, unit,
    example.
    """
    promised = {column.name: column for column in contracts()[table].table.properties}
    fields = [
        field.with_metadata({**(field.metadata or {}), **_metadata(promised[field.name])})
        if field.name in promised
        else field
        for field in schema
    ]
    return pa.schema(fields, schema.metadata)


def first_text() -> str:
    """The text of contract 1, which older releases carry as contract.yaml."""
    return (_folder() / _FIRST).read_text(encoding="utf-8")


def first_version() -> str:
    """The last version of contract 1."""
    return str(yaml.safe_load(first_text())["version"])


def _folder() -> Traversable:
    return resources.files("data_contracts")


def _metadata(column: ContractProperty) -> dict[str, str]:
    unit = column.custom_value("unit")
    return {
        "description": column.description,
        **({"unit": str(unit)} if unit else {}),
        **({"example": str(column.examples[0])} if column.examples else {}),
    }
