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

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from schemas.errors import BadInput
from tasks.core.coco.reader import LeftOut, Schemes
from tasks.core.coco.tool_files import (
    Row,
    document_of,
    ellipse_box,
    hull_of,
    joints_in_order,
    outlined,
    points_of,
    turned_box,
)
from tasks.core.passed_over import Tally
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
        shapes = [shape for shape in image if shape.tag not in _OF_IMAGES]
        if not shapes:
            left_out.images.add("images without a shape", image.get("name") or "")
            continue
        boxed = [shape for shape in shapes if shape.tag in _SHAPES or shape.get("label", "") in {"", *schemes}]
        others = "shapes without a box, of other labels than the recipe's"
        left_out.annotations.add(others, image.get("name") or "", count=len(shapes) - len(boxed))
        drawn = [*_figures(image, boxed, joints, left_out.annotations)]
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


def _figures(image: Element, shapes: list[Element], joints: dict[str, list[str]], left_out: Tally) -> Iterator[Row]:
    """The annotations of an image: a box and a skeleton in one group are one. Of several in one group nobody can say
    which belong together: then the boxes stay, and the skeletons are left out.
    """
    boxes = Counter(_group(shape) for shape in shapes if shape.tag == "box")
    skeletons = Counter(_group(shape) for shape in shapes if shape.tag == "skeleton")
    poses = {_group(shape): _figure(image, shape, joints) for shape in shapes if shape.tag == "skeleton"}
    for shape in shapes:
        group = _group(shape)
        is_pair = group is not None and boxes[group] == skeletons[group] == 1
        if shape.tag == "skeleton" and group is not None and boxes[group]:
            if not is_pair or "keypoints" not in poses[group]:
                left_out.add("skeletons that can't be read, or not given to one box", image.get("name") or "")
            continue
        row = _figure(image, shape, joints)
        yield {**row, "keypoints": poses[group].get("keypoints")} if is_pair and shape.tag == "box" else row


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
    middle = (x + right) / 2, (y + bottom) / 2
    return turned_box([x, y, right - x, bottom - y], float(shape.get("rotation", "0")), middle)


def _polygon(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    return outlined(_points(shape))


def _ellipse(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    x, y, across, down = (float(shape.attrib[key]) for key in ("cx", "cy", "rx", "ry"))
    return ellipse_box((x, y), (across, down), float(shape.get("rotation", "0")))


def _mask(image: Element, shape: Element, joints: dict[str, list[str]]) -> Row:
    """CVAT's runs go by rows within the mask's frame, which may be the picture; COCO's by columns of the picture."""
    left, top, wide, high = (int(shape.attrib[key]) for key in ("left", "top", "width", "height"))
    width, height = int(image.attrib["width"]), int(image.attrib["height"])
    row: Row = {"bbox": [left, top, wide, high]}
    runs = np.array([int(number) for number in shape.attrib["rle"].split(",")], np.int64)
    is_in = 0 <= left <= left + wide <= width and 0 <= top <= top + high <= height
    are_runs = 0 <= runs.min() <= runs.max() <= wide * high
    if not is_in or wide * high > _MOST_PIXELS or not are_runs or runs.sum() != wide * high:
        return row  # of such an outline the box is all that is sure
    inside = np.repeat(np.arange(len(runs)) % 2, runs).astype(bool).reshape(high, wide)
    across, down = (np.flatnonzero(inside.any(axis)) for axis in (0, 1))
    if not len(across):
        return row
    sides = [int(across[-1] - across[0]) + 1, int(down[-1] - down[0]) + 1]
    # a row above and below, so that no run goes on from one column into the next
    columns = np.pad(inside, ((1, 1), (0, 0))).ravel(order="F")
    ends = np.flatnonzero(np.diff(columns))
    column, place = np.divmod(ends + 1, high + 2)
    starts = (left + column) * height + top + place - 1
    lengths = np.diff([0, *starts, width * height])
    # where a figure reaches from the picture's lower edge to the upper one, two runs are one
    counts = _joined(lengths.tolist())
    outline = {"size": [height, width], "counts": counts}
    return {"bbox": [left + int(across[0]), top + int(down[0]), *sides], "segmentation": outline}


def _joined(counts: list[int]) -> list[int]:
    """Runs without those of no length between two others."""
    found: list[int] = []
    for place, count in enumerate(counts):
        if len(found) > 1 and not found[-1] and place > 1:
            found.pop()
            found[-1] += count
        else:
            found.append(count)
    return found


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
