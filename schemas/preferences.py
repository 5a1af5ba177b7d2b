"""Which of several copies a recipe's author would rather keep: rules that stand above those of `dedup`."""

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from schemas.base import Frozen, Later, Name
from schemas.where import ColumnName

MOST_RULES = 20


def _without_slashes(value: Any) -> Any:
    """`Kopien` of `Kopien/` and `./Kopien`."""
    return value.removeprefix("./").strip("/") if isinstance(value, str) else value


FolderPattern = Annotated[
    str,
    BeforeValidator(_without_slashes, json_schema_input_type=str),
    Field(min_length=1, max_length=300, pattern=r"^[^/]+(/[^/]+)*$"),
]


class PlainPreference(Frozen):
    """Records that are preferred: of a source, below a folder, or with a value in a column. One of the three."""

    source: Later[Name | None] = Field(None, description="Name of one of the sources")
    folder: Later[FolderPattern | None] = Field(
        None,
        description="Folder below the source's binding in which the image lies, at any depth, such as `scans/2024`; * "
        "and ? stand for letters of one name, ** for any folders. Case does not count",
    )
    known: Later[ColumnName | None] = Field(
        None, description="Column of records, or attribute, that has a value, such as `artist`"
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        words = {name: field.alias or name for name, field in type(self).model_fields.items()}
        given = [word for name, word in words.items() if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of {', '.join(words.values())}, got {' and '.join(given) or 'none'}")
        return self


class Preference(PlainPreference):
    """A rule, or `not` with one: records that do not meet it are preferred."""

    model_config = ConfigDict(serialize_by_alias=True)

    none_of: Later[PlainPreference | None] = Field(
        None, alias="not", description="A rule of this kind whose records are kept last, such as {folder: Kopien}"
    )

    @property
    def plain(self) -> PlainPreference:
        """The rule that `not` turns round, or itself."""
        return self.none_of or self
