"""The Art Institute of Chicago as a source."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.sources.common import WebSource, more_offers


class ArticSource(WebSource):
    """Works of the Art Institute of Chicago, from the list of artworks of its API."""

    source: Literal["artic"] = "artic"
    open_access_only: bool = Field(
        True, description="Only works that the museum marks as in the public domain; their images are CC0"
    )
    departments: tuple[str, ...] = Field(
        (), description="Only works of these departments (department_title), in upper or lower case; empty: all"
    )
    classifications: tuple[str, ...] = Field(
        (),
        description="Only works with one of these classification_titles, e.g. painting, in upper or lower "
        "case; empty: all",
    )
    image_width_px: Literal[200, 400, 600, 843, 1686] = Field(
        843,
        description="Width of the images. The museum asks clients to use 843, which its cache holds; 1686 is available "
        "only for works in the public domain",
    )
    more_offers: tuple[
        Literal[
            "medium_display",
            "place_of_origin",
            "artwork_type_title",
            "dimensions",
            "credit_line",
            "accession_number",
            "term_titles",
            "subject_titles",
            "material_titles",
            "artist_titles",
        ],
        ...,
    ] = more_offers("fields of the museum")
    page_size: Annotated[int, Field(ge=1, le=100)] = Field(
        100, description="Works on one page of the list; 100 is the API's limit, and fewer make more requests"
    )
