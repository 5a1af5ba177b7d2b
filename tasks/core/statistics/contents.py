"""What is counted of a truth, out of a release's tables, a COCO file or PASCAL VOC's files and lists."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.phrases import counted, listed, quoted
from schemas.tables import TRUTH_FIGURES, TRUTH_IMAGES
from tasks.core.coco.document import count_labelled
from tasks.core.coco.keypoints import BadKeypoints, read_keypoints
from tasks.core.coco.reader import CocoImage, Document, read_categories, read_fields, read_text
from tasks.core.coco.source import ImageFigures
from tasks.core.coco.truth import (
    EVERY,
    DrawnImages,
    attribute_text,
    attribute_texts,
    drawn_in,
    drawn_in_document,
)
from tasks.core.columns import Column
from tasks.core.evaluate.systems import groups_of
from tasks.core.statistics.figures import TruthContents

EXHIBIT = "object_id"
"""The attribute that says which exhibit an image shows, its class (the recipe `met`, docs/roles.md)."""
RELEASE_IMAGES = ("image_id", *TRUTH_IMAGES.names)
RELEASE_BOXES = ("image_id", "category_id", "xywh_px", "is_crowd", "keypoints_xyv", "origin")

_SOME = 3
_OF_THE_DRAW = ("works_per_artist", "year", "aspect_ratio")


class CountedBy(NamedTuple):
    """What counts. categories: whose boxes are figures; `all`: every one's. by: attributes to group images by."""

    categories: tuple[str, ...] = (EVERY,)
    by: tuple[str, ...] = ()


def contents_of_release(
    name: str, images: pa.Table, boxes: pa.Table, categories: Sequence[str], counted_by: CountedBy
) -> TruthContents:
    """images: RELEASE_IMAGES, columns to group by, EXHIBIT if there is one. boxes: RELEASE_BOXES, a detector's don't
    count. categories: the release's. Raises BadInput for a category that it does not have.
    """
    images = images.set_column(
        images.column_names.index("is_annotated"), "is_annotated", pc.fill_null(images["is_annotated"], False)
    )
    seen = images["image_id"].filter(images["is_annotated"])
    drawn, ids = drawn_in(boxes, seen, categories, counted_by.categories)
    groups = {by: pa.array(values, pa.string()) for by, values in groups_of(images, counted_by.by).items()}
    exhibits = pa.array(groups_of(images, [EXHIBIT])[EXHIBIT], pa.string()) if EXHIBIT in images.column_names else None
    return TruthContents(
        name,
        images.select(TRUTH_IMAGES.names).cast(TRUTH_IMAGES),
        _figures(pc.index_in(drawn["image_id"], value_set=images["image_id"].combine_chunks()), _named(drawn, ids)),
        tuple(ids),
        groups,
        exhibits,
    )


def earlier_histograms(histograms: pa.Table) -> pa.Table:
    """The rows of a release's own HISTOGRAMS that tell what its draw has changed (ArtBench-10, Figs. 4 and 5)."""
    is_earlier = pc.is_in(histograms["moment"], value_set=pa.array(["measured", "before"]))
    is_of_the_draw = pc.is_in(histograms["statistic"], value_set=pa.array(_OF_THE_DRAW))
    return histograms.filter(pc.and_(is_earlier, is_of_the_draw))


def _named(boxes: pa.Table, ids: Mapping[str, Any]) -> pa.Table:
    place = pc.index_in(boxes["category_id"], value_set=pa.array(ids.values(), boxes["category_id"].type))
    return boxes.append_column("category", pa.array([*ids], pa.string()).take(place.combine_chunks()))


def _figures(image: Column, boxes: pa.Table) -> pa.Table:
    """TRUTH_FIGURES of boxes with category, xywh_px, is_crowd and keypoints_xyv. image: the row of each one's."""
    keypoints = count_labelled(boxes["keypoints_xyv"])
    columns = [image, boxes["category"], boxes["xywh_px"], boxes["is_crowd"], keypoints]
    return pa.table(columns, TRUTH_FIGURES.names).cast(TRUTH_FIGURES).sort_by("image")


# --- COCO


def contents_of_coco(name: str, fields: Any, counted_by: CountedBy) -> TruthContents:
    """fields: the JSON value of a COCO file (`read_keys_once`); images are annotated by the rule of `read_truth_file`.

    Keypoints are counted one box after the other, and not kept: a list of numbers a box would be most of the memory.
    Raises BadInput as `read_truth_file` does, but for a file without styles.
    """
    categories = read_categories(name, fields)
    document = read_fields(name, fields, dict.fromkeys(categories.values()))
    drawn = drawn_in_document(name, document, counted_by.categories)
    for attribute in counted_by.by:
        if attribute != "style":
            attribute_texts(name, drawn.images, attribute)  # raises where no image has it
    others = [image for number, image in document.images.items() if number not in drawn.images]
    images = [*drawn.images.values(), *others]
    rows = [_row(name, image, is_annotated=place < len(drawn.images)) for place, image in enumerate(images)]

    def texts(attribute: str) -> pa.Array:
        return pa.array([attribute_text(name, attribute, image) for image in images], pa.string())

    exhibits = texts(EXHIBIT)
    return TruthContents(
        name,
        pa.Table.from_pylist(rows, TRUTH_IMAGES),
        _figures_of_document(document, drawn),
        tuple(drawn.category_ids),
        {attribute: texts(attribute) for attribute in counted_by.by},
        None if exhibits.null_count == len(exhibits) else exhibits,
        notes=drawn.notes,
    )


