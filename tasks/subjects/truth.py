"""Images that people have annotated, out of a release or a COCO file, to score detectors or to train them."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput, DamagedFile
from schemas.manifests import Context
from schemas.phrases import counted, quoted
from schemas.tables import ANNOTATED_IMAGES, HASH
from tasks.core import tables
from tasks.core.coco import truth as core
from tasks.core.coco.document import media_path
from tasks.core.coco.ids import Id, count_with_examples
from tasks.core.evaluate.categories import CATEGORY
from tasks.core.evaluate.systems import groups_of
from tasks.engine import inspection, runs
from tasks.engine.measure import measure_blobs
from tasks.io.files import inputs
from tasks.io.files.folders import Folder
from tasks.io.images import beginnings
from tasks.io.images.decode import UnreadableImage
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.subjects.ground_truth import MAX_FILE_BYTES, GroundTruth, check_attributes, digest_of_tables, is_coco_file

MAX_IMAGE_BYTES = 2**28
MAX_PIXELS = 150_000_000
"""As of a recipe's fetch, by default."""

_OF_IMAGES = (*ANNOTATED_IMAGES.names, "is_annotated", "format")
_OF_BOXES = (
    *("annotation_id", "image_id", "category_id", "xywh_px", "area_px2", "is_crowd", "keypoints_xyv", "score"),
    *("origin", "origin_name", "source_area_px2"),
)

Row = dict[str, Any]


class Chosen(NamedTuple):
    """What is compared. categories: whose figures count; `all`: every one's. split: only images of it. by: attributes
    to group by: columns of `images`; of a COCO file, fields of `images[].metadata` or the images.
    """

    categories: Sequence[str] = ("person",)
    split: str | None = None
    by: Sequence[str] = ()


DEFAULT = Chosen()


def load_ground_truth(truth: str, folder: str | None, context: Context | None, chosen: Chosen = DEFAULT) -> GroundTruth:
    """The figures that people drew, out of a release (folder, URL, `.../latest`) or a COCO file, whose images lie in
    `folder` or beside it and become blobs; those that can't be read, or have another upright size, so that boxes would
    lie elsewhere, are left out, with a note. context: None where no image is needed: nothing has a SHA-256 then.

    Raises BadInput for no such release, file, annotated image, figure, attribute or category.
    """
    source = _open(truth, folder, chosen)
    name, images = source.truth.name, source.truth.images
    if chosen.split is not None:
        images = images.filter(pc.fill_null(pc.equal(images["split"], chosen.split), False))
        if not images.num_rows:
            splits = sorted(filter(None, pc.unique(source.truth.images["split"]).to_pylist()))
            got = f"images of the splits {splits}" if splits else "images without a split"
            raise BadInput(f"{name}: expected images of split {quoted(chosen.split)}, got {got}")
    images, notes = (images, ()) if context is None else source.store_images(images, context)
    notes = (*source.truth.notes, *notes)
    figures = source.truth.figures
    figures = figures.filter(pc.is_in(figures["image_id"], value_set=images["image_id"]))
    left_out = f" ({'; '.join(notes)})" if notes else ""
    if not images.num_rows:
        raise BadInput(f"{name}: expected images that people have annotated, got none{left_out}")
    if not figures.num_rows:
        raise BadInput(
            f"{name}: expected figures of {' or '.join(map(quoted, source.truth.category_ids))}, got none in "
            f"{counted(images.num_rows, 'image')}{left_out}"
        )
    ids = images["image_id"].to_pylist()
    return source.truth._replace(
        name=name if chosen.split is None else f"{name} {chosen.split}",
        images=images.combine_chunks(),
        figures=figures.combine_chunks(),
        sha256="" if context is None else digest_of_tables(images, figures),
        notes=notes,
        others=source.ids - frozenset(ids),
        groups={by: [values.get(number) for number in ids] for by, values in source.attributes.items()},
    )


def blobs_of_splits(
    truth: str, folder: str | None, context: Context, *, category: str, splits: Collection[str]
) -> frozenset[str]:
    """SHA-256 of the annotated images of these splits that `load_ground_truth` takes; a file's become blobs."""
    source = _open(truth, folder, Chosen((category,)))
    images = source.truth.images
    images = images.filter(pc.is_in(images["split"], value_set=pa.array(sorted(splits), pa.string())))
    if is_coco_file(truth) and images.num_rows:
        images, _ = source.store_images(images, context)
    return frozenset(images["sha256"].to_pylist())


class _TruthSource(NamedTuple):
    """A release or a COCO file, read. ids: of all images, annotated or not. attributes: by name and by id.
    store_images: makes blobs of images; their complete rows, and notes on others.
    """

    truth: GroundTruth
    ids: frozenset[Id]
    attributes: Mapping[str, Mapping[int, str | None]]
    store_images: Callable[[pa.Table, Context], tuple[pa.Table, tuple[str, ...]]]


def _open(truth: str, folder: str | None, chosen: Chosen) -> _TruthSource:
    source = _open_file(truth, folder, chosen) if is_coco_file(truth) else _open_release(truth, chosen)
    if len(source.truth.category_ids) > 1 and CATEGORY in chosen.by:
        raise BadInput(f"--by: expected another attribute than {quoted(CATEGORY)}, by which several are given anyway")
    return source


