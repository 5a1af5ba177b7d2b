"""Sources: the collections that a recipe draws from."""

import re
from typing import Annotated, Literal, Self

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
    """Boxes that people have already drawn, lying beside the images."""

    format: Literal["voc", "coco"] = Field(description="voc: one PASCAL VOC XML per image; coco: one JSON for all")
    path: str = Field(
        min_length=1,
        description="voc: path of the XML below the binding, with the pattern's fields, e.g. "
        "'Annotations/{style}/{artist}_{title}.jpg.xml'; coco: path of the JSON",
    )
    missing: Literal["unknown", "no_figures"] = Field(
        "unknown", description="What it means that an image has no annotation: nobody looked, or nobody is in it"
    )


class Source(Frozen):
    """What both sources say."""

    name: Name = Field(description="The source's name; record_id is <name>:<key>")
    at: Name = Field("images", description="The binding that gives the folder (an fsspec URL or a path)")
    annotations: Annotations | None = Field(None, description="Boxes lying beside the images, if any")
    rights: Rights = Field(default_factory=Rights, description="Asserted where the source's own fields say nothing")
    source_url: str | None = Field(
        None, description="Page of a work, with the record's fields in braces, e.g. 'https://museum.example/{key}'"
    )


class FolderSource(Source):
    """Images in a folder; what is known of a work stands in its path."""

    source: Literal["folder"] = "folder"
    pattern: str = Field(
        min_length=1,
        description="Path below the binding. {field} takes a stretch without '/', as short as it can be; '*' is "
        "anything but '/'. Known fields: key, title, artist, style, date_text, year, group",
    )

    @model_validator(mode="after")
    def _has_names_for_fields(self) -> Self:
        for name in re.findall(r"\{(\w+)\}", self.pattern):
            if not name.isidentifier():
                raise ValueError(f"pattern: expected fields that begin with a letter, got '{{{name}}}'")
        return self


class TableSource(Source):
    """One row for each work, in CSV, Parquet or JSON lines; images by path below the binding, or by URL."""

    source: Literal["table"] = "table"
    table: str = Field(min_length=1, description="Path of the table below the binding (.csv, .parquet, .jsonl)")
    columns: dict[
        Literal[
            "key", "image", "source_url", "image_url", "title", "artist", "style", "styles", "date_text", "year",
            "rights_uri", "rights_text", "group",
        ],
        str,
    ] = Field(description="Our field: the table's column. key and image are required")  # fmt: skip

    @model_validator(mode="after")
    def _has_key_and_image(self) -> Self:
        if missing := {"key", "image"} - self.columns.keys():
            raise ValueError(f"expected columns for key and image, got none for {' and '.join(sorted(missing))}")
        return self


AnySource = Annotated[FolderSource | TableSource, Field(discriminator="source")]
