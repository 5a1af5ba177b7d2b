"""CVAT's "CVAT for images 1.1": one XML with all images (docs.cvat.ai, formats, CVAT for image).

| shape | what it becomes |
|---|---|
| `box` | a box; a turned one the box around it, with its corners as outline |
| `polygon` | an outline, and the box around it |
| `mask` | an outline as run lengths, and its box |
| `ellipse` | the box around it |
| `skeleton` | keypoints, of the box in its group, else with the box around them; `outside` is v = 0, `occluded` v = 1 |
| `points`, `polyline`, `cuboid` | none: of such an image nobody knows what is in it |
| `tag` | none: it is of the whole image |

An image without shapes is one without an annotation: CVAT does not say whether somebody has looked at it. An attribute
`is_crowd` that is true makes a crowd. What else stands at a shape (attributes, `occluded`, `z_order`, `group_id`,
`source`) stays beside.
"""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from schemas.errors import BadInput
from tasks.core.coco.reader import LeftOut, Schemes
from tasks.core.coco.tool_files import Row, document_of, hull_of, joints_in_order, points_of
from tasks.core.plain_xml import parse_xml, text_of

_OF_IMAGES = frozenset({"tag"})
_MOST_PIXELS = 100_000_000
_KEPT = ("occluded", "z_order", "group_id", "source")
_CROWD = frozenset({"is_crowd", "iscrowd"})
_WHOLE = re.compile(r"-?[0-9]{1,15}")


def read_cvat(name: str, data: bytes, schemes: Schemes, left_out: LeftOut) -> Row:
    """The document. Raises BadInput for what is no XML of CVAT's images."""
    try:
        root = parse_xml(data)
        if root.tag != "annotations":
            raise ValueError(f"XML whose root is <{root.tag[:40]}>")
        if root.find("track") is not None:
            raise ValueError("a video's tracks: export it as images")
    except ValueError as problem:
        raise BadInput(f"{name}: expected CVAT's XML of images, got {problem}") from problem
    joints = _joints(root, schemes)
    images, annotations = list[Row](), list[Row]()
    for place, image in enumerate(root.iter("image"), 1):
        if not (drawn := [*_figures(image, joints)]):
            left_out.images.add("images without a shape", image.get("name") or "")
            continue
        sides = {side: _whole(image.get(side, "")) for side in ("width", "height")}
        images.append({"id": place, "file_name": image.get("name"), **sides})
        annotations += ({**row, "image_id": place} for row in drawn)
    return document_of(images, annotations, joints)


def _joints(root: Element, schemes: Schemes) -> dict[str, list[str]]:
    """The joints of each label that is a skeleton, from the file's head."""
    labels = [*root.iter("label")]
    parts: dict[str, list[str]] = {}
    for label in labels:
        if parent := text_of(label, "parent"):
            parts.setdefault(parent, []).append(text_of(label, "name"))
    return {
        text_of(label, "name"): joints_in_order(text_of(label, "name"), parts[text_of(label, "name")], schemes)
        for label in labels
        if text_of(label, "name") in parts
    }


def _figures(image: Element, joints: dict[str, list[str]]) -> Iterator[Row]:
    """The annotations of an image: of a box and a skeleton in one group one."""
    rows = [(shape, _figure(image, shape, joints)) for shape in image if shape.tag not in _OF_IMAGES]
    groups = {_group(shape) for shape, _ in rows if shape.tag == "box"} - {None}
    poses = {
        group: row["keypoints"]
        for shape, row in rows
        if shape.tag == "skeleton" and "keypoints" in row and (group := _group(shape)) in groups
    }
    left = {**poses}
    for shape, row in rows:
        group = _group(shape)
        if shape.tag == "box" and group in left:
            yield {**row, "keypoints": left.pop(group)}
        elif shape.tag != "skeleton" or row.get("keypoints") is not poses.get(group, ()):
            yield row


def _group(shape: Element) -> tuple[str, str] | None:
    number = shape.get("group_id", "0")
    return None if number in {"", "0"} else (number, shape.get("label", ""))


