"""Settings that sources have in common: a name, rights, and for sources in files their place."""

from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.frozen import Frozen, Name

NOASSERTION = "NOASSERTION"


class Rights(Frozen):
    """The rights that the recipe's author asserts for a whole source, where its own fields say nothing."""

    uri: str = Field(
        NOASSERTION,
        pattern=r"^(NOASSERTION|https?://(creativecommons\.org|rightsstatements\.org)/\S+)$",
        description="A Creative Commons or rightsstatements.org URI, or NOASSERTION",
    )
    text: str | None = Field(None, description="The statement in words")
    asserted_by: str | None = Field(None, description="Who asserts it; required unless the URI is NOASSERTION")
    because: str | None = Field(None, description="Why it may be asserted; required unless the URI is NOASSERTION")

    @model_validator(mode="after")
    def _says_who_and_why(self) -> Self:
        absent = [name for name in ("asserted_by", "because") if not getattr(self, name)]
        if self.uri != NOASSERTION and absent:
            raise ValueError(
                f"expected asserted_by and because, which '{self.uri}' needs, got no {' and no '.join(absent)}"
            )
        return self


class Annotations(Frozen):
    """Boxes that people have drawn, in files beside the images."""

    format: Literal["voc", "coco"] = Field(description="voc: one PASCAL VOC XML per image; coco: one JSON for all")
    path: str = Field(
        min_length=1,
        description="voc: path of the XML below the binding, with the pattern's fields, e.g. "
        "'Annotations/{style}/{artist}_{title}.jpg.xml'; coco: path of the JSON",
    )
    missing: Literal["unknown", "no_figures"] = Field(
        "unknown",
        description="What a missing annotation means: unknown: it was not annotated; no_figures: nobody is in it",
    )


class Source(Frozen):
    """Settings of all sources."""

    name: Name = Field(description="The source's name; record_id is <name>:<key>")
    rights: Rights = Field(default_factory=Rights, description="Asserted where the source's own fields say nothing")
    source_url: str | None = Field(
        None, description="Page of a work, with the record's fields in braces, e.g. 'https://museum.example/{key}'"
    )


class FileSource(Source):
    """Settings of sources in files."""

    at: Name = Field("images", description="The binding that gives the folder (an fsspec URL or a path)")
    annotations: Annotations | None = Field(None, description="Boxes in files beside the images, if there are any")


class WebSource(Source):
    """Settings of sources on the web. The recipe's `manners` say how fast requests are sent."""

    refresh: Literal["listings", "never", "all"] = Field(
        "listings",
        description="listings: in each build, listings are requested again, conditionally; never: no stored answer is "
        "requested again; all: also the answer about each work",
    )
    secret: Name | None = Field(
        None,
        description="The binding that says where the API's secret is stored (env:NAME, file:PATH or prefect:BLOCK), "
        "for sources that need one",
    )
