"""A row for each rule of the contract about values, broken in one column, and the problem that it must be."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

Case = tuple[str, Any, Callable[[dict[str, Any]], Any] | None, str]
"""The column, its value or what it becomes, which rows it can be put into (None: any), how the problem begins."""


def is_people(row: dict[str, Any]) -> bool:
    return row["origin"] == "source"


def is_detected(row: dict[str, Any]) -> bool:
    return row["origin"] == "detector"


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
    ("source", "met", "images.record_id: expected `<source>:<the source's own key>`"),
    ("image_id", 0, "images.image_id: expected a number of 53 bits, got 0"),
    ("image_id", 5, "images.image_id: expected the ledger's image_id, got 5"),
    ("source_urls", ["https://a", "https://a"], "images.source_urls: expected each page once, the image's own first"),
    ("styles", [""], "images.styles: expected styles that have a name, got ['']"),
    ("styles", [None], "images.styles: expected styles that have a name, got [None]"),
    ("styles", ["Baroque\0"], "images.styles: expected styles that have a name, got"),
    ("styles", [], "images.styles: expected the source's words for its style, got []"),
    ("style", "", "images.style: expected null, or a text, got ''"),
    ("title", "", "images.title: expected null, or a text without NUL, got ''"),
    ("title", "A\0Room", "images.title: expected null, or a text without NUL, got 'A"),
    ("artist_text", "", "images.artist_text: expected null, or a text without NUL, got ''"),
    ("date_text", "\0", "images.date_text: expected null, or a text without NUL, got "),
    ("image_url", "", "images.image_url: expected null, or a text without NUL, got ''"),
    ("source_url", "", "images.source_url: expected null, or a text, got ''"),
    ("artist", "", "images.artist: expected null, or a text, got ''"),
    ("artist_qualifier", "", "images.artist_qualifier: expected null, or a text, got ''"),
    ("artists", [""], "images.artists: expected artists that have a name, got ['']"),
    (
        "artist_roles",
        ["artist"] * 9,
        "images.artist_roles: expected one for each of the artists, empty text where",
    ),
    ("year_first", 0, "images.year_first: expected a year that is not 0 and not after year_last, or null, got 0"),
    ("year_first", 2090, "images.year_first: expected a year that is not 0 and not after year_last, or null, got 2090"),
    (
        "rights_uri",
        "https://example.org/free",
        "images.rights_uri: expected a Creative Commons or rightsstatements.org",
    ),
    ("rights_basis", "me", "images.rights_basis: expected source, `recipe: who: why`, or none, got 'me'"),
    (
        "rights_basis",
        "recipe: me",
        "images.rights_basis: expected source, `recipe: who: why`, or none, got 'recipe:",
    ),
    ("rights_basis", "none", "images.rights_basis: expected somebody who asserts the rights, got 'none'"),
    ("sha256", "abc", "images.sha256: expected 64 hex digits, got 'abc'"),
    ("sha256", "0" * 64, "images.sha256: expected the ledger's sha256, got '000"),
    ("phash_recipe", "", "images.phash_recipe: expected the name of a recipe, got ''"),
    ("phash_recipe", "phash64/look-v1", "images.phash_recipe: expected 'phash64/look-v3', as in manifest.json, got"),
    ("retrieved_at", datetime(2025, 1, 1, tzinfo=UTC), "images.retrieved_at: expected the ledger's retrieved_at, got"),
    ("retrieved_at", datetime(1800, 1, 1, tzinfo=UTC), "images.retrieved_at: expected a time since 1970, got"),
    ("source_coco", "{", "images.source_coco: expected null, or a JSON object with the `image` of a COCO file"),
    ("source_coco", '{"id":7}', "images.source_coco: expected null, or a JSON object with the `image` of a COCO file"),
    ("width_px", 0, "images.width_px: expected at least 1 px, got 0"),
    ("height_px", -1, "images.height_px: expected at least 1 px, got -1"),
    ("format", "", "images.format: expected the name of a format, got ''"),
    ("group_id", "museum:none", "images.group_id: expected a record_id of the ledger, got 'museum:none'"),
    ("split", "dev", "images.split: expected one of train, val, test, got 'dev'"),
    (
        "split",
        other_split,
        "images.split: expected the split in the file's",
    ),
    (
        "split",
        other_split,
        "images.split: expected the ledger's last_split",
    ),
    (
        "image",
        lambda row: {**row["image"], "path": "media/no.jpg"},
        "images.path: expected a file of the release with the image's bytes, named by their sha256, or null",
    ),
]
ANNOTATIONS: list[Case] = [
    ("annotation_id", 0, None, "annotations.annotation_id: expected a number of 53 bits, got 0"),
    ("annotation_id", 2**53, None, "annotations.annotation_id: expected a number of 53 bits, got 9007199254740992"),
    ("record_id", "zoo:1", None, "annotations: expected rows sorted by record_id, annotation_id"),
    ("image_id", 5, None, "annotations.image_id: expected an image of the release, got 5"),
    ("record_id", "museum:none", None, "annotations.record_id: expected the image's record_id, got 'museum:none'"),
    ("split", "dev", None, "annotations.split: expected the image's split, got 'dev'"),
    ("split", "dev", None, "annotations.split: expected the split in the file's name, got 'dev'"),
    ("category_id", 0, None, "annotations.category_id: expected 1 to 1, got 0"),
    ("category_id", 2, None, "annotations.category_id: expected 1 to 1, got 2"),
    ("xywh_px", [1.0, 2.0, 0.0, 4.0], is_people, "annotations.xywh_px: expected four finite numbers"),
    ("xywh_px", [1.0, 2.0, float("nan"), 4.0], is_people, "annotations.xywh_px: expected four finite numbers"),
    ("xywh_px", [1.0, 2.0, 1e8, 4.0], is_people, "annotations.xywh_px: expected four finite numbers"),
    ("xywh_px", [-1.0, 2.0, 3.0, 4.0], is_detected, "annotations.xywh_px: expected a detector's box inside the image"),
    ("xywh_px", [0.0, 0.0, 9e4, 4.0], is_detected, "annotations.xywh_px: expected a detector's box inside the image"),
    ("area_px2", 1.5, None, "annotations.area_px2: expected width x height, to 0.01, got 1.5"),
    ("source_area_px2", 0.0, is_people, "annotations.source_area_px2: expected null, or the source's own area above 0"),
    ("source_area_px2", 1e15, is_people, "annotations.source_area_px2: expected null, or the source's own area above"),
    ("source_area_px2", 5.0, is_detected, "annotations.source_area_px2: expected null, or the source's own area above"),
    ("segmentation", "", is_people, "annotations.segmentation: expected null, or COCO's polygons or run lengths"),
    ("segmentation", "[[1,2]]", is_people, "annotations.segmentation: expected null, or COCO's polygons or run"),
    ("segmentation", "[" * 9**5, is_people, "annotations.segmentation: expected null, or COCO's polygons or run"),
    (
        "segmentation",
        '{"size":[1,2],"counts":[2]}',
        is_people,
        "annotations.segmentation: expected null, or COCO's polygons or run lengths (RLE) of the image's size",
    ),
    ("segmentation", "[[1,2,3,4,5,6]]", is_detected, "annotations.segmentation: expected null, or COCO's polygons or"),
    ("source_coco", "[]", is_people, "annotations.source_coco: expected null, or a JSON object with `fields` or"),
    ("source_coco", '{"id":7}', is_people, "annotations.source_coco: expected null, or a JSON object with `fields`"),
    ("source_coco", '{"fields":{}}', is_detected, "annotations.source_coco: expected null, or a JSON object with"),
    (
        "keypoints_xyv",
        [1.0, 2.0, 2.0] * 14,
        None,
        "annotations.keypoints_xyv: expected null, or x, y and v of COCO's 17",
    ),
    ("keypoint_scheme", "animal-20", None, "annotations.keypoint_scheme: expected the scheme of the category where"),
    ("keypoint_scheme", None, is_posed, "annotations.keypoint_scheme: expected the scheme of the category where"),
    ("keypoints_xyv", [], None, "annotations.keypoints_xyv: expected null, or x, y and v of COCO's 17"),
    ("keypoints_xyv", posed(2, 3.0), is_posed, "annotations.keypoints_xyv: expected null, or x, y and v of COCO's 17"),
    ("keypoints_xyv", posed(2, 0.5), is_posed, "annotations.keypoints_xyv: expected null, or x, y and v of COCO's 17"),
    ("keypoints_xyv", posed(0, float("inf")), is_posed, "annotations.keypoints_xyv: expected null, or x, y and v of"),
    (
        "score",
        0.5,
        is_people,
        "annotations.score: expected 0 to 1, to 0.001, of a detector's box, and null of people's",
    ),
    ("score", None, is_detected, "annotations.score: expected 0 to 1, to 0.001, of a detector's box"),
    ("score", 1.5, is_detected, "annotations.score: expected 0 to 1, to 0.001, of a detector's box"),
    ("score", 0.12345, is_detected, "annotations.score: expected 0 to 1, to 0.001, of a detector's box"),
    ("origin", "me", is_people, "annotations.origin: expected one of person, source, detector, got 'me'"),
    ("origin_name", "", is_people, "annotations.origin_name: expected a name, got ''"),
    ("origin_name", "yolox", is_detected, "annotations.origin_name: expected a detector as model@12 hex digits"),
]
LEDGER: list[Case] = [
    ("source", "met", None, "ledger.record_id: expected `<source>:<the source's own key>`"),
    ("image_id", 0, None, "ledger.image_id: expected a number of 53 bits, got 0"),
    ("stage", None, is_dropped, "ledger.stage: expected the stage of a dropped record, null of others, got None"),
    ("stage", "fetch", is_kept, "ledger.stage: expected the stage of a dropped record, null of others, got 'fetch'"),
    ("stage", "elsewhere", is_dropped, "ledger.stage: expected scrape, or a stage of the recipe, got 'elsewhere'"),
    ("reason", None, is_dropped, "ledger.reason: expected the reason of a dropped record, null of others, got None"),
    ("reason", "gone", is_kept, "ledger.reason: expected the reason of a dropped record, null of others, got 'gone'"),
    ("reason", "ugly", is_dropped, "ledger.reason: expected one of the contract's reasons, got 'ugly'"),
    ("kept_record_id", "museum:none", is_dropped, "ledger.kept_record_id: expected another record of the ledger"),
    ("kept_record_id", lambda row: row["record_id"], is_dropped, "ledger.kept_record_id: expected another record of"),
    ("last_split", "dev", is_dropped, "ledger.last_split: expected one of train, val, test; null of dropped records"),
    ("last_split", None, is_kept, "ledger.last_split: expected one of train, val, test; null of dropped records alone"),
    ("sha256", "abc", is_dropped, "ledger.sha256: expected 64 hex digits; null of dropped records alone, got 'abc'"),
    ("sha256", None, is_kept, "ledger.sha256: expected 64 hex digits; null of dropped records alone, got None"),
]
CASES: dict[str, list[Case]] = {
    "images": [(column, value, None, said) for column, value, said in IMAGES],
    "annotations": ANNOTATIONS,
    "ledger": LEDGER,
}
