"""What an outline is: the one rule for COCO's `segmentation` that a table holds and our own COCO files show.

Polygons: a list of one or more, each a flat list x, y, x, y ... of at least three points, in px. Run lengths (RLE): an
object of `size` [height, width], that of its image, and `counts`: lengths of runs of pixels in column order, without
and within the figure in turn, as a list of whole numbers or in pycocotools' compressed text. All runs together are as
long as the image has pixels: pycocotools reads beyond its memory where they are not.
"""

import json
import math
from typing import Any

from tasks.core.coco.box import MAX_PX

_LEAST_NUMBERS = 6
_BITS, _MOST_DIGITS = 5, 7
_FIRST_LETTER, _LETTERS = 48, 64


def is_segmentation(value: Any, size_px: tuple[int | None, int | None]) -> bool:
    """Whether a JSON value is an outline. size_px: width and height of its image, None where nobody says it: then run
    lengths are none.

    >>> is_segmentation([[1, 1, 5, 1, 5, 5.5]], (9, 9)), is_segmentation([], (9, 9))
    (True, False)
    >>> is_segmentation({"size": [2, 3], "counts": [1, 5]}, (3, 2))
    True
    """
    if isinstance(value, list):
        return bool(value) and all(map(_is_polygon, value))
    return isinstance(value, dict) and _is_rle(value, size_px)


def read_outline(text: str) -> Any:
    """The value of an outline that stands in a table as JSON text.

    Raises ValueError for what is no JSON.
    """
    try:
        return json.loads(text)
    except RecursionError as problem:
        raise ValueError(f"expected JSON, got {text[:40]!r}") from problem


def _is_polygon(value: Any) -> bool:
    if not isinstance(value, list) or len(value) < _LEAST_NUMBERS or len(value) % 2:
        return False
    if not {*map(type, value)} <= {int, float}:
        return False
    return min(value) >= -MAX_PX and max(value) <= MAX_PX and not any(map(math.isnan, value))


def _is_rle(value: dict[str, Any], size_px: tuple[int | None, int | None]) -> bool:
    size, counts = value.get("size"), value.get("counts")
    if value.keys() != {"size", "counts"} or not _is_size(size, size_px):
        return False
    try:
        runs = decode_counts(counts) if isinstance(counts, str) else counts
    except ValueError:
        return False
    return isinstance(runs, list) and _are_counts(runs) and sum(runs) == math.prod(size or ())


def _is_size(value: Any, size_px: tuple[int | None, int | None]) -> bool:
    if not isinstance(value, list) or len(value) != 2 or {*map(type, value)} != {int}:
        return False
    return tuple(reversed(value)) == size_px


def _are_counts(value: list[Any]) -> bool:
    return {*map(type, value)} <= {int} and min(value, default=0) >= 0


def decode_counts(text: str) -> list[int]:
    """The run lengths of pycocotools' compressed text: numbers in letters of 5 bits, least ones first, the sixth bit
    for "more"; from the fourth on, each as what it differs by from the one before the last
    (https://github.com/cocodataset/cocoapi/blob/master/common/maskApi.c, rleFrString).

    Raises ValueError for text that is none.

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


def box_polygon(xywh_px: list[float]) -> list[list[float]]:
    """A box as its own outline, in the order in which PoPArt (section 3.4) writes it.

    >>> box_polygon([1, 2, 3, 4])
    [[4, 2, 4, 6, 1, 6, 1, 2]]
    """
    x, y, width, height = xywh_px
    return [[x + width, y, x + width, y + height, x, y + height, x, y]]
