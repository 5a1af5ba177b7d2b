"""A COCO file as a source's annotations: the figures that people drew, by the file name of each image."""

import contextlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from schemas.errors import BadInput
from schemas.phrases import listed, quoted
from schemas.sources.common import OneFile
from schemas.tables import FIGURE, SOURCE_FIGURE
from tasks.core.coco import lossless, source_file
from tasks.core.coco.box import is_segmentation
from tasks.core.coco.coco_annotator import read_coco_annotator
from tasks.core.coco.cvat import read_cvat
from tasks.core.coco.ids import Id, id_or_none, repeated_ids
from tasks.core.coco.keypoints import count_problems
from tasks.core.coco.label_studio import read_label_studio
from tasks.core.coco.reader import (
    Annotation,
    BadAnnotation,
    CocoImage,
    Document,
    LeftOut,
    Row,
    Schemes,
    SizePx,
    read_fields,
    read_keys_once,
    read_text,
    row_name,
)
from tasks.core.coco.tool_files import ToolFile
from tasks.core.passed_over import Tally

Figure = dict[str, Any]
Licence = tuple[str | None, str | None]
"""URL and name of a licence, as a file has them."""
_NO_FIGURE: Figure = dict.fromkeys(field.name for field in SOURCE_FIGURE)
_LONGEST_DETAIL, _LONGEST_WORDS, _EXAMPLES = 200, 2000, 3
_OF_EARLIER = "annotations of images of a file name that a later one has"
_FLAT = "annotations whose box has no area, beside others that have"
_OF_UNKNOWN = "annotations of images that count as not annotated"


_READERS: Mapping[OneFile, ToolFile] = {
    "coco": lambda name, data, schemes, left_out: read_keys_once(name, data),
    "coco_annotator": read_coco_annotator,
    "cvat": read_cvat,
    "label_studio": read_label_studio,
}


class ImageFigures(NamedTuple):
    """The figures that people drew in an image, none if they drew none; None: nobody knows what is in it.

    size_px: the image's, as their file says it. source_coco: what a COCO file says of the image, as IMAGES has it.
    left_out: what of the image's own file was left out, in words; flat_boxes: how many boxes without an area.
    """

    figures: list[Figure] | None
    size_px: SizePx = (None, None)
    source_coco: str | None = None
    licence: Licence = (None, None)
    left_out: str = ""
    flat_boxes: int = 0


class FileFigures(NamedTuple):
    """The figures that people drew in the images of a COCO file, and what of it could not be taken.

    by_file_name: without figures where an annotation of the image can't be read, unless its box has no area and there
    are others. details: by file name, what of the image was left out and why. notes: the same of the whole file.
    head: a row of COCO_FILES, but for the source and the path. left_out: what is not in `by_file_name`.
    """

    by_file_name: Mapping[str, ImageFigures]
    details: Mapping[str, str]
    notes: tuple[str, ...]
    head: Mapping[str, Any]
    left_out: LeftOut


def read_figures(name: str, data: bytes, categories: Schemes, form: OneFile = "coco") -> FileFigures:
    """The figures of a COCO file, or of another tool's, by the file name of each image.

    `name` is for messages. Of two images of one file name, the later one counts. An image whose `is_annotated` is false
    counts as not annotated. Keypoints that are not of the category's scheme are left out, which is told for figures of
    `categories`, the recipe's. All else that the file says is kept beside (tasks.core.coco.source_file).

    Raises BadInput as `read_document` does, for a value that is nested too deep to be kept, and for a file whose boxes
    are a detector's (`info.annotation_origin`): they must not become people's.
    """
    left_out = LeftOut(Tally(), Tally())
    return figures_of_document(name, _READERS[form](name, data, categories, left_out), categories, left_out)


def figures_of_document(name: str, fields: Any, categories: Schemes, left_out: LeftOut) -> FileFigures:
    """The same of a COCO file's JSON value. left_out: with what was left out on the way to it."""
    document = read_fields(name, fields, categories, left_out)
    if document.info.get("annotation_origin") == "detector":
        raise BadInput(
            f"{name}: expected boxes by people, got a file whose boxes are a detector's (info.annotation_origin): "
            "a stage `detect` with `model: results` reads such boxes"
        )
    # nobody knows what is in these images
    unknown = {annotation.image_id for annotation in document.bad_annotations}
    unknown |= {image_id for image_id, image in document.images.items() if image.row.get("is_annotated") is False}
    problems = [
        (one.image_id, one.keypoints_problem)
        for one in document.annotations
        if one.keypoints_problem and one.category in categories
    ]
    details = _details(document, problems)
    with _naming(name, document, "its fields", {}):
        head, beside = source_file.head(document.fields, document.images)
    figures = _by_file_name(name, document, categories, unknown, beside)
    _count_others(document, unknown, left_out)
    by_name = {str(image.file_name): details[key] for key, image in document.images.items() if key in details}
    notes = _notes(name, document, categories, [problem for _, problem in problems])
    return FileFigures(figures, by_name, notes, head, left_out)


