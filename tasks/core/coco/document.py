"""The COCO files of a release's split: a document of people's boxes (else the detector's), and all detections."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.attributes import attributes_of
from schemas.keypoints import CocoCategory
from schemas.phrases import quoted
from schemas.tables import CATEGORIES
from tasks.core import rights
from tasks.core.coco.box import box_array, box_polygon, read_box, read_outline
from tasks.core.columns import whole
from tasks.core.texts import float_texts, json_texts, json_values, list_texts, plain_texts

Document = dict[str, Any]
Row = dict[str, Any]
Bytes = bytes | memoryview | Any
"""Bytes, or an Arrow buffer of them."""

_BATCH = 16_384
"""Rows of which the text is in memory at one time."""

_METADATA = ("record_id", "source_url", "title", "artist", "style", "year", "sha256", "rights_uri", "rights_text")

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
    images: pa.Table, annotations: pa.Table, categories: Sequence[CocoCategory], least_score: float, info: Row
) -> Document:
    """The COCO file of one split, as a JSON-able value; see `document_chunks`."""
    chunks = document_chunks(images, annotations, categories, least_score, info)
    document: Document = json.loads(b"".join(map(bytes, chunks)))
    return document


def document_chunks(
    images: pa.Table,
    annotations: pa.Table,
    categories: Sequence[CocoCategory],
    least_score: float,
    info: Row,
    places: pa.Array | None = None,
) -> Iterator[Bytes]:
    """The COCO file of one split, as JSON with sorted keys, piece by piece: it may be larger than the tables.

    images, annotations: that split's rows of both tables (images without their bytes). places: which images the split
    has; None: all of them. Where any image of the split has boxes by people, theirs stand (`info.annotation_origin` =
    people), else the detector's from `least_score` on (= detector). Categories name their keypoints where a box has
    any, and always where `shows_scheme` says so. Format: Lin et al., "Microsoft COCO", and PoPArt, section 3.4: a box
    has itself as its segmentation where nobody has drawn an outline. Raises BadBox for a box that is none.
    """
    is_by_people = pc.not_equal(annotations["origin"], "detector")
    places = _all(images) if places is None else places
    people = pc.any(images["is_annotated"].take(places)).as_py() or pc.any(is_by_people).as_py()
    is_sure = pc.fill_null(pc.greater_equal(annotations["score"], least_score), False)
    chosen = annotations.filter(is_by_people if people else pc.and_(pc.invert(is_by_people), is_sure))
    has_keypoints = pc.fill_null(pc.greater(pc.list_value_length(chosen["keypoints_xyv"]), 0), False)
    with_keypoints = set(pc.unique(chosen["category_id"].filter(has_keypoints)).to_pylist())
    licences = licence_entries(pc.unique(images["rights_uri"].take(places)).to_pylist())
    entries = [
        category_entry(number, category, has_keypoints=category.shows_scheme or number in with_keypoints)
        for number, category in enumerate(categories, 1)
    ]
    yield b'{"annotations":['
    yield from _rows(chosen, _all(chosen), _annotation_texts)
    yield f'],"categories":{_json(entries)},"images":['.encode()
    uris = pa.array([licence["url"] for licence in licences], pa.string())
    yield from _rows(images, places, lambda batch: _image_texts(batch, uris))
    origin = "people" if people else "detector"
    yield f'],"info":{_json({**info, "annotation_origin": origin})},"licenses":{_json(licences)}}}'.encode()


def release_info(title: str, version: str) -> Row:
    """COCO's `info` of each split of a release, without the split's own `annotation_origin`."""
    boxes = "x_min, y_min, width, height in px of the upright image"
    return {"description": title, "version": version, "bbox": boxes}


def annotation_origin(boxes: Iterable[Row], *, is_annotated: bool) -> str:
    """Whose boxes a split's document has; is_annotated: whether people have annotated any of its images."""
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
    """COCO's results of one split, as a JSON-able value; see `results_chunks`."""
    results: list[Row] = json.loads(b"".join(map(bytes, results_chunks(annotations))))
    return results


def results_chunks(annotations: pa.Table) -> Iterator[Bytes]:
    """COCO's results format, piece by piece: all boxes of the detector in a split, with their scores and keypoints."""
    yield b"["
    boxes = annotations.filter(pc.equal(annotations["origin"], "detector"))
    yield from _rows(boxes, _all(boxes), _result_texts)
    yield b"]"


def media_path(sha256: str, format_name: str) -> str:
    """Where the image lies as a file below the release."""
    return f"media/{sha256[:2]}/{file_name(sha256, format_name)}"


def media_paths(sha256: pa.Array | pa.ChunkedArray, format_name: pa.Array | pa.ChunkedArray) -> Any:
    """(N,) the `media_path` of each image."""
    folder = pc.utf8_slice_codeunits(sha256, 0, 2)
    return pc.binary_join_element_wise("media", folder, file_names(sha256, format_name), "/")


