"""A row for each rule about values, of the contract and beside it, broken in one column, and the problem it must be."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

Case = tuple[str, Any, Callable[[dict[str, Any]], Any] | None, str]
"""The column, its value or what it becomes, which rows it can be put into (None: any), how the problem begins."""


def is_rule_of_contract(case: Case) -> bool:
    """Whether SQL finds it: such a rule is told of its table, what is checked beside it of a column or of the order."""
    table, _, expected = case[3].partition(": expected ")
    return "." not in table and not expected.startswith("rows sorted")


def is_posed(row: dict[str, Any]) -> bool:
    return row["keypoints_xyv"] is not None


def is_dropped(row: dict[str, Any]) -> bool:
    return not row["kept"]


def is_kept(row: dict[str, Any]) -> bool:
    return bool(row["kept"])


def posed(place: int, value: float) -> Callable[[dict[str, Any]], list[float]]:
    return lambda row: [*row["keypoints_xyv"][:place], value, *row["keypoints_xyv"][place + 1 :]]


def other_split(row: dict[str, Any]) -> str:
    return "val" if row["split"] != "val" else "train"


IMAGES: list[tuple[str, Any, str]] = [
    ("source", "met", "images: expected a record_id of `<source>:<the source's own key>`, Unicode NFC, got"),
    ("image_id", 0, "images: expected image_id of 53 bits, above 0, got"),
    ("image_id", 5, "images: expected a row of the ledger that keeps the image, with its image_id, sha256 and split,"),
    ("source_urls", ["https://a", "https://a"], "images: expected each page once in source_urls, the image's own"),
    ("styles", [""], "images: expected styles that have a name, without NUL, got"),
    ("styles", [None], "images: expected styles that have a name, without NUL, got"),
    ("styles", ["Baroque\0"], "images: expected styles that have a name, without NUL, got"),
    ("styles", [], "images: expected the source's words for an image's style, got"),
    ("style", "", "images: expected a text, or null, in source_url, artist, artist_qualifier and style, got"),
    ("title", "", "images: expected a text without NUL, or null, in title, date_text and image_url, got"),
    ("title", "A\0Room", "images: expected a text without NUL, or null, in title, date_text and image_url, got"),
    ("artist_text", "", "images: expected a text without NUL, or null, in artist_text, got"),
    ("date_text", "\0", "images: expected a text without NUL, or null, in title, date_text and image_url, got"),
    ("image_url", "", "images: expected a text without NUL, or null, in title, date_text and image_url, got"),
    ("source_url", "", "images: expected a text, or null, in source_url, artist, artist_qualifier and style, got"),
    ("artist", "", "images: expected a text, or null, in source_url, artist, artist_qualifier and style, got"),
    ("artist_qualifier", "", "images: expected a text, or null, in source_url, artist, artist_qualifier and style,"),
    ("artists", [""], "images: expected artists that have a name, got"),
    ("artist_roles", ["artist"] * 9, "images: expected a role for each of the artists, empty text where nothing is"),
    ("year_first", 0, "images: expected years that are not 0, in order, with year within them, and the one where the"),
    ("year_first", 2090, "images: expected years that are not 0, in order, with year within them, and the one where"),
    ("rights_uri", "https://example.org/free", "images: expected rights of every image: a Creative Commons or"),
    ("rights_basis", "me", "images: expected a rights_basis of source, `recipe: who: why`, or none, got"),
    ("rights_basis", "recipe: me", "images: expected a rights_basis of source, `recipe: who: why`, or none, got"),
    ("rights_basis", "none", "images: expected somebody who asserts the rights, unless they are NOASSERTION, got"),
    ("sha256", "abc", "images: expected sha256 of 64 hex digits, got"),
    ("sha256", "0" * 64, "images: expected a row of the ledger that keeps the image, with its image_id, sha256 and"),
    ("phash_recipe", "", "images: expected a phash_recipe and a format that have a name, got"),
    ("phash_recipe", "phash64/look-v1", "images.phash_recipe: expected 'phash64/look-v3', as in manifest.json, got"),
    ("retrieved_at", datetime(2025, 1, 1, tzinfo=UTC), "images: expected the ledger's retrieved_at, a time since"),
    ("retrieved_at", datetime(1800, 1, 1, tzinfo=UTC), "images: expected the ledger's retrieved_at, a time since"),
    ("source_coco", "{", "images.source_coco: expected null, or a JSON object with the `image` of a COCO file"),
    ("source_coco", '{"id":7}', "images.source_coco: expected null, or a JSON object with the `image` of a COCO file"),
    ("width_px", 0, "images: expected sides of at least 1 px, got"),
    ("height_px", -1, "images: expected sides of at least 1 px, got"),
    ("format", "", "images: expected a phash_recipe and a format that have a name, got"),
    ("group_id", "museum:none", "images: expected a group_id that the ledger has as a record, got"),
    ("split", "dev", "images: expected split of train, val, test, ood, got"),
    ("split", other_split, "images.split: expected the split in the file's"),
    ("split", other_split, "images: expected a row of the ledger that keeps the image, with its image_id, sha256 and"),
    ("image", lambda row: {**row["image"], "path": "media/no.jpg"}, "images.path: expected a file of the release with"),
]


def of_boxes(table: str, key: str) -> list[Case]:
    """Of both tables of boxes."""
    cases: list[Case] = [
        (key, 0, None, f"{key} of 53 bits, above 0, got"),
        (key, 2**53, None, f"{key} of 53 bits, above 0, got"),
        ("image_id", 5, None, "an image of the release, with its record_id and split, got"),
        ("record_id", "museum:none", None, "an image of the release, with its record_id and split,"),
        ("split", "dev", None, "an image of the release, with its record_id and split, got"),
        ("category_id", 0, None, "categories from 1 on, got"),
        ("category_id", 2, None, "a category of the release, got"),
        ("xywh_px", [1.0, 2.0, 0.0, 4.0], None, "boxes of four finite numbers of at most"),
        ("xywh_px", [1.0, 2.0, float("nan"), 4.0], None, "boxes of four finite numbers of at"),
        ("xywh_px", [1.0, 2.0, 1e8, 4.0], None, "boxes of four finite numbers of at most"),
        ("area_px2", 1.5, None, "area_px2 of width x height, to 0.01, got"),
        ("keypoints_xyv", [1.0, 2.0, 2.0] * 14, None, "three numbers for each joint of the"),
        ("keypoint_scheme", "animal-20", None, "three numbers for each joint of the category's"),
        ("keypoints_xyv", [], None, "keypoints of finite numbers of at most 10,000,000, each"),
    ]
    return [
        *((column, value, where, f"{table}: expected {said}") for column, value, where, said in cases),
        ("split", "dev", None, f"{table}.split: expected the split in the file's name, got 'dev'"),
        ("image_id", 2**53 - 1, None, f"{table}: expected rows sorted by image_id, {key}, got"),
    ]


ANNOTATIONS: list[Case] = [
    *of_boxes("annotations", "annotation_id"),
    ("source_area_px2", 0.0, None, "annotations: expected a source's own area above 0 and of at most 10^14 px^2,"),
    ("source_area_px2", 1e15, None, "annotations: expected a source's own area above 0 and of at most 10^14"),
    ("segmentation", "", None, "annotations.segmentation: expected null, or COCO's polygons or run lengths"),
    ("segmentation", "[[1,2]]", None, "annotations.segmentation: expected null, or COCO's polygons or run"),
    ("segmentation", "[" * 9**5, None, "annotations.segmentation: expected null, or COCO's polygons or run"),
    ("segmentation", '{"size":[1,2],"counts":[2]}', None, "annotations.segmentation: expected null, or COCO's"),
    ("source_coco", "[]", None, "annotations.source_coco: expected null, or a JSON object with `fields` or"),
    ("source_coco", '{"id":7}', None, "annotations.source_coco: expected null, or a JSON object with `fields`"),
    ("keypoint_scheme", None, is_posed, "annotations: expected three numbers for each joint of the category's scheme,"),
    ("keypoints_xyv", posed(2, 3.0), is_posed, "annotations: expected keypoints of finite numbers of at most"),
    ("keypoints_xyv", posed(2, 0.5), is_posed, "annotations: expected keypoints of finite numbers of at most"),
    ("keypoints_xyv", posed(0, float("inf")), is_posed, "annotations: expected keypoints of finite numbers of at most"),
    ("origin", "me", None, "annotations: expected origin of person, source, consensus, got"),
    ("origin", "detector", None, "annotations: expected origin of person, source, consensus, got"),
    ("origin_name", "", None, "annotations: expected an origin_name that is not empty, got"),
]
DETECTIONS: list[Case] = [
    *of_boxes("detections", "detection_id"),
    ("xywh_px", [-1.0, 2.0, 3.0, 4.0], None, "detections: expected a box inside the image, to 0.05"),
    ("xywh_px", [0.0, 0.0, 9e4, 4.0], None, "detections: expected a box inside the image, to 0.05"),
    ("score", 1.5, None, "detections: expected a score from 0 to 1, to 0.001, got"),
    ("score", 0.12345, None, "detections: expected a score from 0 to 1, to 0.001, got"),
    ("model", "yolox", None, "detections: expected a model as name@12 hex digits, got"),
    ("model", "", None, "detections: expected a model as name@12 hex digits, got"),
]
LEDGER: list[Case] = [
    ("source", "met", None, "ledger: expected a record_id of `<source>:<the source's own key>`, Unicode NFC, got"),
    ("image_id", 0, None, "ledger: expected image_id of 53 bits, above 0, got"),
    ("stage", None, is_dropped, "ledger: expected stage and reason of each dropped record, and of no kept one, got"),
    ("stage", "fetch", is_kept, "ledger: expected stage and reason of each dropped record, and of no kept one, got"),
    ("stage", "elsewhere", is_dropped, "ledger.stage: expected scrape, or a stage of the recipe, got 'elsewhere'"),
    ("reason", None, is_dropped, "ledger: expected stage and reason of each dropped record, and of no kept one, got"),
    ("reason", "gone", is_kept, "ledger: expected stage and reason of each dropped record, and of no kept one, got"),
    ("reason", "ugly", is_dropped, "ledger: expected reason of the contract's "),
    ("kept_record_id", "museum:none", is_dropped, "ledger: expected kept_record_id of another record, where a record"),
    ("kept_record_id", lambda row: row["record_id"], is_dropped, "ledger: expected kept_record_id of another record,"),
    ("last_split", "dev", is_dropped, "ledger: expected last_split of train, val, test, ood, got"),
    ("last_split", None, is_kept, "ledger: expected last_split and sha256 of each kept record, got"),
    ("sha256", "abc", is_dropped, "ledger: expected sha256 of 64 hex digits, got"),
    ("sha256", None, is_kept, "ledger: expected last_split and sha256 of each kept record, got"),
]
CASES: dict[str, list[Case]] = {
    "images": [(column, value, None, said) for column, value, said in IMAGES],
    "annotations": ANNOTATIONS,
    "detections": DETECTIONS,
    "ledger": LEDGER,
}