def _count_others(document: Document, unknown: Collection[Id], left_out: LeftOut) -> None:
    """Count what of the file's images and annotations `_by_file_name` does not have. unknown: see there."""
    last = {image.file_name: image_id for image_id, image in document.images.items()}
    earlier = {image_id for image_id, image in document.images.items() if last[image.file_name] != image_id}
    for image_id in earlier:
        left_out.images.add("images of a file name that a later one has", str(document.images[image_id].file_name))
    others = [(one.image_id, "annotations that can't be read", one.problem) for one in document.bad_annotations]
    for flat in document.flat_annotations:
        kind, problem = (_OF_UNKNOWN, "") if flat.image_id in unknown else (_FLAT, flat.problem)
        others += [(flat.image_id, kind, problem)]
    others += (
        (one.image_id, _OF_UNKNOWN, "")
        for one in document.annotations
        if one.image_id in earlier or one.image_id in unknown
    )
    for image_id, kind, problem in others:
        file_name = str(document.images[image_id].file_name)
        example = f"{file_name}: {problem}" if problem else file_name
        left_out.annotations.add(_OF_EARLIER if image_id in earlier else kind, example)


def _by_file_name(
    name: str, document: Document, categories: Collection[str], unknown: set[Id], beside: Mapping[Id, source_file.Rows]
) -> dict[str, ImageFigures]:
    """unknown: images of which nobody knows what is in them. beside: rows of other lists."""
    figures, licences = _figures(name, document, categories), _licences(document.fields.get("licenses"))
    names = Counter(image.file_name for image in document.images.values())
    shared = {image_id for image_id, image in document.images.items() if names[image.file_name] > 1}
    unread = chain(document.bad_annotations, document.flat_annotations)
    rows = _rows_by_image(chain[Annotation | BadAnnotation](document.annotations, unread), unknown | shared)
    flat = _rows_by_image(document.flat_annotations, document.images)
    earlier: dict[str, list[dict[str, Any]]] = {}
    found = {}
    for image_id, image in document.images.items():
        file_name = str(image.file_name)
        is_unknown, mine = image_id in unknown, beside.get(image_id, {})
        others = rows.get(image_id, []) if is_unknown else flat.get(image_id)
        kept = source_file.image_fields(image.row, others, mine)
        with _naming(name, document, "images", image.row):
            text = source_file.image_text(kept, earlier.get(file_name, ()))
        licence = licences.get(id_or_none(image.row.get("license")), (None, None))
        found[file_name] = ImageFigures(None if is_unknown else figures[image_id], image.size_px, text, licence)
        if image_id in shared:
            kept = source_file.image_fields(image.row, rows.get(image_id, []), mine)
            earlier.setdefault(file_name, []).append(kept)
    return found


def _figures(name: str, document: Document, categories: Collection[str]) -> dict[Id, list[Figure]]:
    """The figures of each image; of the recipe's categories with all that the file says of them."""
    category_ids = source_file.category_ids(document.fields["categories"])
    found: dict[Id, list[Figure]] = {image_id: [] for image_id in document.images}
    for annotation in document.annotations:
        is_crowd, points = annotation.is_crowd, annotation.keypoints_xyv
        drawn = figure(annotation.category, annotation.xywh_px, is_crowd=is_crowd, keypoints_xyv=points)
        if annotation.category in categories:
            with _naming(name, document, "annotations", annotation.row):
                drawn |= _beside(annotation, drawn, document.images[annotation.image_id], category_ids)
        found[annotation.image_id].append(drawn)
    return found


def _beside(annotation: Annotation, drawn: Figure, image: CocoImage, category_ids: Mapping[str, Any]) -> Figure:
    """What SOURCE_FIGURE has beside FIGURE."""
    row, outline = annotation.row, annotation.row.get("segmentation")
    segmentation = outline if is_segmentation(outline, image.size_px) else None
    area = {"source_area_px2": annotation.own_area_px2}
    given = source_file.given_annotation(
        {**drawn, **area}, image.row["id"], category_ids[annotation.category], segmentation
    )
    return {
        **area,
        "segmentation": None if segmentation is None else lossless.plain_text(segmentation),
        "source_coco": lossless.to_text(lossless.difference(row, given)),
    }


def _rows_by_image(annotations: Iterable[Annotation | BadAnnotation], image_ids: Collection[Id]) -> dict[Id, list[Row]]:
    found: dict[Id, list[Row]] = {}
    for annotation in annotations if image_ids else ():
        if annotation.image_id in image_ids:
            found.setdefault(annotation.image_id, []).append(annotation.row)
    return found


