"""Wikimedia Commons as a source."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from schemas.base import Some
from schemas.phrases import quoted
from schemas.sources.common import WebSource, more_offers

# what no title of a page may hold: https://www.mediawiki.org/wiki/Manual:Page_title
_UNTITLED = re.compile(r"[#<>\[\]|{}\x00-\x1f\x7f]")
_LONGEST_TITLE_BYTES = 255


def _title(name: str) -> str:
    """A category's name as Commons writes it: without the prefix, with blanks, the first letter a capital."""
    plain = " ".join(re.sub(r"^\s*category\s*:", "", name, flags=re.I).replace("_", " ").split())
    size_bytes = len(plain.encode("utf-8", "surrogatepass"))
    if not plain or _UNTITLED.search(plain) or not 0 < size_bytes <= _LONGEST_TITLE_BYTES or not plain.isprintable():
        raise ValueError(f"expected the name of a category of 1 to {_LONGEST_TITLE_BYTES} bytes, got {quoted(name)}")
    return plain[0].upper() + plain[1:]


CategoryTitle = Annotated[str, AfterValidator(_title)]


class CommonsSource(WebSource):
    """Files of Wikimedia Commons in the given categories, or in their subcategories."""

    source: Literal["commons"] = "commons"
    categories: Some[CategoryTitle] = Field(
        max_length=500, description="Names of categories, with or without 'Category:', e.g. 'Paintings by Claude Monet'"
    )
    depth: Annotated[int, Field(ge=0, le=10)] = Field(
        0,
        description="Levels of subcategories to enter; 0: none. After a few levels, the categories of Commons lead to "
        "almost anything: 10 is a limit against mistakes",
    )
    exclude: tuple[CategoryTitle, ...] = Field((), description="Names of subcategories that are never entered")
    styles: dict[CategoryTitle, str] = Field(
        default_factory=dict,
        description="Styles by category, e.g. {Impressionist paintings: Impressionism}: the style of files that are "
        "directly in that category, by each file's own list of categories",
    )
    width_px: Literal[20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840] | None = Field(
        1280,
        description="Width of the images, one of Wikimedia's standard sizes: others are refused or slowed down. null: "
        "the original files, which are slowed down most. A smaller image comes in its own size",
    )
    more_offers: tuple[Literal["uploader", "description"], ...] = more_offers("things")
