"""A table as a source."""

from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.sources.common import FileSource


class TableSource(FileSource):
    """A table with one row for each work (CSV, Parquet or JSON lines); images are paths below the binding, or URLs."""

    source: Literal["table"] = "table"
    table: str = Field(min_length=1, description="Path of the table below the binding (.csv, .parquet, .jsonl)")
    columns: dict[
        Literal[
            "key",
            "image",
            "source_url",
            "image_url",
            "title",
            "artist",
            "style",
            "styles",
            "date_text",
            "year",
            "rights_uri",
            "rights_text",
            "group",
            "series",
        ],
        str,
    ] = Field(description="The table's column for each field, as field: column; key and image are required")

    @model_validator(mode="after")
    def _has_key_and_image(self) -> Self:
        if missing := {"key", "image"} - self.columns.keys():
            raise ValueError(f"expected columns for key and image, got none for {' and '.join(sorted(missing))}")
        return self