def file_names(sha256: pa.Array | pa.ChunkedArray, format_name: pa.Array | pa.ChunkedArray) -> Any:
    """(N,) the `file_name` of each image."""
    place = pc.index_in(format_name, value_set=pa.array(EXTENSIONS, pa.string()))
    endings = pc.fill_null(pc.take(pa.array(EXTENSIONS.values(), pa.string()), place), "bin")
    return pc.binary_join_element_wise(sha256, endings, ".")


def file_name(sha256: str, format_name: str) -> str:
    """The image's name: its digest and the usual extension of its format."""
    return f"{sha256}.{EXTENSIONS.get(format_name, 'bin')}"


def category_entry(number: int, category: CocoCategory, *, has_keypoints: bool) -> Row:
    """COCO's entry of a category; has_keypoints: whether it names its keypoints, if it has a scheme."""
    plain = {"id": number, "name": category.name, "supercategory": category.supercategory}
    if category.scheme is None or not has_keypoints:
        return plain
    return {**plain, "keypoints": list(category.scheme.joints), "skeleton": category.scheme.skeleton_numbers}


def image_entry(image: Row, attributes: Sequence[str] = ()) -> Row:
    """COCO's entry of a row of the images table, without its licence, whose number is the file's."""
    path = image["image"]["path"] if image.get("image") else None
    return {
        "id": image["image_id"],
        "width": image["width_px"],
        "height": image["height_px"],
        "file_name": path or file_name(image["sha256"], image["format"]),
        "coco_url": image["image_url"] or "",
        "is_annotated": image["is_annotated"],
        "metadata": {name: image[name] for name in (*_METADATA, *attributes)},
    }


def document_annotation(box: Row) -> Row:
    """COCO's entry of a row of the annotations table: its outline and area are its source's, else those of the box.
    Raises BadBox for a box that is none, and ValueError for an outline that is no JSON.
    """
    area, outline, keypoints = box.get("source_area_px2"), box.get("segmentation"), box["keypoints_xyv"]
    plain = annotation_entry(
        box["annotation_id"],
        box["image_id"],
        box["category_id"],
        box["xywh_px"],
        box["area_px2"] if area is None else area,
        is_crowd=box["is_crowd"],
    )
    plain["segmentation"] = read_outline(outline) if outline else box_polygon(plain["bbox"])
    if box["score"] is not None:
        plain["score"] = box["score"]
    if keypoints:
        plain |= {"keypoints": keypoints, "num_keypoints": sum(v > 0 for v in keypoints[2::3])}
    return plain


def _all(table: pa.Table) -> pa.Array:
    return pa.array(np.arange(table.num_rows))


def _rows(table: pa.Table, places: pa.Array, texts: Callable[[pa.Table], pa.Array]) -> Iterator[Bytes]:
    """The texts of the rows at these places, with commas between, a batch at a time."""
    for start in range(0, len(places), _BATCH):
        batch = texts(table.take(places.slice(start, _BATCH)).combine_chunks())
        if start:
            yield b","
        whole = pa.ListArray.from_arrays(pa.array([0, len(batch)], pa.int32()), batch)
        yield pc.binary_join(whole, ",")[0].as_buffer()


def _annotation_texts(boxes: pa.Table) -> pa.Array:
    """(N,) `document_annotation` of each row."""
    x, y, width, height = box_array(boxes["xywh_px"]).T
    left, top, right, bottom = (float_texts(pa.array(side)) for side in (x, y, x + width, y + height))
    has_score, has_keypoints, keypoints = boxes["score"].is_valid(), *_keypoint_texts(boxes)
    count = plain_texts(_labelled(boxes["keypoints_xyv"]))
    corners = (right, ",", top, ",", right, ",", bottom, ",", left, ",", bottom, ",", left, ",", top)
    outline = pc.coalesce(whole(boxes["segmentation"]), _joined("[[", *corners, "]]"))
    area = pc.coalesce(boxes["source_area_px2"], boxes["area_px2"])
    return _joined(
        '{"area":', float_texts(area), *_bbox_texts(boxes),
        ',"category_id":', plain_texts(boxes["category_id"]), ',"id":', plain_texts(boxes["annotation_id"]),
        ',"image_id":', plain_texts(boxes["image_id"]), ',"iscrowd":', plain_texts(boxes["is_crowd"].cast(pa.int8())),
        pc.if_else(has_keypoints, _joined(keypoints, ',"num_keypoints":', count), ""),
        pc.if_else(has_score, _joined(',"score":', pc.fill_null(float_texts(boxes["score"]), "")), ""),
        ',"segmentation":', outline, "}",
    )  # fmt: skip


def _result_texts(boxes: pa.Table) -> pa.Array:
    """(N,) `result_entry` of each row, with its keypoints."""
    has_keypoints, keypoints = _keypoint_texts(boxes)
    box_array(boxes["xywh_px"])
    return _joined(
        "{", *_bbox_texts(boxes, ""), ',"category_id":', plain_texts(boxes["category_id"]),
        ',"image_id":', plain_texts(boxes["image_id"]), pc.if_else(has_keypoints, keypoints, ""),
        ',"score":', pc.fill_null(float_texts(boxes["score"]), "null"), "}",
    )  # fmt: skip


