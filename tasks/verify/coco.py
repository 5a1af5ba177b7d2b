"""The check of COCO files."""

from collections.abc import Iterator

import pyarrow as pa

from tasks.core import verify_coco as core
from tasks.core.coco.document import release_info
from tasks.io.store.releases import Release
from tasks.verify.rows import columns_of, rows_of, splits_of

_COLUMNS = [
    "annotation_id",
    "image_id",
    "split",
    "category_id",
    "xywh_px",
    "area_px2",
    "is_crowd",
    "keypoints_xyv",
    "score",
    "origin",
    "source_area_px2",
    "segmentation",
]


def coco_files(release: Release) -> Iterator[str]:
    """Problems of all COCO files."""
    manifest, recipe, splits = release.manifest, release.recipe(), splits_of(release)
    export = recipe.stage("export")
    facts = core.CocoFacts(
        release_info(recipe.title or manifest.name, manifest.version),
        recipe.coco_categories,
        export.coco.score if export and export.coco else None,
        manifest.amended is not None,
    )
    shown = columns_of(release, "images", ["image_id", "split", "rights_uri", "is_annotated"])
    boxes = columns_of(release, "annotations", _COLUMNS)
    yield from core.file_problems(manifest.files, splits)
    for split in splits:
        paths = f"coco/{split}.json", f"coco/{split}.detections.json"
        if not manifest.files.keys() >= {*paths}:
            continue
        document, found = map(release.read_json, paths)
        mine, drawn = (
            table.filter(pa.array([word == split for word in table["split"].to_pylist()], pa.bool_()))
            for table in (shown, boxes)
        )
        yield from core.coco_problems(split, document, found, mine, drawn)
        drawn = drawn.to_pylist()
        yield from core.header_problems(split, document, mine, drawn, facts)
        rows = (row for row in rows_of(release, "images") if row["split"] == split)
        yield from core.coco_value_problems(split, document, found, rows, drawn, [*release.attributes])
