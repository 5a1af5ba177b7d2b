"""evaluate: how detectors are compared with what people drew."""

from typing import Annotated

from pydantic import Field

from schemas.base import Frozen, Score


class CompareSettings(Frozen):
    """The settings of a comparison."""

    categories: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        ("person",),
        min_length=1,
        description="Boxes of these categories count; of several, AP and AR are means over those that have a figure. "
        "all: every category of the truth",
    )
    by: tuple[str, ...] = Field(
        (), description="Attributes of images: compute every number for each value, too (PoPArt, Table 5: style)"
    )
    score: Score = Field(
        0.5, description="An image counts as one with a figure from a box of this score on (PoPArt: p >= 0.5)"
    )
    replicates: int = Field(
        1000, ge=0, le=100_000, description="Resamples of the images for 95 % intervals; 0: AP and AR have no intervals"
    )
    seed: int = Field(0, ge=0, description="Seed of the resamples")
    at_most: int = Field(
        100, ge=1, le=10_000, description="How many boxes of each image count, best first (COCO's maxDets)"
    )
