"""The detector that looks at nothing: one box an image, as large as the canvas.

In a portrait the figure fills more than half of the canvas, so that even a random box of that size counts as right
(Picasso, section 5.1). What this detector reaches is what can be had for nothing.
"""

import numpy as np
import pyarrow as pa

from schemas.errors import BadInput
from schemas.phrases import counted
from tasks.core.columns import Column
from tasks.core.evaluate.matching import Detections


def full_frame_boxes(width_px: Column, height_px: Column) -> Detections:
    """One box of score 1 for each image. width_px, height_px: (N,) upright sizes in px, above 0.

    Raises BadInput where a size is missing or is not above 0.
    """
    sides = np.stack([np.asarray(_filled(side), np.float64) for side in (width_px, height_px)], axis=1)
    if unknown := int((~(sides > 0).all(axis=1)).sum()):
        raise BadInput(
            f"full-frame baseline: expected a width and height above 0 of every image, "
            f"got none for {counted(unknown, 'image')}"
        )
    return Detections(
        np.arange(len(sides), dtype=np.int64),
        np.concatenate([np.zeros_like(sides), sides], axis=1),
        np.ones(len(sides)),
    )


def _filled(column: Column) -> Column:
    return column.cast(pa.float64()).fill_null(float("nan"))
