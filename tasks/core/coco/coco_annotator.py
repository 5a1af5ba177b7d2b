"""COCO Annotator's export: a COCO file with the tool's own marks (github.com/jsbroks/coco-annotator, `coco_util.py`).

What is marked `deleted` is left out, and counted. An image without an annotation has been looked at where it is marked
`annotated`, which exports of some versions do not say: then nobody knows. The outline of an annotation that `isbbox` is
its box once more, and is left out, too. Of key points alone, which have a box without an area, the box is that around
them.
"""

from typing import Any

from tasks.core.coco.box import is_flat_box
from tasks.core.coco.reader import LeftOut, Schemes, read_keys_once
from tasks.core.coco.tool_files import hull_of


def read_coco_annotator(name: str, data: bytes, schemes: Schemes, left_out: LeftOut) -> Any:
    """The document, without the tool's leavings; anything but a COCO file as it is, for COCO's reader to refuse."""
    document = read_keys_once(name, data)
    if not isinstance(document, dict) or not all(isinstance(document.get(part), list) for part in LeftOut._fields):
        return document
    kept = {}
    for part, tally in zip(LeftOut._fields, left_out, strict=True):
        kept[part] = [row for row in document[part] if not (isinstance(row, dict) and row.get("deleted") is True)]
        if gone := len(document[part]) - len(kept[part]):
            tally.add(f"{part} that are deleted in the tool", count=gone)
    ids = {str(row.get("image_id")) for row in kept["annotations"] if isinstance(row, dict)}
    images = [_seen(row, ids) if isinstance(row, dict) else row for row in kept["images"]]
    annotations = [_drawn(row) if isinstance(row, dict) else row for row in kept["annotations"]]
    return {**document, "images": images, "annotations": annotations}


def _seen(image: dict[str, Any], ids: set[str]) -> dict[str, Any]:
    is_known = image.get("annotated") is True or str(image.get("id")) in ids
    return image if is_known else {**image, "is_annotated": False}


def _drawn(row: dict[str, Any]) -> dict[str, Any]:
    if row.get("isbbox") is True:
        return {key: row[key] for key in row if key != "segmentation"}
    points = row.get("keypoints")
    if not is_flat_box(row.get("bbox")) or not isinstance(points, list) or not {*map(type, points)} <= {int, float}:
        return row
    seen = [(x, y) for x, y, v in zip(points[::3], points[1::3], points[2::3], strict=False) if v]
    return {**row, "bbox": hull_of(seen)} if seen else row
