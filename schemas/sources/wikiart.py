"""WikiArt as a source."""

import re
from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.phrases import quoted
from schemas.sources.common import WebSource

_ADDRESS = re.compile(r"[^\s/?#%\\]+")


class WikiartSource(WebSource):
    """Works on wikiart.org. Each way to list them (`by`) has its own keys: changing it changes every record_id."""

    source: Literal["wikiart"] = "wikiart"
    by: Literal["json", "api2", "page"] = Field(
        "json",
        description="Where works are read from. json: the older JSON answers, one for each work, without an API key "
        "(record key: contentId); api2: the API for which WikiArt gives keys (record key: id of 24 hex digits); page: "
        "the works' HTML pages, the only ones that say who holds the rights (record key: artist/work, as in the page's "
        "address)",
    )
    artists: Literal["all"] | tuple[str, ...] = Field(
        "all",
        description="all, or artists as in the addresses of their pages, e.g. claude-monet. With api2 also ids of 24 "
        "hex digits, which need no search in the list of all artists",
    )
    styles: Literal["all"] | tuple[str, ...] = Field(
        "all",
        description="all, or names of styles, e.g. Ukiyo-e; accents, case, spaces and hyphens are ignored. Other works "
        "are left out; if a work has several of them, the first that WikiArt lists is the record's style, spelled as "
        "here",
    )
    style_addresses: dict[str, str] = Field(
        default_factory=dict,
        description="Last part of the address of a style's page, e.g. {Archaic: archaic-period}. Needed only if it is "
        "neither the name in lower case with hyphens nor one of twelve known exceptions",
    )
    copyright: Literal["public_domain", "any"] = Field(
        "any",
        description="public_domain: with json, works of artists that WikiArt lists as in the public domain; with page, "
        "works whose page says 'Public domain'; not possible with api2. any: all works",
    )
    image_size: Literal["original", "HD", "Large", "Blog", "Portrait", "PinterestLarge", "PinterestSmall"] = Field(
        "original",
        description="original: the uploaded file, which always exists. The others are smaller copies, some of which "
        "are missing: HD up to about 1200 px, Large 600 or 750 px, Blog 500 px, Portrait 400 px, PinterestSmall 210 px "
        "wide",
    )

    @model_validator(mode="after")
    def _names_artists_and_styles(self) -> Self:
        for field in ("artists", "styles"):
            named = getattr(self, field)
            if named != "all" and (not named or any(not name.strip() for name in named)):
                got = quoted(list(named))
                raise ValueError(f"{field}: expected all or at least one name and none that is blank, got {got}")
        for name in () if self.artists == "all" else self.artists:
            if not _ADDRESS.fullmatch(name):
                got = quoted(name)
                raise ValueError(f"artists: expected the last part of a page's address, e.g. claude-monet, got {got}")
        return self

    @model_validator(mode="after")
    def _asks_for_what_its_route_has(self) -> Self:
        for style, address in self.style_addresses.items():
            if self.styles == "all" or style not in self.styles:
                raise ValueError(f"style_addresses: expected styles that are listed under styles, got {quoted(style)}")
            if not _ADDRESS.fullmatch(address):
                raise ValueError(f"style_addresses: expected the last part of a page's address, got {quoted(address)}")
        if self.by == "api2" and self.copyright == "public_domain":
            raise ValueError(
                "copyright: expected any with by: api2, whose answers do not state rights, got public_domain"
            )
        return self
