"""Files of annotation tools, read as the COCO document that they come to, so that boxes and ids have one reader.

A reader takes the file's name for messages, its bytes, the recipe's schemes of keypoints by category, and where to
count what it leaves out. It raises BadInput for what is no file of its tool.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from schemas.keypoints import bare_name
from tasks.core.coco.reader import LeftOut, Schemes

Row = dict[str, Any]
ToolFile = Callable[[str, bytes, Schemes, LeftOut], Any]


def document_of(images: list[Row], annotations: list[Row], joints: Mapping[str, Collection[str]]) -> Row:
    """The document. annotations: with their `category`, whose number they get, none where it is empty; joints:
    names by category.
    """
    names = dict.fromkeys(name for name in [*joints, *(row["category"] for row in annotations)] if name)
    numbers = {name: number for number, name in enumerate(names, 1)}
    categories: list[Row] = [
        {"id": number, "name": name, **({"keypoints": [*joints[name]]} if joints.get(name) else {})}
        for name, number in numbers.items()
    ]
    drawn = [
        {"id": place, "category_id": numbers.get(row["category"]), **_without_category(row)}
        for place, row in enumerate(annotations, 1)
    ]
    return {"images": images, "annotations": drawn, "categories": categories}


def _without_category(row: Row) -> Row:
    return {key: value for key, value in row.items() if key != "category"}


def joints_in_order(category: str, names: Collection[str], schemes: Schemes) -> list[str]:
    """Names of joints in the order of the category's scheme, where they are its names; else as they come.

    >>> joints_in_order("person", ["b", "a"], {})
    ['b', 'a']
    """
    scheme = schemes.get(category)
    by_name = {bare_name(name): name for name in names}
    if scheme is None or not {*by_name} <= {bare_name(joint) for joint in scheme.joints}:
        return [*names]
    return [by_name.get(bare_name(joint), joint) for joint in scheme.joints]


def points_of(joints: Collection[str], found: Mapping[str, tuple[float, float, int]]) -> list[float]:
    """COCO's `keypoints` of x, y and visibility by the joint's name; 0, 0, 0 of one that is not marked.

    >>> points_of(["nose", "hip"], {"hip": (1.5, 2, 2)})
    [0.0, 0.0, 0, 1.5, 2, 2]
    """
    return [number for joint in joints for number in found.get(joint, (0.0, 0.0, 0))]


def hull_of(points: Collection[tuple[float, float]]) -> list[float]:
    """The box around points: x, y, width and height."""
    across, down = [x for x, _ in points], [y for _, y in points]
    return [min(across), min(down), max(across) - min(across), max(down) - min(down)]


def outlined(points: Sequence[tuple[float, float]]) -> Row:
    """An outline, and the box around it."""
    return {"bbox": hull_of(points), "segmentation": [[number for point in points for number in point]]}


def turned_box(xywh_px: Sequence[float], degrees: float, about: tuple[float, float]) -> Row:
    """A box that is turned clockwise about a point: the box around it, with its corners as outline.

    >>> turned_box([0, 0, 4, 2], 90, (0, 0))["bbox"]
    [-2.0, 0.0, 2.0, 4.0]
    """
    if not degrees:
        return {"bbox": [*xywh_px]}
    x, y, width, height = xywh_px
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    corners = [(x - about[0] + a, y - about[1] + b) for a, b in ((0, 0), (width, 0), (width, height), (0, height))]
    turned = [(about[0] + a * cos - b * sin, about[1] + a * sin + b * cos) for a, b in corners]
    return outlined([(round(a, 9), round(b, 9)) for a, b in turned])


def ellipse_box(middle: tuple[float, float], radii: tuple[float, float], degrees: float) -> Row:
    """The box around an ellipse that is turned about its middle."""
    turn = math.radians(degrees)
    wide = math.hypot(radii[0] * math.cos(turn), radii[1] * math.sin(turn))
    high = math.hypot(radii[0] * math.sin(turn), radii[1] * math.cos(turn))
    return {"bbox": [middle[0] - wide, middle[1] - high, 2 * wide, 2 * high]}
