"""What another program has found: a COCO results file, and the COCO file that says which images its ids are."""

import json
import math
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput

Floats = NDArray[np.float32]
_FARTHEST_PX = 1e7  # no picture is so large
_KEYPOINTS = 17  # COCO's, of a person
_NOTHING = slice(0, 0)


class Boxes(NamedTuple):
    """Boxes of one image, in the order of the file: xyxy_px (N, 4), scores (N,), labels (N,), keypoints_xyv (N, 17,
    3), NaN: none.
    """

    xyxy_px: Floats
    scores: Floats
    labels: NDArray[np.int64]
    keypoints_xyv: Floats

    def taken(self, rows: slice | NDArray[np.int64]) -> "Boxes":
        """Only these rows."""
        return Boxes(self.xyxy_px[rows], self.scores[rows], self.labels[rows], self.keypoints_xyv[rows])


class Elsewhere(NamedTuple):
    """What was found elsewhere, and in which images: image ids by SHA-256, by file name, and by its last part where
    that is unique.
    """

    by_sha256: Mapping[str, int]
    by_name: Mapping[str, int]
    by_base: Mapping[str, int]
    of_image: Mapping[int, slice]
    boxes: Boxes

    def image_id(self, sha256: str, names: Collection[str], bases: Collection[str]) -> int | None:
        """The listed image that a blob is: by its bytes, else by a name of it, else by a name's last part.

        None if it is none.
        """
        if sha256 in self.by_sha256:
            return self.by_sha256[sha256]
        for said, listed in ((names, self.by_name), (bases, self.by_base)):
            if found := [listed[name] for name in said if name in listed]:
                return min(found)
        return None

    def found(self, image_id: int) -> Boxes:
        """What was found in a listed image; nothing, if the results don't speak of it."""
        return self.boxes.taken(self.of_image.get(image_id, _NOTHING))


def elsewhere(document: bytes, results: bytes, classes: Collection[int]) -> Elsewhere:
    """Both files, read and checked. `classes`: category ids that are wanted; boxes of others are passed over.

    An image is known by `metadata.sha256` (ours) or `sha256`; where it has neither, by its `file_name`. Raises BadInput
    for what is no COCO file or no results, ids that repeat or that the document does not list, boxes that are none,
    scores outside 0..1, keypoints that are not 17 of x, y, visibility, and a category id that the document does not
    have.
    """
    rows = _images(_loaded("images", document), classes)
    by_sha256, by_name = {}, {}
    for number, sha256, name in sorted(rows, reverse=True):  # of several that are one file, the smallest id stands
        if sha256:
            by_sha256[sha256] = number
        elif name:
            by_name[name] = number
    times = Counter(_base(name) for name in by_name)
    by_base = {_base(name): number for name, number in by_name.items() if times[_base(name)] == 1}
    of_image, boxes = _boxes(_loaded("results", results), {number for number, _, _ in rows}, classes)
    return Elsewhere(by_sha256, by_name, by_base, of_image, boxes)


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _loaded(what: str, data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{what}: expected JSON, got '{str(problem)[:120]}'") from problem


def _images(document: Any, classes: Collection[int]) -> list[tuple[int, str, str]]:
    """Id, SHA-256 and file name of each listed image; empty where it has none."""
    rows = document.get("images") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise BadInput("images: expected a COCO file with a list of images, got none")
    categories = document.get("categories")
    if isinstance(categories, list) and categories:
        known = {row["id"] for row in categories if isinstance(row, dict) and _is_id(row.get("id"))}
        if unknown := sorted({*classes} - known):
            raise BadInput(f"images: expected a category of id {unknown[0]}, got {sorted(known)[:20]}")
    found = [_image(place, row) for place, row in enumerate(rows)]
    again = [number for number, times in Counter(number for number, _, _ in found).items() if times > 1]
    if again:
        raise BadInput(f"images: expected each image id once, got {min(again)} again")
    return found


def _image(place: int, row: Any) -> tuple[int, str, str]:
    if not isinstance(row, dict) or not _is_id(row.get("id")):
        raise BadInput(f"images[{place}]: expected an object with a whole number as id, got {str(row)[:60]!r}")
    metadata = row.get("metadata")
    said = [metadata.get("sha256") if isinstance(metadata, dict) else None, row.get("sha256")]
    sha256 = next((value for value in said if isinstance(value, str)), "")
    name = row.get("file_name")
    return row["id"], sha256.lower(), name if isinstance(name, str) else ""


def _boxes(rows: Any, images: Collection[int], classes: Collection[int]) -> tuple[dict[int, slice], Boxes]:
    """Where each image's boxes are, and all boxes, by image."""
    if not isinstance(rows, list):
        raise BadInput(f"results: expected a list of boxes, got {type(rows).__name__}")
    for place, row in enumerate(rows):
        where = f"results[{place}]"
        check_row(where, row)
        if row["image_id"] not in images:
            raise BadInput(f"{where}: expected the id of a listed image, got {row['image_id']}")
        _check_keypoints(where, row.get("keypoints"))
    wanted = [row for row in rows if row["category_id"] in classes]
    wanted.sort(key=lambda row: row["image_id"])
    of_image, start = {}, 0
    for number, count in Counter(row["image_id"] for row in wanted).items():
        of_image[number] = slice(start, start + count)
        start += count
    xywh = np.array([row["bbox"] for row in wanted], np.float32).reshape(-1, 4)
    scores = np.array([row["score"] for row in wanted], np.float32)
    labels = np.array([row["category_id"] for row in wanted], np.int64)
    none = [math.nan] * 3 * _KEYPOINTS
    keypoints = np.array([row.get("keypoints") or none for row in wanted], np.float32).reshape(-1, _KEYPOINTS, 3)
    return of_image, Boxes(np.concatenate([xywh[:, :2], xywh[:, :2] + xywh[:, 2:]], axis=1), scores, labels, keypoints)


def check_row(where: str, row: Any) -> None:
    """Raise BadInput for a row that is no result: ids, a box that is one, a score of 0 to 1. `where` is for that
    message.
    """
    if not isinstance(row, dict):
        raise BadInput(f"{where}: expected an object with image_id, category_id, bbox and score, got {str(row)[:40]!r}")
    for field in ("image_id", "category_id"):
        if not _is_id(row.get(field)):
            raise BadInput(f"{where}: expected {field} to be a whole number, got {str(row.get(field))[:40]!r}")
    box: Any = row.get("bbox")
    score: Any = row.get("score")
    if not _are_numbers(box, 4, _FARTHEST_PX) or min(box[2:]) < 0:
        raise BadInput(f"{where}: expected bbox as x, y, width, height in px, got {str(box)[:60]}")
    if not _are_numbers([score], 1, 1.0) or score < 0:
        raise BadInput(f"{where}: expected a score of 0 to 1, got {str(score)[:40]}")


def _check_keypoints(where: str, keypoints: Any) -> None:
    if keypoints is not None and not _are_keypoints(keypoints):
        raise BadInput(
            f"{where}: expected keypoints as {_KEYPOINTS} of x, y, visibility 0..2, got {str(keypoints)[:60]}"
        )


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _are_numbers(values: Any, count: int, most: float) -> bool:
    return (
        isinstance(values, list)
        and len(values) == count
        and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        and all(abs(value) <= most for value in values)
    )


def _are_keypoints(values: Any) -> bool:
    return _are_numbers(values, 3 * _KEYPOINTS, _FARTHEST_PX) and all(0 <= value <= 2 for value in values[2::3])
