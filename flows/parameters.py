"""Types of the flows' parameters: the ranges that Prefect's form shows, and that a run is refused for."""

from typing import Annotated

from pydantic import Field

_MOST = 2**53 - 1
"""The last whole number that Prefect's page can show; its server has no larger one than 2**63 - 1."""

Count = Annotated[int, Field(ge=1, le=_MOST)]
Whole = Annotated[int, Field(ge=0, le=_MOST)]
Seed = Whole
MOST_RESAMPLES = 100_000
"""More of them make no interval better, and take forever."""
Resamples = Annotated[int, Field(ge=0, le=MOST_RESAMPLES)]
Share = Annotated[float, Field(ge=0, le=1)]
Device = Annotated[str, Field(pattern=r"^(auto|cpu|cuda(:[0-9]+)?)$")]
