"""What people drew, out of a COCO file or a release's tables: images that they looked at, and the figures in them."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.tables import ANNOTATED, ANNOTATED_FIGURES

Row = dict[str, Any]

_MOST = 2**53
"""Ids above can't be told from their neighbours by every reader of JSON."""
_FARTHEST_PX = 1e7
"""No picture is so large; its square is still a number."""
_LARGEST_PX = 2**31 - 1  # what a column of sides holds; no picture has it
_SHOWN = 3


class Listed(NamedTuple):
    """What a COCO file says.

    images: rows of image_id, file_name, split, style, width_px, height_px (what the file says, or null), sorted by id;
    only those that people looked at. figures: rows of ANNOTATED_FIGURES. notes: what was left out, in sentences. ids:
    of all images.
    """

    images: list[Row]
    figures: list[Row]
    notes: tuple[str, ...]
    category_id: int
    ids: frozenset[int]


def listed(name: str, data: bytes, category: str) -> Listed:
    """The images and figures of a COCO file. `name` is for messages.

    An image counts unless its `is_annotated` is false. Its style is `metadata.style` (ours) or `metadata.wikiart_style`
    (PoPArt's). An image with a box that is none (not four numbers, no width) is left out: nobody knows what is in it.

    Raises BadInput for anything else than a COCO file, for a file whose boxes are a detector's
    (`info.annotation_origin`), ids that repeat or point nowhere, and a category that the file has not.
    """
    document = _document(name, data)
    wanted = _category_ids(name, document, category)
    looked = {row["image_id"]: row for row in _images(name, document)}
    figures, unreadable = _figures(name, document, looked, wanted, category)
    images = [row for number, row in sorted(looked.items()) if row.pop("is_annotated") and number not in unreadable]
    kept = {row["image_id"] for row in images}
    notes = (f"left out for a box that is none: {counted(sorted(unreadable), 'image')}",) if unreadable else ()
    category_id = next(number for number, said in wanted.items() if said == category)
    return Listed(images, [row for row in figures if row["image_id"] in kept], notes, category_id, frozenset(looked))


def of_release(
    images: pa.Table, annotations: pa.Table, categories: Sequence[str], category: str
) -> tuple[pa.Table, pa.Table]:
    """ANNOTATED and ANNOTATED_FIGURES of a release's tables: images with `is_annotated`, boxes of any origin but a
    detector.

    Raises BadInput for a category that the release has not.
    """
    if category not in categories:
        raise BadInput(f"category: expected one of the release's {list(categories)}, got '{category}'")
    looked = images.filter(pc.fill_null(images["is_annotated"], False)).select(ANNOTATED.names).cast(ANNOTATED)
    is_meant = pc.and_(
        pc.and_(
            pc.not_equal(annotations["origin"], "detector"),
            pc.equal(annotations["category_id"], categories.index(category) + 1),
        ),
        pc.is_in(annotations["image_id"], value_set=looked["image_id"]),
    )
    boxes = [{**row, "category": category} for row in annotations.filter(is_meant).to_pylist()]
    return looked.sort_by("image_id"), figure_table(boxes)


def figure_table(rows: Sequence[Row]) -> pa.Table:
    """ANNOTATED_FIGURES of such rows, in one order whatever theirs."""
    ordered = sorted(
        rows, key=lambda row: (row["image_id"], row["xywh_px"], row["is_crowd"], row["keypoints_xyv"] or [])
    )
    return pa.Table.from_pylist(ordered, schema=ANNOTATED_FIGURES)


def counted(names: Sequence[object], what: str) -> str:
    """How many there are, and the first few.

    >>> counted([7, 8, 9, 10], "image")
    '4 images (7, 8, 9, ...)'
    """
    shown = ", ".join(str(name)[:80] for name in names[:_SHOWN])
    return f"{len(names)} {what}{'' if len(names) == 1 else 's'} ({shown}{', ...' if len(names) > _SHOWN else ''})"


