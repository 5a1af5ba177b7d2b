"""Names of styles across sources: the recipe's settings."""

from typing import Annotated

from pydantic import Field

from schemas.artists import Written
from schemas.frozen import Frozen


class Styles(Frozen):
    """Which names mean one style."""

    aliases: dict[Written, Annotated[str, Field(max_length=200)]] = Field(
        default_factory=dict,
        description="A style as a source writes it: the name for it in the dataset, '' for none. Accents, "
        "case, blanks and "
        "punctuation don't matter. These come before the shipped table (tasks/core/names/known_styles.py). "
        "{Byzantine mosaic: Byzantine mosaic} says that this name is right",
    )
