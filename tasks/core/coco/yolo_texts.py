"""YOLO's texts, one an image, read as the COCO document that they come to (docs.ultralytics.com/datasets).

| line | what it becomes |
|---|---|
| `class x_centre y_centre width height` | a box |
| `class x y x y x y ...`, three points or more | an outline, and the box around it |
| a box, and the key points that `kpt_shape` counts | a box with keypoints |
| a box and one number more | none: a detector's, with its confidence |

All numbers but the class are shares of the sides of the upright picture (EXIF orientation applied), as trainers see it.
A line that can't be read stands as `unread` in its annotation: of such an image nobody knows what is in it. A text
without a line is of an image that somebody has looked at, and found nothing. Lines have no ids, images their paths.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from schemas.phrases import quoted
from tasks.core.coco.box import read_number
from tasks.core.coco.reader import SizePx, Unread
from tasks.core.coco.tool_files import Row, outlined
from tasks.core.coco.yolo_classes import YoloClasses

MAX_BYTES, MAX_LINES = 4_000_000, 100_000
"""Of a text: far more than the figures of a picture need."""
TOLERANCE = 0.01
"""So far beyond 0 and 1 shares are read as they are: Ultralytics trains on such boxes, whose writers have rounded."""
_CLASS = re.compile(r"[0-9]{1,6}(?:\.0*)?")
_DIGITS = 6
"""After the point, in px: below what nine digits of a share say of the longest side."""
_BOX, _LEAST_OUTLINE = 4, 6
_LONGEST_TEXT = 200


class LabelledImage(NamedTuple):
    """An image, by its path, and its text. size_px: of the upright picture. problem: why neither can be used."""

    path: str
    size_px: SizePx
    text: bytes
    problem: str = ""


def yolo_document(images: Iterable[LabelledImage], classes: YoloClasses) -> Row:
    """The document. Its images and their annotations have no other ids than paths: so a further image changes nothing
    that is said of the others.
    """
    rows, annotations = list[Row](), list[Row]()
    for image in images:
        width, height = image.size_px
        sides = {"width": width, "height": height} if width and height else {}
        rows.append({"id": image.path, "file_name": image.path, **sides})
        drawn = [_unread("", image.problem)] if image.problem else rows_of_text(image.text, image.size_px, classes)
        annotations += ({"image_id": image.path, **row} for row in drawn)
    categories = [
        {"id": number + 1, "name": name, **({"keypoints": joints} if (joints := classes.joints.get(number)) else {})}
        for number, name in classes.names.items()
    ]
    return {"images": rows, "annotations": annotations, "categories": categories}


def rows_of_text(data: bytes, size_px: SizePx, classes: YoloClasses) -> list[Row]:
    r"""The annotations of an image, without its id: of each line that says something one; none of an empty text.

    size_px: width and height of the upright picture.

    >>> rows_of_text(b"0 0.5 0.5 0.5 0.5\n", (40, 20), YoloClasses({0: "person"}))
    [{'category_id': 1, 'iscrowd': 0, 'bbox': [10.0, 5.0, 20.0, 10.0]}]
    """
    if len(data) > MAX_BYTES:
        return [_unread("", f"expected at most {MAX_BYTES:,} bytes, got more")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return [_unread("", "expected text in UTF-8, got other bytes")]
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MAX_LINES:
        return [_unread("", f"expected at most {MAX_LINES:,} lines, got {len(lines):,}")]
    width, height = size_px
    if lines and not (width and height):
        return [_unread("", "expected an image whose sides are known, got one of unknown sides")]
    return [_row(number, words, (width or 0, height or 0), classes) for number, words in lines]


def _unread(text: str, problem: str) -> Row:
    return {"unread": Unread(text[:_LONGEST_TEXT], problem)}


def _row(number: int, words: Sequence[str], size_px: tuple[int, int], classes: YoloClasses) -> Row:
    """The annotation of a line; of one that can't be read, its text and the problem."""
    try:
        name, *others = words
        if _CLASS.fullmatch(name) is None or int(float(name)) not in classes.names:
            raise ValueError(f"expected the number of a class that has a name, got {quoted(name)}")
        drawn = _drawn(others, size_px, classes)
    except ValueError as problem:
        return _unread(" ".join(words), f"line {number}: {problem}")
    return {"category_id": int(float(name)) + 1, "iscrowd": 0, **drawn}


def _drawn(words: Sequence[str], size_px: tuple[int, int], classes: YoloClasses) -> Row:
    """Box, outline and keypoints of a line by how many numbers follow its class. Raises ValueError for another line."""
    count, pose = len(words), _BOX + classes.points * classes.point_size
    if count == _BOX:
        return {"bbox": _box(words, size_px)}
    if count == pose:
        return {"bbox": _box(words[:_BOX], size_px), **_keypoints(words[_BOX:], size_px, classes.point_size)}
    if count == _BOX + 1:
        raise ValueError("expected 4 numbers after the class, got a fifth, as detectors write their confidence")
    if classes.points:
        raise ValueError(f"expected 4 numbers after the class, or {pose} as kpt_shape says, got {count}")
    if count < _LEAST_OUTLINE or count % 2:
        hint = "; key points need kpt_shape in data.yaml" if count > _LEAST_OUTLINE else ""
        raise ValueError(f"expected 4 numbers after the class, or three points or more, got {count} numbers{hint}")
    return outlined(_points(words, size_px))


def _box(words: Sequence[str], size_px: tuple[int, int]) -> list[float]:
    """x, y, width and height in px. NaN stays: what boxes of no extent are, COCO's reader says."""
    x, y, wide, high = (math.nan if word.lower() == "nan" else _share(word) for word in words)
    width, height = size_px
    found = ((x - wide / 2) * width, (y - high / 2) * height, wide * width, high * height)
    return [round(number, _DIGITS) for number in found]


def _points(words: Sequence[str], size_px: tuple[int, int]) -> list[tuple[float, float]]:
    width, height = size_px
    shares = [_share(word) for word in words]
    return [
        (round(x * width, _DIGITS), round(y * height, _DIGITS)) for x, y in zip(shares[::2], shares[1::2], strict=True)
    ]


def _keypoints(words: Sequence[str], size_px: tuple[int, int], point_size: int) -> Row:
    """COCO's `keypoints` of x, y and visibility. A point at 0, 0 that says no visibility is one that is not marked."""
    places = [word for place, word in enumerate(words) if place % point_size < 2]
    points = _points(places, size_px)
    seen = [_visibility(word) for word in words[2::3]] if point_size == 3 else [2 * any(point) for point in points]
    numbers = [number for (x, y), v in zip(points, seen, strict=True) for number in ((x, y, v) if v else (0.0, 0.0, 0))]
    return {"keypoints": numbers, "num_keypoints": sum(v > 0 for v in seen)}


def _visibility(word: str) -> int:
    number = read_number(word)
    if number not in (0, 1, 2):
        raise ValueError(f"expected a visibility of 0, 1 or 2, got {quoted(word)}, as detectors write their confidence")
    return int(number)


def _share(word: str) -> float:
    """A share of a side. Raises ValueError for what is none, or lies beyond 0 and 1."""
    number = read_number(word)
    if not -TOLERANCE <= number <= 1 + TOLERANCE:
        raise ValueError(f"expected shares of a picture's sides, from 0 to 1, got {quoted(word)}")
    return number
