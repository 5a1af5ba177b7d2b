"""evaluate keypoints: how pose estimators are scored by COCO's object keypoint similarity."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Frozen
from schemas.keypoints import MOST_JOINTS

TORSO = ("left_shoulder", "right_hip")
"""The torso's diagonal, as coco-17 calls its ends."""

Alpha = Annotated[float, Field(gt=0, le=10)]
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
    pck: Literal["box", "torso"] | Annotated[tuple[str, ...], Field(min_length=2, max_length=2)] | None = Field(
        None,
        description="Also give PCK and NME, joint by joint too. What PCK measures by: box, the longer side of the "
        "figure's box; torso, from the left shoulder to the right hip; or two joints, such as [head_top, neck]; null: "
        "neither is computed",
    )
    pck_at: Annotated[tuple[Alpha, ...], Field(min_length=1, max_length=20)] = Field(
        (0.1, 0.2, 0.5), description="The shares of that length within which a joint is right, one or several"
    )

    @property
    def pck_joints(self) -> tuple[str, str] | None:
        """The two joints whose distance PCK measures by; None: by the box."""
        if isinstance(self.pck, tuple):
            return self.pck[0], self.pck[1]
        return TORSO if self.pck == "torso" else None
