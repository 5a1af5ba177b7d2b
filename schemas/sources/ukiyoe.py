"""Ukiyo-e.org as a source."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.sources.common import WebSource

Museum = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,30}$", description="As in ukiyo-e.org/source/<museum>")]


class UkiyoeSource(WebSource):
    """Japanese woodblock prints of ukiyo-e.org, which collects what museums and dealers show."""

    source: Literal["ukiyoe"] = "ukiyoe"
    museums: tuple[Museum, ...] = Field(
        ("met", "mfa", "mia", "famsf"),
        min_length=1,
        description="Museums of the prints, by the word in ukiyo-e.org/source/<museum>; by default ArtBench-10's",
    )
    rendition: Literal["full", "scaled"] = Field(
        "full", description="full: the largest image that is offered; scaled: the smaller one that the page shows"
    )
    style: str = Field(
        "ukiyo-e",
        min_length=1,
        max_length=100,
        description="Style of every print: the site states none; ArtBench-10 used one for all",
    )

    @model_validator(mode="after")
    def _names_each_museum_once(self) -> Self:
        twice = sorted({museum for museum in self.museums if self.museums.count(museum) > 1})
        if twice:
            raise ValueError(f"expected each museum once, got {', '.join(twice)} more than once")
        return self
