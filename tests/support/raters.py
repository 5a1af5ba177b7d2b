"""What raters drew, in few words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.evaluate_figures import RATINGS
from tasks.core.evaluate.raters.ratings import Ratings, read_ratings

Box = Sequence[float]
FIRST, SECOND, THIRD = (10, 10, 50, 50), (12, 8, 52, 48), (11, 12, 49, 53)
"""Three people's boxes of one figure: the medians of their corners are (11, 10, 50, 50)."""


def row(rater: Any, image: Any, box: Box | None = None, rating: Any = None, **more: Any) -> dict[str, Any]:
    corners = (None,) * 4 if box is None else tuple(box)
    return {
        **dict(zip(("rater", "image", "x_min", "y_min", "x_max", "y_max"), (rater, image, *corners), strict=True)),
        "rating": rating,
        **more,
    }


def table(*rows: dict[str, Any]) -> pa.Table:
    names = RATINGS.names if any("keypoints_xyv" in row for row in rows) else RATINGS.names[:-1]
    return pa.Table.from_pylist(list(rows), schema=pa.schema([RATINGS.field(name) for name in names]))


def ratings(drawn: Mapping[str, Mapping[str, Sequence[Box]]]) -> Ratings:
    """Boxes by rater and image; an empty list: saw it and drew nothing."""
    rows = [
        row(rater, image, box)
        for rater, images in drawn.items()
        for image, boxes in images.items()
        for box in (boxes or [None])
    ]
    return read_ratings(table(*rows))


def random_ratings(seed: int, raters: int = 5, images: int = 4, most: int = 3) -> pa.Table:
    """Raters who draw the same figures a little differently, and miss some; a few rate nothing or see nothing."""
    chance = np.random.default_rng(seed)
    rows = []
    for image in range(images):
        corners = chance.integers(0, 200, (int(chance.integers(0, most + 1)), 2))
        figures = np.concatenate([corners, corners + chance.integers(20, 90, corners.shape)], axis=1)
        for rater in range(raters):
            if chance.random() < 0.2 and (rater, image) not in {(0, 0), (1, 0)}:
                continue
            kept = figures[chance.random(len(figures)) < 0.8] + chance.integers(-6, 7, (1, 4))
            boxes = np.unique(kept, axis=0).astype(float).tolist() or [None]
            rating = None if chance.random() < 0.2 else int(chance.integers(1, 6))
            rows += [row(f"r{rater}", f"i{image}", box, rating) for box in boxes]
    return table(*rows)