def _licences(entries: Any) -> dict[Any, Licence]:
    """URL and name of each licence by its id; of none whose id is none, or stands twice."""
    entries = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    times = Counter(id_or_none(entry.get("id")) for entry in entries)
    return {
        key: (_words(entry.get("url")), _words(entry.get("name")))
        for entry in entries
        if times[key := id_or_none(entry.get("id"))] == 1 and key is not None
    }


def _words(value: Any) -> str | None:
    text = read_text(value)
    return (text[:_LONGEST_WORDS].replace("\0", "").strip() or None) if text else None


@contextlib.contextmanager
def _naming(name: str, document: Document, part: str, row: Row) -> Iterator[None]:
    """Name the row of a part that can't be kept. Raises BadInput where there is one."""
    try:
        yield
    except lossless.TooDeep as problem:
        rows = document.fields.get(part, ())
        place = next((row_name(part, place, row) for place, other in enumerate(rows) if other is row), part)
        raise BadInput(f"{name}: {place}: {problem}") from problem


def _details(document: Document, keypoint_problems: Iterable[tuple[Id, str]]) -> dict[Id, str]:
    problems: dict[Id, list[str]] = {}
    for image_id, problem in keypoint_problems:
        problems.setdefault(image_id, []).append(problem)
    details = {image_id: f"keypoints left out: {count_problems(found)}" for image_id, found in problems.items()}
    flat = {one.image_id: one.problem for one in reversed(document.flat_annotations)}  # of several the first, too
    for image_id, problem in flat.items():
        box = f"box left out, the others stay: {problem}"
        details[image_id] = f"{box}; {details[image_id]}" if image_id in details else box
    for bad in reversed(document.bad_annotations):  # of several in one image, the first is told
        details[bad.image_id] = f"annotation unreadable, so left out: {bad.problem}"
    return {image_id: detail[:_LONGEST_DETAIL] for image_id, detail in details.items()}


def _notes(
    name: str, document: Document, categories: Collection[str], keypoint_problems: Sequence[str]
) -> tuple[str, ...]:
    notes = []
    twice = [str(file) for file, count in Counter(i.file_name for i in document.images.values()).items() if count > 1]
    if twice:
        notes.append(f"{name}: of images of one file name the last counts: {listed(sorted(twice), _EXAMPLES)}")
    found = Counter(annotation.category for annotation in document.annotations)
    if found and not found.keys() & set(categories):  # a name that is spelled in another way, most likely
        named = listed([f"{quoted(category)} ({count})" for category, count in found.most_common()], _EXAMPLES)
        notes.append(f"{name}: none of its boxes is of the recipe's categories {quoted([*categories])}, but of {named}")
    elif near := _misspelled(found, categories):
        notes.append(f"{name}: boxes of {near} are left out, since case and blanks count")
    ids = (id_or_none(row.get("id")) for row in document.fields["annotations"])
    if repeated := repeated_ids(one for one in ids if one is not None):
        named = listed([*map(quoted, repeated)], _EXAMPLES)
        notes.append(f"{name}: several annotations have one id, and all are kept: {named}")
    if keypoint_problems:
        notes.append(
            f"{name}: the keypoints of {len(keypoint_problems)} figures are left out, their boxes stay: "
            f"{count_problems(keypoint_problems)}"
        )
    return tuple(notes)


def _misspelled(found: Mapping[str, int], categories: Collection[str]) -> str:
    """Categories of the file that are the recipe's but for case and blanks; "" for none."""
    wanted = {"".join(category.split()).casefold(): category for category in categories}
    pairs = [(category, wanted.get("".join(category.split()).casefold())) for category in sorted(found)]
    near = [(category, meant) for category, meant in pairs if meant and category not in categories]
    return listed([f"{quoted(one)} ({found[one]}; the recipe has {quoted(meant)})" for one, meant in near], _EXAMPLES)


def figure(
    category: str, xywh_px: list[float], *, is_crowd: bool = False, keypoints_xyv: list[float] | None = None
) -> Figure:
    """A figure that somebody drew, as tables hold it: without a score, and with nothing beside."""
    drawn = {"category": category, "xywh_px": xywh_px, "is_crowd": is_crowd, "keypoints_xyv": keypoints_xyv}
    return {**_NO_FIGURE, **drawn}


def figures_of_categories(figures: Sequence[Figure], categories: Collection[str]) -> list[Figure]:
    """The figures of the recipe's categories, in one order whatever the file's."""

    def order(figure: Figure) -> tuple[str, str]:
        # as FIGURE first: which of equal boxes is the second was settled before there was more to go by
        plain = {field.name: figure[field.name] for field in FIGURE}
        return json.dumps(plain, sort_keys=True), json.dumps(figure, sort_keys=True)

    return sorted((figure for figure in figures if figure["category"] in categories), key=order)
