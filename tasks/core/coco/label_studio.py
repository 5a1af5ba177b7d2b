"""Label Studio's JSON: a list of tasks, each with an image and what people have drawn (labelstud.io/guide/export).

Rectangles, polygons and ellipses become boxes, polygons also outlines; key points become those of the region that is
their parent. Numbers are per cent of the picture's sides. Several parts of a region (a rectangle and its label) have
one id. Brush strokes, and pictures that were turned in the tool, say that something is there and not where: then nobody
knows what is in the image. Choices and texts are of the whole image, and are left out.

A task without an annotation, or whose annotations were all skipped, has not been looked at. Of several annotations one
counts: the ground truth, else the last; the others are counted.
"""

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from schemas.errors import BadInput
from tasks.core.coco.reader import LeftOut, Schemes, read_keys_once
from tasks.core.coco.tool_files import Row, document_of, hull_of, joints_in_order, points_of

_UPLOADED = re.compile(r"/data/upload/(?:[0-9]+/)?(?:[0-9a-f]{8}-)?(?P<name>.+)")
_OF_NO_REGION = frozenset(
    {"choices", "taxonomy", "textarea", "rating", "number", "datetime", "pairwise", "ranker", "relation"}
)
_FULL = 100.0


def read_label_studio(name: str, data: bytes, schemes: Schemes, left_out: LeftOut) -> Row:
    """The document. Raises BadInput for anything but a list of tasks, such as JSON-MIN, which forgets who saw what."""
    tasks = read_keys_once(name, data)
    if not isinstance(tasks, list) or not all(_is_task(task) for task in tasks):
        raise BadInput(
            f"{name}: expected Label Studio's JSON, a list of tasks with `data` and `annotations`, got another"
        )
    images, rows = list[Row](), list[Row]()
    for place, task in enumerate(tasks, 1):
        if (image := _image(task["data"])) is None:
            left_out.images.add("tasks without an image", f"id {task.get('id')}")
            continue
        entry: Row = {"id": place, "file_name": image}
        made = [each for each in task["annotations"] if isinstance(each, dict) and not each.get("was_cancelled")]
        if not made:
            images.append({**entry, "is_annotated": False})
            continue
        best = next((each for each in made if each.get("ground_truth")), made[-1])
        others = [each for each in made if each is not best]
        left_out.annotations.add(
            "regions by others than the one that counts", image, count=sum(len(_results(each)) for each in others)
        )
        results = _results(best)
        images.append({**entry, **_sides(results)})
        rows += ({**row, "image_id": place} for row in _figures(results))
    return _document(images, rows, schemes)


def _is_task(task: Any) -> bool:
    return isinstance(task, dict) and isinstance(task.get("data"), dict) and isinstance(task.get("annotations"), list)


def _image(data: Row) -> str | None:
    """The image of a task: the path of a file that was uploaded or is served from a folder, else its address."""
    texts = [value for value in data.values() if isinstance(value, str)]
    value = data.get("image") if isinstance(data.get("image"), str) else next(iter(texts), None)
    if not value:
        return None
    if value.startswith("/data/local-files/"):
        return next(iter(parse_qs(urlsplit(value).query).get("d", ())), None)
    uploaded = _UPLOADED.fullmatch(value)
    return unquote(uploaded["name"]) if uploaded else value


def _results(annotation: Row) -> list[Row]:
    found = annotation.get("result")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _sides(results: Iterable[Row]) -> Row:
    for each in results:
        if isinstance(each.get("original_width"), int) and isinstance(each.get("original_height"), int):
            return {"width": each["original_width"], "height": each["original_height"]}
    return {}


