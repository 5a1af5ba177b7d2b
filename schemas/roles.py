"""Roles: which records are a gallery, and which are queries that are looked up in it."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from schemas.base import Frozen
from schemas.phrases import quoted
from schemas.stage import Types, column_problems
from schemas.where import AnyCondition, ColumnName, condition_problem

Role = Literal["gallery", "query"]
ROLES: tuple[Role, Role] = ("gallery", "query")


class RolesByValue(Frozen):
    """Roles that each record's own words give it."""

    by: ColumnName = Field(description="Attribute, or column of records, whose value gives the role")
    gallery: AnyCondition = Field(
        description="What the gallery says: a value, a list of values, or a condition as of `where` of screen, such as "
        "{is_known: true}"
    )
    query: AnyCondition | None = Field(
        None,
        description="What queries say. null: all records that are not of the gallery are queries; otherwise a record "
        "that says neither ends the build with an error",
    )

    def problems(self, where: str, columns: Types) -> Iterator[str]:
        """A sentence for each thing that does not fit the columns of records."""
        yield from column_problems(f"{where}.by", [self.by], columns)
        if self.by not in columns:
            return
        for role, condition in (("gallery", self.gallery), ("query", self.query)):
            if condition is not None and (problem := condition_problem(condition, columns[self.by])):
                yield f"{where}.{role}: {problem}"
        values = [{str(value).lower() for value in (of and of.any_of) or ()} for of in (self.gallery, self.query)]
        if both := sorted(values[0] & values[1]):
            yield f"{where}: expected each value in one role, got {quoted(both[0])} in both"


_BY_SOURCE, _BY_VALUE = "dict[by source]", "dict[by value]"


def _form_of_roles(value: Any) -> str:
    """Whether roles are given to sources or to values.

    A source may be called `by`: then each entry is a role.
    """
    if isinstance(value, RolesByValue):
        return _BY_VALUE
    if not isinstance(value, Mapping) or all(isinstance(entry, str) and entry in ROLES for entry in value.values()):
        return _BY_SOURCE
    return _BY_VALUE if "by" in value or any(not isinstance(entry, str) for entry in value.values()) else _BY_SOURCE


Roles = Annotated[
    Annotated[dict[str, Role], Tag(_BY_SOURCE)] | Annotated[RolesByValue, Tag(_BY_VALUE)],
    Discriminator(_form_of_roles),
]
