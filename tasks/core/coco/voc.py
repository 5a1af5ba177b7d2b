"""Boxes as PASCAL VOC has them: of each image an XML with an object a box, in pixels counted from 1.

Corners are those of VOC's development kit: both lie in the box, so that xmin = x + 1 and xmax = x + width. `read_voc`
reads them back as they were.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from xml.etree import ElementTree

from tasks.core.coco.box import read_box

_SAID = ("pose", "truncated", "difficult", "occluded")
"""What VOC says of an object beside its name and box, and our readers keep of it."""
_PLAIN = {"pose": "Unspecified", "truncated": 0, "difficult": 0}


class VocFiles(NamedTuple):
    """XML by image id, and how many boxes of crowds there are, which VOC does not know: they are difficult ones."""

    texts: dict[int, bytes]
    crowds: int


def voc_files(document: Mapping[str, Any], said: Mapping[int, Mapping[str, Any]]) -> VocFiles:
    """The files of a release's COCO file, whose images have their `file_name`. said: by the ids of annotations that
    came from VOC what their file said of them.

    `difficult` boxes are not counted, for or against a detector, as those of crowds are in COCO. Raises LookupError,
    TypeError or ValueError for others' files.
    """
    names = {category["id"]: category["name"] for category in document["categories"]}
    roots = {image["id"]: _root(image) for image in document["images"]}
    for box in document["annotations"]:
        fields = {name: value for name, value in said.get(box["id"], {}).items() if name in _SAID}
        if box["iscrowd"]:
            fields["difficult"] = 1
        roots[box["image_id"]].append(_object(names[box["category_id"]], read_box(box["bbox"]), {**_PLAIN, **fields}))
    texts = {number: _text(root) for number, root in roots.items()}
    return VocFiles(texts, sum(box["iscrowd"] for box in document["annotations"]))


def _root(image: Mapping[str, Any]) -> ElementTree.Element:
    root = ElementTree.Element("annotation")
    _said(root, "folder", "JPEGImages")
    _said(root, "filename", image["file_name"])
    size = ElementTree.SubElement(root, "size")
    for name, value in (("width", image["width"]), ("height", image["height"]), ("depth", 3)):
        _said(size, name, value)
    _said(root, "segmented", 0)
    return root


def _object(name: str, xywh_px: list[float], fields: Mapping[str, Any]) -> ElementTree.Element:
    x, y, width, height = xywh_px
    entry = ElementTree.Element("object")
    _said(entry, "name", name)
    for field, value in fields.items():
        _said(entry, field, value)
    box = ElementTree.SubElement(entry, "bndbox")
    for corner, at in (("xmin", x + 1), ("ymin", y + 1), ("xmax", x + width), ("ymax", y + height)):
        _said(box, corner, int(at) if at == int(at) else at)
    return entry


def _said(parent: ElementTree.Element, name: str, value: Any) -> None:
    ElementTree.SubElement(parent, name).text = str(value)


def _text(root: ElementTree.Element) -> bytes:
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8")) + b"\n"