def _figures(results: list[Row]) -> Iterator[Row]:
    """A row for each region that is no key point, with `points` by name where key points are its own."""
    regions: dict[str, list[Row]] = {}
    for place, each in enumerate(results):
        if str(each.get("type")) not in _OF_NO_REGION:
            regions.setdefault(str(each.get("id", f"#{place}")), []).append(each)
    points: dict[str, Row] = {}
    for parts in regions.values():
        if parent := next((each["parentID"] for each in parts if _is_point(each) and each.get("parentID")), None):
            points.setdefault(str(parent), {})[_label(parts)] = _point(parts[0])
    for number, parts in regions.items():
        if _is_point(parts[0]) and any(each.get("parentID") for each in parts):
            continue
        row = {"category": _label(parts), "iscrowd": 0, **_shape(parts)}
        yield {**row, "points": points[number]} if number in points else row


def _is_point(result: Row) -> bool:
    return str(result.get("type", "")).startswith("keypoint")


def _label(parts: Iterable[Row]) -> str:
    """The first label of a region; empty where it has none."""
    for part in parts:
        value = part.get("value")
        for key, labels in (value if isinstance(value, dict) else {}).items():
            if key.endswith("labels") and isinstance(labels, list) and labels:
                return str(labels[0])
    return ""


def _shape(parts: list[Row]) -> Row:
    """A region's box and outline in px; none where it does not say where it is."""
    part = parts[0]
    if part.get("image_rotation"):
        return {}
    try:
        value, width, height = part["value"], float(part["original_width"]), float(part["original_height"])
        kind = str(part["type"])
        if kind.startswith("rectangle"):
            return _rectangle(value, width, height)
        if kind.startswith("polygon"):
            return _outlined([(x * width / _FULL, y * height / _FULL) for x, y in value["points"]])
        if kind.startswith("ellipse"):
            return _ellipse(value, width, height)
    except (KeyError, TypeError, ValueError, OverflowError):  # COCO's reader tells of a box that is none
        return {}
    return {}


def _rectangle(value: Row, width: float, height: float) -> Row:
    """A turned one turns about its upper left corner, clockwise."""
    x, wide = (value[key] * width / _FULL for key in ("x", "width"))
    y, high = (value[key] * height / _FULL for key in ("y", "height"))
    turn = math.radians(value.get("rotation") or 0)
    if not turn:
        return {"bbox": [x, y, wide, high]}
    along, down = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))
    return _outlined(
        [
            (x + a * along[0] + b * down[0], y + a * along[1] + b * down[1])
            for a, b in ((0, 0), (wide, 0), (wide, high), (0, high))
        ]
    )


def _outlined(points: list[tuple[float, float]]) -> Row:
    return {"bbox": hull_of(points), "segmentation": [[number for point in points for number in point]]}


def _ellipse(value: Row, width: float, height: float) -> Row:
    x, across = (value[key] * width / _FULL for key in ("x", "radiusX"))
    y, down = (value[key] * height / _FULL for key in ("y", "radiusY"))
    turn = math.radians(value.get("rotation") or 0)
    wide = math.hypot(across * math.cos(turn), down * math.sin(turn))
    high = math.hypot(across * math.sin(turn), down * math.cos(turn))
    return {"bbox": [x - wide, y - high, 2 * wide, 2 * high]}


def _point(part: Row) -> tuple[float, float, int] | None:
    try:
        value = part["value"]
        return value["x"] * part["original_width"] / _FULL, value["y"] * part["original_height"] / _FULL, 2
    except (KeyError, TypeError, OverflowError):
        return None


def _document(images: list[Row], rows: list[Row], schemes: Schemes) -> Row:
    """The document; the points of each category by the names that it has in the file."""
    names: dict[str, dict[str, None]] = {}
    for row in rows:
        names.setdefault(row["category"], {}).update(dict.fromkeys(row.get("points", {})))
    joints = {category: joints_in_order(category, [*of], schemes) for category, of in names.items()}
    drawn = []
    for row in rows:
        found = {name: point for name, point in row.pop("points", {}).items() if point is not None}
        keypoints = {"keypoints": points_of(joints[row["category"]], found)} if found else {}
        drawn.append({**row, **keypoints})
    return document_of(images, drawn, joints)
