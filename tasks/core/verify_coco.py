"""What must hold in the COCO files of any release: all are there, and say what tables, recipe and manifest say."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.keypoints import CocoCategory
from schemas.phrases import quoted
from tasks.core.coco.box import BadBox
from tasks.core.coco.document import (
    Row,
    annotation_origin,
    category_entry,
    document_annotation,
    image_entry,
    is_in_document,
    licence_entries,
)

_RESULTS = ".detections.json"


class CocoFacts(NamedTuple):
    """What the COCO files of a release are held against, beside its tables."""

    info: Row
    """`release_info` of its recipe and version."""
    categories: Sequence[CocoCategory]
    least_score: float | None
    """Of detectors' boxes in documents; None where the recipe doesn't say."""
    is_amended: bool
    """What was purged since is gone from the lists of images and boxes, and from nothing else."""


def file_problems(files: Collection[str], splits: Iterable[str]) -> Iterator[str]:
    """COCO files that a release with these splits lacks, and such of no split. files: its paths, by the manifest."""
    expected = {f"coco/{split}{end}" for split in splits for end in (".json", _RESULTS)}
    found = {path for path in files if path.startswith("coco/")}
    for path in sorted(expected - found):
        yield f"manifest.json: expected {path} among its files, got none"
    for path in sorted(found - expected):
        yield f"{path}: expected COCO files of the release's splits alone, got this one"


def count_coco_rows(document: Any, image_ids: Collection[int]) -> int:
    """How many images and annotations of a COCO document, or of COCO results, are of these images.

    >>> count_coco_rows({"images": [{"id": 1}], "annotations": [{"image_id": 2}]}, {1, 2})
    2
    >>> count_coco_rows([{"image_id": 3}], {1})
    0
    """
    if isinstance(document, list):
        return sum(box["image_id"] in image_ids for box in document)
    images = sum(image["id"] in image_ids for image in document["images"])
    return images + count_coco_rows(document["annotations"], image_ids)


def header_problems(
    split: str, document: Row, images: pa.Table, boxes: Sequence[Row], facts: CocoFacts
) -> Iterator[str]:
    """Where info, licences, categories or choice of boxes of one split's COCO file are not as its release has them.

    images: rights_uri and is_annotated of the split's images. boxes: rows of the split.
    """
    origin = annotation_origin(boxes, is_annotated=any(images["is_annotated"].to_pylist()))
    info = facts.info if facts.is_amended else {**facts.info, "annotation_origin": origin}
    for name, value in info.items():
        if (got := document["info"].get(name)) != value:
            yield f"coco/{split}.json: expected info.{name} {quoted(value)}, got {quoted(got)}"
    yield from _licence_problems(split, document, images["rights_uri"].to_pylist(), facts)
    yield from category_problems(split, document, facts.categories)
    if facts.is_amended:  # of the images that people had annotated, none may be left
        origin = document["info"].get("annotation_origin", origin)
    yield from _choice_problems(split, document, origin, boxes, facts.least_score)


def _choice_problems(
    split: str, document: Row, origin: str, boxes: Sequence[Row], least_score: float | None
) -> Iterator[str]:
    """Boxes of the table that do not belong into a document of this origin; and a detector's that are missing."""
    if origin == "detector" and least_score is None:
        return
    chosen = {box["annotation_id"] for box in boxes if is_in_document(box, origin, least_score or 0)}
    written = {box["id"] for box in document["annotations"]}
    strange = written & {box["annotation_id"] for box in boxes} - chosen
    missing = chosen - written if origin == "detector" else set()
    if strange or missing:
        whose = f"a detector's boxes from score {least_score} on" if origin == "detector" else "people's boxes alone"
        yield f"coco/{split}.json: expected {whose}, got {len(strange)} others, and {len(missing)} missing"


def _licence_problems(split: str, document: Row, uris: Sequence[str], facts: CocoFacts) -> Iterator[str]:
    """Licences that are not those of the images. What a purge removes leaves its licence."""
    listed = [{name: entry.get(name) for name in ("id", "name", "url")} for entry in document["licenses"]]
    expected = licence_entries([*uris, *(entry["url"] for entry in listed if facts.is_amended)])
    if len(listed) != len(expected):
        yield f"coco/{split}.json: expected {len(expected)} licences, as the images have, got {len(listed)}"
        return
    for wanted, got in zip(expected, listed, strict=True):
        for name, value in wanted.items():
            if got[name] != value:
                place = f"licence {wanted['id']}: {name}"
                yield f"coco/{split}.json: {place}: expected {quoted(value)}, got {quoted(got[name])}"


