"""evaluate keypoints: how pose estimators are scored by COCO's object keypoint similarity."""

from typing import Annotated

from pydantic import Field

from schemas.base import Frozen, Name
from schemas.keypoints import DEFAULT, MOST_JOINTS


class KeypointSettings(Frozen):
    """The settings of COCO's average precision of keypoints."""

    keypoints: Name = Field(DEFAULT, description="The keypoint scheme of the figures and of the results")
    sigmas: tuple[Annotated[float, Field(ge=1e-6, le=1)], ...] | None = Field(
        None,
        min_length=1,
        max_length=MOST_JOINTS,
        description="For each joint of the scheme how far people's points lie from each other, as a share of the "
        "figure's size; null: those of the scheme. They are needed for a scheme that has none",
    )
    at_most: int = Field(
        20, ge=1, le=10_000, description="How many poses of each image count, best first (COCO's maxDets for keypoints)"
    )
