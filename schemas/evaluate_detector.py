"""evaluate detector: how detectors are compared with what people drew, by COCO's numbers."""

from pydantic import Field

from schemas.base import Frozen, Score


class DetectorSettings(Frozen):
    """The settings of a comparison of detectors by COCO's numbers."""

    score: Score = Field(
        0.5, description="An image counts as one with a figure from a box of this score on (PoPArt: p >= 0.5)"
    )
    at_most: int = Field(
        100, ge=1, le=10_000, description="How many boxes of each image count, best first (COCO's maxDets)"
    )
