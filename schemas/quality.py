"""Settings of `quality`; the scores that it gives are in schemas/scores.py."""

from typing import Literal

from schemas.reasons import FAILURES_IN_BYTES
from schemas.stage import Stage


class Quality(Stage):
    """Measure each image's thumbnail: colour, contrast, blur, border, and how much it looks like a photograph of an
    object.
    """

    step_kind = "measure"
    after = ("fetch",)
    is_single = True
    reasons = FAILURES_IN_BYTES

    stage: Literal["quality"] = "quality"
