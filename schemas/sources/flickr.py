"""Flickr as a source."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.sources.common import WebSource, more_offers

Nsid = Annotated[str, Field(pattern=r"^[0-9]{1,15}@N[0-9]{2}$")]
License = Annotated[int, Field(ge=0, le=99)]


class FlickrSource(WebSource):
    """Photographs on Flickr: the pool of a group, or the results of a search, which are 4,000 at most."""

    source: Literal["flickr"] = "flickr"
    group_id: Nsid | None = Field(
        None, description="A group's NSID, e.g. '34427469792@N01': the photographs in its pool"
    )
    user_id: Nsid | None = Field(None, description="A member's NSID: only this member's photographs")
    text: str | None = Field(
        None, min_length=1, max_length=500, description="Search: words in the title, the description or the tags"
    )
    tags: tuple[Annotated[str, Field(pattern=r"^[^,\s][^,]{0,99}$")], ...] = Field(
        (), max_length=20, description="Search: tags that a photograph must all have"
    )
    licenses: tuple[License, ...] = Field(
        (),
        description="Search: Flickr's numbers of the licences to take, e.g. 4 CC BY 2.0, 9 CC0, 10 Public Domain Mark; "
        "empty: all",
    )
    uploaded_from: date | None = Field(
        None,
        description="Search: only what was uploaded on this day or later (UTC). Use days to divide a search with too "
        "many results",
    )
    uploaded_before: date | None = Field(None, description="Search: only what was uploaded before this day (UTC)")
    long_side_px: Literal[500, 640, 800, 1024] | None = Field(
        1024,
        description="Longer side of the images, one of Flickr's sizes; where a photograph has no such size, the next "
        "smaller one. null: the original file if its owner allows it, otherwise the largest size",
    )
    more_offers: tuple[Literal["tags", "description", "uploaded_on"], ...] = more_offers("things")
    page_size: Annotated[int, Field(ge=1, le=500)] = Field(
        500, description="Photographs on one page of the list; 500 is the API's limit, and fewer make more requests"
    )

    @property
    def is_search(self) -> bool:
        """Whether a search is needed: a pool can't be filtered by text, licence or day, but has no limit of 4,000."""
        asked = (self.text, self.tags, self.licenses, self.uploaded_from, self.uploaded_before)
        return self.group_id is None or any(asked)

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if not (self.group_id or self.user_id or self.text or self.tags):
            raise ValueError("expected at least one of group_id, user_id, text and tags, got none")
        since, before = self.uploaded_from, self.uploaded_before
        if since and before and since >= before:
            raise ValueError(f"expected uploaded_from before uploaded_before, got {since} and {before}")
        return self
