"""screen: what it can ask of a record. Every limit with its unit and its reason."""

from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.frozen import Frozen, Score
from schemas.stage import Stage


class Figures(Frozen):
    """How many figures an image must have. Where people have annotated it, their count stands, else the detector's."""

    category: str = Field("person", description="Category that is counted")
    least: int = Field(1, ge=0, description="Fewest figures")
    most: int | None = Field(None, ge=0, description="Most figures, if there is a limit")
    score: Score = Field(0.5, description="A detector's box counts from this score on (PoPArt, section 3.1: p >= 0.5)")
    counted_by: Literal["people_first", "detector"] = Field(
        "people_first",
        description="people_first: a source's annotations outrank the detector; detector: only it counts",
    )

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Aspect(Frozen):
    """Allowed width / height, both ends included."""

    least: float = Field(0.5, gt=0, description="ArtBench-10, section 3.2: kept ratios lie in [0.5, 2]")
    most: float = Field(2.0, gt=0, description="ArtBench-10, section 3.2: kept ratios lie in [0.5, 2]")

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Screen(Stage):
    """Drop records by what was measured of them. The one filter; it may stand several times in a recipe."""

    stage: Literal["screen"] = "screen"
    least_side_px: int | None = Field(None, ge=1, description="Shorter side in px, upright")
    aspect: Aspect | None = Field(None, description="Allowed width / height")
    figures: Figures | None = Field(None, description="How many figures there must be")
    rights: tuple[str, ...] | None = Field(
        None, min_length=1, description="URIs (or beginnings of them) of the rights statements that pass"
    )
