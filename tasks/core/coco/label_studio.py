"""Label Studio's JSON: a list of tasks, each with an image and what people have drawn (labelstud.io/guide/export).

Rectangles, polygons and ellipses become boxes, polygons also outlines; key points become those of the region that is
their parent. Numbers are per cent of the picture's sides. Several parts of a region (a rectangle and its label) have
one id. Brush strokes, and pictures that were turned in the tool, say that something is there and not where: then nobody
knows what is in the image. Choices and texts are of the whole image, and are left out.

A task without an annotation, or whose annotations were all skipped, has not been looked at. Of several annotations one
counts: the ground truth, else the last; the others are counted. Where one of several has nothing and none is the ground
truth, people disagree on whether anybody is there, and nobody knows.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from schemas.errors import BadInput
from tasks.core.coco.reader import LeftOut, Schemes, read_keys_once
from tasks.core.coco.tool_files import (
    Row,
    document_of,
    ellipse_box,
    joints_in_order,
    outlined,
    points_of,
    turned_box,
)
from tasks.core.passed_over import Tally

_UPLOADED = re.compile(r"/data/upload/(?:[0-9]+/)?(?:[0-9a-f]{8}-)?(?P<name>.+)")
_LOCAL = "/data/local-files/"
_PICTURE = re.compile(r"(?i)/data/.+|[a-z][a-z0-9+.-]*://.+|.+\.(?:jpe?g|png|gif|webp|tiff?|bmp|avif|jp2)")
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
            left_out.images.add("tasks without one image", f"id {task.get('id')}")
            continue
        results = _that_count(task["annotations"], image, left_out.annotations)
        images.append({"id": place, "file_name": image, **_sides(results or ())})
        if results is None:
            images[-1]["is_annotated"] = False
        else:
            rows += ({**row, "image_id": place} for row in _figures(results, schemes, image, left_out.annotations))
    return _document(images, rows, schemes)


def _is_task(task: Any) -> bool:
    return isinstance(task, dict) and isinstance(task.get("data"), dict) and isinstance(task.get("annotations"), list)


def _image(data: Row) -> str | None:
    """The image of a task: the path of a file that was uploaded or is served from a folder, else its address. None
    where no field is called `image` and not just one looks like a picture's place.
    """
    value = data.get("image")
    if not isinstance(value, str):
        places = [each for each in data.values() if isinstance(each, str) and _PICTURE.fullmatch(each)]
        value = places[0] if len(places) == 1 and value is None else None
    if not value:
        return None
    path = urlsplit(value).path if re.match(r"https?://[^/]+/data/", value) else value.partition("?")[0]
    if path.startswith(_LOCAL):
        return next(iter(parse_qs(value.partition("?")[2]).get("d", ())), None)
    uploaded = _UPLOADED.fullmatch(path)
    return unquote(uploaded["name"]) if uploaded else value


def _that_count(annotations: Iterable[Any], image: str, left_out: Tally) -> list[Row] | None:
    """The results of the annotation that counts; None where nobody has looked, or people disagree whether there is
    anything.
    """
    made = [each for each in annotations if isinstance(each, dict) and not each.get("was_cancelled")]
    if not made:
        return None
    truth = next((each for each in made if each.get("ground_truth")), None)
    best = truth or made[-1]
    others = sum(len(_results(each)) for each in made if each is not best)
    left_out.add("regions by others than the one that counts", image, count=others)
    if truth is None and len({bool(_results(each)) for each in made}) > 1:
        left_out.add("regions where others saw nothing", image, count=len(_results(best)))
        return None
    return _results(best)


def _results(annotation: Row) -> list[Row]:
    found = annotation.get("result")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _sides(results: Iterable[Row]) -> Row:
    for each in results:
        if isinstance(each.get("original_width"), int) and isinstance(each.get("original_height"), int):
            return {"width": each["original_width"], "height": each["original_height"]}
    return {}


def _figures(results: list[Row], schemes: Schemes, image: str, left_out: Tally) -> Iterator[Row]:
    """A row for each region that is no key point, with `points` by name where key points are its own."""
    regions: dict[str, list[Row]] = {}
    for place, each in enumerate(results):
        if str(each.get("type")) not in _OF_NO_REGION:
            regions.setdefault(str(each.get("id", f"#{place}")), []).append(each)
    points = _points(regions, image, left_out)
    for number, parts in regions.items():
        if _parent(parts) is not None:
            continue
        shape, label = _shape(parts), _label(parts)
        if not shape and label and label not in schemes:
            left_out.add("regions without a box, of other labels than the recipe's", image)
            continue
        row = {"category": label, "iscrowd": 0, **shape}
        yield {**row, "points": points[number]} if number in points else row


def _points(regions: Mapping[str, list[Row]], image: str, left_out: Tally) -> dict[str, Row]:
    """The key points of each region, by name: of one name the first."""
    points: dict[str, Row] = {}
    for parts in regions.values():
        if (parent := _parent(parts)) is not None:
            mine = points.setdefault(parent, {})
            if parent not in regions or _label(parts) in mine:
                left_out.add("key points without a region, or twice in one", image)
            mine.setdefault(_label(parts), _point(parts[0]))
    return points


def _parent(parts: list[Row]) -> str | None:
    """The region to which a key point belongs; None of all else."""
    is_point = str(parts[0].get("type", "")).startswith("keypoint")
    return next((str(each["parentID"]) for each in parts if each.get("parentID")), None) if is_point else None


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
    for part in parts:
        for kind, shape in _SHAPES.items():
            if str(part.get("type")).startswith(kind) and not part.get("image_rotation"):
                try:
                    return shape(part["value"], float(part["original_width"]), float(part["original_height"]))
                except (LookupError, TypeError, ValueError, OverflowError):  # COCO's reader tells of a box that is none
                    return {}
    return {}


def _px(value: Mapping[str, Any], key: str, side: float) -> float:
    return float(value[key]) * side / _FULL


def _rectangle(value: Row, width: float, height: float) -> Row:
    """A turned one turns about its upper left corner."""
    x, y = _px(value, "x", width), _px(value, "y", height)
    box = [x, y, _px(value, "width", width), _px(value, "height", height)]
    return turned_box(box, float(value.get("rotation") or 0), (x, y))


def _polygon(value: Row, width: float, height: float) -> Row:
    return outlined([(float(x) * width / _FULL, float(y) * height / _FULL) for x, y in value["points"]])


def _ellipse(value: Row, width: float, height: float) -> Row:
    middle = _px(value, "x", width), _px(value, "y", height)
    radii = _px(value, "radiusX", width), _px(value, "radiusY", height)
    return ellipse_box(middle, radii, float(value.get("rotation") or 0))


_SHAPES: dict[str, Callable[[Row, float, float], Row]] = {
    "rectangle": _rectangle,
    "polygon": _polygon,
    "ellipse": _ellipse,
}


def _point(part: Row) -> tuple[float, float, int] | None:
    try:
        width, height = float(part["original_width"]), float(part["original_height"])
        return _px(part["value"], "x", width), _px(part["value"], "y", height), 2
    except (LookupError, TypeError, ValueError, OverflowError):
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
