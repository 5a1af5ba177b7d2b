"""A table as a source."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.base import Filled, Later
from schemas.sources.common import FileSource, SourceField

A_TABLE = "a table"
TABLE_ENDINGS = (".csv", ".json", ".jsonl", ".parquet")
"""What the names of tables end in, in any case."""


class TableSource(FileSource):
    """A table with one row for each work (CSV, Parquet, JSON), or a folder of JSON files; images are paths below the
    binding, or URLs.
    """

    source: Literal["table"] = "table"
    table: Filled = Field(
        description="Path of the table below the binding (.csv, .parquet, .jsonl, .json), or a pattern of JSON files "
        "with a work or a list of works each: works/*.json, **/*.json"
    )
    works: Later[SourceField | None] = Field(
        None, description="Where a .json file is an object: the names on the way to its list of works, e.g. data.items"
    )
    each: Later[SourceField | None] = Field(
        None,
        description="A list in each work, such as images: one record for each of its elements. Columns that begin with "
        "`each.` are of the element. Records of one work get keys with a number behind them, and are grouped",
    )
    columns: dict[
        Literal[
            "key",
            "each_key",
            "image",
            "source_url",
            "image_url",
            "title",
            "artist",
            "artists",
            "artist_roles",
            "style",
            "styles",
            "date_text",
            "year",
            "year_first",
            "year_last",
            "rights_uri",
            "rights_text",
            "group",
            "series",
        ],
        str,
    ] = Field(
        description="The table's column for each field, as field: column; key and image are required. A column may be "
        "a path to a nested value: images[0].image_url, creator[].full_name"
    )

    @model_validator(mode="after")
    def _has_key_and_image(self) -> Self:
        if missing := {"key", "image"} - self.columns.keys():
            raise ValueError(f"expected columns for key and image, got none for {' and '.join(sorted(missing))}")
        if "artist_roles" in self.columns and "artists" not in self.columns:
            raise ValueError("expected a column for artists beside that for artist_roles, got none")
        if "each_key" in self.columns and self.each is None:
            raise ValueError("expected `each` beside the column for each_key, got none")
        return self

    @property
    def named_columns(self) -> Mapping[str, str]:
        """The columns of its table."""
        return {str(field): column for field, column in self.columns.items()}

    @property
    def is_pattern_of_tables(self) -> bool:
        """Whether the table is a pattern of JSON files."""
        return "*" in self.table and self.ending in {".json", ".jsonl"}

    @property
    def named_files(self) -> tuple[tuple[str, str], ...]:
        """Its table, if it is one, and the files of its annotations."""
        return (*(() if self.is_pattern_of_tables else ((A_TABLE, self.table),)), *super().named_files)

    @property
    def ending(self) -> str:
        """That of TABLE_ENDINGS in which the table's name ends, in any case; "" where it ends in another."""
        return next((ending for ending in TABLE_ENDINGS if self.table.lower().endswith(ending)), "")
