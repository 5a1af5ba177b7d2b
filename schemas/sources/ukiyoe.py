"""Ukiyo-e.org as a source."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.base import Some
from schemas.phrases import quoted
from schemas.sources.common import StyleName, WebSource

Museum = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,30}$", description="As in ukiyo-e.org/source/<museum>")]


class UkiyoeSource(WebSource):
    """Japanese woodblock prints on ukiyo-e.org, which collects what museums and dealers show."""

    has_api = False

    source: Literal["ukiyoe"] = "ukiyoe"
    museums: Some[Museum] = Field(
        ("met", "mfa", "mia", "famsf"),
        description="Museums whose prints are taken, as in ukiyo-e.org/source/<museum>; ArtBench-10 took these four",
    )
    rendition: Literal["full", "scaled"] = Field(
        "full", description="full: the largest image; scaled: the smaller one that the page shows"
    )
    style: StyleName = Field(
        "ukiyo-e", description="Style of every print, since the site names none; ArtBench-10 used one style for all"
    )

    @model_validator(mode="after")
    def _names_each_museum_once(self) -> Self:
        if twice := sorted({museum for museum in self.museums if self.museums.count(museum) > 1}):
            raise ValueError(f"expected each museum once, got {quoted(twice)} more than once")
        return self
