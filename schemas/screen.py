"""screen: what it can check in a record. Every limit with its unit and its reason."""

import re
from typing import Any, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from schemas.frozen import Frozen, Score
from schemas.stage import Stage

RightsWord = Literal["public_domain", "open", "all"]
RIGHTS_WORDS: tuple[RightsWord, ...] = get_args(RightsWord)
_STATEMENT = re.compile(r"https?://\S+|NOASSERTION", re.IGNORECASE)


class Figures(Frozen):
    """How many figures an image must have. Where people have annotated it, their count stands, else the detector's."""

    category: str = Field("person", description="Category that is counted")
    least: int = Field(1, ge=0, description="Fewest figures")
    most: int | None = Field(None, ge=0, description="Most figures, if there is a limit")
    score: Score = Field(0.5, description="A detector's box counts from this score on (PoPArt, section 3.1: p >= 0.5)")
    counted_by: Literal["people_first", "detector"] = Field(
        "people_first",
        description="people_first: a source's annotations outrank the detector; detector: only the detector counts",
    )

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Aspect(Frozen):
    """Allowed width / height, both ends included."""

    least: float = Field(0.5, gt=0, description="ArtBench-10, section 3.2: kept ratios lie in [0.5, 2]")
    most: float = Field(2.0, gt=0, description="ArtBench-10, section 3.2: kept ratios lie in [0.5, 2]")

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Between(Frozen):
    """Allowed numbers, both ends included; at least one of them."""

    least: int | None = Field(None, ge=0, description="Smallest number that passes, if there is a limit")
    most: int | None = Field(None, ge=0, description="Largest number that passes, if there is a limit")

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.least is None and self.most is None:
            raise ValueError("expected least, most or both, got neither")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Scores(Frozen):
    """Limits on what `quality` measured, from thumbnails of 256 px; a value equal to its limit passes.

    docs/screening.md says what each score means, which limits were tried on real paintings, and what they cost.
    """

    least_contrast: Score | None = Field(
        None,
        description="Below it a picture is blank or nearly so; as a share of the range from black to white. 0.1 is far "
        "below any drawing tried",
    )
    most_blur: Score | None = Field(
        None,
        description="Above it a picture is blurred; 0 (sharp) to 1, measured at 256 px. No painting tried was above "
        "0.42, and 0.5 is a safe start",
    )
    most_border: Score | None = Field(
        None,
        description="Above it there is too much frame, passe-partout or plain border, as a share of the area; "
        "0.2 is a start",
    )
    most_object_photo: Score | None = Field(
        None,
        description="Above it the picture is likely a photograph of an object on a plain ground, 0 to 1; 0.75 finds "
        "sculptures and vases, but also some oval paintings and drawings on empty paper",
    )

    @model_validator(mode="after")
    def _some_limit(self) -> Self:
        if all(limit is None for limit in self.model_dump().values()):
            raise ValueError("expected at least one limit, got none")
        return self


class Screen(Stage):
    """Drop records by their fields and measures. The one filter; it may stand several times in a recipe."""

    stage: Literal["screen"] = "screen"
    rights: tuple[str, ...] | None = Field(
        None,
        min_length=1,
        description="Rights statements that pass: public_domain, open (these and CC BY, CC BY-SA), all, or URIs "
        "and beginnings of them up to a /, NOASSERTION among them; one or several",
    )
    styles: tuple[str, ...] | None = Field(
        None, min_length=1, description="Styles that pass, by any of their names; records without a style do not"
    )
    bytes: Between | None = Field(None, description="Bytes of the file")
    pixels: Between | None = Field(None, description="Width x height in px")
    least_side_px: int | None = Field(None, ge=1, description="Shorter side in px, upright")
    aspect: Aspect | None = Field(None, description="Allowed width / height")
    colour: Literal["colour", "grey"] | None = Field(
        None, description="colour: drop greys and pictures in one tone, such as sepia; grey: drop all others"
    )
    least_chroma: Score = Field(
        0.025,
        description="A picture is in colour from this chroma on, as a share of 255 levels: of the pictures tried no "
        "painting in colour is below it, and almost no picture in one tone above",
    )
    scores: Scores | None = Field(None, description="Limits on the scores that `quality` measured")
    figures: Figures | None = Field(None, description="How many figures there must be")

    @field_validator("rights", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("rights")
    @classmethod
    def _words_or_statements(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for said in value or ():
            if said not in RIGHTS_WORDS and not _STATEMENT.fullmatch(said):
                raise ValueError(
                    f"expected {', '.join(RIGHTS_WORDS)}, NOASSERTION or a URI such as "
                    f"https://creativecommons.org/publicdomain/, got '{said}'"
                )
        return value

    @model_validator(mode="after")
    def _chroma_beside_colour(self) -> Self:
        """A release writes the default out, so that it may stand alone."""
        if self.colour is None and self.least_chroma != type(self).model_fields["least_chroma"].default:
            raise ValueError("least_chroma: expected colour beside it, got none")
        return self

    @property
    def needs(self) -> tuple[str, ...]:
        """The stages that must come before, for these settings."""
        asked = {
            "fetch": self.bytes is not None,
            "hash": (self.pixels, self.least_side_px, self.aspect) != (None, None, None),
            "quality": self.colour is not None or self.scores is not None,
            "detect": self.figures is not None and self.figures.counted_by == "detector",
        }
        return tuple(stage for stage, is_needed in asked.items() if is_needed)
