"""Flickr as a source."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.sources.common import WebSource

Nsid = Annotated[str, Field(pattern=r"^[0-9]{1,15}@N[0-9]{2}$")]
License = Annotated[int, Field(ge=0, le=99)]


class FlickrSource(WebSource):
    """Photographs on Flickr: a group's pool, or the results of a search, which are 4,000 at most."""

    source: Literal["flickr"] = "flickr"
    group_id: Nsid | None = Field(None, description="A group's NSID, e.g. '34427469792@N01': photographs of its pool")
    user_id: Nsid | None = Field(None, description="A member's NSID: only photographs of this member")
    text: str | None = Field(
        None, min_length=1, max_length=500, description="Words in the title, the description or the tags. A search"
    )
    tags: tuple[Annotated[str, Field(pattern=r"^[^,\s][^,]{0,99}$")], ...] = Field(
        (), max_length=20, description="At most 20 tags, each of which a photograph must have. A search"
    )
    licenses: tuple[License, ...] = Field(
        (),
        description="Numbers of Flickr's licences that are wanted, e.g. 4 CC BY 2.0, 9 CC0, 10 Public Domain "
        "Mark; none: all. "
        "A search",
    )
    uploaded_from: date | None = Field(
        None,
        description="Only uploads of this day or later, UTC. A search; use days to divide one with too many results",
    )
    uploaded_before: date | None = Field(None, description="Only what was uploaded before this day, UTC. A search")
    long_side_px: Literal[500, 640, 800, 1024] | None = Field(
        1024,
        description="Longer side of the images in pixels, one of Flickr's sizes; the next smaller one where a "
        "photograph lacks "
        "it; null: the original where its owner gives it, else the largest size",
    )
    page_size: int = Field(
        500, ge=1, le=500, description="Photographs on one page, 1 to 500, the API's limit. Fewer make more requests"
    )

    @property
    def is_search(self) -> bool:
        """Whether a search is needed: a pool can't be filtered by text, licence or day, but has no limit of 4,000."""
        days = (self.uploaded_from, self.uploaded_before)
        return self.group_id is None or bool(self.text or self.tags or self.licenses or any(days))

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if not (self.group_id or self.user_id or self.text or self.tags):
            raise ValueError("expected at least one of group_id, user_id, text and tags, got none")
        if self.uploaded_from and self.uploaded_before and self.uploaded_from >= self.uploaded_before:
            raise ValueError(
                f"expected uploaded_from before uploaded_before, got {self.uploaded_from} and {self.uploaded_before}"
            )
        return self
