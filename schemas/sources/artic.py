"""The Art Institute of Chicago as a source."""

from typing import Literal

from pydantic import Field

from schemas.sources.common import WebSource


class ArticSource(WebSource):
    """Works of the Art Institute of Chicago, by the pages of its API's list of artworks."""

    source: Literal["artic"] = "artic"
    open_access_only: bool = Field(
        True, description="Only works that the museum marks as in the public domain; their images are CC0"
    )
    departments: tuple[str, ...] = Field(
        (), description="Only works of these departments (department_title), in any case; none: all of them"
    )
    classifications: tuple[str, ...] = Field(
        (), description="Only works with one of these classification_titles, e.g. painting, in any case; none: all"
    )
    image_width_px: Literal[200, 400, 600, 843, 1686] = Field(
        843,
        description="Width of the images, in pixels. 843 is what the museum asks for, since its cache holds that; "
        "1686 is given "
        "for the public domain alone",
    )
    page_size: int = Field(
        100, ge=1, le=100, description="Works on one page, from 1 to 100, the API's limit. Fewer make more requests"
    )
