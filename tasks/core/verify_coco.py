"""What must hold in the COCO files of any release: all are there, and say what tables, recipe and manifest say."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.keypoints import CocoCategory
from schemas.phrases import quoted
from tasks.core.coco.box import BadBox
from tasks.core.coco.document import (
    Row,
    category_entry,
    document_annotation,
    image_entry,
    joint_counts,
    licence_entries,
)

_ROWS = 4096
"""That are Python's own at one time."""


class CocoFacts(NamedTuple):
    """What the COCO files of a release are held against, beside its tables."""

    info: Row
    """`release_info` of its recipe and version."""
    categories: Sequence[CocoCategory]
    with_keypoints: Collection[int]
    """Ids of categories of which any annotation of the release has keypoints."""
    is_amended: bool
    """What was purged since is gone from the lists of images and boxes, and from nothing else."""


class CocoPaths(NamedTuple):
    """Where the COCO files of a split lie."""

    annotated: str
    unannotated: str
    detections: str


def paths_of(split: str) -> CocoPaths:
    """The paths of a split's files in a release, which has those of them that have something to say.

    >>> paths_of("val").unannotated
    'coco/val.unannotated.json'
    """
    return CocoPaths(*(f"coco/{split}{end}.json" for end in ("", ".unannotated", ".detections")))


def file_problems(
    files: Collection[str], annotated: Mapping[str, Collection[bool]], *, has_detector: bool, is_amended: bool
) -> Iterator[str]:
    """COCO files that a release lacks, and such as it should not have. files: its paths, by the manifest.

    annotated: for each split whether its images are annotated (True), or not (False), or there are such of both kinds.
    """
    expected, possible = set[str](), set[str]()
    for split, kinds in annotated.items():
        paths = paths_of(split)
        wanted = {
            path
            for path, is_there in zip(paths, (True in kinds, False in kinds, has_detector), strict=True)
            if is_there
        }
        expected |= wanted
        possible |= {*paths} if is_amended else wanted
    found = {path for path in files if path.startswith("coco/")}
    for path in sorted(expected - found):
        yield f"manifest.json: expected {path} among its files, got none"
    for path in sorted(found - possible):
        yield f"{path}: expected COCO files alone for which a split has images, got this one"


def count_coco_rows(document: Any, image_ids: Collection[int]) -> int:
    """How many images and annotations of a COCO document, or of COCO results, are of these images.

    >>> count_coco_rows({"images": [{"id": 1}], "annotations": [{"image_id": 2}]}, {1, 2})
    2
    >>> count_coco_rows([{"image_id": 3}], {1}), count_coco_rows({"images": [{"id": 1}]}, {1})
    (0, 1)
    """
    if isinstance(document, list):
        return sum(box["image_id"] in image_ids for box in document)
    images = sum(image["id"] in image_ids for image in document["images"])
    return images + count_coco_rows(document.get("annotations", []), image_ids)


def document_problems(
    path: str, document: Row, images: pa.Table, drawn: Sequence[Row], facts: CocoFacts, attributes: Sequence[str]
) -> Iterator[str]:
    """Where the file of a split's annotated images is not as the tables, the recipe and the manifest have it.

    images: of these images, what a file says of them (`IMAGE_COLUMNS`, attributes). drawn: the split's ANNOTATIONS
    (`with_crowd_outlines`). attributes: those that every image's metadata has.
    """
    yield from _header_problems(path, document, images, facts, facts.with_keypoints, {"annotation_origin": "people"})
    yield from _id_problems(path, document["images"], images["image_id"].to_pylist(), "annotated images")
    yield from _id_problems(path, document["annotations"], [row["annotation_id"] for row in drawn], "annotations")
    yield from _differences(f"{path}: images", _other_images(document, images, attributes))
    rows, joints = {row["annotation_id"]: row for row in drawn}, joint_counts(facts.categories, facts.with_keypoints)
    found = [(box, rows[box["id"]]) for box in document["annotations"] if box["id"] in rows]
    others = [box["id"] for box, row in found if _is_other(box, row, joints, is_amended=facts.is_amended)]
    yield from _differences(f"{path}: annotations", others)


def unannotated_problems(
    path: str, document: Row, images: pa.Table, facts: CocoFacts, attributes: Sequence[str]
) -> Iterator[str]:
    """Where the list of a split's images that nobody annotated is not as they are. images: as above, of these."""
    yield from _header_problems(path, document, images, facts, (), {})
    if "annotations" in document:
        yield f"{path}: expected a list of images without annotations, got some"
    yield from _id_problems(path, document["images"], images["image_id"].to_pylist(), "images without annotations")
    yield from _differences(f"{path}: images", _other_images(document, images, attributes))


