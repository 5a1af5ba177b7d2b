"""A list in COCO's results format, read and checked once: detections of another program."""

from typing import Any, NamedTuple

from schemas.errors import BadInput
from schemas.keypoints import MOST_JOINTS
from schemas.phrases import quoted
from tasks.core.coco.box import EmptyBox, read_box, read_coordinates, read_number
from tasks.core.coco.ids import Id, read_id
from tasks.core.coco.reader import read_json


class Detection(NamedTuple):
    """One row of a results file. score: 0..1; any finite number, and sides of 0 px, where rows are taken as given.
    keypoints_xyv: x, y, visibility of each joint, or None.
    """

    image_id: Id
    category_id: Id
    xywh_px: list[float]
    score: float
    keypoints_xyv: list[float] | None


class Results(NamedTuple):
    """The detections of a results file, in its order. empty_boxes: how many were left out because a side is 0."""

    detections: list[Detection]
    empty_boxes: int


def read_results(name: str, data: bytes, *, as_given: bool = False) -> Results:
    """The detections of a file in COCO's results format. `name` is for messages.

    as_given: for scores of another program's results: any finite score, such as a margin, and boxes with a side of 0.
    Otherwise such a box, as detectors leave where they cut boxes at a picture's edge, holds nothing and is left out.
    Raises BadInput for what is no list of results, and for the first row whose id, box, score or keypoints are none.
    """
    rows = read_json(name, data)
    if not isinstance(rows, list):
        raise BadInput(f"{name}: expected COCO results, a list of boxes, got {type(rows).__name__}")
    detections, empty_boxes = [], 0
    for place, row in enumerate(rows):
        try:
            detections.append(_detection(row, as_given=as_given))
        except EmptyBox:
            empty_boxes += 1
        except ValueError as problem:
            raise BadInput(f"{name}[{place}]: {problem}") from problem
    return Results(detections, empty_boxes)


def _detection(row: Any, *, as_given: bool) -> Detection:
    if not isinstance(row, dict):
        raise ValueError(f"expected an object with image_id, category_id, bbox and score, got {quoted(row)}")
    ids = []
    for field in ("image_id", "category_id"):
        try:
            ids.append(read_id(row.get(field)))
        except ValueError as problem:
            raise ValueError(f"{field}: {problem}") from problem
    # the box last: an empty one hides no other mistake in its row
    score, keypoints = _score(row.get("score"), as_given=as_given), _keypoints(row.get("keypoints"))
    try:
        xywh = read_box(row.get("bbox"))
    except EmptyBox:
        if not as_given:
            raise
        xywh = read_coordinates(row.get("bbox"))
    return Detection(ids[0], ids[1], xywh, score, keypoints)


def _score(value: Any, *, as_given: bool) -> float:
    expected = "a finite score" if as_given else "a score of 0 to 1"
    try:
        score = read_number(value)
    except ValueError as problem:
        raise ValueError(f"expected {expected}, got {quoted(value)}") from problem
    if not (as_given or 0 <= score <= 1):
        raise ValueError(f"expected {expected}, got {quoted(value)}")
    return score


def _keypoints(value: Any) -> list[float] | None:
    if value is None or value == []:
        return None
    try:
        numbers = read_coordinates(value)
    except ValueError:
        numbers = []
    is_in_threes = 0 < len(numbers) <= 3 * MOST_JOINTS and len(numbers) % 3 == 0
    if not is_in_threes or not all(0 <= visibility <= 2 for visibility in numbers[2::3]):
        raise ValueError(f"expected keypoints as x, y, visibility of 0 to 2 each, got {quoted(value)}")
    return numbers
