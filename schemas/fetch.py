"""Settings of the two stages that retrieve: the sources' records, and their images."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Positive
from schemas.reasons import FAILURES_IN_BYTES, PASSING, REFUSALS, Reason
from schemas.stage import Stage

HIGHEST_MAX_PIXELS = 1_000_000_000
"""The highest limit that a recipe can set. Stored images have passed their recipe's limit: none has more pixels."""


class Scrape(Stage):
    """The first step of every build, which no recipe names: the sources' records."""

    step_kind = "retrieve"
    reasons = frozenset(
        {
            *(*PASSING, *REFUSALS, Reason.OPTED_OUT, Reason.OVER_LIMIT, Reason.GONE),
            *(Reason.BAD_RECORD, Reason.BAD_ATTRIBUTE, Reason.SAME_KEY),
        }
    )

    stage: Literal["scrape"] = "scrape"


SCRAPE = Scrape(label="scrape")


class Fetch(Stage):
    """Copy or download each record's image, decode all of it as a check, and store the bytes under their SHA-256."""

    step_kind = "retrieve"
    is_single = True
    reasons = PASSING | REFUSALS | FAILURES_IN_BYTES | {Reason.NOT_ALLOWED, Reason.ROBOTS_DISALLOW, Reason.OPTED_OUT}

    stage: Literal["fetch"] = "fetch"
    max_bytes: Positive = Field(
        200_000_000,
        description="Largest file that is accepted; ten times the largest original of PoPArt is far below it",
    )
    max_pixels: Annotated[int, Field(ge=1, le=HIGHEST_MAX_PIXELS)] = Field(
        150_000_000, description="Largest width x height that is accepted; 150 Mpx need 450 MB when decoded"
    )
    timeout_s: float = Field(
        30, gt=0, le=3600, description="A server that sends nothing for so long counts as unreachable"
    )
    refresh: Literal["new", "failed", "all"] = Field(
        "new",
        description="Which images a later build requests. new: those never fetched, those that failed for a passing "
        "reason, and refusals of a host that sent no image; failed: also those that failed for good; all: every "
        "image, with a conditional request (ETag or Last-Modified) where the server allows it",
    )
