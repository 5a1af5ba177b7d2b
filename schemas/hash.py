"""Settings of `hash`: which hashes are computed."""

from typing import Literal

from pydantic import Field

from schemas.base import Later
from schemas.hash_kinds import HASHES, WORK_HASHES, HashKind
from schemas.reasons import FAILURES_IN_BYTES
from schemas.stage import Stage


class Hash(Stage):
    """Measure each image: size when upright, format, 64-bit perceptual hash, and others that are asked for."""

    step_kind = "measure"
    after = ("fetch",)
    is_single = True
    reasons = FAILURES_IN_BYTES

    stage: Literal["hash"] = "hash"
    kind: Literal["phash64"] = Field(
        "phash64",
        description="The perceptual hash: 8 x 8 bits of a 32 x 32 DCT of a reduced copy, computed as imagehash.phash "
        "does",
    )
    also: Later[tuple[HashKind, ...]] = Field(
        (),
        max_length=len(HASHES),
        description=f"Other hashes, by imagehash itself, of each thumbnail: {WORK_HASHES} and colorhash. Each becomes "
        "an attribute of its name, which the release has and a screen may ask for (docs/dedup.md)",
    )