def _bbox_texts(boxes: pa.Table, comma: str = ",") -> tuple[Any, ...]:
    return f'{comma}"bbox":[', list_texts(boxes["xywh_px"].cast(pa.list_(pa.float64())), ","), "]"


def _keypoint_texts(boxes: pa.Table) -> tuple[Any, Any]:
    """(N,) whether a box has keypoints, and (N,) the field that says them."""
    texts = pc.fill_null(list_texts(boxes["keypoints_xyv"], ","), "")
    return pc.not_equal(texts, ""), _joined(',"keypoints":[', texts, "]")


def _labelled(keypoints: pa.ChunkedArray) -> pa.Array:
    """(N,) how many points of each list are labelled: their visibility, each third number, is above 0."""
    lists = keypoints.combine_chunks()
    row = np.asarray(pc.list_parent_indices(lists), np.int64)
    place = np.arange(len(row)) - np.searchsorted(row, row)
    is_labelled = (place % 3 == 2) & (pc.list_flatten(lists).to_numpy(zero_copy_only=False) > 0)
    return pa.array(np.bincount(row[is_labelled], minlength=len(lists)))


def _image_texts(images: pa.Table, uris: pa.Array) -> pa.Array:
    """(N,) `image_entry` of each row, with its licence: the place of its URI among these, from 1."""
    path = pc.struct_field(images["image"], "path")
    names = sorted((*_METADATA, *attributes_of(images.schema)))
    metadata = [part for name in names for part in (f',"{name}":', json_values(images[name]))]
    return _joined(
        '{"coco_url":', json_texts(pc.fill_null(images["image_url"], "")),
        ',"file_name":', json_texts(pc.coalesce(path, file_names(images["sha256"], images["format"]))),
        ',"height":', plain_texts(images["height_px"]), ',"id":', plain_texts(images["image_id"]),
        ',"is_annotated":', plain_texts(images["is_annotated"]),
        ',"license":', plain_texts(pc.add(pc.index_in(images["rights_uri"], value_set=uris), 1)),
        ',"metadata":{', metadata[0][1:], *metadata[1:], '},"width":', plain_texts(images["width_px"]), "}",
    )  # fmt: skip


def _joined(*parts: Any) -> pa.Array:
    return whole(pc.binary_join_element_wise(*parts, ""))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def annotation_entry(
    annotation_id: int, image_id: int, category_id: int, xywh_px: Sequence[float], area_px2: float, *, is_crowd: bool
) -> Row:
    """One of `annotations`. Raises BadBox for a box that is none."""
    return {
        "id": annotation_id,
        "image_id": image_id,
        "category_id": category_id,
        "bbox": read_box(xywh_px),
        "area": area_px2,
        "iscrowd": int(is_crowd),
    }


def result_entry(image_id: int, category_id: int, xywh_px: Sequence[float], score: float) -> Row:
    """One row of COCO's results format. Raises BadBox for a box that is none."""
    return {"image_id": image_id, "category_id": category_id, "bbox": read_box(xywh_px), "score": score}


def category_table(categories: Sequence[CocoCategory]) -> pa.Table:
    """CATEGORIES, whose ids count from 1.

    >>> from schemas.keypoints import Category, resolve_categories
    >>> category_table(resolve_categories([Category(name="person")]))["flip_pairs"][0].as_py()[:4]
    [2, 3, 4, 5]
    """
    return pa.Table.from_pylist([_row(*entry) for entry in enumerate(categories, 1)], schema=CATEGORIES)


def category_table_problems(table: pa.Table, categories: Sequence[CocoCategory]) -> Iterator[str]:
    """Rows of a release's table that do not follow from its recipe, whose categories these are."""
    expected, got = category_table(categories).to_pylist(), table.to_pylist()
    if len(expected) != len(got):
        yield f"categories: expected {len(expected)} rows, as recipe.yaml has categories, got {len(got)}"
        return
    for wanted, row in zip(expected, got, strict=True):
        for name, value in wanted.items():
            if row.get(name) != value:
                place = f"categories.{name} of {quoted(wanted['name'])}"
                yield f"{place}: expected {quoted(value)}, as recipe.yaml says, got {quoted(row.get(name))}"


def _row(number: int, category: CocoCategory) -> Row:
    row: Row = {"category_id": number, "name": category.name, "supercategory": category.supercategory}
    if (scheme := category.scheme) is not None:
        row |= {
            "keypoint_scheme": scheme.name,
            "keypoints": scheme.joints,
            "skeleton": [*chain.from_iterable(scheme.skeleton_numbers)],
            "flip_pairs": [*chain.from_iterable(scheme.flip_pair_numbers)],
            "sigmas": scheme.sigmas,
        }
    return row
