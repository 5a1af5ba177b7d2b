"""What a box is: the one rule for COCO's `bbox`, whoever wrote it.

A box is a list of four finite numbers, x, y, width and height in px, x and y of its upper left corner. Both sides are
above 0, and no number is beyond MAX_PX. x and y may be negative, and the box may reach beyond its picture: it stays as
drawn.
"""

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


class BadBox(ValueError):
    """A value that is no box; the message says what was expected and what was met."""


class EmptyBox(BadBox):
    """Four good numbers, of which a side is 0: a box that holds nothing, as detectors leave at a picture's edge."""


def read_number(value: Any) -> float:
    """The finite number that a JSON value is: a number, or text that says one. True and false are no numbers.

    Raises ValueError for anything else.

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
    """The numbers of a list, none of them beyond MAX_PX.

    Raises ValueError for what is no list, and for the first value that is no such number.
    """
    if not isinstance(values, list | tuple):
        raise ValueError(f"expected a list of numbers, got {quoted(values)}")
    numbers = [read_number(value) for value in values]
    if max(map(abs, numbers), default=0.0) > MAX_PX:
        raise ValueError(f"expected numbers of at most {MAX_PX:.0f} px, got {quoted(values)}")
    return numbers


def read_box(value: Any) -> list[float]:
    """x, y, width and height in px, out of a `bbox`.

    Raises EmptyBox where a side is 0 and all else is right, BadBox for anything else that is no box.

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
        numbers = [math.nan if _is_nan(one) else read_number(one) for one in value]
    except ValueError:
        return False
    return any(map(math.isnan, numbers)) or min(numbers[2:]) <= 0


def _is_nan(value: Any) -> bool:
    return (isinstance(value, float) and math.isnan(value)) or (
        isinstance(value, str) and value.strip().lower() == "nan"
    )


def box_array(xywh_px: pa.Array | pa.ChunkedArray) -> NDArray[np.float64]:
    """(N, 4) x, y, width and height in px of a column of boxes.

    Raises BadBox, as `read_box` does, for the first that is none.
    """
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
    """Whether `iscrowd` says that a box stands for a crowd: 1 and true do; 0, false, null and no such field do not.

    Raises ValueError for anything else.

    >>> read_is_crowd(1), read_is_crowd(False), read_is_crowd(None)
    (True, False, False)
    """
    if value is None:
        return False
    if not isinstance(value, int | float) or value not in (0, 1):
        raise ValueError(f"expected iscrowd to be 0 or 1, got {quoted(value)}")
    return bool(value)
