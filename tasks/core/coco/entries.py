"""How one image, box or detection is written into COCO files: the door by which they go out.

Every box that is written keeps the rule by which boxes are read (tasks.core.coco.box).
"""

from collections.abc import Sequence
from typing import Any

from tasks.core.coco.box import read_box

Row = dict[str, Any]


def annotation_entry(
    annotation_id: int,
    image_id: int,
    category_id: int,
    xywh_px: Sequence[float],
    area_px2: float,
    *,
    is_crowd: bool,
) -> Row:
    """One of `annotations`.

    Raises BadBox for a box that is none.
    """
    return {
        "id": annotation_id,
        "image_id": image_id,
        "category_id": category_id,
        "bbox": read_box(xywh_px),
        "area": area_px2,
        "iscrowd": int(is_crowd),
    }


def result_entry(image_id: int, category_id: int, xywh_px: Sequence[float], score: float) -> Row:
    """One row of COCO's results format.

    Raises BadBox for a box that is none.
    """
    return {"image_id": image_id, "category_id": category_id, "bbox": read_box(xywh_px), "score": score}
