"""What programs read of a release's YAML and JSON files, which may come from anybody: other fields are passed over."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.attributes import MOST_ATTRIBUTES, AttributeName, AttributeType
from schemas.base import Score
from schemas.keypoints import Category, CocoCategory, Joints, resolve_categories, scheme_problems


class _Fields(BaseModel):
    """Immutable; text is text and a number is a number, never one made of the other."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class ReleaseAttribute(_Fields):
    """An attribute that the release's recipe declares."""

    type: AttributeType
    description: str = ""


class RecipeParquet(_Fields):
    """How export writes tables."""

    images: str
    order: str = "image_id"


class RecipeCoco(_Fields):
    """How export writes COCO files."""

    score: float


class RecipeStage(_Fields):
    """A stage of a recipe. drop_relations: of dedup; ratios, roles, together: of split; the others: of export."""

    label: str
    drop_relations: list[str] = []
    ratios: dict[str, float] | None = None
    roles: dict[str, Any] | None = None
    together: list[str] = []
    parquet: RecipeParquet | None = None
    coco: RecipeCoco | None = None
    media: bool | None = None


class ReleaseCategory(Category):
    """A category: its name alone, or a mapping that says more."""

    model_config = ConfigDict(extra="ignore")


class ReleaseJoints(Joints):
    """A keypoint scheme of the recipe's own."""

    model_config = ConfigDict(extra="ignore")


class ReleaseAttributes(_Fields):
    """Of `recipe.yaml` what says which columns the release has beyond those of all releases."""

    attributes: Annotated[dict[AttributeName, ReleaseAttribute], Field(max_length=MOST_ATTRIBUTES)] = {}


class ReleaseAnnotations(_Fields):
    """Boxes that people drew, in files beside a source's images."""

    format: str


class ReleaseSource(_Fields):
    """A source of the recipe. pattern: of a folder; annotations: of a source in files."""

    name: str
    pattern: str | None = None
    annotations: ReleaseAnnotations | None = None


class ReleaseAbout(_Fields):
    """What people say of their dataset."""

    authors: list[str] = []
    homepage: str | None = None
    paper: str | None = None
    citation: str | None = None
    languages: list[str] = []
    limitations: str | None = None
    answers: dict[str, str] = {}


class ReleaseRecipe(ReleaseAttributes):
    """`recipe.yaml`: the settings of the release's build; category ids count from 1 in the order of `categories`."""

    name: str | None = None
    title: str | None = None
    about: ReleaseAbout | None = None
    description: str | None = None
    limit: int | None = None
    categories: list[ReleaseCategory]
    keypoint_schemes: dict[str, ReleaseJoints] = {}
    sources: list[dict[str, ReleaseSource]] = []
    stages: list[dict[str, RecipeStage]]

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        for problem in scheme_problems(self.categories, self.keypoint_schemes):
            raise ValueError(problem)
        return self

    @property
    def category_names(self) -> list[str]:
        """Names of the categories, from id 1 on."""
        return [entry.name for entry in self.categories]

    @property
    def coco_categories(self) -> tuple[CocoCategory, ...]:
        """The categories with their keypoint schemes."""
        return resolve_categories(self.categories, self.keypoint_schemes)

    def stage(self, word: str) -> RecipeStage | None:
        """The first stage of that word, or None."""
        return next((entry[word] for entry in self.stages if word in entry), None)

    @property
    def labels(self) -> set[str]:
        """The labels of all stages."""
        return {stage.label for entry in self.stages for stage in entry.values()}


class ReleaseScores(_Fields):
    """`evaluation.json`: the release's own detector against people's boxes. Null: there was nothing to score."""

    images: int
    figures: int
    AP: Score | None
    AP50: Score | None
    AR100: Score | None
