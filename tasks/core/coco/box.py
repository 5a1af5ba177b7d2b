"""What a box and an outline are: the one rule for COCO's `bbox` and `segmentation`, whoever wrote them.

A box is a list of four finite numbers, x, y, width and height in px, x and y of its upper left corner. Both sides are
above 0, and no number is beyond MAX_PX. x and y may be negative, and the box may reach beyond its picture.

An outline is polygons: a list of one or more, each a flat list x, y, x, y ... of at least three points, in px; or run
lengths (RLE): an object of `size` [height, width], that of its image, and `counts`: lengths of runs of pixels in column
order, without and within the figure in turn, as a list of whole numbers or in pycocotools' compressed text. All runs
together are as long as the image has pixels: pycocotools reads beyond its memory where they are not.
"""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.phrases import quoted
from tasks.core.columns import whole

MAX_PX = 1e7
"""The farthest coordinate and the longest side of a box, in px. No picture is so large, and its square is exact."""


_MOST_SIDE_PX = 100_000
_LONGEST_OUTLINE_PX = 1e7


class BadBox(ValueError):
    """A value that is no box; the message says what was expected and what was met."""


class EmptyBox(BadBox):
    """Four good numbers, of which a side is 0: as detectors leave at a picture's edge."""


def read_number(value: Any) -> float:
    """The finite number that a JSON value is: a number, or text that says one. Raises ValueError for all else.

    >>> read_number(3), read_number("3.5")
    (3.0, 3.5)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"expected a number, got {quoted(value)}")
    try:
        if isinstance(value, str) and "_" in value:  # as in Python's own 1_000, and in no file of numbers
            raise ValueError(value)
        number = float(value)
    except (ValueError, OverflowError) as problem:
        raise ValueError(f"expected a number, got {quoted(value)}") from problem
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, got {quoted(value)}")
    return number


def read_coordinates(values: Any) -> list[float]:
    """The numbers of a list, none of them beyond MAX_PX. Raises ValueError for anything else."""
    if not isinstance(values, list | tuple):
        raise ValueError(f"expected a list of numbers, got {quoted(values)}")
    numbers = [read_number(value) for value in values]
    if max(map(abs, numbers), default=0.0) > MAX_PX:
        raise ValueError(f"expected numbers of at most {MAX_PX:.0f} px, got {quoted(values)}")
    return numbers


def read_box(value: Any) -> list[float]:
    """x, y, width and height in px. Raises EmptyBox where only a side is 0, BadBox for anything else that is no box.

    >>> read_box([1, 2, 3, 4.5])
    [1.0, 2.0, 3.0, 4.5]
    """
    try:
        numbers = read_coordinates(value)
    except ValueError as problem:
        raise BadBox(f"expected a box as [x, y, width, height] in px: {problem}") from problem
    if len(numbers) != 4:
        raise BadBox(f"expected a box as [x, y, width, height] in px, got {len(numbers)} numbers")
    if min(numbers[2:]) <= 0:
        kind = EmptyBox if min(numbers[2:]) == 0 else BadBox
        raise kind(f"expected a box of positive width and height, got {quoted(value)}")
    return numbers


def is_flat_box(value: Any) -> bool:
    """Whether a `bbox` is a list of four numbers that enclose nothing: a side is 0 or less, or a number is NaN.

    Somebody has clicked, or a program has divided by 0: it says nothing of the picture, and its neighbours stay right.

    >>> is_flat_box([1, 2, 0, 4]), is_flat_box([1, 2, 3, float("nan")]), is_flat_box([1, 2, 3])
    (True, True, False)
    """
    if not isinstance(value, list | tuple) or len(value) != 4:
        return False
    try:
        numbers = [math.nan if str(one).strip().lower() == "nan" else read_number(one) for one in value]
    except ValueError:
        return False
    return any(map(math.isnan, numbers)) or min(numbers[2:]) <= 0


def box_array(xywh_px: pa.Array | pa.ChunkedArray) -> NDArray[np.float64]:
    """(N, 4) x, y, width, height in px of a column of boxes. Raises BadBox for the first that is none."""
    boxes = whole(xywh_px)
    is_there = boxes.is_valid().to_numpy(zero_copy_only=False)
    numbers = np.full((len(boxes), 4), np.nan)
    numbers[is_there] = boxes.flatten().to_numpy(zero_copy_only=False).reshape(-1, 4)
    is_box = (np.abs(numbers) <= MAX_PX).all(1) & (numbers[:, 2:] > 0).all(1)
    if not is_box.all():
        read_box(boxes[int(np.argmin(is_box))].as_py())
    return numbers


def area_px2(xywh_px: Sequence[float]) -> float:
    """Width times height.

    >>> area_px2([1, 2, 3, 4.5])
    13.5
    """
    return xywh_px[2] * xywh_px[3]


def read_is_crowd(value: Any) -> bool:
    """Whether `iscrowd` says that a box stands for a crowd. Raises ValueError for others than 0, 1, true, false, null.

    >>> read_is_crowd(1), read_is_crowd(False), read_is_crowd(None)
    (True, False, False)
    """
    if value is None:
        return False
    if not isinstance(value, int | float) or value not in (0, 1):
        raise ValueError(f"expected iscrowd to be 0 or 1, got {quoted(value)}")
    return bool(value)


_LEAST_NUMBERS = 6
_BITS, _MOST_DIGITS = 5, 7
_FIRST_LETTER, _LETTERS = 48, 64


def is_segmentation(value: Any, size_px: tuple[int | None, int | None]) -> bool:
    """Whether a JSON value is an outline. size_px: width, height of its image; without both run lengths are none.

    >>> is_segmentation([[1, 1, 5, 1, 5, 5.5]], (9, 9)), is_segmentation([], (9, 9))
    (True, False)
    >>> is_segmentation({"size": [2, 3], "counts": [1, 5]}, (3, 2))
    True
    """
    if isinstance(value, list):
        return bool(value) and all(map(_is_polygon, value))
    return isinstance(value, dict) and _is_rle(value, size_px)


def read_outline(text: str) -> Any:
    """The value of an outline's JSON text in a table. Raises ValueError for what is no JSON."""
    try:
        return json.loads(text)
    except RecursionError as problem:
        raise ValueError(f"expected JSON, got {text[:40]!r}") from problem


