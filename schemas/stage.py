"""What every stage of a recipe has."""

from pydantic import Field

from schemas.frozen import Frozen, Name


class Stage(Frozen):
    """What every stage has: its word, and a label of its own."""

    label: Name = Field(
        "",
        validate_default=False,
        description="The stage's name in reports and in --set; each label once in a recipe. Default: the stage's word",
    )
