"""How a picture is drawn anew: in another size, by a filter, as another file."""

from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from schemas.base import Frozen, Positive
from schemas.layouts import FilterWord, Light

Fit = Literal["longest_side", "centre_crop", "stretched"]
EWA: tuple[FilterWord, ...] = ("robidoux", "robidoux_sharp")
"""Elliptical weighted averages; the others are Pillow's."""
assert {*EWA} < {*get_args(FilterWord)}


class Drawing(Frozen):
    """What of the way in which a picture is drawn anew is anybody's choice."""

    filter: FilterWord = Field(
        "robidoux",
        description="robidoux, robidoux_sharp: elliptical weighted averages, as ArtBench-10's squares (section 3.2: "
        "which of both is not said); lanczos, bicubic, box: Pillow's",
    )
    light: Light = Field(
        "levels",
        description="What is averaged: levels, as most programs do; linear: light, by sRGB's transfer function, with "
        "robidoux and robidoux_sharp",
    )

    @model_validator(mode="after")
    def _light_by_ewa(self) -> Self:
        if self.light == "linear" and self.filter not in EWA:
            raise ValueError(f"light: expected linear only with the filter {' or '.join(EWA)}, got {self.filter}")
        return self


class Rendition(Drawing):
    """A picture drawn anew, upright and in sRGB. It is one for equal settings, whoever asks."""

    side_px: Positive = Field(description="The longest side, or both sides")
    fit: Fit = Field(
        "centre_crop",
        description="longest_side: the whole picture, no longer than side_px, a smaller one in its own size; "
        "centre_crop: the largest square in its middle; stretched: the whole picture made a square",
    )
    format: Literal["png", "jpeg"] = Field("png", description="What kind of file")
    quality: int = Field(95, ge=1, le=100, description="Of a JPEG: Pillow's; a PNG has none")
