"""A COCO document, read and checked once: the door by which sources, detectors' results and the truth come in.

Format: Lin et al., "Microsoft COCO" (2014), and https://cocodataset.org/#format-data. Annotations need no ids.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, Self

from schemas.errors import BadInput
from schemas.keypoints import DEFAULT, KeypointScheme, shipped_schemes
from schemas.phrases import quoted
from schemas.stand_ins import stand_in
from tasks.core.coco.box import area_px2, is_flat_box, read_box, read_is_crowd, read_number
from tasks.core.coco.ids import Id, check_unique, id_or_none, read_id, read_number_id
from tasks.core.coco.keypoints import BadKeypoints, check_names, read_keypoints
from tasks.core.passed_over import Tally

Row = Mapping[str, Any]
Schemes = Mapping[str, KeypointScheme | None]
"""The scheme of each category by its name, None where it has no keypoints; all others have the default."""
SizePx = tuple[int | None, int | None]
"""Width and height, each None where a file does not say it."""
_MAX_SIDE_PX = 2**31 - 1
"""As far as a column can hold it."""
_PARTS = ("images", "annotations", "categories")
MAX_AREA_PX2 = 1e14
"""That of the largest box."""
_DEFAULTS: Schemes = {}


class CocoImage(NamedTuple):
    """One of `images`. file_name: None where it has none. row: all its fields, as the file has them."""

    image_id: Id
    file_name: str | None
    row: Row

    @property
    def metadata(self) -> Row:
        """Its `metadata`, an extension of ours and PoPArt's; empty where it has none."""
        metadata = self.row.get("metadata")
        return metadata if isinstance(metadata, dict) else {}

    @property
    def size_px(self) -> "SizePx":
        """Its `width` and `height`."""
        return read_side_px(self.row.get("width")), read_side_px(self.row.get("height"))


class Annotation(NamedTuple):
    """One of `annotations`. category: its name. own_area_px2: the file's `area`; None for none, or an impossible one.

    keypoints_xyv: x, y, v of each joint of the category's scheme, or None. keypoints_problem: why there are none, where
    the file has some. row: all its fields, as the file has them.
    """

    image_id: Id
    category: str
    xywh_px: list[float]
    own_area_px2: float | None
    is_crowd: bool
    keypoints_xyv: list[float] | None
    keypoints_problem: str | None
    row: Row

    @property
    def area_px2(self) -> float:
        """The file's own `area`, else that of the box."""
        return area_px2(self.xywh_px) if self.own_area_px2 is None else self.own_area_px2


class Unread(str):
    """What a tool's file says in a row's place and its reader could not read, and the problem, in words.

    Under `unread` of an annotation it makes unknown what is in the image. No JSON has it: a text there is a text.
    """

    problem: str

    def __new__(cls, text: str, problem: str) -> Self:
        """The text itself is its value."""
        unread = str.__new__(cls, text)
        unread.problem = problem
        return unread


class BadAnnotation(NamedTuple):
    """One of `annotations` that can't be read, and why: it makes unknown what is in its image."""

    image_id: Id
    category: str
    problem: str
    row: Row


class Document(NamedTuple):
    """A COCO document. images: in the order of the file, by id. categories: names by id. info: empty if it has none.

    fields: all that the file has, as it has it. flat_annotations: those whose box encloses nothing (`is_flat_box`), in
    images with good boxes of their category; without these it is bad: somebody has marked a figure, nobody knows where.
    """

    images: dict[Id, CocoImage]
    categories: dict[Id, str]
    annotations: list[Annotation]
    bad_annotations: list[BadAnnotation]
    info: Row
    fields: Row
    flat_annotations: list[BadAnnotation]


class LeftOut(NamedTuple):
    """What was left out of a file's lists of images and of annotations."""

    images: Tally
    annotations: Tally


def read_document(name: str, data: bytes, schemes: Schemes | None = _DEFAULTS) -> Document:
    """The images, categories and annotations of a COCO file, as `read_fields`."""
    return read_fields(name, read_keys_once(name, data), schemes)


def read_fields(
    name: str, document: Any, schemes: Schemes | None = _DEFAULTS, left_out: LeftOut | None = None
) -> Document:
    """The images, categories and annotations of a COCO file's JSON value. `name` is for messages.

    schemes: None takes keypoints as they are, whatever the file calls them. left_out: where it is given, entries that
    say nothing are counted there and left out (`without_odd_entries`), and an annotation whose category the file does
    not have is one that can't be read.

    Raises BadInput for anything but a COCO file: no JSON, no lists of objects under `images`, `annotations` and
    `categories`, a key that stands twice in an object, ids that are none or stand twice, an image without a file name,
    a category without a name, and annotations whose image or category the file does not have. Keypoints that are not of
    the category's scheme (see tasks.core.coco.keypoints) are left out of their annotations, which keep the reason.
    """
    places = None
    if left_out is not None:
        document, places = without_odd_entries(document, left_out)
    images = read_images(name, document, places)
    for place, image in enumerate(images.values()):
        if image.file_name is None:
            got = quoted(image.row.get("file_name"))
            raise BadInput(f"{name}: expected {row_name('images', place, image.row)} to have a file_name, got {got}")
    categories = read_categories(name, document)
    annotations, unread, lost = _annotations(name, document, images, categories, schemes)
    if lost and (left_out is None or not categories):
        raise BadInput(
            f"{name}: expected every annotation to have an image_id and a category_id of the file, got {len(lost)} "
            f"without, the first {lost[0]}"
        )
    good = {(one.image_id, one.category) for one in annotations} if unread else set()
    flat, bad = list[BadAnnotation](), list[BadAnnotation]()
    for one in unread:
        is_beside_good = is_flat_box(one.row.get("bbox")) and (one.image_id, one.category) in good
        (flat if is_beside_good else bad).append(one)
    info = document.get("info")
    return Document(images, categories, annotations, bad, info if isinstance(info, dict) else {}, document, flat)


