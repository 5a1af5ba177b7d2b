"""Images that people have annotated, and the figures in them, out of a COCO file or a release's tables."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.evaluate_raters import LIKERT
from schemas.phrases import quoted
from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES
from tasks.core.coco.box import MAX_PX
from tasks.core.coco.ids import Id, count_with_examples, id_order, read_number_id
from tasks.core.coco.reader import Image, read_document, read_text

Row = dict[str, Any]


class TruthFile(NamedTuple):
    """The annotated images of a COCO file, and their figures of one category.

    images: rows of image_id, file_name, split, style, width_px, height_px (what the file says, or null), sorted by id.
    figures: rows of ANNOTATED_FIGURES. notes: what was left out, in sentences. ids: of all images, annotated or not.
    deformation: of the images that have one, 1 (lifelike) to 5, by id.
    """

    images: list[Row]
    figures: list[Row]
    notes: tuple[str, ...]
    category_id: Id
    ids: frozenset[Id]
    deformation: dict[int, int]


def read_truth_file(name: str, data: bytes, category: str) -> TruthFile:
    """The annotated images of a COCO file and their figures of one category. `name` is for messages.

    An image is annotated unless its `is_annotated` is false. Its style is `metadata.style` (ours) or
    `metadata.wikiart_style` (PoPArt's), its deformation `metadata.deformation` (as in the consensus of raters;
    anything else than a whole number of 1 to 5 is none). An image with an annotation of the category that can't be read
    is left out: nobody knows what is in it.

    Raises BadInput for anything else than a COCO file (see `read_document`), for one whose boxes are a detector's
    (`info.annotation_origin`), for image ids that are no numbers, and for a category that the file does not have once.
    """
    document = read_document(name, data)
    if document.info.get("annotation_origin") == "detector":
        raise BadInput(f"{name}: expected boxes by people, got a file whose boxes are a detector's")
    category_id = _category_id(name, document.categories, category)
    unknown = {annotation.image_id for annotation in document.bad_annotations if annotation.category == category}
    images = sorted(
        (
            _image(name, image)
            for image_id, image in document.images.items()
            if image.row.get("is_annotated") is not False and image_id not in unknown
        ),
        key=lambda row: row["image_id"],
    )
    kept = {row["image_id"] for row in images}
    figures = [
        {name: getattr(annotation, name) for name in ANNOTATED_FIGURES.names}
        for annotation in document.annotations
        if annotation.category == category and annotation.image_id in kept
    ]
    buckets = {row["image_id"]: document.images[row["image_id"]].metadata.get("deformation") for row in images}
    deformation = {number: one for number, value in buckets.items() if (one := _deformation(value)) is not None}
    return TruthFile(images, figures, _notes(unknown), category_id, frozenset(document.images), deformation)


def truth_of_release(
    images: pa.Table, annotations: pa.Table, categories: Sequence[str], category: str
) -> tuple[pa.Table, pa.Table]:
    """ANNOTATED and ANNOTATED_FIGURES of a release's tables: images with `is_annotated`, boxes of any origin but a
    detector.

    Raises BadInput for a category that the release has not.
    """
    if category not in categories:
        raise BadInput(f"category: expected one of the release's {list(categories)}, got '{category}'")
    annotated = (
        images.filter(pc.fill_null(images["is_annotated"], False)).select(ANNOTATED_IMAGES.names).cast(ANNOTATED_IMAGES)
    )
    is_figure = pc.and_(
        pc.and_(
            pc.not_equal(annotations["origin"], "detector"),
            pc.equal(annotations["category_id"], categories.index(category) + 1),
        ),
        pc.is_in(annotations["image_id"], value_set=annotated["image_id"]),
    )
    boxes = [
        {**row, "category": category, "area_px2": row.get("source_area_px2") or row["area_px2"]}
        for row in annotations.filter(is_figure).to_pylist()
    ]
    return annotated.sort_by("image_id"), figure_table(boxes)


def check_boxes(annotations: pa.Table) -> None:
    """Raise ValueError where a row of ANNOTATIONS has a box that is none, or a detector's has no score of 0 to 1.

    The same rules as for boxes and scores that come in a file (`read_box`, `read_results`).
    """
    flat = pc.list_flatten(annotations["xywh_px"])
    sides_px = np.asarray(flat.to_numpy(), np.float64).reshape(-1, 4)
    is_odd = (np.abs(np.nan_to_num(sides_px, nan=np.inf)) > MAX_PX).any(axis=1) | (sides_px[:, 2:] <= 0).any(axis=1)
    if is_odd.any():
        raise ValueError(f"the box {quoted(annotations['xywh_px'][int(is_odd.argmax())].as_py())}")
    scores = annotations.filter(pc.equal(annotations["origin"], "detector"))["score"]
    is_score = pc.fill_null(pc.and_(pc.greater_equal(scores, 0), pc.less_equal(scores, 1)), False)
    if odd := scores.filter(pc.invert(is_score)).to_pylist():
        raise ValueError(f"a detector's score {quoted(odd[0])}")


def figure_table(rows: Sequence[Row]) -> pa.Table:
    """ANNOTATED_FIGURES of such rows, in one order whatever theirs."""
    ordered = sorted(
        rows, key=lambda row: (row["image_id"], row["xywh_px"], row["is_crowd"], row["keypoints_xyv"] or [])
    )
    return pa.Table.from_pylist(ordered, schema=ANNOTATED_FIGURES)


def _category_id(name: str, categories: Mapping[Id, str], category: str) -> Id:
    ids = [category_id for category_id, word in categories.items() if word == category]
    if not ids:
        raise BadInput(f"{name}: expected a category '{category}', got {sorted(categories.values())[:20]}")
    if len(ids) > 1:
        raise BadInput(f"{name}: expected one category '{category}', got it under the ids {ids[:20]}")
    return ids[0]


def _image(name: str, image: Image) -> Row:
    width_px, height_px = image.size_px
    return {
        "image_id": _number_id(name, image.image_id),
        "file_name": image.file_name,
        "split": read_text(image.row.get("split")),
        "style": read_text(image.metadata.get("style")) or read_text(image.metadata.get("wikiart_style")),
        "width_px": width_px,
        "height_px": height_px,
    }


def _deformation(value: Any) -> int | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and value in range(LIKERT[0], LIKERT[1] + 1) else None


def _number_id(name: str, image_id: Id) -> int:
    try:
        return read_number_id(image_id)
    except ValueError as problem:
        raise BadInput(f"{name}: expected whole numbers as ids of images, got {quoted(image_id)}") from problem


def _notes(unknown: set[Id]) -> tuple[str, ...]:
    if not unknown:
        return ()
    left_out = count_with_examples(sorted(unknown, key=id_order), "image")
    return (f"left out because an annotation can't be read: {left_out}",)
