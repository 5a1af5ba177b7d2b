"""evaluate keypoints: how pose estimators are scored by COCO's object keypoint similarity."""

from typing import Annotated

from pydantic import Field

from schemas.base import Frozen
from schemas.keypoints import MOST_JOINTS

Sigma = Annotated[float, Field(ge=1e-6, le=1)]


class KeypointSettings(Frozen):
    """The settings of COCO's average precision of keypoints."""

    keypoints: str | None = Field(
        None,
        min_length=1,
        description="The keypoint scheme of the figures and of the results: the name of one of the program's or of the "
        "release's, or a YAML file with one; null: the category's own, as the release or the COCO file has it",
    )
    first: int | None = Field(
        None,
        ge=1,
        le=MOST_JOINTS,
        description="How many joints of the scheme count, the first ones, as where a COCO category names more joints "
        "than its figures have; null: all",
    )
    sigmas: Annotated[tuple[Sigma, ...], Field(min_length=1, max_length=MOST_JOINTS)] | Sigma | None = Field(
        None,
        description="How far people's points lie from each other, as a share of the figure's size: one for all joints, "
        "or one for each; null: those of the scheme. They are needed for a scheme that has none",
    )
    at_most: int = Field(
        20, ge=1, le=10_000, description="How many poses of each image count, best first (COCO's maxDets for keypoints)"
    )
