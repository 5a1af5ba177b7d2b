"""Images in a folder as a source."""

import re
from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.base import Filled
from schemas.phrases import quoted
from schemas.sources.common import FileSource

_FIELD = re.compile(r"\{(\w+)\}")


class FolderSource(FileSource):
    """Images in a folder; what is known about a work is read from its path."""

    are_keys_paths = True

    source: Literal["folder"] = "folder"
    pattern: Filled = Field(
        description="Paths of the images below the binding, e.g. {style}/{artist}_{title}.jpg. {field} matches as few "
        "characters as possible, '*' any characters, both without '/'. Known fields: key, title, artist, style, "
        "date_text, year, group"
    )

    @model_validator(mode="after")
    def _has_names_for_fields(self) -> Self:
        for name in self.offered_fields:
            if not name.isidentifier():
                raise ValueError(f"pattern: expected fields that begin with a letter, got {quoted('{' + name + '}')}")
        return self

    @property
    def offered_fields(self) -> tuple[str, ...]:
        """The pattern's fields."""
        return tuple(_FIELD.findall(self.pattern))

    @property
    def image_pattern(self) -> str:
        """The pattern."""
        return self.pattern
