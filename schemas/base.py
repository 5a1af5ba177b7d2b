"""What all parts of a recipe share, and what all of its stages have."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="Lower-case letters, digits, - and _")]
Score = Annotated[float, Field(ge=0, le=1)]


class Frozen(BaseModel):
    """What every part of a recipe is: immutable, and unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Stage(Frozen):
    """What every stage has: its word, and a label of its own."""

    label: Name = Field(
        "",
        validate_default=False,
        description="The stage's name in reports and in --set; each label once in a recipe. Default: the stage's word",
    )
