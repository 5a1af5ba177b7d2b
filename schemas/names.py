"""Which names mean the same artist or style, and how unknown artists count."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Frozen

NameText = Annotated[str, Field(min_length=1, max_length=200)]
Aliases = dict[NameText, Annotated[str, Field(max_length=200)]]


class Artists(Frozen):
    """Which names mean the same artist, and how works of unknown artists count."""

    aliases: Aliases = Field(
        default_factory=dict,
        description="A name as a source writes it: the name for it in the dataset, '' for unknown. Accents, case and "
        "punctuation don't matter. These come before the shipped table (schemas/words/names/artists.yaml)",
    )
    unknown: Literal["pooled", "apart"] = Field(
        "pooled",
        description="pooled: all works of unknown artists of one source count as one artist's when weights are drawn; "
        "apart: each such work counts as a different artist, and so is drawn far more often",
    )


class Styles(Frozen):
    """Which names mean the same style."""

    aliases: Aliases = Field(
        default_factory=dict,
        description="A style as a source writes it: the name that it should have, '' for none. Accents, case, blanks "
        "and punctuation don't matter. These go before the shipped table (schemas/words/names/styles.yaml); a name of "
        "its own, as in {Byzantine mosaic: Byzantine mosaic}, says that it is right",
    )
