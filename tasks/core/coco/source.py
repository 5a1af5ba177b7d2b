"""A COCO file as a source's annotations: the figures that people drew, by the file name of each image."""

import json
from collections.abc import Collection, Sequence
from typing import Any

from tasks.core.coco.reader import read_document

Figure = dict[str, Any]


def figures_by_file_name(name: str, data: bytes) -> dict[str, list[Figure] | None]:
    """The figures in each image: an empty list where people drew none, None where an annotation of it can't be read.

    `name` is for messages. Of two images of one file name, the later one counts. Raises BadInput as `read_document`
    does.
    """
    document = read_document(name, data)
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
    return {
        str(image.file_name): None if image_id in unknown else figures[image_id]
        for image_id, image in document.images.items()
    }


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
