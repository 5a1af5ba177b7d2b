"""Boxes that people drew, from PASCAL VOC XML, as figures: (x_min, y_min, width, height) in px, upright."""

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element

from tasks.core.coco import lossless
from tasks.core.coco.box import BadBox, is_flat_box, read_box
from tasks.core.coco.reader import read_side_px
from tasks.core.coco.source import Figure, ImageFigures, figure
from tasks.core.plain_xml import parse_xml, text_of

_FIELDS = ("difficult", "occluded", "pose", "truncated")  # what VOC says of an object beside name and box
_CORNERS = ("xmin", "ymin", "xmax", "ymax")
_LONGEST_TEXT = 200


class BadVocFile(ValueError):
    """An annotation file that is not what it should be. objects: how many it has, with those that could be read."""

    objects = 0


def read_voc(data: bytes, corners: str = "inclusive") -> ImageFigures:
    """The objects of one PASCAL VOC file, and the size that it says.

    corners: inclusive: pixels from 1, both ends included, so 1..1 is one pixel; exclusive: edges from 0, so 0..1 is
    one. An object whose box encloses nothing is left out alone where there are good ones of its name: see `left_out`.

    Raises BadAnnotation for objects without a box, for what is no VOC file, and for a DTD: it can blow up a parser.

    >>> read_voc(b"<annotation><object><name>person</name><bndbox><xmin>1</xmin><ymin>3</ymin><xmax>10</xmax>"
    ...                b"<ymax>4</ymax></bndbox></object></annotation>").figures[0]["xywh_px"]
    [0.0, 2.0, 10.0, 2.0]
    """
    try:
        root = parse_xml(data)
    except ValueError as problem:
        raise BadVocFile(str(problem)) from problem
    if root.tag != "annotation":  # an error page can be well-formed too, and would look like a picture without figures
        raise BadVocFile(f"no VOC file: its root is <{root.tag[:40]}>, expected <annotation>")
    extent_px = int(corners == "inclusive")  # of a box whose corners are equal
    objects = [*root.iter("object")]
    try:
        figures, flat = _figures(objects, extent_px)
    except BadVocFile as problem:
        problem.objects = len(objects)
        raise
    left_out = f"box left out, the others stay: {flat[0]}" if flat else ""
    size_px = (_side_px(root, "width"), _side_px(root, "height"))
    return ImageFigures(figures, size_px, left_out=left_out, flat_boxes=len(flat))


def _figures(objects: Iterable[Element], extent_px: int) -> tuple[list[Figure], list[str]]:
    """The figures, and what is wrong with boxes that enclose nothing. Raises BadAnnotation for all else."""
    read = [(text_of(entry, "name"), _figure(entry, extent_px)) for entry in objects]
    figures = [figure for _, figure in read if not isinstance(figure, str)]
    flat = [(name, problem) for name, problem in read if isinstance(problem, str)]
    names = {figure["category"] for figure in figures}
    for name, problem in flat:
        if name not in names:
            raise BadVocFile(problem)
    return figures, [problem for _, problem in flat]


def _side_px(root: Element, side: str) -> int | None:
    text = text_of(root, f"size/{side}")
    return read_side_px(int(text)) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _figure(entry: Element, extent_px: int) -> Figure | str:
    """An object's figure, or what is wrong with its box if that encloses nothing."""
    try:
        x_min, y_min, x_max, y_max = (float(entry.findtext(f"bndbox/{side}") or "nan") for side in _CORNERS)
    except ValueError as problem:
        raise BadVocFile(f"a corner that is no number: {problem}") from problem
    xywh = [x_min - extent_px, y_min - extent_px, x_max - x_min + extent_px, y_max - y_min + extent_px]
    try:
        box = read_box(xywh)
    except BadBox as problem:
        # in these words in published ledgers
        message = f"expected a box of positive width and height, got {xywh}"
        if is_flat_box(xywh) and all(text_of(entry, f"bndbox/{side}") for side in _CORNERS):
            return message
        raise BadVocFile(message) from problem
    texts = {field: text for field in _FIELDS if (text := text_of(entry, field))}
    found = {field: int(text) if text in {"0", "1"} else text[:_LONGEST_TEXT] for field, text in texts.items()}
    return {**figure(text_of(entry, "name"), box), "source_coco": lossless.to_text({"fields": found} if found else {})}