def results_problems(path: str, results: Iterable[Row], detected: Sequence[Row], least_score: float) -> Iterator[str]:
    """Where a split's results are not its DETECTIONS of at least this score."""
    of_table = Counter(_key(row, "xywh_px", "keypoints_xyv") for row in detected if row["score"] >= least_score)
    of_file = Counter(_key(box, "bbox", "keypoints") for box in results)
    if strangers := of_file - of_table:
        yield f"{path}: expected boxes of the table, got {strangers.total()} others"
    if missing := of_table - of_file:
        yield f"{path}: expected {of_table.total()} boxes, as in the table, got none for {missing.total()}"


def _id_problems(path: str, entries: Iterable[Row], ids: Sequence[int], what: str) -> Iterator[str]:
    written, expected = Counter(entry["id"] for entry in entries), Counter(ids)
    if written != expected:
        strange, missing = (written - expected).total(), (expected - written).total()
        yield f"{path}: expected the {len(ids)} {what} of the split, got {strange} others, and {missing} missing"


def _header_problems(
    path: str,
    document: Row,
    images: pa.Table,
    facts: CocoFacts,
    with_keypoints: Collection[int],
    info: Row,
) -> Iterator[str]:
    for name, value in {**facts.info, **info}.items():
        if (got := document["info"].get(name)) != value:
            yield f"{path}: expected info.{name} {quoted(value)}, got {quoted(got)}"
    yield from _licence_problems(path, document, images["rights_uri"].to_pylist(), is_amended=facts.is_amended)
    yield from category_problems(path, document, facts.categories, with_keypoints, is_amended=facts.is_amended)


def _licence_problems(path: str, document: Row, uris: Sequence[str], *, is_amended: bool) -> Iterator[str]:
    """Licences that are not those of the images. What a purge removes leaves its licence."""
    listed = [{name: entry.get(name) for name in ("id", "name", "url")} for entry in document["licenses"]]
    expected = licence_entries([*uris, *(entry["url"] for entry in listed if is_amended)])
    if len(listed) != len(expected):
        yield f"{path}: expected {len(expected)} licences, as the images have, got {len(listed)}"
        return
    for wanted, got in zip(expected, listed, strict=True):
        for name, value in wanted.items():
            if got[name] != value:
                place = f"licence {wanted['id']}: {name}"
                yield f"{path}: {place}: expected {quoted(value)}, got {quoted(got[name])}"


def category_problems(
    path: str,
    document: Row,
    categories: Sequence[CocoCategory],
    with_keypoints: Collection[int],
    *,
    is_amended: bool = False,
) -> Iterator[str]:
    """Categories of a COCO file that are not those of the recipe, whose ids count from 1; with_keypoints: which of them
    name their keypoints. After a purge, a category may name keypoints that nothing has any more.
    """
    got = [(entry["id"], entry["name"]) for entry in document["categories"]]
    names = [category.name for category in categories]
    if got != list(enumerate(names, 1)):
        yield f"{path}: expected the categories {quoted(names)}, got {quoted(got)}"
        return
    for entry, category in zip(document["categories"], categories, strict=True):
        has_keypoints = entry["id"] in with_keypoints or (is_amended and "keypoints" in entry)
        expected = category_entry(entry["id"], category, has_keypoints=has_keypoints)
        for name in dict.fromkeys((*expected, "keypoints", "skeleton")):
            if (found := entry.get(name)) != (value := expected.get(name)):
                place = f"{name} {quoted(value)} of category {quoted(entry['name'])}"
                yield f"{path}: expected {place}, got {quoted(found)}"


def _other_images(document: Row, images: pa.Table, attributes: Sequence[str]) -> list[Any]:
    """Ids of images of which the file says something else than the table."""
    urls = {licence["id"]: licence.get("url") for licence in document["licenses"]}
    entries, found = {image["id"]: image for image in document["images"]}, []
    for row in (row for batch in images.to_batches(max_chunksize=_ROWS) for row in batch.to_pylist()):
        if (entry := entries.get(row["image_id"])) is None:
            continue
        said = {name: value for name, value in entry.items() if name != "license"}
        if urls.get(entry["license"]) != row["rights_uri"] or said != image_entry(dict(row), attributes):
            found.append(row["image_id"])
    return found


def _is_other(box: Row, row: Row, joints: Mapping[int, int], *, is_amended: bool) -> bool:
    try:
        expected = document_annotation(row, joints)
    except BadBox:  # a problem of the table, which is told there
        return False
    if is_amended and "keypoints" not in expected and not any(box.get("keypoints", ())):
        box = {name: value for name, value in box.items() if name not in {"keypoints", "num_keypoints"}}
    return box != expected


def _differences(what: str, others: Sequence[Any]) -> Iterator[str]:
    if others:
        yield f"{what}: expected what the table says, got another entry for {others[0]}, and {len(others) - 1} more"


def _key(row: Row, box: str, keypoints: str) -> tuple[Any, ...]:
    """Of a detector's box. box, keypoints: the fields with these."""
    return row["image_id"], row["category_id"], (*row[box],), row.get("score"), tuple(row.get(keypoints) or ())