def _figure(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    attributes = {each.get("name", ""): (each.text or "").strip() for each in shape.iter("attribute")}
    is_crowd = any(attributes.get(name, "").lower() in {"1", "true", "yes"} for name in _CROWD)
    said: Row = {key: _whole(shape.attrib[key]) for key in _KEPT if key in shape.attrib}
    others = {key: value for key, value in attributes.items() if key not in _CROWD}
    try:
        drawn = _SHAPES[shape.tag](image, shape, joints)
    except (LookupError, ValueError, OverflowError):  # no figure, or nobody can say where: COCO's reader tells
        drawn = {"shape": shape.tag}
    return {
        "category": shape.get("label", ""),
        "iscrowd": int(is_crowd),
        **drawn,
        **said,
        **({"attributes": others} if others else {}),
    }


def _whole(text: str) -> Any:
    return int(text) if _WHOLE.fullmatch(text) else text


def _box(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    x, y, right, bottom = (float(shape.attrib[key]) for key in ("xtl", "ytl", "xbr", "ybr"))
    turn = math.radians(float(shape.get("rotation", "0")))
    if not turn:
        return {"bbox": [x, y, right - x, bottom - y]}
    middle_x, middle_y = (x + right) / 2, (y + bottom) / 2
    corners = [
        (
            middle_x + (across - middle_x) * math.cos(turn) - (down - middle_y) * math.sin(turn),
            middle_y + (across - middle_x) * math.sin(turn) + (down - middle_y) * math.cos(turn),
        )
        for across, down in ((x, y), (right, y), (right, bottom), (x, bottom))
    ]
    return _outlined(corners)


def _polygon(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    return _outlined(_points(shape))


def _outlined(points: list[tuple[float, float]]) -> Row:
    return {"bbox": hull_of(points), "segmentation": [[number for point in points for number in point]]}


def _ellipse(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    x, y, across, down = (float(shape.attrib[key]) for key in ("cx", "cy", "rx", "ry"))
    turn = math.radians(float(shape.get("rotation", "0")))
    wide = math.hypot(across * math.cos(turn), down * math.sin(turn))
    high = math.hypot(across * math.sin(turn), down * math.cos(turn))
    return {"bbox": [x - wide, y - high, 2 * wide, 2 * high]}


def _mask(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    """CVAT's runs go by rows within the mask's frame, which may be the picture; COCO's by columns of the picture."""
    left, top, wide, high = (int(shape.attrib[key]) for key in ("left", "top", "width", "height"))
    width, height = int(image.attrib["width"]), int(image.attrib["height"])
    row: Row = {"bbox": [left, top, wide, high]}
    runs = np.array([int(number) for number in shape.attrib["rle"].split(",")], np.int64)
    is_in = 0 <= left <= left + wide <= width and 0 <= top <= top + high <= height
    are_runs = 0 <= runs.min() <= runs.max() <= wide * high
    if not is_in or width * height > _MOST_PIXELS or not are_runs or runs.sum() != wide * high:
        return row  # of such an outline the box is all that is sure
    inside = np.repeat(np.arange(len(runs)) % 2, runs).astype(bool).reshape(high, wide)
    picture = np.zeros((height, width), bool)
    picture[top : top + high, left : left + wide] = inside
    by_column = np.concatenate([[False], picture.ravel(order="F")])
    ends = np.flatnonzero(np.diff(by_column))
    counts = np.diff([0, *ends, width * height])
    across, down = (np.flatnonzero(inside.any(axis)) for axis in (0, 1))
    if len(across):
        sides = [int(across[-1] - across[0]) + 1, int(down[-1] - down[0]) + 1]
        row["bbox"] = [left + int(across[0]), top + int(down[0]), *sides]
    return {**row, "segmentation": {"size": [height, width], "counts": counts.tolist()}}


def _skeleton(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    found = {}
    for part in shape.iter("points"):
        if part.get("outside", "0") != "1":
            (point,) = _points(part)
            found[part.attrib["label"]] = (*point, 1 if part.get("occluded", "0") == "1" else 2)
    label = shape.attrib["label"]
    row: Row = {"keypoints": points_of(joints.get(label, [*found]), found)}
    return {**row, "bbox": hull_of([(x, y) for x, y, _ in found.values()])} if found else row


def _points(shape: Element) -> list[tuple[float, float]]:
    pairs = [point.split(",") for point in shape.attrib["points"].split(";")]
    return [(float(x), float(y)) for x, y in pairs]


_SHAPES: dict[str, Callable[[Element, Element, dict[str, list[str]]], Row]] = {
    "box": _box,
    "polygon": _polygon,
    "mask": _mask,
    "ellipse": _ellipse,
    "skeleton": _skeleton,
}