def _document(name: str, data: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{name}: expected a COCO file, got no JSON ({str(problem)[:120]})") from problem
    if not isinstance(document, dict):
        raise BadInput(f"{name}: expected a COCO file, got JSON that is no object")
    for part in ("images", "annotations", "categories"):
        rows = document.get(part)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadInput(f"{name}: expected a COCO file, got no list of objects under '{part}'")
    info = document.get("info")
    if isinstance(info, dict) and info.get("annotation_origin") == "detector":
        raise BadInput(f"{name}: expected boxes by people, got a file whose boxes are a detector's")
    return document


def _category_ids(name: str, document: Mapping[str, Any], category: str) -> dict[int, str]:
    """Names of all categories by id: no id twice, and the category under one."""
    rows = document["categories"]
    found = {_id(name, "categories[].id", row.get("id")): str(row.get("name")) for row in rows}
    if len(found) < len(rows):
        raise BadInput(f"{name}: expected each category id once, got {len(rows)} categories of {len(found)} ids")
    if category not in found.values():
        raise BadInput(f"{name}: expected a category '{category}', got {sorted(found.values())[:20]}")
    ids = [number for number, said in found.items() if said == category]
    if len(ids) > 1:
        raise BadInput(f"{name}: expected one category '{category}', got it under the ids {ids[:20]}")
    return found


def _images(name: str, document: Mapping[str, Any]) -> list[Row]:
    rows = [_image(name, row) for row in document["images"]]
    repeated = sorted(number for number, times in Counter(row["image_id"] for row in rows).items() if times > 1)
    if repeated:
        raise BadInput(f"{name}: expected each image id once, got again {counted(repeated, 'id')}")
    return rows


def _image(name: str, row: Mapping[str, Any]) -> Row:
    path = _text(row.get("file_name"))
    if path is None:
        raise BadInput(f"{name}: expected images[].file_name to be text, got {str(row.get('file_name'))[:40]!r}")
    said = row.get("metadata")
    metadata: Mapping[str, Any] = said if isinstance(said, dict) else {}
    sides = [min(row[side], _LARGEST_PX) if _is_whole(row.get(side)) else None for side in ("width", "height")]
    return {
        "image_id": _id(name, "images[].id", row.get("id")),
        "file_name": path,
        "is_annotated": row.get("is_annotated") is not False,
        "split": _text(row.get("split")),
        "style": _text(metadata.get("style")) or _text(metadata.get("wikiart_style")),
        "width_px": sides[0],
        "height_px": sides[1],
    }


def _figures(
    name: str, document: Mapping[str, Any], images: Mapping[int, Row], categories: Mapping[int, str], category: str
) -> tuple[list[Row], set[int]]:
    """Figures of the category, and the images in which a box of it can't be read."""
    found, unreadable, lost = [], set(), 0
    for row in document["annotations"]:
        image_id, category_id = row.get("image_id"), row.get("category_id")
        is_placed = _is_whole(image_id) and image_id in images and _is_whole(category_id) and category_id in categories
        if not is_placed:
            lost += 1
        elif categories[category_id] == category:
            figure = _figure(row, category)
            found += [figure] if figure else []
            unreadable |= set() if figure else {image_id}
    if lost:
        raise BadInput(
            f"{name}: expected every annotation to name an image and a category of the file, got {lost} without"
        )
    return found, unreadable


def _figure(row: Mapping[str, Any], category: str) -> Row | None:
    box, keypoints = row.get("bbox"), row.get("keypoints") or None
    if not _are_numbers(box, 4) or min(box[2:]) <= 0:  # type: ignore[index]
        return None
    if keypoints is not None and (not _are_numbers(keypoints) or len(keypoints) % 3):
        return None
    xywh = [float(value) for value in box]  # type: ignore[union-attr]
    area = row.get("area")
    return {
        "image_id": row["image_id"],
        "category": category,
        "xywh_px": xywh,
        "is_crowd": row.get("iscrowd") in (1, True),
        "area_px2": float(area) if _are_numbers([area], 1) and area > 0 else xywh[2] * xywh[3],  # type: ignore[operator, arg-type]
        "keypoints_xyv": None if keypoints is None else [float(value) for value in keypoints],
    }


def _id(name: str, what: str, value: object) -> int:
    if not _is_whole(value):
        raise BadInput(f"{name}: expected {what} to be a whole number from 0 on, got {str(value)[:40]!r}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST


def _are_numbers(values: object, count: int | None = None) -> bool:
    if not isinstance(values, list) or (count is not None and len(values) != count):
        return False
    plain = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    # never math.isfinite, which a whole number of 400 digits breaks; not a number and infinity are below nothing
    return plain and all(abs(value) < _FARTHEST_PX**2 for value in values)


def _text(value: object) -> str | None:
    """Text that can be stored and be a file's name: JSON can hold halves of characters, which become question marks."""
    return value.encode(errors="replace").decode() if isinstance(value, str) and value else None
