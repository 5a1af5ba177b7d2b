"""What `quality` measures of a picture, and the limits that a screen may set: each of them in one place."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from schemas.base import Frozen, Score
from schemas.reasons import Reason


class ScoreLimits(Frozen):
    """Limits on what `quality` measured, from thumbnails of 256 px; a value equal to its limit passes.

    docs/screening.md says what each score means, which limits were tried on real paintings, and what they cost.
    """

    least_contrast: Annotated[Score | None, Reason.BLANK] = Field(
        None,
        description="Images with less contrast are dropped as blank: 0 is one tone, 1 is from black to white; 0.1 is "
        "far below every drawing that was tried",
    )
    most_blur: Annotated[Score | None, Reason.BLURRED] = Field(
        None,
        description="Images with more blur are dropped: 0 is sharp, 1 is fully blurred, measured at 256 px; no "
        "painting that was tried was above 0.42, and 0.5 is a safe start",
    )
    most_border: Annotated[Score | None, Reason.FRAMED] = Field(
        None,
        description="Images with more border (frame, passe-partout, plain margin) are dropped, as a "
        "share of the area; 0.2 is a start",
    )
    most_object_photo: Annotated[Score | None, Reason.OBJECT_PHOTO] = Field(
        None,
        description="Images that look more like an object on a plain background are dropped; 0.75 finds sculptures and "
        "vases, but also some oval paintings and drawings on empty paper",
    )

    least_colourfulness: Annotated[float | None, Reason.NOT_IN_COLOUR] = Field(
        None,
        ge=0,
        description="Images with less colourfulness are dropped, by the measure and on the scale of Hasler and "
        "Suesstrunk (2003): 0 is grey, 15 slightly, 33 moderately, 59 quite, 109 extremely colourful",
    )

    @model_validator(mode="after")
    def _some_limit(self) -> Self:
        if all(limit is None for limit in self.model_dump().values()):
            raise ValueError("expected at least one limit, got none")
        return self


LIMIT_REASONS: Mapping[str, Reason] = {
    name: reason
    for name, field in ScoreLimits.model_fields.items()
    for reason in field.metadata
    if isinstance(reason, Reason)
}
"""For which a record is dropped that passes a limit. A limit is called after its score: most_blur limits blur."""

SCORES = ("chroma", *dict.fromkeys(name.partition("_")[2] for name in LIMIT_REASONS))
"""The scores, in the order in which they are stored; chroma is what `colour` goes by."""
