"""evaluate: how sketches are scored against the photos that they show (SketchRef)."""

from typing import Annotated, Self

import pyarrow as pa
from pydantic import Field, model_validator

from schemas.base import Frozen
from schemas.phrases import quoted

Sigma = Annotated[float, Field(ge=1e-6, le=1)]
"""The square of a far smaller one is 0, by which no distance can be divided."""
Sigmas = Annotated[str, Field(min_length=1)] | Sigma | tuple[Sigma, ...]
"""Of a subset's joints: the name of a set, one sigma for all joints, or one for each."""


STROKES = pa.schema(
    [
        ("method", pa.string()),
        ("subset", pa.string()),
        ("metric", pa.string()),  # mOKS or S_CLIP
        ("strokes", pa.int64()),
        ("mean", pa.float64()),  # null: no photo has all numbers of strokes
        ("rises", pa.float64()),  # share of photos whose score is higher than at the number before; null at the first
        ("falls", pa.float64()),
        ("rises_throughout", pa.float64()),  # of the whole study, as is all that follows
        ("rho", pa.float64()),
        ("rho_photos", pa.int64()),
        ("photos", pa.int64()),
        ("left_out", pa.int64()),  # photos that lack some number of strokes
    ]
)
"""Scores by number of strokes, for each method, subset and metric."""


class SketchSettings(Frozen):
    """The settings of an evaluation of sketches. Defaults are SketchRef's where the paper gives a value."""

    alphas: tuple[Annotated[float, Field(ge=0, le=1e6)], ...] = Field(
        (0.75, 1.75),
        max_length=20,
        description="Simplicity ratios: mRS and mRC at alpha are means over the sketches with a larger one "
        "(SketchRef: 0.75 and 1.75)",
    )
    clip_scale: float = Field(
        2.5,
        gt=0,
        le=1000,
        description="S_CLIP is the cosine times this. The paper prints 63 to 73 % and names no factor; raw cosines are "
        "about 0.25 to 0.29, which fits CLIPScore's 2.5",
    )
    sigmas: dict[str, Sigmas] = Field(
        {"body": "coco-17", "animal": "animal-20-guessed", "face": 0.025},
        description="For each subset the sigmas of its joints, by which OKS judges distances: coco-17, "
        "animal-20-guessed, one number for all joints, or a list with one for each. The paper gives none: those of "
        "faces and animals are guesses",
    )
    highest_rating: int = Field(
        5, ge=2, le=100, description="Recognisability is rated from 1 to this, the best (SketchRef: 5)"
    )
    places: int = Field(
        5,
        ge=2,
        le=100,
        description="Simplicity is ranked from 1, the simplest, to this; the first place weighs this much, the last 1 "
        "(SketchRef, Eq. 6: 5)",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if len(set(self.alphas)) < len(self.alphas):
            raise ValueError(f"alphas: expected each once, got {quoted(list(self.alphas))}")
        return self
