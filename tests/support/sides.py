"""Two small releases in memory, for tests of what differs between them: rows with what they need, and no more."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import Amendment, ReleaseManifest
from schemas.tables import BOXES, COCO_FILES, EDGES, IMAGES, LEDGER, RECORDS, TAKEDOWNS, TOMBSTONES
from tasks.core.diff.sides import LEDGER_COLUMNS, ReleasePair, Side

Row = Mapping[str, Any]
RECIPE: dict[str, Any] = {
    "name": "museum",
    "sources": [{"folder": {"name": "m", "rights": "open"}}],
    "stages": [
        {"fetch": {"label": "fetch", "max_bytes": 100}},
        {"detect": {"label": "detect", "model": "plain"}},
        {"screen": {"label": "shape", "least_side_px": 64, "figures": {"least": 1}}},
        {"dedup": {"label": "dedup", "radius_bits": 4}},
        {"sample": {"label": "sample", "at_most": 9}},
        {"split": {"label": "split", "ratios": {"train": 3, "val": 1}}},
    ],
}
ENVIRONMENT = {"bilderatlas": "1.0", "pillow": "12.0"}


def kept(record_id: str, split: str = "train", **more: Any) -> Row:
    """A row of the ledger of a record that is in."""
    return {"record_id": record_id, "source": "m", "kept": True, "last_split": split, "sha256": record_id, **more}


def dropped(record_id: str, stage: str, reason: str, **more: Any) -> Row:
    """A row of the ledger of a record that is not."""
    return {"record_id": record_id, "source": "m", "kept": False, "stage": stage, "reason": reason, **more}


def box(annotation_id: int, record_id: str, origin: str = "source", **more: Any) -> Row:
    """A row of the annotations."""
    row = {"annotation_id": annotation_id, "record_id": record_id, "origin": origin, "origin_name": origin}
    return {"category_id": 1, "xywh_px": [0.0, 0.0, 9.0, 9.0], "is_crowd": False, **row, **more}


def recipe(**settings: Any) -> dict[str, Any]:
    """RECIPE with other settings of stages, by label: {"shape": {"least_side_px": 9}}."""
    stages = [
        {word: {**own, **settings.get(own["label"], {})} for word, own in stage.items()} for stage in RECIPE["stages"]
    ]
    return {**RECIPE, "stages": stages}


def side(
    ledger: Sequence[Row] = (),
    *,
    images: Mapping[str, Row] | None = None,
    boxes: Sequence[Row] = (),
    records: Sequence[Row] = (),
    relations: Sequence[Row] = (),
    tombstones: Sequence[Row] = (),
    takedowns: Sequence[Row] = (),
    coco_files: Sequence[Row] = (),
    recipe: Mapping[str, Any] = RECIPE,
    columns: Sequence[str] = tuple(IMAGES.names),
    box_columns: Sequence[str] = tuple(BOXES.names),
    **manifest: Any,
) -> Side:
    """A release. images: more columns of the kept records, by record_id; manifest: fields that matter."""
    book = [{"image_id": place, **row} for place, row in enumerate(ledger, start=1)]
    rows = [
        {
            "split": row["last_split"],
            "group_id": row["record_id"],
            **{name: row.get(name) for name in ("record_id", "source", "image_id", "sha256")},
            **(images or {}).get(row["record_id"], {}),
        }
        for row in book
        if row["kept"]
    ]
    known = table(records, RECORDS)
    return Side(
        manifest=_manifest(**manifest),
        recipe=recipe,
        ledger=table(book, LEDGER).select(LEDGER_COLUMNS),
        tombstones=table(tombstones, TOMBSTONES),
        scopes=table(takedowns, TAKEDOWNS).select(["record_id", "scope"]),
        image_columns=columns,
        images=table(rows, IMAGES).select(columns).select,
        box_columns=box_columns,
        boxes=table(boxes, BOXES).select(box_columns).select,
        records=lambda ids: known.filter(pc.is_in(known["record_id"], value_set=ids)),
        relations=lambda: table(relations, EDGES),
        coco_files=table(coco_files, COCO_FILES),
    )


def pair(before: Side, after: Side) -> ReleasePair:
    """The two, the newer going on from the older one."""
    manifest = after.manifest.model_copy(update={"previous": before.manifest.version})
    return ReleasePair(before, Side(**{**vars(after), "manifest": manifest}))


def table(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    """Rows as a table; what they do not say is null."""
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)


def _manifest(**fields: Any) -> ReleaseManifest:
    given = {
        "name": "museum",
        "version": "0" * 12,
        "previous": None,
        "lineage": 1,
        "split_sha256": "",
        "contract_version": "2.0.0",
        "content_sha256": "",
        "recipe_sha256": "",
        "counts": {},
        "content": {},
        "files": {},
        "environment": ENVIRONMENT,
        **fields,
    }
    if given.get("amended"):
        given["amended"] = Amendment(date=given["amended"], tombstones=1, content={})
    return ReleaseManifest(**given)
