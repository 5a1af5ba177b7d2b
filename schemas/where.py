"""Conditions on what records say: in their own columns, or in the attributes that a recipe declares."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

import pyarrow as pa
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    model_validator,
)

from schemas.attributes import ARROW_TYPES, Attribute, AttributeType
from schemas.base import Frozen, Later
from schemas.phrases import quoted
from schemas.tables import RECORDS

ColumnName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
Text = Annotated[str, Field(min_length=1, max_length=1000, strict=True)]
Value = StrictBool | StrictInt | StrictFloat | Text
Number = int | float
MOST_VALUES = 10_000

_VALUES: dict[AttributeType, tuple[str, tuple[type, ...]]] = {
    "string": ("text", (str,)),
    "integer": ("a whole number", (int,)),
    "number": ("a number", (int, float)),
    "boolean": ("true or false", (bool,)),
    "strings": ("text", (str,)),
}
"""What a value of a column of each type is, in words and in Python."""
_NO_FIELDS = frozenset({"record_id", "locator", "declared_group", "reason", "detail"})
"""Columns of RECORDS that are no field of a work."""


def _in_a_list(value: Any) -> Any:
    return value if value is None or isinstance(value, list | tuple) else (value,)


Values = Annotated[
    tuple[Value, ...],
    BeforeValidator(_in_a_list, json_schema_input_type=Value | tuple[Value, ...]),
    Field(min_length=1, max_length=MOST_VALUES),
]
"""One value or several."""


def _with_a_word(phrase: str) -> str:
    if not any(sign.isalnum() for sign in phrase):
        raise ValueError(f"expected a word, got {quoted(phrase)}")
    return phrase


Phrases = Annotated[
    tuple[Annotated[Text, AfterValidator(_with_a_word)], ...],
    BeforeValidator(_in_a_list, json_schema_input_type=Text | tuple[Text, ...]),
    Field(min_length=1, max_length=MOST_VALUES),
]
"""One phrase or several, each with a letter or digit."""


class Condition(Frozen):
    """What a column must say. A record without a value does not pass, unless is_known: false asks for just these.

    Texts are compared as Unicode NFC, and without regard to case; of a list of texts any element may do.
    """

    model_config = ConfigDict(serialize_by_alias=True)

    any_of: Values | None = Field(None, alias="is", description="Values that pass: one, or a list")
    none_of: Values | None = Field(None, alias="not", description="Values that do not pass: one, or a list")
    contains: Later[Phrases | None] = Field(
        None,
        description="Words or phrases, one or a list: a text passes that has any of them as whole words, whatever "
        "their case, accents and punctuation",
    )
    least: Number | None = Field(None, description="Smallest number that passes; null: no limit")
    most: Number | None = Field(None, description="Largest number that passes; null: no limit")
    is_known: bool | None = Field(
        None, strict=True, description="true: any value passes; false: only records without a value pass"
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        asked = [name for name, value in self.model_dump().items() if value is not None]
        if not asked:
            words = "is, not, contains, least, most or is_known"
            raise ValueError(f"expected a value, a list of values, or {words}, got none")
        if self.is_known is False and len(asked) > 1:
            raise ValueError(f"expected nothing beside is_known: false, got {', '.join(asked)}")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self

    @property
    def values(self) -> tuple[Value, ...]:
        """All values that it names."""
        return (*(self.any_of or ()), *(self.none_of or ()))


def _from_short_form(value: Any) -> Any:
    """`Drawings` or a list of values for {is: ...}."""
    if value is None:
        raise ValueError("expected a value, got null: write {is_known: false} for records without one")
    return value if isinstance(value, dict | Condition) else {"is": value}


AnyCondition = Annotated[
    Condition, BeforeValidator(_from_short_form, json_schema_input_type=Value | tuple[Value, ...] | Condition)
]


Conditions = Annotated[Later[dict[ColumnName, AnyCondition]], Field(default_factory=dict, max_length=100)]
"""By column: a record must meet all of them."""


def column_types(attributes: Mapping[str, Attribute]) -> dict[str, AttributeType]:
    """The type of each column that records have in a recipe with these attributes."""
    words: dict[pa.DataType, AttributeType] = {kind: word for word, kind in ARROW_TYPES.items()}
    words[pa.int32()] = "integer"
    built_in = {field.name: words[field.type] for field in RECORDS if field.name not in _NO_FIELDS}
    return built_in | {name: attribute.type for name, attribute in attributes.items()}


def value_problem(value: Value, kind: AttributeType) -> str:
    """What is wrong with a value for a column of that type; empty where nothing is."""
    words, types = _VALUES[kind]
    is_right = isinstance(value, types) and (kind == "boolean" or not isinstance(value, bool))
    return "" if is_right else f"expected {words}, got {quoted(value)}"


def condition_problem(condition: Condition, kind: AttributeType) -> str:
    """What is wrong with a condition on a column of that type; empty where nothing is."""
    if condition.contains and kind not in {"string", "strings"}:
        return f"expected contains for text alone, got {quoted(condition.contains[0])} for {_VALUES[kind][0]}"
    limits = [limit for limit in (condition.least, condition.most) if limit is not None]
    if limits and kind not in {"integer", "number"}:
        return f"expected least and most for numbers alone, got {quoted(limits[0])} for {_VALUES[kind][0]}"
    found = (value_problem(value, kind) for value in (*condition.values, *limits))
    return next(filter(None, found), "")
