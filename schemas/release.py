"""What programs read of a release's YAML and JSON files, which may come from anybody: other fields are passed over."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_Fraction = Annotated[float, Field(ge=0, le=1)]


class _Fields(BaseModel):
    """Immutable; text is text and a number is a number, never one made of the other."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class ContractColumn(_Fields):
    """A promised column of a table."""

    name: str
    type: str
    nullable: bool


class ContractTable(_Fields):
    """A promised table."""

    columns: list[ContractColumn]


class ContractTables(_Fields):
    """The three tables of each release."""

    images: ContractTable
    annotations: ContractTable
    ledger: ContractTable


class ReleaseContract(_Fields):
    """`contract.yaml`: the promise that the release keeps."""

    version: str
    splits: list[str]
    origins: list[str]
    reasons: dict[str, str]
    tables: ContractTables


class RecipeStage(_Fields):
    """A stage of a recipe. drop_relations: kinds of copies that it drops, if it is a dedup."""

    label: str
    drop_relations: list[str] = []


class ReleaseRecipe(_Fields):
    """`recipe.yaml`: the settings of the release's build; category ids count from 1 in the order of `categories`."""

    limit: int | None = None
    categories: list[str]
    stages: list[dict[str, RecipeStage]]


class ReleaseScores(_Fields):
    """`evaluation.json`: the release's own detector against people's boxes. Null: there was nothing to score."""

    images: int
    figures: int
    AP: _Fraction | None
    AP50: _Fraction | None
    AR100: _Fraction | None
