"""evaluate: how figures are scored: by COCO's numbers or VOC's rule; raters' by the others' (Ginosar et al., 2014)."""

from typing import Annotated, Literal

import pyarrow as pa
from pydantic import Field

from schemas.base import Filled, Frozen, Overlap, Score
from schemas.keypoints import MOST_JOINTS
from schemas.tables import schema


class DetectorSettings(Frozen):
    """The settings of a comparison of detectors by COCO's numbers."""

    score: Score = Field(
        0.5, description="An image counts as one with a figure from a box of this score on (PoPArt: p >= 0.5)"
    )
    at_most: int = Field(
        100, ge=1, le=10_000, description="How many boxes of each image count, best first (COCO's maxDets)"
    )


class VocSettings(Frozen):
    """The settings of PASCAL VOC's rule (Everingham et al. 2010, section 4.2)."""

    iou: Overlap = Field(
        0.5, description="A box is right if its IoU with a figure is at least this (VOC, Picasso: 0.5)"
    )
    far_corner: Literal["x+w-1", "x+w"] = Field(
        "x+w-1",
        description="Which x_max a box of x, y, width and height has in VOC's rule, by which a box is "
        "x_max - x_min + 1 px wide. x+w-1: its last pixel, so that it is as wide as it says, and IoU is the ordinary "
        "one. x+w: the edge after that, as where corners were given to the devkit as they are: sides are 1 px longer",
    )


TORSO = ("left_shoulder", "right_hip")
"""The torso's diagonal, as coco-17 calls its ends."""

Alpha = Annotated[float, Field(gt=0, le=10)]
Sigma = Annotated[float, Field(ge=1e-6, le=1)]
"""The square of a far smaller one is 0, by which no distance can be divided."""


class KeypointSettings(Frozen):
    """The settings of COCO's average precision of keypoints."""

    keypoints: Filled | None = Field(
        None,
        description="The keypoint scheme of the figures and of the results: the name of one of the program's or of the "
        "release's, or a YAML file with one; null: the category's own, as the release or the COCO file has it",
    )
    first: Annotated[int, Field(ge=1, le=MOST_JOINTS)] | None = Field(
        None,
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


RATINGS = pa.schema(
    [
        pa.field(name, kind, nullable=name not in {"rater", "image"}, metadata={"description": words})
        for name, kind, words in (
            ("rater", pa.string(), "Who drew and rated"),
            ("image", pa.string(), "The image: its name or id"),
            ("x_min", pa.float64(), "Left edge of a box, in px; null: drew nothing"),
            ("y_min", pa.float64(), "Upper edge, in px"),
            ("x_max", pa.float64(), "Right edge, in px; above x_min"),
            ("y_max", pa.float64(), "Lower edge, in px; above y_min"),
            ("rating", pa.int8(), "1 (very lifelike) to 5 (not at all); the same on all rows of a rater and image"),
            ("keypoints_xyv", pa.list_(pa.float64()), "x, y and visibility of each joint of this box; may be left out"),
        )
    ]
)
"""One row for each box; one row with an empty box where a rater saw an image and drew nothing."""

LIKERT = (1, 5)
"""The lowest and the highest rating (section 5.2)."""

FIGURES = schema(
    "image figure x_min y_min x_max y_max raters boxes seen_by has_rater_twice is_minority", image=pa.string()
)
"""The figures of a consensus, and which of them are doubtful."""

DISAGREEMENT = schema("rater image right missed extra worst_iou", image=pa.string(), right=pa.int64())
"""One row for each rater and image with a truth by others."""


class RaterSettings(Frozen):
    """How a consensus is formed, and how raters are compared with it."""

    consensus: Literal["kmeans", "overlap"] = Field(
        "kmeans",
        description="How boxes are grouped into figures. kmeans: k-means over the four coordinates, as many figures as "
        "the median rater drew (section 5.4). overlap: boxes that overlap, kept where enough raters agree",
    )
    iou: Overlap = Field(0.5, description="A box is right from this intersection over union with a true figure on")
    starts: int = Field(20, ge=1, le=10_000, description="kmeans: how many random starts; the best one is taken")
    seed: int = Field(0, ge=0, description="kmeans: seed of the starts, together with the image's name")
    cluster_iou: Overlap = Field(
        0.5, description="overlap: the least mean IoU between two groups of boxes that become one"
    )
    agreement: Score = Field(
        0.5, description="overlap: a figure is kept where at least this share of the image's raters drew it"
    )
    bandwidth: float = Field(
        0.05, ge=0.005, le=0.2, description="Standard deviation of the bell curves that smooth a distribution of F"
    )
