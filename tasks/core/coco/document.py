"""The COCO files of a release's split: a document of people's boxes (or, where there are none, the detector's), and all
detections.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from tasks.core import rights
from tasks.core.coco.entries import annotation_entry, result_entry
from tasks.core.coco.keypoints import NAMES, SKELETON

Document = dict[str, Any]
Row = dict[str, Any]

EXTENSIONS = {
    "JPEG": "jpg",
    "PNG": "png",
    "GIF": "gif",
    "WEBP": "webp",
    "TIFF": "tif",
    "BMP": "bmp",
    "PPM": "ppm",
    "JPEG2000": "jp2",
    "AVIF": "avif",
}


def split_document(
    images: pa.Table, annotations: pa.Table, categories: Sequence[str], least_score: float, info: Row
) -> Document:
    """The COCO file of one split, as a JSON-able value.

    images, annotations: that split's rows of both tables (images without their bytes). Where any image of the split has
    boxes by people, theirs stand (`info.annotation_origin` = people), else the detector's from `least_score` on
    (= detector). `images[].is_annotated` says whether people have annotated an image. Categories name COCO's 17
    keypoints where a box has any, and persons always. Format: Lin et al., "Microsoft
    COCO", and PoPArt, section 3.4: a box has itself as its segmentation; keypoints are given where there are
    any.
    """
    rows = images.to_pylist()
    boxes = annotations.to_pylist()
    origin = annotation_origin(boxes, is_annotated=any(image["is_annotated"] for image in rows))
    chosen = [box for box in boxes if is_in_document(box, origin, least_score)]
    with_keypoints = {box["category_id"] for box in chosen if box["keypoints_xyv"]}
    licences = sorted({image["rights_uri"] for image in rows})
    return {
        "info": {**info, "annotation_origin": origin},
        "licenses": licence_entries(licences),
        "categories": [
            category_entry(number, name, has_keypoints=name == "person" or number in with_keypoints)
            for number, name in enumerate(categories, 1)
        ],
        "images": [
            {"id": image["image_id"], "license": licences.index(image["rights_uri"]) + 1, **image_entry(image)}
            for image in rows
        ],
        "annotations": [document_annotation(box) for box in chosen],
    }


def release_info(title: str, version: str) -> Row:
    """COCO's `info` of each split of a release, without the origin of its annotations, which is the split's."""
    return {
        "description": title,
        "version": version,
        "bbox": "x_min, y_min, width, height in px of the upright image",
    }


def annotation_origin(boxes: Iterable[Row], *, is_annotated: bool) -> str:
    """Whose boxes stand in the document of a split with these boxes: people's, or a detector's.

    is_annotated: whether people have annotated any image of the split.
    """
    return "people" if is_annotated or any(box["origin"] != "detector" for box in boxes) else "detector"


def is_in_document(box: Row, origin: str, least_score: float) -> bool:
    """Whether a row of the annotations table stands in the document of its split, whose boxes are of this origin."""
    is_by_people = box["origin"] != "detector"
    return is_by_people if origin == "people" else not is_by_people and bool(box["score"] >= least_score)


def licence_entries(uris: Iterable[str]) -> list[Row]:
    """COCO's `licenses` of images with these rights, each once, sorted.

    >>> licence_entries(["https://creativecommons.org/publicdomain/zero/1.0/", "NOASSERTION"])[1]
    {'id': 2, 'name': 'CC0-1.0', 'url': 'https://creativecommons.org/publicdomain/zero/1.0/'}
    """
    return [
        {"id": number, "name": rights.licence_name(uri), "url": uri} for number, uri in enumerate(sorted({*uris}), 1)
    ]


def split_results(annotations: pa.Table) -> list[Row]:
    """COCO's results format: every stored box of the detector in a split, with its score, and with keypoints where it
    gave any.
    """
    return [_result(box) for box in annotations.to_pylist() if box["origin"] == "detector"]


def media_path(sha256: str, format_name: str) -> str:
    """Where the image lies as a file below the release."""
    return f"media/{sha256[:2]}/{file_name(sha256, format_name)}"


def file_name(sha256: str, format_name: str) -> str:
    """The image's name: its digest and the usual extension of its format."""
    return f"{sha256}.{EXTENSIONS.get(format_name, 'bin')}"


def category_entry(number: int, name: str, *, has_keypoints: bool) -> Row:
    """COCO's entry of a category; has_keypoints: whether it names COCO's 17 keypoints."""
    plain = {"id": number, "name": name, "supercategory": name}
    scheme = {"keypoints": list(NAMES), "skeleton": [list(bone) for bone in SKELETON]}
    return {**plain, **scheme} if has_keypoints else plain


def image_entry(image: Row) -> Row:
    """COCO's entry of a row of the images table, without its licence, whose number is the file's."""
    path = image["image"]["path"] if image.get("image") else None
    return {
        "id": image["image_id"],
        "width": image["width_px"],
        "height": image["height_px"],
        "file_name": path or file_name(image["sha256"], image["format"]),
        "coco_url": image["image_url"] or "",
        "is_annotated": image["is_annotated"],
        "metadata": {
            name: image[name]
            for name in ("record_id", "source_url", "title", "artist", "style", "year", "sha256", "rights_uri")
        },
    }


def _result(box: Row) -> Row:
    plain = result_entry(box["image_id"], box["category_id"], box["xywh_px"], box["score"])
    return {**plain, "keypoints": box["keypoints_xyv"]} if box["keypoints_xyv"] else plain


def document_annotation(box: Row) -> Row:
    """COCO's entry of a row of the annotations table.

    Raises BadBox for a box that is none.
    """
    plain = annotation_entry(
        box["annotation_id"],
        box["image_id"],
        box["category_id"],
        box["xywh_px"],
        box["area_px2"],
        is_crowd=box["is_crowd"],
    )
    x, y, w, h = plain["bbox"]
    plain["segmentation"] = [[x + w, y, x + w, y + h, x, y + h, x, y]]
    if box["score"] is not None:
        plain["score"] = box["score"]
    keypoints = box["keypoints_xyv"]
    return (
        {**plain, "keypoints": keypoints, "num_keypoints": sum(v > 0 for v in keypoints[2::3])} if keypoints else plain
    )