def category_problems(split: str, document: Row, categories: Sequence[CocoCategory]) -> Iterator[str]:
    """Categories of one split's COCO file that are not those of the recipe, whose ids count from 1."""
    got = [(entry["id"], entry["name"]) for entry in document["categories"]]
    names = [category.name for category in categories]
    if got != list(enumerate(names, 1)):
        yield f"coco/{split}.json: expected the categories {quoted(names)}, got {quoted(got)}"
        return
    for entry, category in zip(document["categories"], categories, strict=True):
        has_keypoints = category.shows_scheme or not {"keypoints", "skeleton"}.isdisjoint(entry)
        for name, value in category_entry(entry["id"], category, has_keypoints=has_keypoints).items():
            if (found := entry.get(name)) != value:
                yield (
                    f"coco/{split}.json: expected {name} {quoted(value)} of category {quoted(entry['name'])}, got "
                    f"{quoted(found)}"
                )


def coco_problems(
    split: str, document: Row, detections: Iterable[Row], images: pa.Table, annotations: pa.Table
) -> Iterator[str]:
    """Ids of one split's COCO files that are not those of the tables, and people's boxes that the files lack."""
    ids = set(images["image_id"].to_pylist())
    if sorted(got := [image["id"] for image in document["images"]]) != sorted(ids):
        yield f"coco/{split}.json: expected the {len(ids)} images of the split, got {len(got)}, or others"
    origin_of = dict(zip(annotations["annotation_id"].to_pylist(), annotations["origin"].to_pylist(), strict=True))
    written = Counter(box["id"] for box in document["annotations"])
    if unknown := written - Counter(origin_of.keys()):
        yield f"coco/{split}.json: expected annotations of the table, got {unknown.total()} others"
    if missing := [number for number, origin in origin_of.items() if origin != "detector" and number not in written]:
        yield f"coco/{split}.json: expected every box by people, got none for {len(missing)}"
    expected = sum(origin == "detector" for origin in origin_of.values())
    if (count := sum(box["image_id"] in ids for box in detections)) != expected:
        yield f"coco/{split}.detections.json: expected {expected} boxes, as in the table, got {count}"


def coco_value_problems(
    split: str,
    document: Row,
    detections: Iterable[Row],
    images: Iterable[Row],
    boxes: Sequence[Row],
    attributes: Sequence[str] = (),
) -> Iterator[str]:
    """Where one split's COCO files say something else than the tables, of what both have.

    images, boxes: the split's rows without the images' bytes. attributes: those that every image's metadata has.
    """
    yield from _differences(f"coco/{split}.json: images", _other_images(document, images, attributes))
    rows, found = {row["annotation_id"]: row for row in boxes}, document["annotations"]
    others = [box["id"] for box in found if box["id"] in rows and _is_other(box, rows[box["id"]])]
    yield from _differences(f"coco/{split}.json: annotations", others)
    of_table = Counter(_key(row, "xywh_px", "keypoints_xyv") for row in boxes if row["origin"] == "detector")
    if strangers := Counter(_key(box, "bbox", "keypoints") for box in detections) - of_table:
        yield f"coco/{split}.detections.json: expected boxes of the table, got {strangers.total()} others"
    strange = [box["id"] for box in found if box.get("num_keypoints", 0) != _visible_keypoints(box)]
    if strange:
        yield (
            f"coco/{split}.json: expected num_keypoints to count the keypoints with v above 0, got another number in "
            f"{strange[0]}, and {len(strange) - 1} more"
        )


def _other_images(document: Row, images: Iterable[Row], attributes: Sequence[str]) -> list[Any]:
    """Ids of images of which the file says something else than the table; files of earlier contracts say less."""
    urls = {licence["id"]: licence.get("url") for licence in document["licenses"]}
    entries, found = {image["id"]: image for image in document["images"]}, []
    for row in images:
        if (entry := entries.get(row["image_id"])) is None:
            continue
        expected = image_entry(dict(row), attributes)
        has_others = urls.get(entry["license"]) != row["rights_uri"] or any(
            _says_other(entry[name], expected[name]) for name in expected if name in entry
        )
        if has_others or not {"width", "height"} <= entry.keys() or not {*attributes} <= entry["metadata"].keys():
            found.append(row["image_id"])
    return found


def _says_other(got: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return any(got[name] != value for name, value in expected.items() if name in got)
    return bool(got != expected)


def _is_other(box: Row, row: Row) -> bool:
    try:
        expected = document_annotation(row)
    except BadBox:  # a problem of the table, which is told there
        return False
    names = (expected.keys() | {"score", "keypoints"}) - {"num_keypoints"}  # the first two only some annotations have
    return any(box.get(name) != expected.get(name) for name in names)


def _differences(what: str, others: Sequence[Any]) -> Iterator[str]:
    if others:
        yield f"{what}: expected what the table says, got another entry for {others[0]}, and {len(others) - 1} more"


def _key(row: Row, box: str, keypoints: str) -> tuple[Any, ...]:
    """Of a detector's box. box, keypoints: the fields with these."""
    return row["image_id"], row["category_id"], (*row[box],), row.get("score"), tuple(row.get(keypoints) or ())


def _visible_keypoints(box: Row) -> int:
    return sum(v > 0 for v in (box.get("keypoints") or ())[2::3])
