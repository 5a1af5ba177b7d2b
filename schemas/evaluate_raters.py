"""evaluate: how raters' boxes and ratings are compared with what the other raters drew (Ginosar et al., 2014)."""

from typing import Literal

import pyarrow as pa
from pydantic import Field

from schemas.base import Frozen, Score

RATINGS = pa.schema(
    [
        pa.field("rater", pa.string(), nullable=False, metadata={"description": "Who drew and rated"}),
        pa.field("image", pa.string(), nullable=False, metadata={"description": "The image: its name or id"}),
        pa.field("x_min", pa.float64(), metadata={"description": "Left edge of a box, in px; null: drew nothing"}),
        pa.field("y_min", pa.float64(), metadata={"description": "Upper edge, in px"}),
        pa.field("x_max", pa.float64(), metadata={"description": "Right edge, in px; above x_min"}),
        pa.field("y_max", pa.float64(), metadata={"description": "Lower edge, in px; above y_min"}),
        pa.field(
            "rating",
            pa.int8(),
            metadata={"description": "1 (very lifelike) to 5 (not at all); the same on all rows of a rater and image"},
        ),
        pa.field(
            "keypoints_xyv",
            pa.list_(pa.float64()),
            metadata={"description": "x, y and visibility of each joint of this box; may be left out"},
        ),
    ]
)
"""One row for each box; one row with an empty box where a rater saw an image and drew nothing."""

LIKERT = (1, 5)
"""The lowest and the highest rating (section 5.2)."""

FIGURES = pa.schema(
    [
        ("image", pa.string()),
        ("figure", pa.int64()),
        ("x_min", pa.float64()),
        ("y_min", pa.float64()),
        ("x_max", pa.float64()),
        ("y_max", pa.float64()),
        ("raters", pa.int64()),
        ("boxes", pa.int64()),
        ("seen_by", pa.int64()),
        ("has_rater_twice", pa.bool_()),
        ("is_minority", pa.bool_()),
    ]
)
"""The figures of a consensus, and which of them are doubtful."""

DISAGREEMENT = pa.schema(
    [
        ("rater", pa.string()),
        ("image", pa.string()),
        ("right", pa.int64()),
        ("missed", pa.int64()),
        ("extra", pa.int64()),
        ("worst_iou", pa.float64()),
    ]
)
"""One row for each rater and image with a truth by others."""


class RaterSettings(Frozen):
    """How a consensus is formed, and how raters are compared with it."""

    consensus: Literal["kmeans", "overlap"] = Field(
        "kmeans",
        description="How boxes are grouped into figures. kmeans: k-means over the four coordinates, as many figures as "
        "the median rater drew (section 5.4). overlap: boxes that overlap, kept where enough raters agree",
    )
    iou: float = Field(
        0.5, gt=0, le=1, description="A box is right from this intersection over union with a true figure on"
    )
    starts: int = Field(20, ge=1, le=10_000, description="kmeans: how many random starts; the best one is taken")
    seed: int = Field(0, ge=0, description="kmeans: seed of the starts, together with the image's name")
    cluster_iou: float = Field(
        0.5, gt=0, le=1, description="overlap: the least mean IoU between two groups of boxes that become one"
    )
    agreement: Score = Field(
        0.5, description="overlap: a figure is kept where at least this share of the image's raters drew it"
    )
    bandwidth: float = Field(
        0.05, ge=0.005, le=0.2, description="Standard deviation of the bell curves that smooth a distribution of F"
    )
