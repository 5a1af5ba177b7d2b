"""What a purge changes in the files of a release: ledger, COCO files, statistics, card and report."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason

REMOVED_REPORT = """<!doctype html><html lang=en><meta charset=utf-8><title>Report removed</title>
<p>This report showed some of the images. Records were taken down after it was published, and the report was removed
with them: tombstones.parquet says which, when and why. The tables have everything else.</html>
"""
_HEADING = "\n## Amended\n"


def lone_artists(records: Iterable[pa.Table], record_ids: Collection[str]) -> set[str]:
    """Artists of these records of which no other record is known.

    records: RECORDS of releases, in which a record may stand several times.
    """
    purged, others = set[str](), set[str]()
    wanted = pa.array(sorted(record_ids), pa.string())
    for table in records:
        is_purged = pc.is_in(table["record_id"], value_set=wanted)
        purged |= set(table.filter(is_purged)["artist"].drop_null().to_pylist())
        others |= set(table.filter(pc.invert(is_purged))["artist"].drop_null().to_pylist())
    return purged - others


def diversity_without(table: pa.Table, artists: Collection[str]) -> pa.Table:
    """DIVERSITY without the names of these artists; all numbers stay."""
    place = table.schema.get_field_index("largest_artist")
    is_gone = pc.is_in(table["largest_artist"], value_set=pa.array(sorted(artists), pa.string()))
    return table.set_column(place, table.schema.field(place), pc.if_else(is_gone, None, table["largest_artist"]))


def ledger_with(ledger: pa.Table, tombstones: pa.Table) -> pa.Table:
    """LEDGER in which each record with a tombstone is taken down, for its reason; id and last split stay."""
    by_record = {row["record_id"]: row for row in tombstones.to_pylist()}
    is_purged = pc.is_in(ledger["record_id"], value_set=tombstones["record_id"])
    rows = [
        {
            **row,
            "kept": False,
            "stage": "scrape",
            "reason": str(Reason.TAKEN_DOWN),
            "kept_record_id": None,
            "retrieved_at": None,
            "detail": f"{tombstone['reason']} ({tombstone['date']})",
            "sha256": row["sha256"] if tombstone["sha256"] else None,
        }
        for row in ledger.filter(is_purged).to_pylist()
        for tombstone in [by_record[row["record_id"]]]
    ]
    purged = pa.Table.from_pylist(rows, schema=ledger.schema)
    both = pa.concat_tables([ledger.filter(pc.invert(is_purged)), purged])
    return both.take(pc.sort_indices(both["record_id"]))


def coco_without(document: Mapping[str, Any], image_ids: Collection[int]) -> dict[str, Any]:
    """A COCO document without these images and their annotations."""
    images = [image for image in document["images"] if image["id"] not in image_ids]
    boxes = [box for box in document["annotations"] if box["image_id"] not in image_ids]
    return {**document, "images": images, "annotations": boxes}


def detections_without(boxes: Sequence[Mapping[str, Any]], image_ids: Collection[int]) -> list[Mapping[str, Any]]:
    """COCO results without those of these images."""
    return [box for box in boxes if box["image_id"] not in image_ids]


def card_with(text: str, tombstones: pa.Table) -> str:
    """The dataset card with a last section on the purge; a former such section is replaced."""
    day = max(tombstones["date"].to_pylist(), default="")
    return (
        f"{text.partition(_HEADING)[0]}{_HEADING}\n{tombstones.num_rows} records were taken down after this version "
        f"was published (the last on {day}): their images, fields and boxes are gone from all files; "
        "`tombstones.parquet` says which. Counts above are those of the day of publication; those in `manifest.json` "
        "are the present ones.\n"
    )
