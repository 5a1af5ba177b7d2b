"""What programs read of an Open Data Contract Standard file, one for each table of a release.

A release may come from anybody: other fields are passed over, text is text and a number is a number.
"""

import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

TABLES = (
    "images",
    "annotations",
    "ledger",
    "records",
    "relations",
    "takedowns",
    "tombstones",
    "diversity",
    "histograms",
    "shares",
)
"""The tables that the contract of a release promises."""

README = "contract/README.md"
_NUMBERS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})*")


def contract_path(table: str) -> str:
    """Where the contract of a table stands in a release."""
    return f"contract/{table}.odcs.yaml"


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers, which can be compared; (0,) where it is none.

    >>> numbers("2.0.11"), numbers("two")
    ((2, 0, 11), (0,))
    """
    return tuple(map(int, version.split("."))) if _NUMBERS.fullmatch(version) else (0,)


def major(version: str) -> int:
    """The first number of a version: readers of one major version read all of it."""
    return numbers(version)[0]


class _Fields(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, populate_by_name=True)


class CustomProperty(_Fields):
    """Something of bilderatlas' own, such as `unit` or `content`."""

    property: str
    value: Any = None


class EnumValue(_Fields):
    """An allowed value, and what it means."""

    value: Any
    description: str = ""


class ContractProperty(_Fields):
    """A column. physical_type: an Arrow type as `core.verify.type_name` writes it."""

    name: str
    physical_type: Annotated[str, Field(alias="physicalType")]
    logical_type: Annotated[str, Field(alias="logicalType")] = ""
    required: bool = False
    is_key: Annotated[bool, Field(alias="primaryKey")] = False
    key_position: Annotated[int, Field(alias="primaryKeyPosition")] = -1
    description: str = ""
    examples: list[Any] = []
    enum: list[EnumValue] = []
    custom: Annotated[list[CustomProperty], Field(alias="customProperties")] = []

    def custom_value(self, name: str) -> Any:
        """The value of one of bilderatlas' own properties, or None."""
        return next((entry.value for entry in self.custom if entry.property == name), None)

    @property
    def is_content(self) -> bool:
        """Whether the content digest goes by it."""
        return self.custom_value("content") is True

    @property
    def words(self) -> list[str]:
        """The allowed texts; empty where any is."""
        return [entry.value for entry in self.enum if isinstance(entry.value, str)]


class ContractObject(_Fields):
    """A table."""

    name: str
    files: Annotated[str, Field(alias="physicalName")] = ""
    description: str = ""
    properties: Annotated[list[ContractProperty], Field(min_length=1)]

    def column(self, name: str) -> ContractProperty | None:
        """The column of that name, or None."""
        return next((column for column in self.properties if column.name == name), None)

    def words(self, column: str) -> list[str]:
        """The allowed texts of a column."""
        found = self.column(column)
        return found.words if found else []

    @property
    def primary_key(self) -> list[str]:
        """Names of the columns by which a row is found, in their order."""
        keys = [column for column in self.properties if column.is_key]
        return [column.name for column in sorted(keys, key=lambda column: column.key_position)]


class DataContract(_Fields):
    """The contract of one table."""

    api_version: Annotated[str, Field(alias="apiVersion")]
    id: str
    version: str
    objects: Annotated[list[ContractObject], Field(alias="schema", min_length=1, max_length=1)]

    @property
    def table(self) -> ContractObject:
        """The table that it is about."""
        return self.objects[0]
