"""screen: the limits that a record must keep. Every limit with its unit and its reason."""

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.base import Frozen, Positive, Score, Some
from schemas.reasons import Reason
from schemas.rights import AllowedRights
from schemas.scores import LIMIT_REASONS, ScoreLimits
from schemas.stage import Stage, Surroundings, conditions_problems
from schemas.where import Conditions


class FigureLimits(Frozen):
    """How many figures an image must have: counted by people where they annotated it, otherwise by the detector."""

    category: str = Field("person", description="Category that counts as a figure")
    least: int = Field(1, ge=0, description="Fewest figures")
    most: int | None = Field(None, ge=0, description="Most figures; null: no limit")
    score: Score = Field(
        0.5, description="Lowest score with which a detector's box counts (PoPArt, section 3.1: p >= 0.5)"
    )
    counted_by: Literal["people_first", "detector"] = Field(
        "people_first",
        description="people_first: a source's annotations count, and the detector where there are none; detector: only "
        "its boxes count",
    )

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Aspect(Frozen):
    """Allowed width / height, both ends included."""

    least: float = Field(0.5, gt=0, description="Smallest width / height (ArtBench-10, section 3.2: 0.5)")
    most: float = Field(2.0, gt=0, description="Largest width / height (ArtBench-10, section 3.2: 2)")

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Between(Frozen):
    """Allowed numbers, both ends included; at least one of them."""

    least: int | None = Field(None, ge=0, description="Smallest number that passes; null: no limit")
    most: int | None = Field(None, ge=0, description="Largest number that passes; null: no limit")

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.least is None and self.most is None:
            raise ValueError("expected least, most or both, got neither")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Screen(Stage):
    """Drop records by their fields and measures. It is the only filter, and may occur several times in a recipe."""

    step_kind = "decide"
    reasons = frozenset(
        {
            *(Reason.RIGHTS_NOT_OPEN, Reason.STYLE_NOT_WANTED, Reason.WHERE_NOT_MET, Reason.OUTSIDE_BYTES),
            *(Reason.OUTSIDE_PIXELS, Reason.TOO_SMALL, Reason.TOO_ELONGATED, Reason.NOT_IN_COLOUR, Reason.IN_COLOUR),
            *LIMIT_REASONS.values(),
            *(Reason.TOO_FEW_FIGURES, Reason.TOO_MANY_FIGURES),
        }
    )

    stage: Literal["screen"] = "screen"
    applies_to: Conditions = Field(
        description="Which records it looks at, by conditions as of `where`, of which a record must meet all; others "
        "pass. By default all records",
    )
    rights: AllowedRights | None = Field(
        None,
        description="Rights that pass, one or several: public_domain; open (public_domain, CC BY and CC BY-SA); all; "
        "NOASSERTION; or URIs, also beginnings of URIs that end at a /",
    )
    styles: Some[str] | None = Field(
        None, description="Styles that pass, by any of their names; records without a style do not"
    )
    where: Conditions = Field(
        description="What attributes, or columns of records, must say, as column: a value, a list of values, or a "
        "condition; a record must meet all of them (docs/screening.md)",
    )
    bytes: Between | None = Field(None, description="Limits on the size of the file")
    pixels: Between | None = Field(None, description="Limits on width x height")
    least_side_px: Positive | None = Field(None, description="Shortest side that passes, when the image is upright")
    aspect: Aspect | None = Field(None, description="Limits on width / height")
    colour: Literal["colour", "grey"] | None = Field(
        None,
        description="colour: only images in colour pass; grey: only images in grey or in one tone, such as sepia, pass",
    )
    least_chroma: Score = Field(
        0.025,
        description="Lowest chroma of an image in colour, as a share of 255 levels: no colour painting that was tried "
        "is below it, and almost no picture in one tone is above it",
    )
    scores: ScoreLimits | None = Field(None, description="Limits on the scores that `quality` measured")
    figures: FigureLimits | None = Field(None, description="Limits on the number of figures")

    @model_validator(mode="after")
    def _chroma_beside_colour(self) -> Self:
        """A release writes the default out, so that it may stand alone."""
        if self.colour is None and self.least_chroma != type(self).model_fields["least_chroma"].default:
            raise ValueError("least_chroma: expected colour beside it, got none")
        return self

    @property
    def needs(self) -> tuple[str, ...]:
        """The stages that measure what it limits."""
        asked = {
            "fetch": self.bytes is not None,
            "hash": (self.pixels, self.least_side_px, self.aspect) != (None, None, None),
            "quality": self.colour is not None or self.scores is not None,
            "detect": self.figures is not None and self.figures.counted_by == "detector",
        }
        return tuple(stage for stage, is_needed in asked.items() if is_needed)

    @property
    def used_categories(self) -> tuple[str, ...]:
        """The category whose figures it counts."""
        return (self.figures.category,) if self.figures else ()

    def least_and_score(self, category: str) -> tuple[int, float] | None:
        """Those of its limit on figures."""
        is_asked = self.figures is not None and self.figures.category == category
        return (self.figures.least, self.figures.score) if self.figures and is_asked else None

    def problems(self, where: str, around: Surroundings) -> Iterator[str]:
        """Conditions on columns that records don't have, or of another type."""
        for setting, conditions in (("applies_to", self.applies_to), ("where", self.where)):
            yield from conditions_problems(f"{where}.{setting}", conditions, around.columns)
