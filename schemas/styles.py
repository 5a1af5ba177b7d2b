"""Styles: which names mean the same style."""

from typing import Annotated

from pydantic import Field

from schemas.artists import NameText
from schemas.base import Frozen


class Styles(Frozen):
    """Which names mean the same style."""

    aliases: dict[NameText, Annotated[str, Field(max_length=200)]] = Field(
        default_factory=dict,
        description="A style as a source writes it: the name that it should have, '' for none. Accents, case, blanks "
        "and punctuation don't matter. These go before the shipped table (schemas/words/names/styles.yaml); a name of "
        "its own, as in {Byzantine mosaic: Byzantine mosaic}, says that it is right",
    )
