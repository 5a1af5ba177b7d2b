"""evaluate boxes: how detectors are scored by the rule of PASCAL VOC."""

from typing import Literal

from pydantic import Field

from schemas.base import Frozen


class VocSettings(Frozen):
    """The settings of PASCAL VOC's rule (Everingham et al. 2010, section 4.2)."""

    iou: float = Field(
        0.5,
        gt=0,
        le=1,
        description="A box is right if its IoU with a figure is at least this (VOC, Picasso: 0.5)",
    )
    far_corner: Literal["x+w-1", "x+w"] = Field(
        "x+w-1",
        description="Which x_max a box of x, y, width and height has in VOC's rule, by which a box is "
        "x_max - x_min + 1 px wide. x+w-1: its last pixel, so that it is as wide as it says, and IoU is the ordinary "
        "one. x+w: the edge after that, as where corners were given to the devkit as they are: sides are 1 px longer",
    )
