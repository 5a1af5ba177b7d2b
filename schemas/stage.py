"""What every stage of a recipe has."""

from pydantic import Field

from schemas.frozen import Frozen, Name


class Stage(Frozen):
    """What every stage has: its word, and a label that is unique in the recipe."""

    label: Name = Field("", validate_default=False, description="Unique in the recipe; the stage's word by default")
