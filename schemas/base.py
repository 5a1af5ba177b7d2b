"""What all parts of a recipe share."""

import functools
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="Lower-case letters, digits, - and _")]
Score = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
Overlap = Annotated[float, Field(gt=0, le=1)]
Filled = Annotated[str, Field(min_length=1)]

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


def is_unset(value: object) -> bool:
    """Whether a setting is null, empty or false: as `exclude_if` of settings that came later, with such a default.

    A recipe that does not use one has the dump that it had before there was such a setting, and so the same digest.
    """
    return not value


Entry = TypeVar("Entry")
Some = Annotated[tuple[Entry, ...], Field(min_length=1)]
Later = Annotated[Entry, Field(exclude_if=is_unset)]
"""A setting that came later: while it is unset, it stands in no dump, and so changes no digest."""


class Frozen(BaseModel):
    """What every part of a recipe is: immutable, unknown fields are errors, true is no number, and whole numbers are
    at most 2**63 - 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Pydantic's own, in which numbers refuse true and false at any depth: pydantic would take them for 1 and 0.

        Its strict numbers would also refuse the text "1e-3", which is what YAML makes of 1e-3.
        """
        _refuse_booleans(schema := handler(source))
        return schema
