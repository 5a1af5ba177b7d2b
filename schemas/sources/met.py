"""The Metropolitan Museum of Art as a source."""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from schemas.phrases import quoted
from schemas.sources.common import WebSource

_RANGE = re.compile(r"([0-9]{1,9})(?:\s*-\s*([0-9]{1,9}))?")


class MetSource(WebSource):
    """Open-access works of the Met: object ids from its table (CSV) or its API, then one request for each object."""

    source: Literal["met"] = "met"
    listing: Literal["csv", "api"] = Field(
        "csv",
        description="Where the object ids come from. csv: the museum's open-access table (about 300 MB), which also "
        "says what is in the public domain; api: a list of all ids; each object must be requested to learn that",
    )
    object_ids: str | None = Field(
        None,
        description="Only objects with these Object IDs: numbers and ranges from 1 to 999999999, such as '1-5000, "
        "436535'; null: all. Each object is one request, so that half a million objects take days",
    )
    departments: tuple[str, ...] = Field(
        (), description="With csv: only these departments, as the table names them, in upper or lower case; empty: all"
    )
    classifications: tuple[str, ...] = Field(
        (),
        description="With csv: only objects with one of these classifications, e.g. Paintings, in upper or "
        "lower case; empty: all",
    )
    department_ids: tuple[int, ...] = Field(
        (), description="With api: only these departments, by the API's numbers, from 1; empty: all"
    )
    open_access_only: bool = Field(
        True,
        description="Only works that the museum marks as in the public domain; it gives no images of others. With csv, "
        "others are not requested at all",
    )
    images_per_object: Annotated[int, Field(ge=1, le=1000)] = Field(
        10, description="Most images of one object, in the museum's order. 10 is the cap of The Met dataset (2021)"
    )

    @field_validator("object_ids")
    @classmethod
    def _are_ranges(cls, text: str | None) -> str | None:
        _ranges(text)
        return text

    @field_validator("department_ids")
    @classmethod
    def _are_numbers_from_one(cls, numbers: tuple[int, ...]) -> tuple[int, ...]:
        if bad := [number for number in numbers if number < 1]:
            raise ValueError(f"expected department_ids from 1 on, got {quoted(bad[0])}")
        return numbers

    @model_validator(mode="after")
    def _has_filters_of_its_listing(self) -> Self:
        others = ("department_ids",) if self.listing == "csv" else ("departments", "classifications")
        for name in others:
            if getattr(self, name):
                raise ValueError(
                    f"expected no {name} with listing '{self.listing}', which can't be filtered by it, got some"
                )
        return self

    def id_ranges(self) -> tuple[tuple[int, int], ...]:
        """Pairs (first, last) of Object IDs, both included; none: all ids.

        >>> MetSource(name="met", object_ids="1-5000, 436535").id_ranges()
        ((1, 5000), (436535, 436535))
        """
        return _ranges(self.object_ids)


def _ranges(text: str | None) -> tuple[tuple[int, int], ...]:
    pairs = []
    for part in () if text is None else text.split(","):
        match = _RANGE.fullmatch(part.strip())
        pair = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 0 < pair[0] <= pair[1]:
            got = quoted(part.strip())
            raise ValueError(f"object_ids: expected numbers and ranges such as '1-5000, 436535', got {got}")
        pairs.append(pair)
    return tuple(pairs)