def _is_polygon(value: Any) -> bool:
    if not isinstance(value, list) or len(value) < _LEAST_NUMBERS or len(value) % 2:
        return False
    are_numbers = {*map(type, value)} <= {int, float}
    return are_numbers and min(value) >= -MAX_PX and max(value) <= MAX_PX and not any(map(math.isnan, value))


def _is_rle(value: dict[str, Any], size_px: tuple[int | None, int | None]) -> bool:
    size, counts = value.get("size"), value.get("counts")
    if value.keys() != {"size", "counts"} or not isinstance(size, list) or [*map(type, size)] != [int, int]:
        return False
    try:
        runs = decode_counts(counts) if isinstance(counts, str) else counts
    except ValueError:
        return False
    if not isinstance(runs, list) or not {*map(type, runs)} <= {int} or min(runs, default=0) < 0:
        return False
    return (size[1], size[0]) == size_px and sum(runs) == math.prod(size)


def decode_counts(text: str) -> list[int]:
    """The run lengths of pycocotools' compressed text: numbers in letters of 5 bits, least ones first, the sixth bit
    for "more"; from the fourth on, each as what it differs by from the one before the last
    (https://github.com/cocodataset/cocoapi/blob/master/common/maskApi.c, rleFrString). Raises ValueError for others.

    >>> decode_counts("61X1")
    [6, 1, 40]
    """
    counts: list[int] = []
    digits: list[int] = []
    for letter in text:
        code = ord(letter) - _FIRST_LETTER
        if not 0 <= code < _LETTERS or len(digits) == _MOST_DIGITS:
            raise ValueError(f"expected run lengths in compressed text, got {text[:40]!r}")
        digits.append(code & 0x1F)
        if not code & 0x20:
            number = sum(digit << _BITS * place for place, digit in enumerate(digits))
            number -= (code & 0x10 and 1) << _BITS * len(digits)
            counts.append(number + (counts[-2] if len(counts) > 2 else 0))
            digits = []
    if digits:
        raise ValueError(f"expected run lengths in compressed text, got its beginning {text[:40]!r}")
    return counts


def run_lengths(polygons: Sequence[Sequence[float]], size_px: tuple[int, int]) -> dict[str, Any]:
    """The pixels within any of the polygons as run lengths, by pycocotools' own rule. size_px: width, height.

    What lies beyond the image is drawn to its edge. Raises ValueError for no polygons, a picture of sides that no image
    has, and outlines so long that to draw them would take minutes and gigabytes.

    >>> run_lengths([[0, 0, 2, 0, 2, 2, 0, 2]], (3, 4))
    {'size': [4, 3], 'counts': [0, 2, 2, 2, 6]}
    """
    from pycocotools import mask  # takes a while to import, and crowds with an outline are rare

    width, height = size_px
    if not is_segmentation(polygons, size_px) or not 0 < min(size_px) <= max(size_px) <= _MOST_SIDE_PX:
        raise ValueError(f"expected polygons in an image, got {quoted(polygons)} in {width} x {height} px")
    inside = [np.clip(np.reshape(polygon, (-1, 2)), 0, size_px) for polygon in polygons]
    length_px = sum(float(np.abs(polygon - np.roll(polygon, 1, axis=0)).sum()) for polygon in inside)
    if length_px > _LONGEST_OUTLINE_PX:
        raise ValueError(f"expected outlines of at most {_LONGEST_OUTLINE_PX:.0f} px, got {length_px:.0f} px")
    inside = [polygon.ravel().tolist() for polygon in inside]
    found = mask.merge(mask.frPyObjects(inside, height, width))
    return {"size": [height, width], "counts": decode_counts(found["counts"].decode())}


def box_polygon(xywh_px: list[float]) -> list[list[float]]:
    """A box as its own outline, in the order in which PoPArt (section 3.4) writes it.

    >>> box_polygon([1, 2, 3, 4])
    [[4, 2, 4, 6, 1, 6, 1, 2]]
    """
    x, y, width, height = xywh_px
    return [[x + width, y, x + width, y + height, x, y + height, x, y]]
