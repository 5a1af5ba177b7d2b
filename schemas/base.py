"""What all parts of a recipe share."""

import functools
import operator
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="Lower-case letters, digits, - and _")]
Score = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
Overlap = Annotated[float, Field(gt=0, le=1)]
Filled = Annotated[str, Field(min_length=1)]

Entry = TypeVar("Entry")
Some = Annotated[tuple[Entry, ...], Field(min_length=1)]
Later = Annotated[Entry, Field(exclude_if=operator.not_)]
"""A setting that came later: a recipe that does not use it has the dump that it had before, and so the same digest."""

LARGEST_WHOLE = 2**63 - 1
"""The largest whole number that tables hold."""


def _within_64_bits(value: Any) -> Any:
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        raise PydanticKnownError("less_than_equal", {"le": LARGEST_WHOLE})
    return value


def _no_boolean(error: Literal["int_type", "float_type"], value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticKnownError(error)
    return value


_NUMBERS = {"int": functools.partial(_no_boolean, "int_type"), "float": functools.partial(_no_boolean, "float_type")}


def _refuse_booleans(schema: Any) -> None:
    """Change every schema of a number within a schema, in place."""
    if isinstance(schema, list | tuple):
        for entry in schema:
            _refuse_booleans(entry)
    if not isinstance(schema, dict):
        return
    kind = schema.get("type")  # of a model's fields by their names: another schema, where one is called so
    if isinstance(kind, str) and kind in _NUMBERS:
        number = dict(schema)
        schema.clear()
        checked = core_schema.no_info_before_validator_function(_NUMBERS[kind], number)
        schema.update(core_schema.no_info_after_validator_function(_within_64_bits, checked))
        return
    function = schema.get("function")
    is_done = isinstance(function, dict) and function.get("function") in _NUMBERS.values()
    for part, entry in schema.items():
        if not is_done and part not in {"metadata", "serialization"}:
            _refuse_booleans(entry)


class Frozen(BaseModel):
    """Every part of a recipe: immutable, no unknown fields, true is no number, whole numbers are within 64 bits."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Pydantic's own, but true is not 1. Its strict numbers would also refuse "1e-3", as YAML reads 1e-3."""
        _refuse_booleans(schema := handler(source))
        return schema
