"""Truths as they are counted, made of rows."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from schemas.tables import TRUTH_FIGURES, TRUTH_IMAGES
from tasks.core.statistics.figures import TruthContents


def image(**changes: Any) -> dict[str, Any]:
    plain = {"split": None, "style": None, "artist": None, "year": None, "width_px": None, "height_px": None}
    return {**plain, "is_annotated": True, **changes}


def box(row: int, xywh_px: Sequence[float] = (0, 0, 100, 100), **changes: Any) -> dict[str, Any]:
    plain = {"image": row, "category": "person", "xywh_px": [*xywh_px], "is_crowd": False, "keypoints": 0}
    return {**plain, **changes}


def contents(images: Sequence[Any], boxes: Sequence[Any] = (), **changes: Any) -> TruthContents:
    """Of rows of `image` and `box`."""
    tables = pa.Table.from_pylist([*images], TRUTH_IMAGES), pa.Table.from_pylist([*boxes], TRUTH_FIGURES)
    return TruthContents(**{"name": "a", "images": tables[0], "figures": tables[1], **changes})


def apart(row: int, count: int) -> list[dict[str, Any]]:
    """So many boxes of an image that do not overlap."""
    return [box(row, (200 * place, 0, 100, 100)) for place in range(count)]
