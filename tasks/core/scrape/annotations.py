"""Boxes that people drew, from PASCAL VOC XML and COCO JSON, as figures: (x_min, y_min, width, height) in px,
upright.
"""

import json
import math
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

Figure = dict[str, Any]


class BadAnnotation(ValueError):
    """An annotation file that can't be read as what it should be; the message says what was met."""


class _WithoutDtd(ElementTree.TreeBuilder):
    """Builds a tree, and stops at a DTD before anything in it is read, whatever the encoding."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise BadAnnotation("XML with a DTD")


def figures_of_voc(data: bytes) -> list[Figure]:
    """The objects of one PASCAL VOC file. Its corners count pixels from 1 and include both ends, so 1..1 is one pixel.

    Objects without a readable box of at least one pixel raise BadAnnotation, as does XML with a DTD (which no VOC file
    has, and which can blow up a parser).

    >>> figures_of_voc(b"<annotation><object><name>person</name><bndbox><xmin>1</xmin><ymin>3</ymin><xmax>10</xmax>"
    ...                b"<ymax>4</ymax></bndbox></object></annotation>")[0]["xywh_px"]
    [0.0, 2.0, 10.0, 2.0]
    """
    try:
        root = ElementTree.fromstring(data, ElementTree.XMLParser(target=_WithoutDtd()))
    except BadAnnotation:
        raise
    except (ElementTree.ParseError, LookupError, ValueError) as problem:  # the latter two: encodings it can't read
        raise BadAnnotation(f"no XML: {problem}") from problem
    if root.tag != "annotation":  # an error page can be well-formed too, and would say that nobody is there
        raise BadAnnotation(f"no VOC file: its root is <{root.tag[:40]}>, expected <annotation>")
    return [_voc_figure(entry) for entry in root.iter("object")]


def figures_of_coco(data: bytes) -> dict[str, list[Figure] | None]:
    """Figures by file_name: an empty list for images without any, None where one of an image's boxes is unreadable.

    Raises BadAnnotation for JSON of another shape.
    """
    try:
        document = json.loads(data)
        names = {category["id"]: str(category["name"]) for category in document["categories"]}
        entries: dict[Any, list[Any]] = {image["id"]: [] for image in document["images"]}
        for entry in document["annotations"]:
            entries[entry["image_id"]].append(entry)
        return {str(image["file_name"]): _coco_figures(entries[image["id"]], names) for image in document["images"]}
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as problem:
        raise BadAnnotation(f"no COCO file: {type(problem).__name__} {problem}"[:200]) from problem


def known(figures: list[Figure], categories: tuple[str, ...]) -> list[Figure]:
    """The figures of the recipe's categories, in one order whatever the file's."""
    return sorted((f for f in figures if f["category"] in categories), key=lambda f: json.dumps(f, sort_keys=True))


def _voc_figure(entry: ElementTree.Element) -> Figure:
    try:
        box = {side: float(entry.findtext(f"bndbox/{side}") or "nan") for side in ("xmin", "ymin", "xmax", "ymax")}
    except ValueError as problem:
        raise BadAnnotation(f"a corner that is no number: {problem}") from problem
    xywh = [box["xmin"] - 1, box["ymin"] - 1, box["xmax"] - box["xmin"] + 1, box["ymax"] - box["ymin"] + 1]
    return _figure((entry.findtext("name") or "").strip(), xywh, is_crowd=False, keypoints=None)


def _coco_figures(entries: list[Any], names: Mapping[Any, str]) -> list[Figure] | None:
    try:
        return [_coco_figure(entry, names[entry["category_id"]]) for entry in entries]
    except BadAnnotation:
        return None


def _coco_figure(entry: Mapping[str, Any], category: str) -> Figure:
    keypoints = [float(value) for value in entry.get("keypoints") or []] or None
    if keypoints is not None and (len(keypoints) % 3 or not all(math.isfinite(value) for value in keypoints)):
        raise BadAnnotation(f"expected keypoints as x, y, v, got {len(keypoints)} numbers")
    xywh = [float(value) for value in entry["bbox"]]
    return _figure(category, xywh, is_crowd=bool(entry.get("iscrowd", 0)), keypoints=keypoints)


def _figure(category: str, xywh: list[float], *, is_crowd: bool, keypoints: list[float] | None) -> Figure:
    if len(xywh) != 4 or not all(math.isfinite(value) for value in xywh) or min(xywh[2:]) <= 0:
        raise BadAnnotation(f"expected a box of positive width and height, got {xywh}")
    return {"category": category, "xywh_px": xywh, "is_crowd": is_crowd, "keypoints_xyv": keypoints, "score": None}
