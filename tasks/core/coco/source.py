"""A COCO file as a source's annotations: the figures that people drew, by the file name of each image."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from schemas.errors import BadInput
from schemas.phrases import listed, quoted
from tasks.core.coco.ids import Id
from tasks.core.coco.keypoints import count_problems
from tasks.core.coco.reader import Document, Schemes, SizePx, read_document

Figure = dict[str, Any]
_LONGEST_DETAIL, _EXAMPLES = 200, 3


class ImageFigures(NamedTuple):
    """The figures that people drew in an image, none if they drew none. size_px: the image's, as their file says it."""

    figures: list[Figure]
    size_px: SizePx = (None, None)


class FileFigures(NamedTuple):
    """The figures that people drew in the images of a COCO file, and what of it could not be taken.

    by_file_name: None where an annotation of the image can't be read. details: by file name, what
    of the image was left out and why. notes: the same of the whole file, counted, in sentences.
    """

    by_file_name: Mapping[str, ImageFigures | None]
    details: Mapping[str, str]
    notes: tuple[str, ...]


def read_figures(name: str, data: bytes, categories: Schemes) -> FileFigures:
    """The figures of a COCO file by the file name of each image.

    `name` is for messages. Of two images of one file name, the later one counts. An image whose `is_annotated` is false
    counts as not annotated. Keypoints that are not of the category's scheme are left out of their figures, which is
    told for figures of `categories`, the recipe's. Raises BadInput as `read_document` does, and for a file whose boxes
    are a detector's (`info.annotation_origin`): they must not become people's.
    """
    document = read_document(name, data, categories)
    if document.info.get("annotation_origin") == "detector":
        raise BadInput(
            f"{name}: expected boxes by people, got a file whose boxes are a detector's (info.annotation_origin): "
            "a stage `detect` with `model: results` reads such boxes"
        )
    figures: dict[Any, list[Figure]] = {image_id: [] for image_id in document.images}
    for annotation in document.annotations:
        figures[annotation.image_id].append(
            figure(
                annotation.category,
                annotation.xywh_px,
                is_crowd=annotation.is_crowd,
                keypoints_xyv=annotation.keypoints_xyv,
            )
        )
    unknown = {annotation.image_id for annotation in document.bad_annotations}
    unknown |= {image_id for image_id, image in document.images.items() if image.row.get("is_annotated") is False}
    details = _details(document, categories)
    return FileFigures(
        {
            str(image.file_name): None if image_id in unknown else ImageFigures(figures[image_id], image.size_px)
            for image_id, image in document.images.items()
        },
        {str(image.file_name): details[image_id] for image_id, image in document.images.items() if image_id in details},
        _notes(name, document, categories),
    )


def _details(document: Document, categories: Collection[str]) -> dict[Id, str]:
    """By image, what was left out."""
    problems: dict[Id, list[str]] = {}
    for annotation in document.annotations:
        if annotation.keypoints_problem and annotation.category in categories:
            problems.setdefault(annotation.image_id, []).append(annotation.keypoints_problem)
    details = {image_id: f"keypoints left out: {count_problems(found)}" for image_id, found in problems.items()}
    for bad in reversed(document.bad_annotations):  # of several in one image, the first is told
        details[bad.image_id] = f"annotation unreadable, so left out: {bad.problem}"
    return {image_id: detail[:_LONGEST_DETAIL] for image_id, detail in details.items()}


def _notes(name: str, document: Document, categories: Collection[str]) -> tuple[str, ...]:
    notes = []
    twice = [str(file) for file, count in Counter(i.file_name for i in document.images.values()).items() if count > 1]
    if twice:
        notes.append(f"{name}: of images of one file name the last counts: {listed(sorted(twice), _EXAMPLES)}")
    found = Counter(annotation.category for annotation in document.annotations)
    if found and not found.keys() & set(categories):  # a name that is spelled in another way, most likely
        named = listed([f"{quoted(category)} ({count})" for category, count in found.most_common()], _EXAMPLES)
        notes.append(f"{name}: none of its boxes is of the recipe's categories {quoted([*categories])}, but of {named}")
    if images := Counter(bad.image_id for bad in document.bad_annotations):
        notes.append(
            f"{name}: {len(images)} images count as not annotated, since {images.total()} annotations can't be read: "
            f"{count_problems(bad.problem for bad in document.bad_annotations)}"
        )
    problems = [
        annotation.keypoints_problem
        for annotation in document.annotations
        if annotation.keypoints_problem and annotation.category in categories
    ]
    if problems:
        notes.append(
            f"{name}: the keypoints of {len(problems)} figures are left out, their boxes stay: "
            f"{count_problems(problems)}"
        )
    return tuple(notes)


def figure(
    category: str, xywh_px: list[float], *, is_crowd: bool = False, keypoints_xyv: list[float] | None = None
) -> Figure:
    """A figure that somebody drew, as tables hold it: without a score."""
    return {
        "category": category,
        "xywh_px": xywh_px,
        "is_crowd": is_crowd,
        "keypoints_xyv": keypoints_xyv,
        "score": None,
    }


def figures_of_categories(figures: Sequence[Figure], categories: Collection[str]) -> list[Figure]:
    """The figures of the recipe's categories, in one order whatever the file's."""
    return sorted(
        (figure for figure in figures if figure["category"] in categories),
        key=lambda figure: json.dumps(figure, sort_keys=True),
    )