def read_json(name: str, data: bytes, object_pairs_hook: Any = None) -> Any:
    """What JSON says, by any of its encodings. Raises BadInput for what is none."""
    if (words := stand_in(data)) is not None:
        raise BadInput(f"{name}: expected JSON, got {words}")
    try:
        return json.loads(data, object_pairs_hook=object_pairs_hook)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{name}: expected JSON, got something else ({str(problem)[:120]})") from problem


def read_keys_once(name: str, data: bytes) -> Any:
    """As `read_json`. Raises BadInput for a key that stands twice in an object, too: readers of JSON lose a value."""
    repeated: list[tuple[dict[str, Any], str, int]] = []

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.append((found, *Counter(key for key, _ in pairs).most_common(1)[0]))
        return found

    document = read_json(name, data, fields)
    if repeated:
        holder, key, times = repeated[0]
        if holder is document and key in _PARTS:
            raise BadInput(f"{name}: expected one list under '{key}', got {times}")
        place = _place_of(holder, document)
        raise BadInput(f"{name}: expected each key once in an object, got {quoted(key)} {times} times in {place}")
    return document


def _place_of(holder: Row, document: Any) -> str:
    """What messages call the entry in which an object stands at any depth, or which it is."""
    for part in _PARTS if isinstance(document, dict) else ():
        rows = document.get(part)
        for place, row in enumerate(rows if isinstance(rows, list) else ()):
            level = [row] if isinstance(row, dict) else []
            while level:
                if any(one is holder for one in level):
                    return row_name(part, place, row)
                objects, lists = ([one for one in level if isinstance(one, kind)] for kind in (dict, list))
                level = [*chain(*lists, *(one.values() for one in objects))]
    return "its fields"


def row_name(part: str, place: int, row: Row) -> str:
    """What a row is called in messages: its place in the list, and its id.

    >>> row_name("annotations", 3, {"id": 7}), row_name("images", 0, {})
    ('annotations[3] (id 7)', 'images[0] (no id)')
    """
    number = f"id {quoted(row['id'])}" if "id" in row else "no id"
    return f"{part}[{place}] ({number})"


def read_images(name: str, document: Any, places: Sequence[int] | None = None) -> dict[Id, CocoImage]:
    """The images of a COCO document by id, in its order. places: theirs in the file's list, where others were left out.

    Raises BadInput for a document without a list of them, and for ids that are none or stand twice.
    """
    rows = _rows(name, document, "images")
    places = range(len(rows)) if places is None else places
    images = [
        CocoImage(_id(name, f"images[{place}].id", row.get("id")), read_text(row.get("file_name")), row)
        for place, row in zip(places, rows, strict=True)
    ]
    check_unique(name, "image", [image.image_id for image in images], places)
    return {image.image_id: image for image in images}


def read_categories(name: str, document: Any) -> dict[Id, str]:
    """Names of the categories by id. Raises BadInput as `read_images` does, and for a category without a name."""
    ids, names = list[Id](), list[str]()
    for place, row in enumerate(_rows(name, document, "categories")):
        ids.append(_id(name, f"categories[{place}].id", row.get("id")))
        category = row.get("name")
        if isinstance(category, bool) or not isinstance(category, str | int | float):
            raise BadInput(f"{name}: expected categories[{place}].name to be text, got {quoted(category)}")
        names.append(str(category))
    check_unique(name, "category", ids)
    return dict(zip(ids, names, strict=True))


def read_text(value: Any) -> str | None:
    """Text that can be stored and name a file, halves of characters as question marks; None for all else."""
    return value.encode(errors="replace").decode() if isinstance(value, str) and value else None


def read_side_px(value: Any) -> int | None:
    """The width or height that an annotation file says of its image; None for what is no whole number above 0.

    >>> read_side_px(640), read_side_px(0), read_side_px("wide")
    (640, None, None)
    """
    try:
        side_px = read_number_id(value)
    except ValueError:
        return None
    return min(side_px, _MAX_SIDE_PX) if side_px > 0 else None


