"""Types of the flows' parameters: the ranges that Prefect's form shows, and that a run is refused for."""

from typing import Annotated

from pydantic import Field

Count = Annotated[int, Field(ge=1)]
Whole = Annotated[int, Field(ge=0)]
Seed = Whole
Share = Annotated[float, Field(ge=0, le=1)]
Device = Annotated[str, Field(pattern=r"^(auto|cpu|cuda(:[0-9]+)?)$")]