def _from_folder(images: list[Row], folder: Folder, context: Context) -> tuple[pa.Table, tuple[str, ...]]:
    """ANNOTATED of the images that are there and as large as the file says, now blobs; and what was left out."""
    store, sha256s, reasons = runs.store_of(context), dict[int, str](), dict[int, str]()
    for row in images:
        try:
            data = folder.read(row["file_name"], MAX_IMAGE_BYTES)
            beginnings.check_pixels(data, MAX_PIXELS)
            sha256s[row["image_id"]] = store.write_blob(data)
        except UnreadableImage as problem:
            reasons[row["image_id"]] = problem.reason
    blobs = pa.array(sorted({*sha256s.values()}), pa.string())
    hashes = measure_blobs(inspection.inspect_part, "images", blobs, context, inspection.HASHES, HASH)
    inspected = {row["sha256"]: row for row in hashes.select(["sha256", "reason", "width_px", "height_px"]).to_pylist()}
    kept, left_out = list[Row](), defaultdict[str, list[str]](list)
    for row in images:
        reason, blob = reasons.get(row["image_id"]), inspected.get(sha256s.get(row["image_id"]), {})
        if reason is None:
            has_size = all(row[side] in {None, blob[side]} for side in ("width_px", "height_px"))
            reason = blob["reason"] or (None if has_size else "of a size that differs from the file's")
        if reason is None:
            kept.append({**row, **blob})
        else:
            left_out[reason].append(row["file_name"])
    notes = (f"left out as {reason}: {count_with_examples(left_out[reason], 'image')}" for reason in sorted(left_out))
    return pa.Table.from_pylist(kept, schema=ANNOTATED_IMAGES), tuple(notes)


def _open_file(truth: str, folder: str | None, chosen: Chosen) -> _TruthSource:
    name, data = PurePosixPath(truth).stem, inputs.read("truth", truth, MAX_FILE_BYTES)
    file = core.read_truth_file(name, data, chosen.categories, chosen.by)
    place = Folder("images", folder or inputs.folder_of(truth))

    def store_images(wanted: pa.Table, context: Context) -> tuple[pa.Table, tuple[str, ...]]:
        ids = {*wanted["image_id"].to_pylist()}
        return _from_folder([row for row in file.images if row["image_id"] in ids], place, context)

    read = GroundTruth(
        name,
        pa.Table.from_pylist(file.images, schema=ANNOTATED_IMAGES),
        core.figure_table(file.figures),
        notes=file.notes,
        category_ids=file.category_ids,
        file_names={row["image_id"]: row["file_name"] for row in file.images if row["file_name"]},
        deformation=file.deformation,
        schemes=file.schemes,
        keypoint_notes=file.keypoint_notes,
    )
    return _TruthSource(read, file.ids, file.attributes, store_images)


def _open_release(truth: str, chosen: Chosen) -> _TruthSource:
    release = Release(truth)
    name, recipe = f"{release.manifest.name} {release.manifest.version}", release.recipe()
    all_images, boxes = release.rows("images", _OF_IMAGES), boxes_of_release(release)
    images, figures, category_ids = core.truth_of_release(all_images, boxes, recipe.category_names, chosen.categories)
    schemes = {one.name: one.scheme for one in recipe.coco_categories if one.name in category_ids}
    check_attributes(release, chosen.by)
    attributes = {}
    if chosen.by:
        rows = release.rows("images", tuple(dict.fromkeys(("image_id", *chosen.by))))
        ids = rows["image_id"].to_pylist()
        attributes = {name: dict(zip(ids, values, strict=True)) for name, values in groups_of(rows, chosen.by).items()}

    def store_images(wanted: pa.Table, context: Context) -> tuple[pa.Table, tuple[str, ...]]:
        found = tables.lookup(all_images, "sha256", pc.unique(wanted["sha256"]))
        formats = dict(zip(found["sha256"].to_pylist(), found["format"].to_pylist(), strict=True))
        lost = _adopt_images(release, formats, runs.store_of(context))
        if not lost:
            return wanted, ()
        note = f"left out, as neither the store nor the release has their bytes: {count_with_examples(lost, 'image')}"
        return wanted.filter(pc.invert(pc.is_in(wanted["sha256"], value_set=pa.array(lost)))), (note,)

    read = GroundTruth(name, images, figures, category_ids=category_ids, schemes=schemes)
    return _TruthSource(read, frozenset(all_images["image_id"].to_pylist()), attributes, store_images)


def boxes_of_release(release: Release) -> pa.Table:
    """All boxes, drawn or found: _OF_BOXES. Raises DamagedFile, also for a box or a detector's score that is none."""
    boxes = release.boxes(_OF_BOXES)
    try:
        core.check_boxes(boxes)
    except ValueError as problem:
        raise release.damage("the table annotations", "boxes as releases have them", problem) from problem
    return boxes


def _adopt_images(release: Release, formats: Mapping[str, str], store: Store) -> list[str]:
    """Make blobs of images that the store lacks, out of a release. formats: by SHA-256. The SHA-256 still missing."""
    missing = formats.keys() - store.blob_sizes().keys()

    def adopt(sha256: str, data: bytes) -> None:
        if hashlib.sha256(data).hexdigest() != sha256:
            raise DamagedFile(f"expected the image {quoted(sha256)} in the release, got other bytes")
        store.write_blob(data)
        missing.discard(sha256)

    for sha256, data in release.embedded_images() if missing else ():
        if sha256 in missing:
            adopt(sha256, data)
    for sha256 in sorted(missing):
        path = media_path(sha256, formats[sha256])
        if path in release.manifest.files:
            adopt(sha256, release.read(path))
    return sorted(missing)
