"""evaluate: how detectors are compared with what people drew."""

from typing import Literal

from pydantic import Field

from schemas.frozen import Frozen, Score


class CompareSettings(Frozen):
    """What of a comparison can be chosen."""

    category: str = Field("person", min_length=1, description="Whose boxes count; other categories are passed over")
    by: Literal["style"] | None = Field(None, description="style: every number for each style, too (PoPArt, Table 5)")
    score: Score = Field(0.5, description="From where on a box says that an image has a figure (PoPArt: p >= 0.5)")
    replicates: int = Field(
        1000, ge=0, le=100_000, description="Resamples of the images for 95 % intervals; 0: no intervals of AP and AR"
    )
    seed: int = Field(0, ge=0, description="Of the resamples")
    at_most: int = Field(100, ge=1, le=10_000, description="Boxes of an image that count, best first (COCO's maxDets)")
