"""Images that people have annotated, and the figures in them, out of a COCO file or a release's tables."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.evaluate_figures import LIKERT
from schemas.keypoints import KeypointScheme
from schemas.phrases import counted, listed, quoted
from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES
from tasks.core.coco.box import MAX_PX
from tasks.core.coco.ids import Id, count_with_examples, id_order
from tasks.core.coco.keypoints import count_problems, scheme_of_names
from tasks.core.coco.reader import CocoImage, Document, read_document, read_joints, read_text
from tasks.core.columns import Column

Row = dict[str, Any]
EVERY = "all"
"""As a category: every one."""
_MOST_NAMED = 20
_NO_ATTRIBUTES = {"id", "file_name", "is_annotated", "metadata", "width", "height"}
"""Fields that tell images apart, or what a program needs, and group nothing."""


class TruthFile(NamedTuple):
    """The annotated images of a COCO file, and their figures of some categories.

    images: rows of image_id, file_name, split, style, width_px, height_px (what the file says, or null), sorted by id.
    figures: rows of ANNOTATED_FIGURES, their keypoints as they are, of any number of joints. notes: what was left out,
    in sentences. category_ids: by name. ids: of all images, annotated or not. deformation: of the images that have one,
    1 (lifelike) to 5, by id. attributes: by name, the value of each image that has one, by id. schemes: of each
    category's keypoints, by the joints that it names; None where it names none. keypoint_notes: which are left out.
    """

    images: list[Row]
    figures: list[Row]
    notes: tuple[str, ...]
    category_ids: dict[str, Id]
    ids: frozenset[Id]
    deformation: dict[int, int]
    attributes: dict[str, dict[int, str]]
    schemes: dict[str, KeypointScheme | None]
    keypoint_notes: tuple[str, ...]


def read_truth_file(name: str, data: bytes, categories: Sequence[str], attributes: Sequence[str] = ()) -> TruthFile:
    """The annotated images of a COCO file and their figures of these categories. `name` is for messages.

    An image is annotated unless its `is_annotated` is false. Its style is `metadata.style` (ours) or
    `metadata.wikiart_style` (PoPArt's), its deformation `metadata.deformation` (a whole number of 1 to 5, or none). An
    image with an annotation of a category that can't be read is left out; but a box without an area, beside good ones,
    is left out alone. categories: as for `chosen_categories`. attributes: fields of `metadata`, or else of the image
    itself; `style` as above.

    Raises BadInput as `read_document` does, for boxes of a detector (`info.annotation_origin`), for image ids that are
    no numbers, for a category that the file does not have once, for an attribute that no annotated image has, and for
    one that is a list or an object.
    """
    document = read_document(name, data, schemes=None)
    drawn = drawn_in_document(name, document, categories)
    annotated, category_ids = drawn.images, drawn.category_ids
    mine = [annotation for annotation in document.annotations if annotation.category in category_ids]
    figures = [
        {name: getattr(annotation, name) for name in ANNOTATED_FIGURES.names}
        for annotation in mine
        if annotation.image_id in annotated
    ]
    deformation = {
        number: int(value)
        for number, image in annotated.items()
        if isinstance(value := image.metadata.get("deformation"), int | float)
        and not isinstance(value, bool)
        and value in range(LIKERT[0], LIKERT[1] + 1)
    }
    joints = read_joints(name, document.fields)
    problems = [annotation.keypoints_problem for annotation in mine if annotation.keypoints_problem]
    return TruthFile(
        images=[_image(number, image) for number, image in annotated.items()],
        figures=figures,
        notes=drawn.notes,
        category_ids=category_ids,
        ids=frozenset(document.images),
        deformation=deformation,
        attributes={attribute: attribute_texts(name, annotated, attribute) for attribute in attributes},
        schemes={category: scheme_of_names(category, joints[number]) for category, number in category_ids.items()},
        keypoint_notes=(f"left out keypoints: {count_problems(problems)}",) if problems else (),
    )


class DrawnImages(NamedTuple):
    """The images of a COCO document that people have annotated, by id, ascending; the ids of the categories that count,
    by name; and what was left out, in sentences.
    """

    images: dict[int, CocoImage]
    category_ids: dict[str, Id]
    notes: tuple[str, ...]


def drawn_in_document(name: str, document: Document, categories: Sequence[str]) -> DrawnImages:
    """Which images count, by the rules of `read_truth_file`, which raises as this does."""
    if document.info.get("annotation_origin") == "detector":
        raise BadInput(f"{name}: expected boxes by people, got a file whose boxes are a detector's")
    category_ids = {
        category: _category_id(name, document.categories, category)
        for category in chosen_categories(categories, list(document.categories.values()))
    }
    unknown = {one.image_id for one in document.bad_annotations if one.category in category_ids}
    flat = Counter(one.image_id for one in document.flat_annotations if one.category in category_ids)
    annotated = {}
    for image_id, image in document.images.items():
        if image.row.get("is_annotated") is not False and image_id not in unknown:
            if isinstance(image_id, str):
                raise BadInput(f"{name}: expected whole numbers as ids of images, got {quoted(image_id)}")
            annotated[image_id] = image
    return DrawnImages({number: annotated[number] for number in sorted(annotated)}, category_ids, _notes(unknown, flat))


def chosen_categories(chosen: Sequence[str], names: Sequence[str]) -> list[str]:
    """The categories chosen, each once; `all` is every one of these names, sorted, unless one of them is called so.

    >>> chosen_categories(["all"], ["dog", "cat"]), chosen_categories(["dog", "dog"], ["dog", "cat"])
    (['cat', 'dog'], ['dog'])
    """
    wanted = list(dict.fromkeys(chosen))
    return sorted(set(names)) if wanted == [EVERY] and EVERY not in names else wanted


def truth_of_release(
    images: pa.Table, boxes: pa.Table, names: Sequence[str], categories: Sequence[str]
) -> tuple[pa.Table, pa.Table, dict[str, Id]]:
    """ANNOTATED and ANNOTATED_FIGURES of a release's images and BOXES, without a detector's; and each category's id.

    names: the release's categories. categories: those wanted, as in `read_truth_file`. Raises BadInput for another.
    """
    is_annotated = pc.fill_null(images["is_annotated"], False)
    annotated = images.filter(is_annotated).select(ANNOTATED_IMAGES.names).cast(ANNOTATED_IMAGES)
    drawn_boxes, ids = drawn_in(boxes, annotated["image_id"], names, categories)
    drawn = drawn_boxes.to_pylist()
    for box in drawn:
        box["category"] = names[box["category_id"] - 1]
        box["area_px2"] = box["source_area_px2"] or box["area_px2"]
    return annotated.sort_by("image_id"), figure_table(drawn), ids


def drawn_in(
    boxes: pa.Table, image_id: Column, names: Sequence[str], categories: Sequence[str]
) -> tuple[pa.Table, dict[str, Id]]:
    """Those of a release's boxes in these images that no detector has found; and each category's id.

    names, categories: as of `truth_of_release`. Raises BadInput for a category that the release does not have.
    """
    wanted = chosen_categories(categories, names)
    if unknown := [category for category in wanted if category not in names]:
        raise BadInput(f"category: expected one of the release's {quoted(list(names), 300)}, got {quoted(unknown[0])}")
    ids: dict[str, Id] = {category: names.index(category) + 1 for category in wanted}
    is_drawn = pc.not_equal(boxes["origin"], "detector")
    category_ids = pa.array(ids.values(), boxes["category_id"].type)
    for name, known in (("category_id", category_ids), ("image_id", image_id)):
        is_drawn = pc.and_(is_drawn, pc.is_in(boxes[name], value_set=known))
    return boxes.filter(is_drawn), ids


def check_boxes(boxes: pa.Table) -> None:
    """Raise ValueError where a row of BOXES has a box that is none, or a detector's has no score of 0 to 1."""
    check_sides(boxes)
    scores = boxes.filter(pc.equal(boxes["origin"], "detector"))["score"]
    is_score = pc.fill_null(pc.and_(pc.greater_equal(scores, 0), pc.less_equal(scores, 1)), False)
    if odd := scores.filter(pc.invert(is_score)).to_pylist():
        raise ValueError(f"a detector's score {quoted(odd[0])}")


def check_sides(boxes: pa.Table) -> None:
    """Raise ValueError where a row has a box that is none: numbers that are none or too large, no positive sides."""
    flat = pc.list_flatten(boxes["xywh_px"])
    sides_px = np.asarray(flat.to_numpy(), np.float64).reshape(-1, 4)
    is_odd = (np.abs(np.nan_to_num(sides_px, nan=np.inf)) > MAX_PX).any(axis=1) | (sides_px[:, 2:] <= 0).any(axis=1)
    if is_odd.any():
        raise ValueError(f"the box {quoted(boxes['xywh_px'][int(is_odd.argmax())].as_py())}")


def figure_table(rows: Sequence[Row]) -> pa.Table:
    """ANNOTATED_FIGURES of such rows, in one order whatever theirs."""

    def order(row: Row) -> tuple[Any, ...]:
        return row["image_id"], row["xywh_px"], row["is_crowd"], row["keypoints_xyv"] or []

    return pa.Table.from_pylist(sorted(rows, key=order), schema=ANNOTATED_FIGURES)


def _category_id(name: str, categories: Mapping[Id, str], category: str) -> Id:
    ids = [category_id for category_id, word in categories.items() if word == category]
    if not ids:
        raise BadInput(
            f"{name}: expected a category {quoted(category)}, got {quoted(sorted(categories.values()), 300)}"
        )
    if len(ids) > 1:
        raise BadInput(f"{name}: expected one category {quoted(category)}, got it under the ids {ids[:20]}")
    return ids[0]


def _image(number: int, image: CocoImage) -> Row:
    width_px, height_px = image.size_px
    return {
        "image_id": number,
        "file_name": image.file_name,
        "split": read_text(image.row.get("split")),
        "style": _style(image),
        "width_px": width_px,
        "height_px": height_px,
    }


def attribute_texts(name: str, images: Mapping[int, CocoImage], attribute: str) -> dict[int, str]:
    """The text of an attribute of each image that has one. Raises BadInput."""
    values = {number: attribute_text(name, attribute, image) for number, image in images.items()}
    texts = {number: text for number, text in values.items() if text is not None}
    if not texts and images:
        known = sorted({key for image in images.values() for key in (*image.metadata, *image.row)} - _NO_ATTRIBUTES)
        raise BadInput(
            f"{name}: expected an attribute that annotated images have ({listed(known, _MOST_NAMED) or 'none'}), "
            f"got {quoted(attribute)}"
        )
    return texts


def attribute_text(name: str, attribute: str, image: CocoImage) -> str | None:
    """As JSON has it, but whole numbers without a point: 3 and 3.0 are one value. name: the file's, for messages.

    Raises BadInput for a list or an object.
    """
    if attribute == "style" and (style := _style(image)):
        return style
    value = image.metadata.get(attribute)
    value = image.row.get(attribute) if value is None else value
    if value is None or isinstance(value, str):
        return read_text(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)
    raise BadInput(
        f"{name}: expected a text, a number, true or false as {quoted(attribute)} of an image, got {quoted(value)}"
    )


def _style(image: CocoImage) -> str | None:
    return read_text(image.metadata.get("style")) or read_text(image.metadata.get("wikiart_style"))


def _notes(unknown: set[Id], flat: Counter[Id]) -> tuple[str, ...]:
    images, boxes = (count_with_examples(sorted(ids, key=id_order), "image") for ids in (unknown, flat))
    notes = []
    if unknown:
        notes.append(f"left out because an annotation can't be read: {images}")
    if flat:
        notes.append(f"left out because they have no area: {counted(flat.total(), 'box', 'boxes')} in {boxes}")
    return tuple(notes)
