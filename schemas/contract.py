"""What programs read of Open Data Contract Standard files, one a table, from anybody; and names of files by split."""

import re
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from schemas.tables import BY_CONTRACT

TABLES = tuple(BY_CONTRACT)
"""The tables that the contract of a release promises."""

README = "contract/README.md"
SUMS = "SHA256SUMS"
"""The digests of all other files of a release but its manifest, as `sha256sum -c` reads them."""
ATTRIBUTION = "ATTRIBUTION.md"
"""Whom to name for each image."""
DATASHEET = "DATASHEET.md"
"""Questions on the dataset, and what is known."""
CROISSANT = "croissant.json"
"""The release as MLCommons' Croissant describes datasets."""
_NUMBERS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})*")


def contract_path(table: str) -> str:
    """Where the contract of a table stands in a release."""
    return f"contract/{table}.odcs.yaml"


def schema_path(table: str) -> str:
    """Where the Arrow schema of a table stands in a release, as Arrow's IPC format has it."""
    return f"contract/{table}.arrow"


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
    """Other fields are passed over; text is text and a number is a number."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, populate_by_name=True)


class CustomProperty(_Fields):
    """Something of bilderatlas' own, such as `unit` or `content`."""

    property: str
    value: Any = None


def _value(custom: list[CustomProperty], name: str) -> Any:
    return next((entry.value for entry in custom if entry.property == name), None)


class EnumValue(_Fields):
    """An allowed value, and what it means."""

    value: Any
    description: str = ""


class QualityRule(_Fields):
    """A rule in SQL: what the one number that it gives must be."""

    name: str = ""
    type: str = ""
    query: str = ""
    must_be: Annotated[float | None, Field(alias="mustBe")] = None
    must_not_be: Annotated[float | None, Field(alias="mustNotBe")] = None
    must_be_greater_than: Annotated[float | None, Field(alias="mustBeGreaterThan")] = None
    must_be_greater_or_equal_to: Annotated[float | None, Field(alias="mustBeGreaterOrEqualTo")] = None
    must_be_less_than: Annotated[float | None, Field(alias="mustBeLessThan")] = None
    must_be_less_or_equal_to: Annotated[float | None, Field(alias="mustBeLessOrEqualTo")] = None
    custom: Annotated[list[CustomProperty], Field(alias="customProperties")] = []

    @property
    def rows(self) -> str:
        """The SQL of what a row that breaks it is called; empty: its primary key."""
        return str(_value(self.custom, "rows") or "")

    @property
    def replaces(self) -> str:
        """The name of the rule of earlier versions that this one says better; empty: none."""
        return str(_value(self.custom, "replaces") or "")

    @property
    def since(self) -> str:
        """The earliest contract by which releases keep it, where that is one before it was written down."""
        return str(_value(self.custom, "since") or "")

    @property
    def columns(self) -> list[str]:
        """The columns whose values are shown of a row that breaks it."""
        found = _value(self.custom, "columns")
        return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

    @property
    def promise(self) -> "QualityRule":
        """The rule without what is said of it beside: how broken rows are shown, and what it replaces."""
        return self.model_copy(update={"custom": []})


class ContractProperty(_Fields):
    """A column. physical_type: its type as datacontract-cli reads it over Parquet files."""

    name: str
    physical_type: Annotated[str, Field(alias="physicalType")]
    logical_type: Annotated[str, Field(alias="logicalType")] = ""
    required: bool = False
    unique: bool = False
    is_key: Annotated[bool, Field(alias="primaryKey")] = False
    key_position: Annotated[int, Field(alias="primaryKeyPosition")] = -1
    description: str = ""
    examples: list[Any] = []
    enum: list[EnumValue] = []
    custom: Annotated[list[CustomProperty], Field(alias="customProperties")] = []

    def custom_value(self, name: str) -> Any:
        """The value of one of bilderatlas' own properties, or None."""
        return _value(self.custom, name)

    @property
    def arrow_type(self) -> str:
        """Its Arrow type, as `core.verify.type_name` writes it."""
        return str(self.custom_value("arrowType") or self.physical_type)

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
    description: str = ""
    properties: Annotated[list[ContractProperty], Field(min_length=1)]
    quality: list[QualityRule] = []
    custom: Annotated[list[CustomProperty], Field(alias="customProperties")] = []

    @property
    def files(self) -> str:
        """How its files are called in a release, such as `images/<split>-<number>-of-<count>.parquet`."""
        return str(_value(self.custom, "files") or "")

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


class ContractServer(_Fields):
    """Where the table's files lie. path: from the release's own folder, with * for what differs between them."""

    path: str = ""


class DataContract(_Fields):
    """The contract of one table."""

    api_version: Annotated[str, Field(alias="apiVersion")]
    id: str
    version: str
    servers: list[ContractServer] = []
    objects: Annotated[list[ContractObject], Field(alias="schema", min_length=1, max_length=1)]

    @property
    def table(self) -> ContractObject:
        """The table that it is about."""
        return self.objects[0]

    @property
    def path(self) -> str:
        """Where the table's files lie in a release."""
        return self.servers[0].path if self.servers else ""


SPLIT_TABLES = ("images", "annotations", "detections")
"""Tables with files for each split; all others are one file."""

_PART = re.compile(rf"({'|'.join(SPLIT_TABLES)})/([^/]+)-(\d{{5}})-of-(\d{{5}})\.parquet")


class FilePart(NamedTuple):
    """What a file's name says. of: how many files the split has."""

    table: str
    split: str
    number: int
    of: int


def part_path(table: str, split: str, number: int, count: int) -> str:
    """Path in a release of one of a split's files, counted from 0.

    >>> part_path("images", "val", 0, 3)
    'images/val-00000-of-00003.parquet'
    """
    return f"{table}/{split}-{number:05}-of-{count:05}.parquet"


def parse_part(path: str) -> FilePart | None:
    """What the path of such a file says; None where it is none.

    >>> parse_part("annotations/val-00001-of-00002.parquet")
    FilePart(table='annotations', split='val', number=1, of=2)
    """
    found = _PART.fullmatch(path)
    return FilePart(found[1], found[2], int(found[3]), int(found[4])) if found else None