def _annotations(
    name: str, document: Any, images: Mapping[Id, CocoImage], categories: Mapping[Id, str], schemes: Schemes | None
) -> tuple[list[Annotation], list[BadAnnotation], list[str]]:
    """The annotations; those that can't be read; and what messages call those of no image or category of the file."""
    joints = read_joints(name, document)
    annotations, bad, lost = list[Annotation](), list[BadAnnotation](), list[str]()
    for place, row in enumerate(_rows(name, document, "annotations")):
        image_id, category_id = id_or_none(row.get("image_id")), id_or_none(row.get("category_id"))
        if image_id is None or image_id not in images:
            lost.append(f"{row_name('annotations', place, row)}, image_id {quoted(row.get('image_id'))}")
            continue
        if isinstance(unread := row.get("unread"), Unread):
            bad.append(BadAnnotation(image_id, "", unread.problem, row))
            continue
        if category_id is None or category_id not in categories:
            got = quoted(row.get("category_id"))
            lost.append(f"{row_name('annotations', place, row)}, category_id {got}")
            bad.append(BadAnnotation(image_id, "", f"expected a category_id of the file, got {got}", row))
            continue
        category = categories[category_id]
        try:
            points = _keypoints(category, row.get("keypoints"), joints[category_id], schemes)
            box, area = read_box(row.get("bbox")), _own_area(row.get("area"))
            annotations.append(
                Annotation(image_id, category, box, area, read_is_crowd(row.get("iscrowd")), *points, row)
            )
        except ValueError as problem:
            bad.append(BadAnnotation(image_id, category, str(problem), row))
    return annotations, bad, lost


def _keypoints(
    category: str, value: Any, joints: Any, schemes: Schemes | None
) -> tuple[list[float] | None, str | None]:
    """The points of an annotation, or why it has none where the file gives some. joints: the names in the file."""
    if value is None or value == []:
        return None, None
    scheme = None if schemes is None else schemes.get(category, shipped_schemes()[DEFAULT])
    try:
        if schemes is None:
            return read_keypoints(value, len(value) // 3 if isinstance(value, list) else 0), None
        if scheme is None:
            raise BadKeypoints(
                f"expected none in category {quoted(category)}, which has no keypoints in the recipe, got some"
            )
        check_names(category, joints, scheme)
        return read_keypoints(value, len(scheme.joints)), None
    except BadKeypoints as problem:
        return None, str(problem)


def read_joints(name: str, document: Any) -> dict[Id, Any]:
    """What each category of a COCO file says of its keypoints, by its id: names of joints, or anything else."""
    return {read_id(row["id"]): row.get("keypoints") for row in _rows(name, document, "categories")}


def _own_area(value: Any) -> float | None:
    try:
        area = read_number(value)
    except ValueError:
        return None
    return area if 0 < area <= MAX_AREA_PX2 else None


def _id(name: str, what: str, value: Any) -> Id:
    try:
        return read_id(value)
    except ValueError as problem:
        raise BadInput(f"{name}: {what}: {problem}") from problem


def _rows(name: str, document: Any, part: str) -> list[Row]:
    if not isinstance(document, dict):
        raise BadInput(f"{name}: expected a COCO file, an object, got {type(document).__name__}")
    rows, problem = document.get(part), f"{name}: expected a COCO file, got no list of objects under '{part}'"
    if not isinstance(rows, list):
        raise BadInput(problem)
    for place, row in enumerate(rows):
        if not isinstance(row, dict):
            raise BadInput(f"{problem}: {part}[{place}] is {quoted(row)}")
    return rows


def without_odd_entries(document: Any, left_out: LeftOut) -> tuple[Any, list[int] | None]:
    """A source's document (others are refused) without images that nobody can find, and annotations of no image that is
    left; and the places of the images that stay in the list of the file. None: those that they have.

    What is no document of two such lists stays as it is, and so does an image whose id is none: the reader refuses
    both. An annotation whose category the file does not have stays, too: then nobody knows what is in its image.
    """
    if not isinstance(document, dict) or not all(isinstance(document.get(part), list) for part in LeftOut._fields):
        return document, None
    images: dict[int, Row] = {}
    for place, entry in _objects(document["images"], "images", left_out.images):
        if isinstance(entry.get("file_name"), str) and entry["file_name"]:
            images[place] = entry
        else:
            left_out.images.add("images without a file name", f"id {entry.get('id')}")
    ids = {id_or_none(image.get("id")) for image in images.values()} - {None}
    annotations = []
    for _, entry in _objects(document["annotations"], "annotations", left_out.annotations):
        if id_or_none(entry.get("image_id")) in ids:
            annotations.append(entry)
        else:
            left_out.annotations.add("annotations of no image of the file", f"id {entry.get('id')}")
    return {**document, "images": [*images.values()], "annotations": annotations}, [*images]


def _objects(entries: Iterable[Any], part: str, left_out: Tally) -> Iterable[tuple[int, Row]]:
    """The entries that are objects, each with its place in the list."""
    for place, entry in enumerate(entries):
        if isinstance(entry, dict):
            yield place, entry
        else:
            left_out.add(f"entries of `{part}` that are no objects", f"{part}[{place}]")
