"""Surrealism.website as a source."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.sources.common import StyleName, WebSource

PagePath = Annotated[str, Field(pattern=r"^/([A-Za-z0-9._~%-]+/)*[A-Za-z0-9._~%-]*$", max_length=300)]


class SurrealismSource(WebSource):
    """Surrealist works on surrealism.website, which has an index of artists and a page of images for each."""

    has_api = False

    source: Literal["surrealism"] = "surrealism"
    index: PagePath = Field("/", description="Path of the page that links to every artist's page")
    style: StyleName = Field(
        "surrealism", description="Style of every work; ArtBench-10 used one style for the whole site"
    )
