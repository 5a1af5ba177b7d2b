"""The annotations table: every box of every kept image, people's and the detector's, each with an id that stays."""

import hashlib
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from schemas.tables import ANNOTATIONS
from tasks.core.coco.box import area_px2, read_box
from tasks.core.ids import ids


def annotations(images: pa.Table, boxes: Sequence[tuple[str, str, pa.Table]], categories: Sequence[str]) -> pa.Table:
    """ANNOTATIONS sorted by annotation_id.

    images: columns record_id, image_id, split of the kept images. boxes: (origin, origin_name, table of record_id and
    figures) in any order. Categories are numbered from 1. An id comes from what the box is and where, not from its
    place in a list: the same box in the same image keeps its id when others come or go.
    """
    image = {row["record_id"]: row for row in images.select(["record_id", "image_id", "split"]).to_pylist()}
    number = {category: place for place, category in enumerate(categories, start=1)}
    rows: dict[str, dict[str, Any]] = {}
    for origin, origin_name, table in boxes:
        for record_id, figures in zip(table["record_id"].to_pylist(), table["figures"].to_pylist(), strict=True):
            for figure in figures or () if record_id in image else ():
                row = _row(image[record_id], figure, origin, origin_name, number[figure["category"]])
                rows[_unused(_name(row), rows)] = row
    given = ids(rows)
    ordered = sorted(
        ({**row, "annotation_id": given[name]} for name, row in rows.items()), key=lambda row: row["annotation_id"]
    )
    return pa.Table.from_pylist(ordered, schema=ANNOTATIONS)


def _row(
    image: dict[str, Any], figure: dict[str, Any], origin: str, origin_name: str, category_id: int
) -> dict[str, Any]:
    xywh = read_box(figure["xywh_px"])
    return {
        **image,
        "category_id": category_id,
        "xywh_px": xywh,
        "area_px2": round(area_px2(xywh), 2),
        "is_crowd": figure["is_crowd"],
        "keypoints_xyv": figure["keypoints_xyv"],
        "score": figure["score"],
        "origin": origin,
        "origin_name": origin_name,
    }


def _name(row: dict[str, Any]) -> str:
    keypoints = "" if row["keypoints_xyv"] is None else hashlib.sha256(repr(row["keypoints_xyv"]).encode()).hexdigest()
    fields = ("record_id", "origin", "origin_name", "category_id", "xywh_px", "is_crowd", "score")
    return "\t".join([*(str(row[field]) for field in fields), keypoints])


def _unused(name: str, used: dict[str, Any]) -> str:
    """The name, or, where two boxes are equal in everything, the name with the next number."""
    number = 1
    while (candidate := name if number == 1 else f"{name}\t{number}") in used:
        number += 1
    return candidate
