"""sample and split: the two stages that draw."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.frozen import Score
from schemas.stage import Stage


class Drawn(Stage):
    """What the two stages that draw have in common."""

    seed: int | None = Field(None, ge=0, description="The recipe's seed by default")


class Sample(Drawn):
    """Draw at most n records of each style, without replacement, rare artists before prolific ones."""

    stage: Literal["sample"] = "sample"
    by: Literal["style"] = Field("style", description="What the records are grouped by")
    top: int | None = Field(
        None, ge=1, description="Keep only so many of the most frequent styles (PoPArt: 22); ties by name"
    )
    at_most: int | None = Field(None, ge=1, description="Records per style (PoPArt: 125, ArtBench-10: 6000)")
    weight: Literal["inverse_artist", "uniform"] = Field(
        "inverse_artist",
        description="inverse_artist: 1 / works of that artist in that style (ArtBench-10, Algorithm 1); works of unknown "
        "artists count as the recipe's `artists` says",
    )  # fmt: skip


class Split(Drawn):
    """Deal the records of each style into train, val and test, groups kept together, published ones kept where they are."""

    stage: Literal["split"] = "split"
    ratios: dict[Literal["train", "val", "test"], Annotated[int, Field(ge=0, le=100)]] = Field(
        {"train": 3, "val": 1, "test": 1}, description="Seats per batch (PoPArt, section 3.3)"
    )
    by: Literal["style"] | None = Field("style", description="Batches are filled inside each style; null: in one list")
    order: Literal["figures"] | None = Field(
        "figures", description="Sort by number of figures, most first; null: by chance"
    )
    category: str = Field("person", description="Category that counts as a figure")
    score: Score = Field(0.5, description="A detector's box counts from this score on, where people have not annotated")

    @model_validator(mode="after")
    def _some_seat(self) -> Self:
        if not sum(self.ratios.values()):
            raise ValueError(f"expected at least one ratio above 0, got {self.ratios}")
        return self