def _figures_of_document(document: Document, drawn: DrawnImages) -> pa.Table:
    row_of = {number: row for row, number in enumerate(drawn.images)}
    mine = [one for one in document.annotations if one.category in drawn.category_ids and one.image_id in drawn.images]
    columns = {
        "image": [row_of[cast("int", one.image_id)] for one in mine],
        "category": [one.category for one in mine],
        "xywh_px": [one.xywh_px for one in mine],
        "is_crowd": [one.is_crowd for one in mine],
        "keypoints": [_keypoints(one.row.get("keypoints")) for one in mine],
    }
    return pa.table(columns, TRUTH_FIGURES).sort_by("image")


def _keypoints(value: Any) -> int:
    """How many points of an annotation have v > 0; 0 of a list that can't be read.

    >>> _keypoints([5, 6, 2, 0, 0, 0, 1, 1, 1]), _keypoints([5, 6, 7]), _keypoints(None)
    (2, 0, 0)
    """
    try:
        points = read_keypoints(value, len(value) // 3 if isinstance(value, list) else 0)
    except BadKeypoints:
        return 0
    return sum(v > 0 for v in (points or [])[2::3])


def _row(name: str, image: CocoImage, *, is_annotated: bool) -> dict[str, Any]:
    width_px, height_px = image.size_px
    year = image.metadata.get("year")
    return {
        "split": read_text(image.row.get("split")),
        "style": attribute_text(name, "style", image),
        "artist": read_text(image.metadata.get("artist")),
        "year": year if isinstance(year, int) and not isinstance(year, bool) and abs(year) < 2**31 else None,
        "width_px": width_px,
        "height_px": height_px,
        "is_annotated": is_annotated,
    }


# --- PASCAL VOC


class VocImage(NamedTuple):
    """An image of a VOC folder. name: its path. split: of the list that has it. figures: what its XML says, read with
    both corners in the box, or None: it has none that can be read. is_seen: people have looked at it.
    """

    name: str
    split: str | None
    figures: ImageFigures | None
    is_seen: bool


def contents_of_voc(name: str, images: Sequence[VocImage], counted_by: CountedBy) -> TruthContents:
    """A VOC folder's images; the style is the first folder of a path, if it has one.

    Boxes are from xmin to xmax, as PoPArt's counts take them: width = xmax - xmin, which may be 0. Raises BadInput for
    other categories than the files name, and for another attribute than style.
    """
    if other := [one for one in counted_by.by if one != "style"]:
        raise BadInput(f"--by: expected style, all that VOC's files say of an image, got {quoted(other[0])} of {name}")
    drawn = [(row, one) for row, image in enumerate(images) if image.is_seen for one in _drawn(image)]
    categories = _categories(name, {one["category"] for _, one in drawn}, counted_by.categories)
    rows = [(row, one) for row, one in drawn if one["category"] in categories]
    figures = {
        "image": [row for row, _ in rows],
        "category": [one["category"] for _, one in rows],
        "xywh_px": [_between_corners(one["xywh_px"]) for _, one in rows],
        "is_crowd": np.zeros(len(rows), np.bool_),
        "keypoints": np.zeros(len(rows), np.int64),
    }
    table = pa.Table.from_pylist([_voc_row(image) for image in images], TRUTH_IMAGES)
    groups = {one: table["style"].combine_chunks() for one in counted_by.by}
    return TruthContents(name, table, pa.table(figures, TRUTH_FIGURES), categories, groups, notes=_voc_notes(images))


def _drawn(image: VocImage) -> Sequence[Mapping[str, Any]]:
    return [] if image.figures is None else image.figures.figures or []


def _categories(name: str, known: Collection[str], wanted: Sequence[str]) -> tuple[str, ...]:
    if [*wanted] == [EVERY]:
        return tuple(sorted(known))
    if known and (unknown := [one for one in wanted if one not in known]):
        raise BadInput(f"{name}: expected a category {quoted(unknown[0])}, got {quoted(sorted(known), 300)}")
    return tuple(dict.fromkeys(wanted))


def _between_corners(xywh_px: Sequence[float]) -> list[float]:
    x, y, width, height = xywh_px
    return [x + 1, y + 1, width - 1, height - 1]


def _voc_row(image: VocImage) -> dict[str, Any]:
    folder, has_folder, _ = image.name.partition("/")
    width_px, height_px = (None, None) if image.figures is None else image.figures.size_px
    return {
        "split": image.split,
        "style": folder if has_folder else None,
        "artist": None,
        "year": None,
        "width_px": width_px,
        "height_px": height_px,
        "is_annotated": image.is_seen,
    }


def _voc_notes(images: Sequence[VocImage]) -> tuple[str, ...]:
    unseen = [image.name for image in images if not image.is_seen]
    flat = sum(image.figures.flat_boxes for image in images if image.figures is not None)
    notes = []
    if unseen:
        some = listed(unseen, _SOME)
        notes.append(f"not annotated, as they have no XML that can be read: {counted(len(unseen), 'image')} ({some})")
    if flat:
        notes.append(f"left out because they have no area: {counted(flat, 'box', 'boxes')}")
    return tuple(notes)
