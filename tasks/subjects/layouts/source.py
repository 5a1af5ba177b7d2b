"""COCO files of a release's sources, given back, and images under their names there: `images/<source>/...`."""

from collections.abc import Iterator

import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.phrases import counted, quoted
from tasks.core import unpack as core
from tasks.core.coco import source_file
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import (
    BATCH,
    UNPACKS_ANY,
    LayoutFile,
    LayoutPart,
    LayoutRequest,
    Row,
    damage_unless,
    image_rows,
)

_OF_FIGURES = (
    *("record_id", "category_id", "xywh_px", "is_crowd", "keypoints_xyv", "origin"),
    *("source_area_px2", "segmentation", "source_coco"),
)


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each source with a COCO file."""
    if request.splits:
        raise BadInput("--split: expected none with --layout source, whose files know no splits, got one")
    files = release.coco_files().to_pylist()
    if not files:
        raise BadInput(
            "--layout source: expected a release with a source whose annotations came from a COCO file, got none in "
            f"release {release.manifest.version}{UNPACKS_ANY}"
        )
    columns = ("image_id", "record_id", "source", "split", "source_coco")
    rows = [row for row in image_rows(release, columns, request.form) if row["source_coco"] is not None]
    return {file["source"]: _source_part(release, file, rows) for file in files}


def _source_part(release: Release, file: Row, rows: list[Row]) -> LayoutPart:
    """What came with one source. file: of COCO_FILES; rows: of images of all sources."""
    mine = [row for row in rows if row["source"] == file["source"]]
    texts = [(row["record_id"], row["source_coco"]) for row in mine]
    entries = damage_unless(release, source_file.distinct_images, texts)
    names = {
        row["image_id"]: entries[row["record_id"]].entry.get("file_name") for row in mine if row["record_id"] in entries
    }
    try:
        core.check_file_names(names)
        root = core.check_source(file["source"])
    except ValueError as problem:
        raise BadInput(
            f"--layout source: expected names of files that can lie below one folder in {quoted(file['path'])}, got "
            f"{problem}{UNPACKS_ANY}"
        ) from problem

    place = f"{core.ANNOTATIONS}/{file['source']}.json"

    def documents() -> Iterator[LayoutFile]:
        restored = damage_unless(release, source_file.restore_file, file, texts, _figures(release))
        images = file["images"] - len(restored.images)
        figures = file["annotations"] - len(restored.annotations)
        missing = f"{counted(images, 'image')} and {counted(figures, 'annotation')}"
        note = f"{missing} of {quoted(file['path'])} are not in the release"
        yield LayoutFile(place, b"".join(restored.chunks()), note if images or figures else "")

    return LayoutPart(root, names, place, documents, {row["split"] for row in mine})


def _figures(release: Release) -> Iterator[Row]:
    categories = release.recipe().category_names
    rows = release.boxes(_OF_FIGURES)
    for batch in rows.filter(pc.equal(rows["origin"], "source")).to_batches(BATCH):
        for row in batch.to_pylist():
            number = row["category_id"]
            yield {**row, "category": categories[number - 1] if 0 < number <= len(categories) else None}
