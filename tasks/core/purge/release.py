"""What a purge changes in the files of a release: ledger, COCO files, statistics, card and report."""

import re
from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import and_more, quoted
from schemas.reasons import Reason
from tasks.core import tables
from tasks.core.coco.ids import read_number_id
from tasks.core.export.card import FORMATS_LINE
from tasks.core.export.hub import FileSize, head_after_purge, head_and_text, with_head
from tasks.core.purge.rows import is_one_of
from tasks.core.tables import with_columns

REMOVED_REPORT = """<!doctype html><html lang=en><meta charset=utf-8><title>Report removed</title>
<p>This report showed some of the images. Records were taken down after it was published, and the report was removed
with them: tombstones.parquet says which, when and why. The tables have everything else.</html>
"""
_HEADING = "\n## Amended\n"
_ATTRIBUTES = re.compile(r"\n## Attributes\n.*?\n(?=## )", re.DOTALL)


def diversity_without(table: pa.Table, artists: Collection[str]) -> pa.Table:
    """DIVERSITY without the names of these artists; all numbers stay."""
    if "largest_artist" not in table.column_names:
        return table
    names = table["largest_artist"]
    return with_columns(table, {"largest_artist": pc.if_else(is_one_of(names, artists), None, names)})


def values_without(table: pa.Table, values: Mapping[str, Collection[str]]) -> pa.Table:
    """ATTRIBUTES without these values of attributes; all numbers stay."""
    if not {"attribute", "value"} <= set(table.column_names):
        return table
    found = table["value"]
    for name, gone in values.items():
        is_gone = pc.and_(pc.equal(table["attribute"], name), is_one_of(table["value"], gone))
        found = pc.if_else(is_gone, None, found)
    return with_columns(table, {"value": found})


def ledger_with(ledger: pa.Table, tombstones: pa.Table) -> pa.Table:
    """LEDGER in which each record with a tombstone is taken down, for its reason; id and last split stay."""
    stone = tables.lookup(tombstones, "record_id", ledger["record_id"])
    is_purged = pc.is_valid(stone["record_id"])
    purged = {
        "kept": False,
        "stage": "scrape",
        "reason": str(Reason.TAKEN_DOWN),
        "detail": pc.binary_join_element_wise(stone["reason"], " (", stone["date"], ")", ""),
        "kept_record_id": None,
        "sha256": pc.if_else(pc.is_valid(stone["sha256"]), ledger["sha256"], None),
        "retrieved_at": None,
    }
    written = {name: pc.if_else(is_purged, value, ledger[name]) for name, value in purged.items()}
    return with_columns(ledger, written).sort_by("record_id")


def coco_without(document: Any, image_ids: Collection[int]) -> dict[str, Any]:
    """A COCO document, or a list of images without annotations, without these images and their annotations. Raises
    ValueError for what is no COCO document, or one in which an image has no number: nobody could tell which are left.
    """
    if not isinstance(document, dict):
        raise ValueError(f"{quoted(document)} in place of an object with images and annotations")
    images = _rows_without(document.get("images"), "images", "id", image_ids)
    if "annotations" not in document:
        return {**document, "images": images}
    boxes = _rows_without(document["annotations"], "annotations", "image_id", image_ids)
    return {**document, "images": images, "annotations": boxes}


def check_image_ids(document: Any, ids: Mapping[str, int]) -> None:
    """Raise ValueError for a COCO document with an image that has not the id of its record. ids: by record_id."""
    images = document.get("images") if isinstance(document, dict) else None
    for image in _rows_without(images, "images", "id", ()):
        metadata = image.get("metadata")
        record_id = metadata.get("record_id") if isinstance(metadata, dict) else None
        if not isinstance(record_id, str) or ids.get(record_id) != image["id"]:
            raise ValueError(f"the image id {quoted(image['id'])} for the record {quoted(record_id)}")


def detections_without(boxes: Any, image_ids: Collection[int]) -> list[Mapping[str, Any]]:
    """COCO results without those of these images. Raises ValueError as `coco_without` does."""
    return _rows_without(boxes, "results", "image_id", image_ids)


def _rows_without(rows: Any, name: str, field: str, image_ids: Collection[int]) -> list[Mapping[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{name}: {quoted(rows)} in place of a list of objects")
    try:
        return [row for row in rows if read_number_id(row.get(field)) not in image_ids]
    except ValueError as problem:
        raise ValueError(f"{name} with {field}: {problem}") from problem


def check_counts(ledger: pa.Table) -> None:
    """Raise ValueError for a LEDGER that can't be counted: each record is kept, in a split, or dropped for a reason."""
    is_kept, has_reason = ledger["kept"], pc.is_valid(ledger["reason"])
    is_odd = pc.or_(pc.equal(is_kept, has_reason), pc.and_(is_kept, pc.is_null(ledger["last_split"])))
    if odd := ledger.filter(is_odd)["record_id"].to_pylist():
        more = and_more(len(odd) - 1)
        raise ValueError(f"{quoted(odd[0])}{more} neither kept in a split, without a reason, nor dropped for one")


_NO_FORMATS = "- `formats/` was removed when records were taken down: `bilderatlas unpack` writes such folders again."


def card_with(text: str, tombstones: pa.Table, sizes: Mapping[str, FileSize]) -> str:
    """The dataset card with a new last section on the purge, without that on attributes, which quotes values, and with
    the numbers of splits as they are now. sizes: of the tables' files, by path, as they are now.
    """
    head, body = head_and_text(_ATTRIBUTES.sub("\n", text))
    body = page_with(body.replace(FORMATS_LINE, _NO_FORMATS), tombstones)
    return body if head is None else with_head(head_after_purge(head, sizes), body)


def page_with(text: str, tombstones: pa.Table) -> str:
    """A page of the day of publication with a new last section on the purge."""
    day = max(tombstones["date"].to_pylist(), default="")
    return (
        f"{text.partition(_HEADING)[0]}{_HEADING}\n"
        f"Records were taken down after this version was published (the last on {day}): their images, fields and boxes "
        "are gone from all files. `tombstones.parquet` lists them, and those that were taken down before. Counts above "
        "are those of the day of publication; those in `manifest.json` are the present ones.\n"
    )
