"""Attributes: what a recipe's records say beyond the columns that all releases have, such as a work's department."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, Protocol

import pyarrow as pa
from pydantic import ConfigDict, Field

from schemas.base import Frozen, Name
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.sources import AnySource
from schemas.sources.common import SourceField
from schemas.tables import BY_CONTRACT, IMAGES

AttributeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
AttributeType = Literal["string", "integer", "number", "boolean", "strings"]

ARROW_TYPES: dict[AttributeType, pa.DataType] = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "strings": pa.list_(pa.string()),
}

MOST_ATTRIBUTES = 100

_OF_RECORDS = ("images", "records", "ledger", "annotations")
_TAKEN = {
    "a column of releases": {name for table in _OF_RECORDS for name in BY_CONTRACT[table].names},
    "a field of COCO's images": {
        *("id", "width", "height", "file_name", "license", "flickr_url", "coco_url", "date_captured", "metadata")
    },
    "a word of recipes": {
        # what stages may be told to go by
        *("style", "styles", "source", "artist", "series", "object", "century", "role", "figures"),
        # what tables and patterns call their fields
        *("key", "image", "group", "answer_url", "offers"),
    },
}
"""Names that no attribute may have, by what they are."""


class Typed(Protocol):
    """An attribute, as a recipe declares it or as one of its sources has it."""

    @property
    def type(self) -> AttributeType: ...  # noqa: D102


class Described(Typed, Protocol):
    """An attribute, as a recipe or a release declares it."""

    @property
    def description(self) -> str: ...  # noqa: D102


class Attribute(Frozen):
    """One thing that the records of this dataset say: a column of its own, with one type for all sources."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    type: AttributeType = Field(
        description="string: one text; integer: a whole number; number: any finite number; boolean: true or false; "
        "strings: a list of texts",
    )
    from_: SourceField | dict[Name, SourceField] | None = Field(
        None,
        alias="from",
        description="Where a source says it: a table's column or path, a field of a folder's pattern, or one of the "
        "names that a source on the web offers (docs/attributes.md). A mapping of source to that, where they differ: "
        "other sources have none; an empty one stands only in attributes that the stage `hash` fills. null: the "
        "attribute's own name",
    )
    description: str = Field("", max_length=500, description="What it means, for the card and the contract")

    def field_in(self, name: str, source: str) -> str | None:
        """The field of a source that says this attribute, which the recipe calls `name`; None where it has none."""
        if isinstance(self.from_, dict):
            return self.from_.get(source)
        return self.from_ or name


class AttributeField(Frozen):
    """An attribute as one source has it: what its records depend on. field: None where the source has none."""

    type: AttributeType = Field(description="As of the attribute")
    field: SourceField | None = Field(description="Where the source says it; null: nowhere")


Attributes = Mapping[str, Attribute]
AttributeFields = Mapping[str, AttributeField]


def fields_of(attributes: Attributes, source: str) -> dict[str, AttributeField]:
    """All attributes as that source has them, in the recipe's order."""
    return {
        name: AttributeField(type=attribute.type, field=attribute.field_in(name, source))
        for name, attribute in attributes.items()
    }


def with_attribute_columns(schema: pa.Schema, attributes: Mapping[str, Typed]) -> pa.Schema:
    """The schema with a column for each attribute behind its own, in the recipe's order."""
    fields = [pa.field(name, ARROW_TYPES[attribute.type]) for name, attribute in attributes.items()]
    return pa.schema([*schema, *fields], schema.metadata)


def attributes_of(images: pa.Schema) -> list[str]:
    """The columns of a build's images that are attributes of its recipe."""
    return [name for name in images.names if name not in IMAGES.names]


def attribute_problems(attributes: Attributes, sources: Sequence[AnySource]) -> Iterator[str]:
    """A sentence for each attribute whose name is taken, or that a source can't have."""
    names = sorted(source.name for source in sources)
    for name, attribute in attributes.items():
        if meaning := _taken(name):
            said = "" if isinstance(attribute.from_, dict) else f", with `from: {attribute.from_ or name}`"
            taken = f"{quoted(name)}, which is {meaning}"
            yield f"attributes: expected names of their own, got {taken}: choose another{said}"
        if isinstance(attribute.from_, dict) and not set(attribute.from_) <= set(names):
            given = quoted(sorted(attribute.from_), LONGEST_PLACE)
            yield f"attributes.{name}.from: expected some of the sources {quoted(names, LONGEST_PLACE)}, got {given}"
        for source in sources:
            field = attribute.field_in(name, source.name)
            if field is not None and (offered := source.offered_fields) is not None:
                yield from check_offer(name, field, source.name, offered, "a field of the pattern")


def check_offer(name: str, field: str, source: str, offered: Sequence[str], what: str) -> Iterator[str]:
    """A sentence where a source lacks an attribute's field. what: each of `offered`, as in "a field of the pattern"."""
    if field not in offered:
        yield (
            f"attributes.{name}.from: expected {what} of source '{source}', "
            f"{f'one of {quoted(sorted(set(offered)), 600)}' if offered else 'which has none'}, got {quoted(field)}; "
            "where only some sources have it, or by another name, write a mapping of source to field"
        )


def _taken(name: str) -> str:
    return next((meaning for meaning, names in _TAKEN.items() if name in names), "")
