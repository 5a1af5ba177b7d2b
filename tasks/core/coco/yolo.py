"""Boxes as YOLO's trainers read them: of each image a text with a line a box, in shares of its sides.

A line is `class x_centre y_centre width height`: the class from 0, the rest from 0 to 1 of the picture's width and
height (docs.ultralytics.com/datasets/detect). An image without boxes has an empty text; one without a text counts as
one without boxes, too, so that images which nobody has annotated must not be among them.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tasks.core.coco.box import read_box

_DIGITS = 9
"""After the point: of a side of 100,000 px, the longest that is read, a ten thousandth of a pixel."""


class YoloLabels(NamedTuple):
    """Texts by image id; how many boxes are left out, as crowds, or since they lie beyond their picture as a whole; how
    many are cut at its edge; and images of which all boxes are left out: without a line they would be taken for empty.
    """

    texts: dict[int, str]
    crowds: int
    outside: int
    cut: int
    unsaid: frozenset[int]


def yolo_labels(document: Mapping[str, Any]) -> YoloLabels:
    r"""The labels of a release's COCO file, whose categories count from 1. Raises LookupError, TypeError or ValueError
    for others' files.

    >>> image = {"id": 7, "width": 40, "height": 20}
    >>> box = {"image_id": 7, "category_id": 1, "bbox": [10, 5, 20, 10], "iscrowd": 0}
    >>> yolo_labels({"images": [image], "annotations": [box], "categories": [{"id": 1, "name": "person"}]}).texts
    {7: '0 0.5 0.5 0.5 0.5\n'}
    """
    places = {category["id"]: place for place, category in enumerate(document["categories"])}
    sides = {image["id"]: (image["width"], image["height"]) for image in document["images"]}
    lines: dict[int, list[str]] = {number: [] for number in sides}
    crowds = outside = cut = 0
    for box in document["annotations"]:
        if box["iscrowd"]:
            crowds += 1
            continue
        xywh_px = read_box(box["bbox"])
        inside = _inside(xywh_px, *sides[box["image_id"]])
        if inside is None:
            outside += 1
            continue
        cut += inside != xywh_px
        shares = _shares(inside, *sides[box["image_id"]])
        lines[box["image_id"]].append(f"{places[box['category_id']]} {' '.join(map(_number, shares))}\n")
    drawn = {box["image_id"] for box in document["annotations"]}
    unsaid = frozenset(number for number in drawn if not lines[number])
    texts = {number: "".join(of) for number, of in lines.items() if number not in unsaid}
    return YoloLabels(texts, crowds, outside, cut, unsaid)


def _inside(xywh_px: list[float], width: int, height: int) -> list[float] | None:
    """What of a box lies in its picture: trainers refuse numbers beyond 1. None if nothing does."""
    x, y, wide, high = xywh_px
    if x >= 0 and y >= 0 and x + wide <= width and y + high <= height:
        return xywh_px
    left, top, right, bottom = max(x, 0.0), max(y, 0.0), min(x + wide, width), min(y + high, height)
    return [left, top, right - left, bottom - top] if left < right and top < bottom else None


def _shares(xywh_px: list[float], width: int, height: int) -> tuple[float, float, float, float]:
    x, y, wide, high = xywh_px
    return (x + wide / 2) / width, (y + high / 2) / height, wide / width, high / height


def _number(share: float) -> str:
    return f"{share:.{_DIGITS}f}".rstrip("0").rstrip(".")
