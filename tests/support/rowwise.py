"""The tables of a release made row by row, as they once were: the reference for what is done in columns now."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.attributes import attributes_of
from schemas.keypoints import CocoCategory
from schemas.reasons import Reason
from schemas.tables import BOXES, IMAGES, LEDGER
from tasks.core import ids as module
from tasks.core.coco.box import area_px2, read_box
from tasks.core.coco.document import (
    Document,
    Row,
    category_entry,
    document_annotation,
    image_entry,
    joint_counts,
    licence_entries,
    result_entry,
)


def ids(names: Iterable[str], known: Mapping[str, int] | None = None, taken: Collection[int] = ()) -> dict[str, int]:
    """An id for each name: the known one, else its natural one, else the next free number after it.

    Names are served in their sorted order, so that the result does not depend on how they came. `taken` are ids that
    are in use elsewhere. Wraps round to 1 after 2**53 - 1.

    >>> ids(["b", "a"], known={"b": 7})["b"]
    7
    """
    wanted = sorted(set(names))
    given = {name: known[name] for name in wanted if known and name in known}
    used = {*taken, *given.values()}
    for name in wanted:
        if name not in given:
            given[name] = _next_free(module.natural_id(name), used)
            used.add(given[name])
    return given


def _next_free(start: int, used: set[int]) -> int:
    while start in used:
        start = start + 1 if start < module.MASK else 1
    return start


def ledger(
    records: pa.Table,
    outcomes: Sequence[tuple[str, pa.Table]],
    memory: pa.Table,
    *,
    is_limited: bool = False,
    role_of: Callable[[str], str | None] = lambda _: None,
) -> pa.Table:
    """LEDGER of a build, sorted by record_id.

    records: RECORDS (rows with a reason were dropped by scrape). outcomes: (label, outcome) of each stage in order.
    memory: LEDGER rows of the previous release that this build would not know by itself (`inherited_rows`). A record
    that only the memory has is dropped as `gone`; it keeps its last split and its image_id for the case that it comes
    back. A dropped copy has the split of the record that was kept: if that one disappears, the copy takes its place.
    is_limited: not all records were listed, so missing ones are `over_limit` instead of `gone`.
    """
    missing = Reason.OVER_LIMIT if is_limited else Reason.GONE
    rows: dict[str, dict[str, Any]] = {
        row["record_id"]: {
            **_empty_row(row),
            "kept": row["reason"] is None,
            "stage": row["reason"] and "scrape",
            "reason": row["reason"],
            "detail": row["detail"],
        }
        for row in records.select(["record_id", "source", "reason", "detail"]).to_pylist()
    }
    for label, outcome in outcomes:
        _apply(rows, label, outcome)
    for was in memory.to_pylist():
        row = rows.setdefault(
            was["record_id"],
            {**was, "kept": False, "stage": "scrape", "reason": missing, "detail": None, "kept_record_id": None},
        )
        row["last_split"] = row["last_split"] or was["last_split"]
        if row["reason"] == Reason.TAKEN_DOWN:  # its file must be recognised if another record brings it
            row["sha256"] = row["sha256"] or was["sha256"]
        row["image_id"] = was["image_id"]
    for name, split in splits_of_copies([outcome for _, outcome in outcomes], role_of).items():
        rows[name]["last_split"] = rows[name]["last_split"] or split
    numbered = ids(rows, known={name: row["image_id"] for name, row in rows.items() if row["image_id"] is not None})
    return pa.Table.from_pylist([{**rows[name], "image_id": numbered[name]} for name in sorted(rows)], schema=LEDGER)


def splits_of_copies(
    outcomes: Sequence[pa.Table], role_of: Callable[[str], str | None] = lambda _: None
) -> dict[str, str]:
    """For each record that was dropped as a copy, directly or through other copies, the split of the one that is kept.

    Not across roles: a query that is a copy of an image of the gallery was never in the gallery's split.
    """
    stays = {row["record_id"]: row["kept_record_id"] for outcome in outcomes for row in _copies(outcome).to_pylist()}
    dealt = [outcome for outcome in outcomes if "split" in outcome.column_names]
    split_of = (
        dict(zip(dealt[-1]["record_id"].to_pylist(), dealt[-1]["split"].to_pylist(), strict=True)) if dealt else {}
    )
    found: dict[str, str] = {}
    for name in stays:
        other = stays[name]
        while other in stays:  # it stayed in one dedup, and was dropped in a later one
            other = stays[other]
        if (split := split_of.get(other)) is not None and role_of(name) == role_of(other):
            found[name] = split
    return found


def _copies(outcome: pa.Table) -> pa.Table:
    columns = outcome.select(["record_id", "kept_record_id"])
    return columns.filter(pc.is_valid(columns["kept_record_id"]))


def inherited_rows(
    previous: pa.Table,
    records: pa.ChunkedArray,
    kept: pa.ChunkedArray,
    copies: Mapping[str, str],
    *,
    same_splits: bool,
    taken_down: pa.ChunkedArray | None = None,
) -> pa.Table:
    """The rows of the previous LEDGER that this build needs, because it would not find them out by itself.

    These are: records that the sources no longer list; the last split of records that are dropped now; an image_id that
    a collision once moved. All else is left out, so that building again from one's own result is the same build.
    taken_down: record_ids that scrape dropped as taken down; their files stay known. copies: `splits_of_copies`, which
    the ledger finds by itself. same_splits: whether last splits still count (law 3: as long as the split's settings are
    equal).
    """
    gone = pc.invert(pc.is_in(previous["record_id"], value_set=records))
    split = previous["last_split"] if same_splits else pa.chunked_array([pa.nulls(previous.num_rows, pa.string())])
    names = previous["record_id"].to_pylist()
    is_news = pa.array(
        [was is not None and was != copies.get(name) for name, was in zip(names, split.to_pylist(), strict=True)],
        pa.bool_(),
    )
    dropped = pc.and_(pc.invert(pc.is_in(previous["record_id"], value_set=kept)), is_news)
    natural = ids([*names, *records.to_pylist()])  # with what is new: a newcomer may claim an id that was given
    moved = pa.array(
        [natural[name] != number for name, number in zip(names, previous["image_id"].to_pylist(), strict=True)],
        pa.bool_(),
    )
    rows = previous.set_column(previous.schema.get_field_index("last_split"), LEDGER.field("last_split"), split)
    is_down = pc.is_in(
        previous["record_id"], value_set=taken_down if taken_down is not None else pa.array([], pa.string())
    )
    is_known = pc.and_(is_down, pc.is_valid(previous["sha256"]))
    return rows.filter(pc.or_(pc.or_(gone, dropped), pc.or_(moved, is_known)))


def _empty_row(row: dict[str, Any]) -> dict[str, Any]:
    return {**dict.fromkeys(LEDGER.names), "record_id": row["record_id"], "source": row["source"]}


def _apply(rows: dict[str, dict[str, Any]], label: str, outcome: pa.Table) -> None:
    """Write the outcome of one stage into the rows, with the columns that the ledger takes from it."""
    wanted = [name for name in ("sha256", "retrieved_at", "split") if name in outcome.column_names]
    for result in outcome.select(["record_id", "reason", "detail", "kept_record_id", *wanted]).to_pylist():
        row = rows[result["record_id"]]
        for name in wanted:
            row["last_split" if name == "split" else name] = result[name]
        if result["reason"] is not None:
            row.update(
                kept=False, stage=label, **{name: result[name] for name in ("reason", "detail", "kept_record_id")}
            )


def annotations(
    images: pa.Table, boxes: Sequence[tuple[str, str, pa.Table]], categories: Sequence[CocoCategory]
) -> pa.Table:
    """BOXES sorted by annotation_id.

    images: columns record_id, image_id, split of the kept images. boxes: (origin, origin_name, table of record_id and
    figures) in any order. Categories are numbered from 1. An id comes from what the box is and where, not from its
    place in a list: the same box in the same image keeps its id when others come or go. All keypoints are COCO's.
    """
    image = {row["record_id"]: row for row in images.select(["record_id", "image_id", "split"]).to_pylist()}
    number = {category.name: place for place, category in enumerate(categories, start=1)}
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
    return pa.Table.from_pylist(ordered, schema=BOXES)


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
        "keypoint_scheme": None if figure["keypoints_xyv"] is None else "coco-17",
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


def source_urls(
    record_ids: pa.ChunkedArray, urls: pa.ChunkedArray, copies: pa.Table, urls_of_copies: pa.ChunkedArray
) -> pa.Array:
    """(N,) lists: where each kept work is described, its own page first, then those of its dropped copies, sorted.

    Each once.

    copies: record_id and kept_record_id of every dropped copy, urls_of_copies theirs. A copy may have been dropped for
    one that a later stage dropped for another: chains are followed to their end. Without any page the list is empty.
    """
    stays = dict(zip(copies["record_id"].to_pylist(), copies["kept_record_id"].to_pylist(), strict=True))
    others: dict[str, set[str]] = {}
    for name, url in zip(stays, urls_of_copies.to_pylist(), strict=True):
        end = stays[name]
        while end in stays:
            end = stays[end]
        if url is not None:
            others.setdefault(end, set()).add(url)
    found = [
        [*([url] if url else []), *sorted(others.get(name, set()) - {url})]
        for name, url in zip(record_ids.to_pylist(), urls.to_pylist(), strict=True)
    ]
    return pa.array(found, IMAGES.field("source_urls").type)


def split_document(
    images: pa.Table,
    annotations: pa.Table,
    categories: Sequence[CocoCategory],
    info: Row,
    with_keypoints: Collection[int],
) -> Document:
    """The COCO file of one split, as a JSON-able value: of its annotated images.

    images, annotations: that split's rows of both tables (images without their bytes). with_keypoints: ids of
    categories whose keypoints are named, and stand in each of their annotations. Format: Lin et al., "Microsoft COCO".
    """
    rows = [image for image in images.to_pylist() if image["is_annotated"]]
    joints = joint_counts(categories, with_keypoints)
    return {
        "info": {**info, "annotation_origin": "people"},
        **_lists(rows, categories, attributes_of(images.schema), with_keypoints),
        "annotations": [document_annotation(box, joints) for box in annotations.to_pylist()],
    }


def unannotated(images: pa.Table, categories: Sequence[CocoCategory], info: Row) -> Row:
    """The list of images that nobody annotated, as a JSON-able value."""
    rows = [image for image in images.to_pylist() if not image["is_annotated"]]
    return {"info": info, **_lists(rows, categories, attributes_of(images.schema), ())}


def _lists(
    rows: Sequence[Row], categories: Sequence[CocoCategory], attributes: Sequence[str], with_keypoints: Collection[int]
) -> Row:
    licences = sorted({image["rights_uri"] for image in rows})
    return {
        "licenses": licence_entries(licences),
        "categories": [
            category_entry(number, category, has_keypoints=number in with_keypoints)
            for number, category in enumerate(categories, 1)
        ],
        "images": [
            {
                "id": image["image_id"],
                "license": licences.index(image["rights_uri"]) + 1,
                **image_entry(image, attributes),
            }
            for image in rows
        ],
    }


def split_results(detections: pa.Table, least_score: float) -> list[Row]:
    """COCO's results format: boxes of the detector in a split, each with its score, and its keypoints if it has any."""
    return [_result(box) for box in detections.to_pylist() if box["score"] >= least_score]


def _result(box: Row) -> Row:
    plain = result_entry(box["image_id"], box["category_id"], box["xywh_px"], box["score"])
    return {**plain, "keypoints": box["keypoints_xyv"]} if box["keypoints_xyv"] else plain
